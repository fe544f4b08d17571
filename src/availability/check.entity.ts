import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column, optional } from '../database/columns.js';

/** What is stored of an answered postcode check, live or test. */
export abstract class CheckColumns {
  /** In the order of time, see `check-numbers.ts`. The id that clients see is its code. */
  @PrimaryColumn(column.bigInteger)
  number: number;

  @Column(column.uuid)
  clientId: string;

  /** Canonical. */
  @Column(column.text(8))
  postcode: string;

  @Column(column.text(32))
  priceList: string;

  @Column(column.integer)
  catalogueVersion: number;

  @Column(column.integer)
  productCount: number;

  @Column(column.instant)
  checkedAt: Date;

  /** The staff member who made it for the client on the phone; null where the client made it. */
  @Column(optional(column.uuid))
  staffId: string | null;
}

/**
 * One answered postcode check. The answer itself is not stored: catalogue versions are immutable, so it
 * is computed again from the version and the price list. The primary key is the only index, because
 * a write costs most where it maintains several: a query by time gives a range of numbers, too.
 */
@Entity({ name: 'checks', withoutRowid: true })
export class CheckRow extends CheckColumns {}

/** A check that was made with a test token: in a separate table, which no report reads. */
@Entity({ name: 'test_checks', withoutRowid: true })
export class TestCheckRow extends CheckColumns {}

/** A check without the names that its record gives it. */
export type NewCheck = Readonly<Omit<CheckColumns, 'number'>>;

export interface Check extends NewCheck {
  readonly number: number;
  /** 10 characters of Crockford's base 32. */
  readonly id: string;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column, optional } from '../platform/database/columns.js';
import { WithSandbox } from '../platform/database/sides.js';

/** The columns of a check, live or test. */
export abstract class CheckColumns {
  /** Ascending in time, see `check-numbers.ts`. Clients see it as a code. */
  @PrimaryColumn(column.bigInteger)
  number: number;

  @Column(column.uuid)
  clientId: string;

  /** Canonical. */
  @Column(column.text(8))
  postcode: string;

  /** Of the premises that the client asked for. */
  @Column(optional(column.bigInteger))
  uprn: number | null;

  @Column(column.text(32))
  priceList: string;

  @Column(column.integer)
  catalogueVersion: number;

  @Column(column.integer)
  productCount: number;

  /** How near the network was, in a number of the version; null if the answer has no price by distance. */
  @Column(optional(column.integer))
  near: number | null;

  @Column(column.instant)
  checkedAt: Date;

  /** The staff member who made it for the client on the phone. */
  @Column(optional(column.uuid))
  staffId: string | null;
}

/**
 * One answered check. Catalogue versions are immutable, so the answer can be computed again from the
 * version and the price list. Queries by time use a range of numbers, because a second index would make
 * writes slower.
 */
@WithSandbox()
@Entity({ name: 'checks', withoutRowid: true })
export class CheckRow extends CheckColumns {}

/** A check before it has a number and an id. */
export type NewCheck = Readonly<Omit<CheckColumns, 'number'>>;

export interface Check extends NewCheck {
  readonly number: number;
  /** 10 characters of Crockford's base 32. */
  readonly id: string;
}

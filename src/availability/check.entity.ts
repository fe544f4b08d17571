import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../database/columns.js';

/** What is kept of an answered postcode check, live or test; how, see `stored-checks.ts`. */
export abstract class CheckRecord {
  /** 10 characters of Crockford's base 32. */
  @PrimaryColumn(column.text(10))
  id: string;

  @Column(column.uuid)
  clientId: string;

  /** Canonical. */
  @Column(column.text(8))
  postcode: string;

  /** The postcode's area, for reports. */
  @Column(column.text(2))
  area: string;

  @Column(column.text(32))
  priceList: string;

  @Column(column.integer)
  catalogueVersion: number;

  @Column(column.integer)
  productCount: number;

  @Column(column.instant)
  checkedAt: Date;

  /** The staff member who made it for the client on the telephone; null where the client did. */
  @Column(optional(column.uuid))
  staffId: string | null;
}

/**
 * One answered postcode check. The answer itself is not kept: catalogue versions are immutable, so it
 * is computed again from the version and the price list.
 */
@Entity({ name: 'checks' })
@Index('ix_checks_checked_at', ['checkedAt'])
@Index('ix_checks_catalogue_version', ['catalogueVersion'])
export class Check extends CheckRecord {}

/** One that was made with a test token: in a table of its own, which nothing that counts looks at. */
@Entity({ name: 'test_checks' })
@Index('ix_test_checks_checked_at', ['checkedAt'])
@Index('ix_test_checks_catalogue_version', ['catalogueVersion'])
export class TestCheck extends CheckRecord {}

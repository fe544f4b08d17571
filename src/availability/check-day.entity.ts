import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column } from '../database/columns.js';

/** What reports distinguish: whether the check found a product, and who made it. */
export const checkOutcomes = ['available', 'none', 'staff-available', 'staff-none'] as const;
export type CheckOutcome = (typeof checkOutcomes)[number];

/** The outcome of a row `c` of checks, in SQL. */
export const OUTCOME_SQL = `CASE WHEN c.staff_id IS NULL
  THEN CASE WHEN c.product_count > 0 THEN 'available' ELSE 'none' END
  ELSE CASE WHEN c.product_count > 0 THEN 'staff-available' ELSE 'staff-none' END END`;

/** How many checks of one outcome an API client made in a sector on a day: what reports read. */
@Entity({ name: 'check_days', withoutRowid: true })
export class CheckDay {
  /** In London, `2026-11-21`. */
  @PrimaryColumn(column.text(10))
  day: string;

  /** `EC2A 2` */
  @PrimaryColumn(column.text(6))
  sector: string;

  @PrimaryColumn(column.uuid)
  clientId: string;

  @PrimaryColumn(column.text(16))
  outcome: CheckOutcome;

  @Column(column.integer)
  checks: number;
}

/**
 * Rows of checks that `check_days` does not count yet, by a range of their numbers. It is stored with
 * the rows, in one transaction, and deleted in the one that counts them: a crash loses neither.
 */
@Entity({ name: 'uncounted_checks', withoutRowid: true })
export class UncountedChecks {
  @PrimaryColumn(column.bigInteger)
  firstNumber: number;

  @Column(column.bigInteger)
  lastNumber: number;
}

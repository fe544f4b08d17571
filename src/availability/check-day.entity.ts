import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column } from '../platform/database/columns.js';

/** Whether the check found a product, and whether staff made it. */
export const checkOutcomes = ['available', 'none', 'staff-available', 'staff-none'] as const;
export type CheckOutcome = (typeof checkOutcomes)[number];

export function outcomeOf(productCount: number, staffId: string | null): CheckOutcome {
  const found = productCount > 0 ? 'available' : 'none';
  return staffId === null ? found : `staff-${found}`;
}

/** The same of a row `c` of checks, in SQL. */
export const OUTCOME_SQL = `CASE WHEN c.staff_id IS NULL
  THEN CASE WHEN c.product_count > 0 THEN 'available' ELSE 'none' END
  ELSE CASE WHEN c.product_count > 0 THEN 'staff-available' ELSE 'staff-none' END END`;

/** Checks of one client in one sector, per day and outcome, for reports. */
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
 * A range of check numbers that `check_days` does not include yet. It is inserted in the transaction of
 * the checks, and deleted in the one that counts them, so that a crash loses no count.
 */
@Entity({ name: 'uncounted_checks', withoutRowid: true })
export class UncountedChecks {
  @PrimaryColumn(column.bigInteger)
  firstNumber: number;

  @Column(column.bigInteger)
  lastNumber: number;
}

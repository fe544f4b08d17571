import { londonDay } from '../../src/platform/kernel/working-hours.js';
import type { DatabaseSettings } from './databases.js';
import { Ledger } from './ledger.js';

type Counts = Readonly<Record<string, number>>;

const sorted = (counts: ReadonlyMap<string, number>): Counts =>
  Object.fromEntries([...counts].sort());

export const total = (counts: Counts) => Object.values(counts).reduce((a, b) => a + b, 0);

/** What a count of the rows gives, made here. */
export async function countedRows(database: DatabaseSettings): Promise<Counts> {
  const counts = new Map<string, number>();
  const rows = await new Ledger(database).rows<Record<string, string | number | null>>(
    'SELECT * FROM checks',
  );
  for (const row of rows) {
    const day = londonDay(new Date(Number(row.checked_at)));
    const sector = String(row.postcode).slice(0, -2);
    const found = Number(row.product_count) > 0 ? 'available' : 'none';
    const outcome = row.staff_id === null ? found : `staff-${found}`;
    const key = [day, sector, row.client_id, outcome].join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return sorted(counts);
}

/** What reports read. */
export async function checkDays(database: DatabaseSettings): Promise<Counts> {
  const rows = await new Ledger(database).rows<Record<string, string | number>>(
    'SELECT * FROM check_days',
  );
  return sorted(
    new Map(
      rows.map((row) => [
        [row.day, row.sector, row.client_id, row.outcome].join(),
        Number(row.checks),
      ]),
    ),
  );
}

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Check } from '../../src/availability/check.entity.js';
import { storedChecks, type StoredChecks } from '../../src/availability/stored-checks.js';
import { Transactions } from '../../src/database/transactions.js';
import { onBothEngines, startService } from '../support/service.js';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const MINUTE = 60_000;

/** The `n`-th of records, one a minute, of which a thousand have ids of one cluster. */
function check(n: number, about: Partial<Check> = {}): Check {
  return {
    id: `${String(Math.floor(n / 1_000)).padStart(5, 'C')}${String(n % 1_000).padStart(5, '0')}`,
    clientId: '0198f7a0-1111-7000-8000-000000000001',
    postcode: 'EC2A 2BS',
    area: 'EC',
    priceList: n % 2 === 0 ? 'standard' : `a","b,\n£\\'$1`,
    catalogueVersion: 3,
    productCount: n % 4,
    checkedAt: new Date(NOON + n * MINUTE),
    staffId: n % 3 === 0 ? null : '0198f7a0-2222-7000-8000-000000000002',
    ...about,
  };
}

const many = (count: number) => Array.from({ length: count }, (_, n) => check(n));

onBothEngines('The records of checks', (engine) => {
  let transactions: Transactions;
  let stored: StoredChecks;

  beforeAll(async () => {
    transactions = (await startService(engine)).get(Transactions);
    stored = storedChecks(transactions, 'checks');
  });

  beforeEach(async () => {
    const end = new Date(NOON + 10_000 * MINUTE);
    while ((await transactions.run((tx) => stored.prune(tx, end, 10_000))) > 0);
    await stored.write(many(1_500));
  });

  const madeWithin = (start: number, end: number) =>
    transactions.read(async (tx) => {
      const query = tx.createQueryBuilder(Check, 'r').where(stored.madeWithin, { start, end });
      const found = await query.getMany();
      return found
        .map(({ checkedAt }) => (checkedAt.getTime() - NOON) / MINUTE)
        .sort((a, b) => a - b);
    });

  it('are rows to a query, keep what they hold, however many they are', async () => {
    const read = await transactions.read((tx) => tx.find(Check, { order: { checkedAt: 'ASC' } }));
    expect(read).toEqual(many(1_500));
  });

  it('are found by their ids, alone or among others', async () => {
    for (const n of [0, 1, 59, 60, 999, 1_000, 1_499]) {
      expect(await stored.find(check(n).id)).toEqual(check(n));
    }
    for (const id of [check(1_500).id, 'CCCC099999', 'ZZZZZ00000', '0000000000']) {
      expect(await stored.find(id)).toBeNull();
    }
  });

  it('are found by when they were made, to the millisecond', async () => {
    const until = (first: number, end: number) =>
      Array.from({ length: end - first }, (_, n) => first + n);
    expect(await madeWithin(NOON, NOON + MINUTE)).toEqual([0]);
    expect(await madeWithin(NOON + 1, NOON + MINUTE)).toEqual([]);
    expect(await madeWithin(NOON + 1, NOON + 90 * MINUTE + 1)).toEqual(until(1, 91));
    expect(await madeWithin(NOON + 59 * MINUTE, NOON + 61 * MINUTE)).toEqual([59, 60]);
    expect(await madeWithin(0, NOON)).toEqual([]);
    expect(await madeWithin(0, 2 * NOON)).toHaveLength(1_500);
  });

  it('are found by their catalogue version', async () => {
    await stored.write([
      check(2_000, { catalogueVersion: 4 }),
      check(2_001, { catalogueVersion: 5 }),
      check(2_002, { catalogueVersion: 4 }),
    ]);
    const counts = await transactions.read(async (tx) => [
      await tx.countBy(Check, { catalogueVersion: 4 }),
      await tx.countBy(Check, { catalogueVersion: 5 }),
      await tx.countBy(Check, { catalogueVersion: 6 }),
    ]);
    expect(counts).toEqual([2, 1, 0]);
  });

  it('are stored once, where a write is done again', async () => {
    const again = [check(3_000), check(3_001)];
    await stored.write(again);
    await stored.write(again);
    expect(await madeWithin(NOON + 3_000 * MINUTE, NOON + 3_002 * MINUTE)).toEqual([3_000, 3_001]);
  });

  it('are deleted from the oldest on, about as many at a time as is said', async () => {
    const before = new Date(NOON + 600 * MINUTE);
    const prune = () => transactions.run((tx) => stored.prune(tx, before, 100));
    const deleted: number[] = [];
    do deleted.push(await prune());
    while (deleted.at(-1) !== 0);
    expect(deleted.reduce((a, b) => a + b)).toBe(600);
    expect(Math.max(...deleted)).toBeLessThanOrEqual(160);
    expect((await madeWithin(0, NOON + 700 * MINUTE))[0]).toBe(600);
  });
});

describe('The records of checks on SQLite', () => {
  it('are looked for in few groups: neither a time nor an id reads all', async () => {
    const transactions = (await startService('sqlite')).get(Transactions);
    const stored = storedChecks(transactions, 'checks');
    await stored.write(many(600));
    const plan = (where: string) =>
      transactions.read(async (tx) => {
        const steps = await tx.query<{ detail: string }[]>(
          `EXPLAIN QUERY PLAN SELECT * FROM checks r WHERE ${where}`,
        );
        return steps.map(({ detail }) => detail).join('\n');
      });
    const within = stored.madeWithin
      .replaceAll('r.checkedAt', 'r.checked_at')
      .replaceAll(':start', '0')
      .replaceAll(':end', '1');
    expect(await plan(within)).toContain('ix_check_groups_hour');
    expect(await plan('r.catalogue_version = 1')).toContain('ix_check_groups_catalogue_version');
    expect(await plan(`r.group_id BETWEEN 'A' AND 'B' AND r.id = 'A'`)).toContain(
      '(id>? AND id<?)',
    );
  });
});

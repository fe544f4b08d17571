import { beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { CheckDaysService } from '../../src/availability/check-days.service.js';
import { type Check, CheckRow } from '../../src/availability/check.entity.js';
import { firstNumberAt } from '../../src/availability/check-numbers.js';
import {
  CHECKS_MADE,
  checksMade,
  checksUse,
  StoredChecks,
} from '../../src/availability/stored-checks.js';
import { LIVE, SANDBOX } from '../../src/platform/database/sides.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { Unavailable } from '../../src/platform/problems/problem.js';
import { onBothEngines, startService } from '../support/service.js';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The `n`-th of records, one a minute. */
function check(n: number, about: Partial<Check> = {}): Check {
  const checkedAt = new Date(NOON + n * MINUTE);
  return {
    id: 'of no interest',
    number: firstNumberAt(checkedAt.getTime()) + n,
    clientId: '0198f7a0-1111-7000-8000-000000000001',
    postcode: 'EC2A 2BS',
    uprn: n % 2 === 0 ? null : 2 ** 32 + n,
    priceList: n % 2 === 0 ? 'standard' : `a","b,\n£\\'$1`,
    catalogueVersion: 3,
    productCount: n % 4,
    near: n % 2 === 0 ? null : n,
    checkedAt,
    staffId: n % 3 === 0 ? null : '0198f7a0-2222-7000-8000-000000000002',
    ...about,
  };
}

const row = ({ id: _id, ...stored }: Check) => stored;
const many = (count: number) => Array.from({ length: count }, (_, n) => check(n));

onBothEngines('The records of checks', (engine) => {
  let transactions: Transactions;
  let stored: StoredChecks;
  let days: CheckDaysService;

  beforeAll(async () => {
    const service = await startService(engine);
    transactions = service.get(Transactions);
    days = service.get(CheckDaysService);
    stored = new StoredChecks(transactions, LIVE);
  });

  beforeEach(async () => {
    await days.countNew();
    const end = new Date(NOON + 10_000 * MINUTE);
    while ((await transactions.run((tx) => stored.prune(tx, end, 10_000))) > 0);
    await stored.write(many(1_500));
  });

  const madeWithin = (start: number, end: number) =>
    transactions.read(async (tx) => {
      const query = tx
        .createQueryBuilder(CheckRow, 'r')
        .where(CHECKS_MADE, checksMade({ start, end }));
      const found = await query.getMany();
      return found
        .map(({ checkedAt }) => (checkedAt.getTime() - NOON) / MINUTE)
        .sort((a, b) => a - b);
    });

  it('keep all values, for any number of rows per write', async () => {
    const read = await transactions.read((tx) => tx.find(CheckRow, { order: { number: 'ASC' } }));
    expect(read).toEqual(many(1_500).map(row));
  });

  it('are found by their numbers', async () => {
    for (const n of [0, 1, 59, 60, 999, 1_000, 1_499]) {
      expect(await stored.find(check(n).number)).toEqual(row(check(n)));
    }
    for (const number of [0, check(1_500).number, 2 ** 50 - 1]) {
      expect(await stored.find(number)).toBeNull();
    }
  });

  it('are found for concurrent callers by one query', async () => {
    const reads = jest.spyOn(transactions, 'read');
    const numbers = [1_499, 1_500, 0, 1_499, 7].map((n) => check(n).number);
    const found = await Promise.all(numbers.map((number) => stored.find(number)));
    expect(found.map((one) => one?.number ?? null)).toEqual(
      numbers.map((number) => (number === check(1_500).number ? null : number)),
    );
    // The service also reads by itself, once a second.
    expect(reads.mock.calls.length).toBeLessThan(numbers.length);
    reads.mockRestore();
  });

  it("are looked for until the caller's deadline", async () => {
    await transactions.run(async (tx) => {
      if (engine === 'postgres') await tx.query('LOCK TABLE checks');
      const looking = transactions.within(50, () => stored.find(check(1).number));
      await expect(looking).rejects.toBeInstanceOf(Unavailable);
    });
    expect(await stored.find(check(1).number)).toEqual(row(check(1)));
  });

  it('are found by time, to the millisecond', async () => {
    const until = (first: number, end: number) =>
      Array.from({ length: end - first }, (_, n) => first + n);
    expect(await madeWithin(NOON, NOON + MINUTE)).toEqual([0]);
    expect(await madeWithin(NOON + 1, NOON + MINUTE)).toEqual([]);
    expect(await madeWithin(NOON + 1, NOON + 90 * MINUTE + 1)).toEqual(until(1, 91));
    expect(await madeWithin(NOON + 59 * MINUTE, NOON + 61 * MINUTE)).toEqual([59, 60]);
    expect(await madeWithin(0, NOON)).toEqual([]);
    expect(await madeWithin(0, 1.01 * NOON)).toHaveLength(1_500);
  });

  it('are queried by the primary key, by number and by time', async () => {
    const { first, beyond, start, end } = checksMade({ start: NOON, end: NOON + HOUR });
    const where = CHECKS_MADE.replaceAll('r.checkedAt', 'r.checked_at')
      .replaceAll(':first', String(first))
      .replaceAll(':beyond', String(beyond))
      .replaceAll(':start', String(start))
      .replaceAll(':end', String(end));
    const explain = engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN (FORMAT TEXT)';
    const plan = await transactions.run(async (tx) => {
      if (engine === 'postgres') await tx.query('SET LOCAL enable_seqscan = off');
      return tx.query<object[]>(`${explain} SELECT * FROM checks r WHERE ${where}`);
    });
    expect(JSON.stringify(plan)).toMatch(/USING PRIMARY KEY \(number>|pk_checks/);
  });

  it('show whether a catalogue version was used while it was live', async () => {
    await stored.write([
      check(2_000, { catalogueVersion: 4 }),
      check(2_001, { catalogueVersion: 5 }),
    ]);
    const live = { start: NOON + 1_999 * MINUTE, end: NOON + 2_002 * MINUTE };
    const later = { start: NOON + 2_100 * MINUTE, end: NOON + 3_000 * MINUTE };
    const used = await transactions.read(async (tx) => [
      await checksUse(tx, 4, live),
      await checksUse(tx, 5, live),
      await checksUse(tx, 6, live),
      await checksUse(tx, 4, later),
    ]);
    expect(used).toEqual([true, true, false, false]);
  });

  it('show that only a test check used a catalogue version', async () => {
    const tests = new StoredChecks(transactions, SANDBOX);
    await tests.write([check(2_500, { catalogueVersion: 7 })]);
    const live = { start: NOON + 2_400 * MINUTE, end: NOON + 2_600 * MINUTE };
    expect(await transactions.read((tx) => checksUse(tx, 7, live))).toBe(true);
  });

  it('are stored once if a write is repeated, with the new checks of that write', async () => {
    expect(await stored.write([check(3_000), check(3_001)])).toBe(0);
    expect(await stored.write([check(3_000), check(3_001)])).toBe(2);
    expect(await stored.write([check(3_001), check(3_002)])).toBe(1);
    expect(await madeWithin(NOON + 3_000 * MINUTE, NOON + 3_003 * MINUTE)).toEqual([
      3_000, 3_001, 3_002,
    ]);
  });

  it('are deleted from the oldest on, a limited number at a time', async () => {
    const before = new Date(NOON + 630 * MINUTE);
    const prune = () => transactions.run((tx) => stored.prune(tx, before, 100));
    const deleted: number[] = [];
    do deleted.push(await prune());
    while (deleted.at(-1) !== 0);
    expect(deleted).toEqual([100, 100, 100, 100, 100, 100, 30, 0]);
    expect((await madeWithin(0, NOON + 700 * MINUTE))[0]).toBe(630);
  });

  it('are kept if they are newer, although their number is lower', async () => {
    const hour = firstNumberAt(NOON + 6_000 * MINUTE);
    await stored.write([
      check(6_010, { number: hour + 500 }), // on one instance
      check(6_020, { number: hour + 100 }), // on another
    ]);
    const before = new Date(NOON + 6_015 * MINUTE);
    await transactions.run((tx) => stored.prune(tx, before, 10_000));
    expect(await madeWithin(0, NOON + 10_000 * MINUTE)).toEqual([6_020]);
  });
});

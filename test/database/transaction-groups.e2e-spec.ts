import { beforeAll, expect, it } from '@jest/globals';
import { UncountedChecks } from '../../src/availability/check-day.entity.js';
import { isUniqueViolation } from '../../src/platform/database/engine/errors.js';
import { Revision } from '../../src/platform/database/revision.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { onBothEngines, type Service, startService } from '../support/service.js';

/** Transactions that wait at the same time share a commit on SQLite, which no caller may notice. */
onBothEngines('Transactions that wait together', (engine) => {
  let transactions: Transactions;

  beforeAll(async () => {
    const service: Service = await startService(engine);
    transactions = service.get(Transactions);
  });

  const names = (prefix: string) =>
    transactions.read(async (tx) => {
      const rows = await tx.find(Revision, { order: { name: 'ASC' } });
      return rows.map(({ name }) => name).filter((name) => name.startsWith(prefix));
    });

  it('keep each transaction that succeeds, and roll back each that fails', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) =>
        transactions.run(async (tx) => {
          await tx.insert(Revision, { name: `a${String(i).padStart(2, '0')}`, number: i });
          if (i % 3 === 1) throw new Error(`no ${i}`);
          // A row that is there: the statement fails, and the transaction with it.
          if (i % 3 === 2) await tx.insert(Revision, { name: 'access', number: i });
          return i;
        }),
      ),
    );
    const kept = [0, 3, 6, 9, 12, 15, 18, 21, 24, 27];
    expect(outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))).toEqual(
      kept,
    );
    expect(await names('a0')).toEqual(['a00', 'a03', 'a06', 'a09']);
    expect((await names('a')).filter((name) => name !== 'access')).toHaveLength(kept.length);
  });

  it('are visible to reads after their promise', async () => {
    await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        await transactions.run((tx) => tx.insert(Revision, { name: `b${i}`, number: i }));
        expect(await names(`b${i}`)).toEqual([`b${i}`]);
      }),
    );
  });
});

onBothEngines('Rows that are written in the background', (engine) => {
  let transactions: Transactions;

  beforeAll(async () => {
    transactions = (await startService(engine)).get(Transactions);
  });

  const insert = (...values: (string | number | null)[]) => ({
    table: 'revisions',
    columns: ['name', 'number'],
    values,
  });

  it('are stored in several tables, or in none if one key is taken', async () => {
    const uncounted = (first: number) => ({
      table: 'uncounted_checks',
      columns: ['first_number', 'last_number'],
      values: [first, first + 1],
    });
    const many = Array.from({ length: 70 }, (_, i) => [`x${i}`, i]).flat();
    await transactions.insertRows([insert(...many), uncounted(10)]);
    await expect(transactions.insertRows([insert('y', 1), uncounted(10)])).rejects.toThrow();
    const refused = transactions.insertRows([insert('y', 1, 'access', 999), uncounted(20)]);
    expect(isUniqueViolation(await refused.catch((error: unknown) => error))).toBe(true);
    const [rows, ranges] = await transactions.read(async (tx) => [
      await tx.find(Revision),
      await tx.find(UncountedChecks),
    ]);
    const names = rows.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('x'))).toHaveLength(70);
    expect(names).not.toContain('y');
    expect(rows.find(({ name }) => name === 'access')?.number).not.toBe(999);
    expect(ranges).toEqual([{ firstNumber: 10, lastNumber: 11 }]);
  });

  it('fail as a whole if one row is invalid', async () => {
    const write = transactions.insertRows([insert('z', 1, 'zz', null)]);
    // NOT NULL is a constraint too, but not one that may be passed over.
    await expect(write).rejects.toMatchObject({ message: expect.stringMatching(/not.null/i) });
    await transactions.insertRows([insert('w', 1)]);
    const rows = await transactions.read((tx) => tx.find(Revision));
    expect(rows.map(({ name }) => name)).toContain('w');
    expect(rows.map(({ name }) => name)).not.toContain('z');
  });
});

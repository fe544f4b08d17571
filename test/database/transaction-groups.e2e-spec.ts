import { beforeAll, expect, it } from '@jest/globals';
import { Revision } from '../../src/database/revision.entity.js';
import { Transactions } from '../../src/database/transactions.js';
import { onBothEngines, type Service, startService } from '../support/service.js';

/** Transactions that wait at the same time are committed together on SQLite; nobody may notice. */
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

  it('keep what succeeds and lose what fails, each by itself', async () => {
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

  it('are visible to whoever reads after their promise', async () => {
    await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        await transactions.run((tx) => tx.insert(Revision, { name: `b${i}`, number: i }));
        expect(await names(`b${i}`)).toEqual([`b${i}`]);
      }),
    );
  });
});

onBothEngines('Rows that are written behind', (engine) => {
  let transactions: Transactions;

  beforeAll(async () => {
    transactions = (await startService(engine)).get(Transactions);
  });

  it('leave out one whose key is taken, and keep the others', async () => {
    const columns = ['name', 'number'];
    await transactions.insertRows('revisions', columns, ['x', 1, 'access', 999, 'y', 2]);
    const rows = await transactions.read((tx) => tx.find(Revision, { order: { name: 'ASC' } }));
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['access', 'x', 'y']));
    expect(rows.find(({ name }) => name === 'access')?.number).not.toBe(999);
  });

  it('fail as a whole, and say so, where a row is wrong', async () => {
    const write = transactions.insertRows('revisions', ['name', 'number'], ['z', 1, 'zz', null]);
    // NOT NULL is a constraint too, but not one that may be passed over.
    await expect(write).rejects.toMatchObject({ message: expect.stringMatching(/not.null/i) });
    await transactions.insertRows('revisions', ['name', 'number'], ['w', 1]);
    const rows = await transactions.read((tx) => tx.find(Revision));
    expect(rows.map(({ name }) => name)).toContain('w');
    expect(rows.map(({ name }) => name)).not.toContain('z');
  });
});

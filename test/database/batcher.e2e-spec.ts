import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  isRefusedStatement,
  isUniqueViolation,
} from '../../src/platform/database/engine/errors.js';
import { Unavailable } from '../../src/platform/problems/problem.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { Revision } from '../../src/platform/database/revision.entity.js';
import { addRows } from '../../src/platform/database/engine/rows.js';
import { Batcher } from '../../src/platform/database/batch/batcher.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { Tx } from '../../src/platform/database/engine/tx.js';
import { newDatabase, openDataSource } from '../support/databases.js';
import { onBothEngines } from '../support/service.js';

onBothEngines('a batch of writes', (engine) => {
  let transactions: Transactions;
  let batcher: Batcher<string, string>;
  /** The items of each transaction. */
  let groups: string[][];
  /** Thrown in the next transaction. */
  let failure: Error | undefined;
  let holding: (() => void)[];
  let open: () => void;

  beforeAll(async () => {
    const dataSource = await openDataSource(await newDatabase(engine, 'empty'), 'endless');
    await migrate(dataSource);
    transactions = new Transactions(dataSource, 60_000);
  });

  beforeEach(async () => {
    await transactions.run((tx) => tx.query('DELETE FROM revisions'));
    groups = [];
    failure = undefined;
    holding = [];
    const opened = new Promise<void>((resolve) => (open = resolve));
    const work = async (tx: Tx, names: readonly string[]) => {
      groups.push([...names]);
      if (names.some((name) => name.startsWith('hold'))) {
        holding.shift()?.();
        await opened;
      }
      if (failure) throw failure;
      const good = names.filter((name) => name !== 'bad');
      await addRows(
        tx,
        Revision,
        good.map((name) => ({ name, number: 0 })),
      );
      return names.map((name) => (name === 'bad' ? new Error('not this one') : `${name} is in`));
    };
    batcher = new Batcher(
      ({ take, until }) => transactions.runBatch((tx) => work(tx, take()), until),
      { isRetriedSingly: isRefusedStatement },
    );
  });

  const store = (name: string) => batcher.add(name, transactions.until);

  /** Keeps the batcher busy until `open` is called. */
  async function hold(storeOne = store) {
    const begun = new Promise<void>((resolve) => holding.push(resolve));
    const held = storeOne('hold');
    // On a slow machine its deadline may pass before it begins.
    await Promise.race([begun, held.catch(() => undefined)]);
    return { held };
  }

  const storeAll = (...names: string[]) => Promise.allSettled(names.map(store));
  const outcome = ({ status, ...rest }: PromiseSettledResult<string>) =>
    status === 'fulfilled' ? (rest as { value: string }).value : 'refused';
  const stored = async () => {
    const rows = await transactions.read((tx) => tx.find(Revision));
    return rows.map(({ name }) => name).filter((name) => !name.startsWith('hold'));
  };

  it('is one transaction for the items that arrive while another is written', async () => {
    const { held } = await hold();
    const storing = storeAll('one', 'two', 'three');
    open();
    expect((await storing).map(outcome)).toEqual(['one is in', 'two is in', 'three is in']);
    await held;
    expect(groups).toContainEqual(['one', 'two', 'three']);
    expect(await stored()).toHaveLength(3);
  });

  it('is stored without the item that the database refuses', async () => {
    await store('two');
    const { held } = await hold();
    const storing = storeAll('one', 'two', 'three');
    open();
    const outcomes = await storing;
    expect(outcomes.map(outcome)).toEqual(['one is in', 'refused', 'three is in']);
    expect(isUniqueViolation((outcomes[1] as PromiseRejectedResult).reason)).toBe(true);
    await held;
    expect((await stored()).sort()).toEqual(['one', 'three', 'two']);
  });

  it('is stored without the item that its writer refuses', async () => {
    const outcomes = await storeAll('one', 'bad', 'three');
    expect(outcomes.map(outcome)).toEqual(['one is in', 'refused', 'three is in']);
    expect((await stored()).sort()).toEqual(['one', 'three']);
  });

  it('fails as a whole in an outage and is not retried', async () => {
    const { held } = await hold();
    const storing = storeAll('one', 'two');
    failure = new Unavailable('gone');
    open();
    expect((await storing).map(outcome)).toEqual(['refused', 'refused']);
    await Promise.allSettled([held]);
    expect(groups.filter((names) => names.includes('one'))).toEqual([['one', 'two']]);
    failure = undefined;
    expect(await store('later')).toBe('later is in');
    expect(await stored()).toEqual(['later']);
  });

  it('drops an item whose deadline passes before it is taken', async () => {
    const { held } = await hold();
    const late = transactions.within(20, () => store('late'));
    await expect(late).rejects.toBeInstanceOf(Unavailable);
    open();
    await held;
    expect(await store('later')).toBe('later is in');
    expect(await stored()).toEqual(['later']);
  });

  it('does not apply the deadline of another caller to an item', async () => {
    const { held } = await hold((name) => transactions.within(20, () => store(name)));
    const patient = store('patient');
    await Promise.allSettled([transactions.within(60, () => store('brief'))]);
    open();
    expect(await patient).toBe('patient is in');
    await Promise.allSettled([held]);
  });
});

import { In, LessThan } from 'typeorm';
import type { Tx } from '../platform/database/engine/tx.js';
import { SANDBOX, tableOn } from '../platform/database/sides.js';
import { DAY } from '../platform/kernel/time.js';
import { LIFETIME_DAYS } from './watch-rows.js';
import { Watch, WatchCaller } from './watch.entity.js';

/** Conditions of partial indexes, so without parameters. */
const OPEN = `w.state = 'open'`;
const CLOSED = `w.state <> 'open'`;

/** Ends watches that were changed before then. @returns how many, at most `most` */
export async function endWatches(tx: Tx, before: Date, most: number): Promise<number> {
  const ids = await oldest(tx, Watch, OPEN, before, most);
  const changedAt = new Date(before.getTime() + LIFETIME_DAYS * DAY);
  await tx.update(Watch, { id: In(ids), state: 'open' }, { state: 'ended', changedAt });
  return ids.length;
}

/** @returns how many it deleted, at most `most` */
export async function pruneWatches(tx: Tx, before: Date, most: number): Promise<number> {
  const ids = await oldest(tx, Watch, CLOSED, before, most);
  await tx.delete(Watch, { id: In(ids) });
  return ids.length;
}

/** Deletes addresses of callers. @returns how many, at most `most` */
export async function pruneCallers(tx: Tx, before: Date, most: number): Promise<number> {
  const callers = await tx.find(WatchCaller, {
    where: { putAt: LessThan(before) },
    order: { putAt: 'ASC' },
    take: most,
  });
  await tx.delete(WatchCaller, { id: In(callers.map(({ id }) => id)) });
  return callers.length;
}

/** Those of the sandbox, open or not. @returns how many it deleted */
export async function pruneTestWatches(tx: Tx, before: Date, most: number): Promise<number> {
  const table = tableOn(Watch, SANDBOX);
  const open = await oldest(tx, table, OPEN, before, most);
  const closed = await oldest(tx, table, CLOSED, before, most);
  await tx.delete(table, { id: In([...open, ...closed]) });
  return open.length + closed.length;
}

async function oldest(
  tx: Tx,
  entity: new () => Watch,
  condition: string,
  before: Date,
  most: number,
): Promise<string[]> {
  const watches = await tx
    .createQueryBuilder(entity, 'w')
    .select(['w.id'])
    .where(condition)
    .andWhere('w.changedAt <= :before', { before: before.getTime() })
    .orderBy('w.changedAt', 'ASC')
    .limit(most)
    .getMany();
  return watches.map(({ id }) => id);
}

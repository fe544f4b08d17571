import { In, LessThan } from 'typeorm';
import type { Tx } from '../platform/database/engine/tx.js';
import { DAY } from '../platform/kernel/time.js';
import { LIFETIME } from './watch-rows.js';
import { TestWatch, Watch, WatchCaller } from './watch.entity.js';

/** Days for which watches are kept that were served or have ended. */
const CLOSED_DAYS = 90;

/** Conditions of partial indexes, so without parameters. */
const OPEN = `w.state = 'open'`;
const CLOSED = `w.state <> 'open'`;

/** Ends watches after their lifetime. @returns how many, at most `most` */
export async function endWatches(tx: Tx, now: Date, most: number): Promise<number> {
  const ids = await oldest(tx, Watch, OPEN, new Date(now.getTime() - LIFETIME), most);
  await tx.update(Watch, { id: In(ids), state: 'open' }, { state: 'ended', changedAt: now });
  return ids.length;
}

/** @returns how many it deleted, at most `most` */
export async function pruneWatches(tx: Tx, now: Date, most: number): Promise<number> {
  const before = new Date(now.getTime() - CLOSED_DAYS * DAY);
  const ids = await oldest(tx, Watch, CLOSED, before, most);
  await tx.delete(Watch, { id: In(ids) });
  return ids.length;
}

/** Addresses of callers, as long as a watch may exist. @returns how many it deleted, at most `most` */
export async function pruneCallers(tx: Tx, now: Date, most: number): Promise<number> {
  const putAt = LessThan(new Date(now.getTime() - LIFETIME - CLOSED_DAYS * DAY));
  const found = await tx.find(WatchCaller, {
    where: { putAt },
    order: { putAt: 'ASC' },
    take: most,
  });
  await tx.delete(WatchCaller, { id: In(found.map(({ id }) => id)) });
  return found.length;
}

/** Those of the sandbox, open or not. @returns how many it deleted */
export async function pruneTestWatches(tx: Tx, before: Date, most: number): Promise<number> {
  const open = await oldest(tx, TestWatch, OPEN, before, most);
  const closed = await oldest(tx, TestWatch, CLOSED, before, most);
  await tx.delete(TestWatch, { id: In([...open, ...closed]) });
  return open.length + closed.length;
}

async function oldest(
  tx: Tx,
  entity: typeof Watch,
  condition: string,
  before: Date,
  most: number,
): Promise<string[]> {
  const found = await tx
    .createQueryBuilder(entity, 'w')
    .select(['w.id'])
    .where(condition)
    .andWhere('w.changedAt <= :before', { before: before.getTime() })
    .orderBy('w.changedAt', 'ASC')
    .limit(most)
    .getMany();
  return found.map(({ id }) => id);
}

import { In, LessThanOrEqual } from 'typeorm';
import type { Tx } from '../database/engine/tx.js';
import { DAY } from '../kernel/time.js';
import { LIFETIME } from './watch-printer.js';
import { TestWatch, Watch, type WatchState, watchStates } from './watch.entity.js';

/** Days for which watches are kept that were served or have ended. */
const CLOSED_DAYS = 90;

/** Ends watches after their lifetime. @returns how many, at most `most` */
export async function endWatches(tx: Tx, now: Date, most: number): Promise<number> {
  const before = new Date(now.getTime() - LIFETIME);
  const ids = await oldest(tx, Watch, ['open'], before, most);
  await tx.update(Watch, { id: In(ids), state: 'open' }, { state: 'ended', changedAt: now });
  return ids.length;
}

/** @returns how many it deleted, at most `most` */
export async function pruneWatches(tx: Tx, now: Date, most: number): Promise<number> {
  const before = new Date(now.getTime() - CLOSED_DAYS * DAY);
  const ids = await oldest(tx, Watch, ['served', 'ended'], before, most);
  await tx.delete(Watch, { id: In(ids) });
  return ids.length;
}

/** Those of the sandbox, whatever their state. @returns how many it deleted, at most `most` */
export async function pruneTestWatches(tx: Tx, before: Date, most: number): Promise<number> {
  const ids = await oldest(tx, TestWatch, watchStates, before, most);
  await tx.delete(TestWatch, { id: In(ids) });
  return ids.length;
}

async function oldest(
  tx: Tx,
  entity: typeof Watch,
  states: readonly WatchState[],
  before: Date,
  most: number,
): Promise<string[]> {
  const found = await tx.find(entity, {
    select: { id: true },
    where: { state: In([...states]), changedAt: LessThanOrEqual(before) },
    take: most,
  });
  return found.map(({ id }) => id);
}

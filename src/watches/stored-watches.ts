import { type Side, tableNameOn, SANDBOX, tableOn } from '../platform/database/sides.js';
import type { Transactions } from '../platform/database/transactions.js';
import { inTurns } from '../platform/kernel/turns.js';
import { parseRows, type WatchRows, LIFETIME_DAYS } from './watch-rows.js';
import { In, LessThan } from 'typeorm';
import type { Tx } from '../platform/database/engine/tx.js';
import { DAY } from '../platform/kernel/time.js';
import { Watch, WatchCaller } from './watch.entity.js';

/** Watches that are read and compared at once, in a few milliseconds. On SQLite, a statement blocks the process. */
const PAGE_SIZE = 1_000;
const NIL = '00000000-0000-0000-0000-000000000000';

interface PageRow {
  readonly clientId: string;
  readonly count: number | string;
  readonly numbers: string;
}

/**
 * All open watches by client and place, a page at a time, with a turn for other work after each. A client's
 * rows may be in several pages.
 */
export function openWatches(
  transactions: Transactions,
  side: Side,
): AsyncGenerator<readonly WatchRows[]> {
  return inTurns(pages(transactions, side));
}

async function* pages(
  transactions: Transactions,
  side: Side,
): AsyncGenerator<readonly WatchRows[]> {
  const [client, packed, uprn, limit] = [1, 2, 3, 4].map((number) =>
    transactions.engine === 'postgres' ? `$${number}` : '?',
  );
  const sql = `SELECT client_id AS "clientId", COUNT(*) AS count,
      string_agg(packed || ',' || uprn || ',' || min_bandwidth_mbps || ',' || COALESCE(CAST(max_price_milli AS TEXT), '') || ',' || CASE WHEN include_build THEN 1 ELSE 0 END, ',') AS numbers
    FROM (SELECT client_id, packed, uprn, min_bandwidth_mbps, max_price_milli, include_build FROM ${tableNameOn('watches', side)}
      WHERE state = 'open' AND (client_id, packed, uprn) > (${client}, ${packed}, ${uprn})
      ORDER BY client_id, packed, uprn LIMIT ${limit}) AS page
    GROUP BY client_id ORDER BY client_id`;
  for (let after: [string, number, number] | null = [NIL, -1, -1]; after;) {
    const parameters = [...after, PAGE_SIZE];
    const page = await transactions.read((tx) => tx.query<PageRow[]>(sql, parameters));
    const rows = page.map((one) => parseRows(one.clientId, Number(one.count), one.numbers));
    yield rows;
    after = lastOf(rows);
  }
}

/** Null after the last page. */
function lastOf(rows: readonly WatchRows[]): [string, number, number] | null {
  const last = rows.at(-1);
  if (!last || rows.reduce((sum, { count }) => sum + count, 0) < PAGE_SIZE) return null;
  let [packed, uprn] = [-1, -1];
  for (let i = 0; i < last.count; i += 1) {
    if (last.packed(i) > packed || (last.packed(i) === packed && last.uprn(i) > uprn)) {
      [packed, uprn] = [last.packed(i), last.uprn(i)];
    }
  }
  return [last.clientId, packed, uprn];
}

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

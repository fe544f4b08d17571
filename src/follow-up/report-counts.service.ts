import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Check } from '../availability/check.entity.js';
import { Transactions } from '../database/transactions.js';
import type { Tx } from '../database/tx.js';
import { Order } from '../orders/order.entity.js';
import type { Span } from './report-figures.js';

const HOUR = 3_600_000;
/** Milliseconds of what is read in one go, at first; then as much as takes `SLICE_TIME`. */
const FIRST_SLICE = 24 * HOUR;
const SHORTEST_SLICE = 6 * HOUR;
const LONGEST_SLICE = 64 * 24 * HOUR;
/** Milliseconds. */
const SLICE_TIME = 15;

/** What is counted: rows by an instant, in groups. `r` is the row in every expression. */
export interface Question {
  readonly of: typeof Order | typeof Check;
  /** The instant that has to lie in the span. */
  readonly at: 'receivedAt' | 'closedAt' | 'checkedAt';
  /** Expressions that make the groups, by name. */
  readonly by?: Readonly<Record<string, string>>;
  /** Conditions under which rows are counted besides, by name. */
  readonly counting?: Readonly<Record<string, string>>;
  readonly where?: string;
}

/** A group: what makes it, and numbers. */
interface Group {
  readonly by: Readonly<Record<string, string | number | null>>;
  n: number;
  readonly counted: Record<string, number>;
}

/**
 * Counts over months, a slice at a time: on SQLite a statement holds up the whole process, and on
 * PostgreSQL one that takes long is cut off.
 */
@Injectable()
export class ReportCounts {
  constructor(private readonly transactions: Transactions) {}

  async groups(question: Question, span: Span): Promise<Group[]> {
    const { by = {}, counting = {} } = question;
    const groups = new Map<string, Group>();
    for await (const rows of this.slices(span, (tx, slice) => countIn(tx, question, slice))) {
      for (const row of rows) {
        const own = Object.fromEntries(Object.keys(by).map((name) => [name, row[name] ?? null]));
        const key = JSON.stringify(own);
        const group = groups.get(key) ?? { by: own, n: 0, counted: {} };
        groups.set(key, group);
        group.n += Number(row.n);
        for (const name of Object.keys(counting)) {
          group.counted[name] = (group.counted[name] ?? 0) + Number(row[name]);
        }
      }
    }
    return [...groups.values()];
  }

  async total(question: Question, span: Span): Promise<number> {
    const [all] = await this.groups(question, span);
    return all?.n ?? 0;
  }

  /** What `read` gives of each slice of the span; between them everybody else has a turn. */
  async *slices<T>(
    { start, end }: Span,
    read: (tx: Tx, slice: Span) => Promise<T>,
  ): AsyncGenerator<T> {
    let length = FIRST_SLICE;
    for (let from = start; from < end;) {
      const slice = { start: from, end: Math.min(from + length, end) };
      let took = 0;
      yield await this.transactions.read(async (tx) => {
        const began = performance.now();
        const rows = await read(tx, slice);
        took = performance.now() - began;
        return rows;
      });
      await nextTurn();
      from = slice.end;
      if (took > SLICE_TIME) length = Math.max(SHORTEST_SLICE, length / 2);
      else if (took < SLICE_TIME / 3) length = Math.min(LONGEST_SLICE, length * 2);
    }
  }

  /** What a short statement gives, with a turn for everybody else after it. */
  async rows<T extends object>(
    query: (tx: Tx) => { getRawMany<R extends object>(): Promise<R[]> },
  ): Promise<T[]> {
    const rows = await this.transactions.read((tx) => query(tx).getRawMany<T>());
    await nextTurn();
    return rows;
  }
}

type Row = Readonly<Record<string, string | number | null>>;

function countIn(tx: Tx, question: Question, slice: Span): Promise<Row[]> {
  const { of, at, by = {}, counting = {}, where } = question;
  const query = tx
    .createQueryBuilder<Order | Check>(of, 'r')
    .select('COUNT(*)', 'n')
    .where(`r.${at} >= :start AND r.${at} < :end`, slice);
  for (const [name, condition] of Object.entries(counting)) {
    query.addSelect(`SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`, name);
  }
  for (const [name, expression] of Object.entries(by)) {
    query.addSelect(expression, name).addGroupBy(expression);
  }
  if (where !== undefined) query.andWhere(where);
  return query.getRawMany<Row>();
}

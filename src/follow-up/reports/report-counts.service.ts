import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Check } from '../../availability/check.entity.js';
import { storedChecks } from '../../availability/stored-checks.js';
import { inSlices, type Span } from '../../database/slices.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import { Order } from '../../orders/order.entity.js';

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

/** Counts over months, a slice at a time. */
@Injectable()
export class ReportCounts {
  constructor(private readonly transactions: Transactions) {}

  async groups(question: Question, span: Span): Promise<Group[]> {
    const { by = {}, counting = {} } = question;
    const groups = new Map<string, Group>();
    const within =
      question.of === Check
        ? storedChecks(this.transactions, 'checks').madeWithin
        : `r.${question.at} >= :start AND r.${question.at} < :end`;
    const slices = inSlices(this.transactions, span, (tx, slice) =>
      countIn(tx, question, within, slice),
    );
    for await (const rows of slices) {
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

function countIn(tx: Tx, question: Question, within: string, slice: Span): Promise<Row[]> {
  const { of, by = {}, counting = {}, where } = question;
  const query = tx
    .createQueryBuilder<Order | Check>(of, 'r')
    .select('COUNT(*)', 'n')
    .where(within, slice);
  for (const [name, condition] of Object.entries(counting)) {
    query.addSelect(`SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`, name);
  }
  for (const [name, expression] of Object.entries(by)) {
    query.addSelect(expression, name).addGroupBy(expression);
  }
  if (where !== undefined) query.andWhere(where);
  return query.getRawMany<Row>();
}

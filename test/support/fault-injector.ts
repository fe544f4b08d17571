import { type QueryRunner, QueryFailedError } from 'typeorm';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { Service } from './service.js';

/**
 * - `fails`: the database refuses the statement, as with a full disk
 * - `answer lost`: the database runs it, but the answer never arrives
 * - `connection lost`: the connection breaks before it (PostgreSQL)
 */
export const faultKinds = ['fails', 'answer lost', 'connection lost'] as const;
export type FaultKind = (typeof faultKinds)[number];

interface Broken {
  readonly connection: { readonly stream: { destroy(): void } };
}

/** Makes the n-th database statement of the service from now fail. */
export class FaultInjector {
  private countdown = Infinity;
  private kind: FaultKind = 'fails';
  calls = 0;
  struck = false;

  constructor(service: Service) {
    const { dataSource, database } = service.get(Transactions) as unknown as {
      dataSource: { driver: { createQueryRunner(mode: string): QueryRunner } };
      database: { rows?: { insert(...words: unknown[]): Promise<unknown> } };
    };
    const { rows } = database;
    if (rows) {
      // The other connection to SQLite.
      const insert = rows.insert.bind(rows);
      rows.insert = (...words) => this.pass(null, () => insert(...words));
    }
    const { driver } = dataSource;
    const create = driver.createQueryRunner.bind(driver);
    const wrapped = new WeakSet<QueryRunner>();
    driver.createQueryRunner = (mode) => {
      const runner = create(mode);
      if (!wrapped.has(runner)) {
        wrapped.add(runner);
        const query = runner.query.bind(runner) as (...words: unknown[]) => Promise<unknown>;
        runner.query = ((...words: unknown[]) => this.pass(runner, () => query(...words))) as never;
      }
      return runner;
    };
  }

  /** Counts from now: the `n`-th call fails. */
  arm(n: number, kind: FaultKind): void {
    this.calls = 0;
    this.struck = false;
    this.countdown = n;
    this.kind = kind;
  }

  disarm(): void {
    this.countdown = Infinity;
  }

  private async pass(runner: QueryRunner | null, query: () => Promise<unknown>): Promise<unknown> {
    this.calls += 1;
    this.countdown -= 1;
    if (this.countdown !== 0) return query();
    this.struck = true;
    const engine = runner?.dataSource.options.type;
    if (runner && this.kind === 'connection lost') {
      ((await runner.connect()) as Broken).connection.stream.destroy();
      return query();
    }
    if (this.kind === 'answer lost') await query();
    throw new QueryFailedError(
      'injected',
      [],
      Object.assign(new Error('injected'), {
        code: engine === 'postgres' ? '53100' : 'SQLITE_FULL',
      }),
    );
  }
}

import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { Order } from '../../src/orders/record/order.entity.js';
import { later } from '../support/closing.js';
import {
  type Engine,
  engines,
  environmentOf,
  newDatabase,
  openDataSource,
} from '../support/databases.js';
import { Ledger } from '../support/ledger.js';
import { nodeOptions } from '../support/processes.js';
import { fill, versions } from './old-version.js';
import { Placer } from './placer.js';
import { Instance } from './processes.js';

const ORDERS = Number(process.env.ORDERS ?? 1_000_000);
const PORT = 41_580;

/** Runs a program of this build. @throws if it fails */
async function run(args: readonly string[], settings: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [...nodeOptions, ...args], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}.`);
}

/** Copies a stored order, closed, without its indexes meanwhile. */
async function copyOrder(dataSource: DataSource, engine: Engine): Promise<void> {
  const isPostgres = engine === 'postgres';
  const hex = isPostgres ? `lpad(to_hex(i), 12, '0')` : `printf('%012x', i)`;
  const id = `'00000000-0000-7000-8000-' || ${hex}`;
  const digit = (n: number) =>
    `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', CAST(1 + (i / ${32 ** n}) % 32 AS integer), 1)`;
  const own: Readonly<Record<string, string>> = {
    id: isPostgres ? `(${id})::uuid` : id,
    reference: `'ORD-' || ${[5, 4, 3, 2, 1, 0].map(digit).join(' || ')}`,
    client_reference: `'filled-' || i`,
    received_at: 'o.received_at - i * 60000',
    closed_at: 'o.received_at',
    state: `'lost'`,
    close_reason: `'price'`,
  };
  const columns = dataSource.getMetadata(Order).columns.map(({ databaseName }) => databaseName);
  const indexes = await dataSource.query<{ name: string; sql: string }[]>(
    isPostgres
      ? `SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE tablename = 'orders' AND indexname <> 'pk_orders'`
      : `SELECT name, sql FROM sqlite_schema WHERE tbl_name = 'orders' AND type = 'index' AND sql IS NOT NULL`,
  );
  for (const { name } of indexes) await dataSource.query(`DROP INDEX "${name}"`);
  const numbers = isPostgres
    ? `n AS (SELECT i::bigint FROM generate_series(1, ${ORDERS}) AS i)`
    : `RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ORDERS})`;
  await dataSource.query(
    `WITH ${numbers} INSERT INTO orders (${columns.join(', ')})
     SELECT ${columns.map((name) => own[name] ?? `o.${name}`).join(', ')} FROM n, (SELECT * FROM orders LIMIT 1) o`,
  );
  for (const { sql } of indexes) await dataSource.query(sql);
  if (isPostgres) await dataSource.query('VACUUM (ANALYZE) orders');
}

test.each(engines)(
  `a column with a computed value and an index are added to ${ORDERS} orders while orders come in, on %s`,
  async (engine) => {
    const { old, next } = versions();
    const database = await newDatabase(engine, 'empty');
    const settings = environmentOf(database);
    const { token } = fill(old, settings);
    const environment = { ...settings, ALLOW_INSECURE: 'no-rate-limits', LOG_LEVEL: 'warn' };
    const instance = new Instance(PORT, environment, old.folder);
    await instance.start();
    const first = new Placer(PORT, token);
    void first.run(1);
    await wait(1_000);
    await first.stop();
    await copyOrder(await openDataSource(database, 'endless'), engine);
    const placer = new Placer(PORT, token);
    const running = placer.run(2);
    later(() => placer.stop());
    await wait(10_000);
    const usual = placer.takeLongestWait();
    const [orders, started] = [placer.acknowledged.length, performance.now()];
    await run([...next.options, 'dist/src/cli/main.js', 'db', 'migrate'], settings);
    const seconds = Math.round((performance.now() - started) / 1_000);
    const longest = placer.takeLongestWait();
    const during = placer.acknowledged.length - orders;
    await placer.stop();
    await running;
    const ledger = new Ledger(database);
    const [unfilled] = await ledger.rows<{ count: number | string }>(
      `SELECT count(*) AS count FROM orders WHERE trial_received_day IS NULL`,
    );
    const stored = await ledger.counts(placer.prefix);
    process.stdout.write(
      `${ORDERS} orders on ${engine}: migrated in ${seconds} s; ${during} orders meanwhile; longest wait of one ${longest} ms, ${usual} ms before; refused attempts ${JSON.stringify(placer.failed)}; orders without the value ${Number(unfilled!.count)}\n`,
    );
    expect(placer.failed).toEqual({});
    expect([...stored.values()].filter((count) => count !== 1)).toEqual([]);
    expect(stored.size).toBe(placer.acknowledged.length);
    expect(await instance.stop()).toBe(0);
  },
  3_600_000,
);

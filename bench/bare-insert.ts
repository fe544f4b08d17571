// This measures the drivers themselves.
// eslint-disable-next-line no-restricted-imports
import Database from 'better-sqlite3';
// eslint-disable-next-line no-restricted-imports
import pg from 'pg';
import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { BareRate } from './options.js';

/**
 * Prints how many rows of the size of an order the driver alone commits durably in a second, and its
 * processor time for each in microseconds: 16 callers, a prepared statement, one commit per row.
 */
const seconds = Number(process.env.BENCH_SECONDS);
const CALLERS = 16;
const columns = `id varchar(36) PRIMARY KEY, reference varchar(10) NOT NULL UNIQUE, client_id varchar(36) NOT NULL,
  postcode varchar(8) NOT NULL, product varchar(120) NOT NULL, terms varchar(120) NOT NULL, received_at bigint NOT NULL`;
const names = 'id, reference, client_id, postcode, product, terms, received_at';
const client = randomUUID();
let made = 0;
const row = () => [
  uuid(),
  `O${(made += 1)}`,
  client,
  'EC2A 2BS',
  'INT-1G-12 1G Internet on a 10G bearer',
  'standard GBP 55000 84 12 1000 10000',
  Date.now(),
];

async function onSqlite(file: string): Promise<BareRate> {
  const database = new Database(file);
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = full');
  database.exec('DROP TABLE IF EXISTS bare_orders');
  database.exec(`CREATE TABLE bare_orders (${columns})`);
  const insert = database.prepare(
    `INSERT INTO bare_orders (${names}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const count = await rate(() => Promise.resolve(insert.run(row())));
  database.close();
  return count;
}

async function onPostgres(url: string): Promise<BareRate> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  await pool.query('DROP TABLE IF EXISTS bare_orders');
  await pool.query(`CREATE TABLE bare_orders (${columns})`);
  const text = `INSERT INTO bare_orders (${names}) VALUES ($1, $2, $3, $4, $5, $6, $7)`;
  const count = await rate(() => pool.query({ name: 'insert', text, values: row() }));
  await pool.end();
  return count;
}

async function rate(insert: () => Promise<unknown>): Promise<BareRate> {
  let count = 0;
  const begin = performance.now();
  const elapsed = () => (performance.now() - begin) / 1_000;
  const caller = async () => {
    while (elapsed() < seconds) {
      await insert();
      count += 1;
      if (count % 64 === 0) await new Promise(setImmediate);
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const { user, system } = process.cpuUsage(before);
  return { perSecond: count / elapsed(), cpu: (user + system) / count, count };
}

const url = process.env.DATABASE_URL;
console.log(JSON.stringify(url ? await onPostgres(url) : await onSqlite(process.env.SQLITE_FILE!)));

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { accessTables, notificationsTables } from './initial/access.js';
import { catalogueTables, checkTables, watchTables } from './initial/availability.js';
import { chargeTables, deliveryTables, offerTables, orderTables } from './initial/orders.js';
import { quoteTables } from './initial/quotes.js';
import { column, createTable, optional, type TableShapes } from './initial/portable-schema.js';

const databaseTables: TableShapes = {
  revisions: {
    columns: { name: column.text(32), number: column.integer, mark: optional(column.text(36)) },
    primaryKey: ['name'],
  },
  database_secrets: {
    columns: { name: column.text(32), value: column.text(64) },
    primaryKey: ['name'],
  },
};

const tables: TableShapes = {
  ...databaseTables,
  ...accessTables,
  ...catalogueTables,
  ...checkTables,
  ...orderTables,
  ...chargeTables,
  ...deliveryTables,
  ...offerTables,
  ...quoteTables,
  ...notificationsTables,
  ...watchTables,
};

const revisions = ['access', 'catalogue', 'follow-up', 'register', 'webhooks', 'viewers'];

const firstRows = [
  ...revisions.map((name) => `INSERT INTO revisions (name, number) VALUES ('${name}', 0)`),
  `INSERT INTO watch_progress (id, version, ready_at, access, settings, run, lease_until, done) VALUES (1, 0, 0, -1, '', '00000000-0000-0000-0000-000000000000', 0, TRUE)`,
];

/** What the migration makes. Until the first release, a migration of the same name may have made something else. */
export const initialSchema: unknown = [tables, firstRows];

export class InitialSchema1764000000000 implements MigrationInterface {
  readonly name = 'InitialSchema1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, shape] of Object.entries(tables)) await createTable(runner, name, shape);
    for (const statement of firstRows) await runner.query(statement);
    const isPostgres = runner.dataSource.options.type === 'postgres';
    const secret = isPostgres
      ? `REPLACE(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`
      : 'LOWER(HEX(RANDOMBLOB(32)))';
    await runner.query(
      `INSERT INTO database_secrets (name, value) VALUES ('check-codes', ${secret})`,
    );
    if (!isPostgres) return;
    // By default PostgreSQL vacuums after a fifth of a table has changed. With a million orders, counts
    // would then read rows instead of the index.
    await runner.query(
      `ALTER TABLE "orders" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02)`,
    );
  }

  /** Not supported: on SQLite it would re-create tables and lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}

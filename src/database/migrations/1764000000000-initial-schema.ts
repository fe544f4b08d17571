import type { MigrationInterface, QueryRunner } from 'typeorm';
import { accessTables } from './initial/access.js';
import { catalogueTables } from './initial/catalogue.js';
import { checkTables, groupChecks } from './initial/checks.js';
import { notificationsTables } from './initial/notifications.js';
import { orderTables } from './initial/orders.js';
import { column, createTable, type TableShapes } from './portable-schema.js';

const revisions: TableShapes = {
  revisions: {
    columns: { name: column.text(32), number: column.integer },
    primaryKey: ['name'],
  },
};

export class InitialSchema1764000000000 implements MigrationInterface {
  readonly name = 'InitialSchema1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    const groups = [
      revisions,
      accessTables,
      catalogueTables,
      checkTables,
      orderTables,
      notificationsTables,
    ];
    for (const tables of groups) {
      for (const [name, shape] of Object.entries(tables)) await createTable(runner, name, shape);
    }
    for (const name of ['access', 'catalogue', 'follow-up', 'register', 'webhooks', 'viewers']) {
      await runner.query(`INSERT INTO revisions (name, number) VALUES ('${name}', 0)`);
    }
    if (runner.dataSource.options.type !== 'postgres') return groupChecks(runner);
    // By default PostgreSQL vacuums a table once a fifth of it has changed. Of a million orders that is
    // every waiting one, and the counts would then read rows instead of the index.
    await runner.query(
      `ALTER TABLE "orders" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02)`,
    );
  }

  /** There is no way back: on SQLite it would re-create tables, and with them lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}

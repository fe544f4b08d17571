import type { MigrationInterface, QueryRunner } from 'typeorm';
import { column, optional } from '../columns.js';
import { addColumns } from '../schema.js';

/** A burst of each API client, and the trace that a message follows from. */
export class Operations1763860000000 implements MigrationInterface {
  readonly name = 'Operations1763860000000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumns(runner, 'api_clients', { lookup_burst: optional(column.integer) });
    await addColumns(runner, 'outbox_messages', { cause: optional(column.text(55)) });
  }

  /** There is no way back: on SQLite it would re-create tables, and with them lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The schema of the first release. `scripts/freeze-schema.mjs` wrote the files, which no longer change. */
function statementsFor(engine: 'sqlite' | 'postgres'): string {
  const file = new URL(`./1764000000000-initial-schema.${engine}.sql`, import.meta.url);
  return readFileSync(file, 'utf8');
}

/** What a database keeps of the schema that it was created with, as the mark of the revision `schema`. */
export function schemaMark(engine: 'sqlite' | 'postgres'): string {
  return createHash('sha256').update(statementsFor(engine)).digest('hex').slice(0, 32);
}

export class InitialSchema1764000000000 implements MigrationInterface {
  readonly name = 'InitialSchema1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    const engine = runner.dataSource.options.type === 'postgres' ? 'postgres' : 'sqlite';
    const all = statementsFor(engine);
    // PostgreSQL takes them in one round trip.
    const parts = engine === 'postgres' ? [all] : all.split(/;\n/).filter((sql) => sql !== '');
    for (const statement of parts) await runner.query(statement);
    await runner.query(
      `INSERT INTO revisions (name, number, mark) VALUES ('schema', 0, '${schemaMark(engine)}')`,
    );
  }

  /** Not supported: on SQLite it would re-create tables and lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}

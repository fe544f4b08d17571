import { Refused } from '../problems/refused.js';
import type { EngineName } from './engine/engine.js';
import { schemaMark } from './migrations/1764000000000-initial-schema.js';
import { migrationNames } from './migrations/releases.js';

/** The schema of a database that this program can work with, perhaps after migrations. */
export interface SchemaState {
  /** The names of the migrations that have run. */
  readonly done: ReadonlySet<string>;
}

/** The revision `schema`: its mark is `schemaMark`, its number how many migrations a program has to know. */
export interface SchemaRow {
  readonly mark: string | null;
  readonly number: number;
}

/** Selects the `SchemaRow`. */
export const SCHEMA_QUERY = `SELECT mark, number FROM revisions WHERE name = 'schema'`;

/** The schema of the database is not one of those that this program knows. Nothing was changed. */
export class ForeignSchema extends Refused {}

/**
 * @param row undefined where the database has none
 * @param what the database, as the subject of a sentence
 * @throws {ForeignSchema} for a database from before the first release, or of a release after the next one
 */
export function knownState(
  row: SchemaRow | undefined,
  migrations: readonly { readonly name: string }[],
  engine: EngineName,
  what = 'This database',
): SchemaState {
  if (row?.mark !== schemaMark(engine)) {
    throw new ForeignSchema(
      `${what} was created by a version from before release 1.0.0, whose tables are not those of this program. It was not changed. ` +
        'Carry its data over as docs/operate/upgrade.md describes ("From before 1.0.0"), or name another database.',
    );
  }
  const state = { done: new Set(migrations.map(({ name }) => name)) };
  if (row.number > migrationNames().length) {
    throw new ForeignSchema(
      `${what} was upgraded by a later release, whose tables this program does not know (${unknownMigrations(state).join(', ')}). It was not changed. ` +
        'Use the program of that release, or of the one before it. To go back further, restore a backup from before the upgrade: docs/operate/upgrade.md ("The way back").',
    );
  }
  return state;
}

/** The migrations of a later release. */
export function unknownMigrations(state: SchemaState | null): string[] {
  const known = new Set(migrationNames());
  return [...(state?.done ?? [])].filter((name) => !known.has(name));
}

/** @throws {ForeignSchema} if migrations have not run: only the start of the service and `db migrate` run them */
export function refusePending({ done }: SchemaState): void {
  const pending = migrationNames().filter((name) => !done.has(name));
  if (pending.length === 0) return;
  throw new ForeignSchema(
    `This database is of an earlier release: ${pending.join(', ')} has not run. It was not changed. ` +
      'Make a backup, then run "db migrate" of this program, or start the service, and try again.',
  );
}

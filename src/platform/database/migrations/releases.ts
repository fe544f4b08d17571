import type { MigrationInterface } from 'typeorm';
import { InitialSchema1764000000000 } from './1764000000000-initial-schema.js';
import { Messages1795880000000 } from './1795880000000-messages.js';
import { Constraints1795891000000 } from './1795891000000-constraints.js';
import { FollowUp1795890000000 } from './1795890000000-follow-up.js';

/**
 * A change of the schema. It runs in a transaction, unless `transaction` is false: then its steps commit one by one,
 * and it can be repeated after a crash. See large-tables.ts.
 */
export interface SchemaChange extends MigrationInterface {
  /** The class and the time of its file. */
  readonly name: string;
}

export interface SchemaRelease {
  readonly release: string;
  readonly migrations: readonly (new () => SchemaChange)[];
}

/**
 * The releases that changed the schema, oldest first. A migration that was released never changes, and new ones only add:
 * the programs of the release before work on the schema of each release, and those before it are refused.
 */
export const schemaReleases: readonly SchemaRelease[] = [
  { release: '1.0.0', migrations: [InitialSchema1764000000000] },
  {
    release: '1.1.0',
    migrations: [Messages1795880000000, FollowUp1795890000000, Constraints1795891000000],
  },
];

/** The names of all migrations that this program knows, in order. */
export function migrationNames(): string[] {
  return schemaReleases.flatMap(({ migrations }) => migrations.map(({ name }) => name));
}

/** How many migrations, from the first, a program has to know to work on a database that has all of them. */
export function neededMigrations(): number {
  return schemaReleases.slice(0, -1).flatMap(({ migrations }) => migrations).length;
}

import type { DataSource } from 'typeorm';
import { migrate } from '../../src/platform/database/migrate.js';
import { releasedDatabase } from '../released/opened.js';
import { type Engine, openDataSource } from './databases.js';
import { shapeOf } from './entity-schema.js';

/** The first words of a line of `shapeOf` about a column. */
interface Column {
  readonly table: string;
  readonly name: string;
}

export interface MigratedRelease {
  /** The migrations that ran. */
  readonly ran: readonly string[];
  /** Columns, keys and indexes of the release that the present schema lacks. */
  readonly removed: readonly string[];
  /** New columns that a program of the release before cannot leave out. */
  readonly demanded: readonly string[];
  /** Tables of the release whose rows differ. */
  readonly changed: readonly string[];
  readonly dataSource: DataSource;
}

/** Runs the pending migrations on the filled database of a release. */
export async function migrateRelease(release: string, engine: Engine): Promise<MigratedRelease> {
  const dataSource = await openDataSource(await releasedDatabase(release, engine), 'endless');
  const before = await shapeOf(dataSource);
  const tables = Map.groupBy(before.flatMap(columnOf), ({ table }) => table);
  const rows = async ([table, columns]: [string, Column[]]) => {
    if (table === 'revisions') return ''; // It counts the migrations.
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const found = await dataSource.query<object[]>(`SELECT ${names} FROM "${table}"`);
    return JSON.stringify(found.map((row) => JSON.stringify(row)).sort());
  };
  const old = new Map<string, string>();
  for (const entry of tables) old.set(entry[0], await rows(entry));
  const ran = await migrate(dataSource);
  const after = await shapeOf(dataSource);
  const changed: string[] = [];
  for (const entry of tables) {
    if (old.get(entry[0]) !== (await rows(entry))) changed.push(entry[0]);
  }
  const isNew = (line: string) => !before.includes(line);
  return {
    ran,
    removed: before.filter((line) => !after.includes(line)),
    demanded: after.filter(
      (line) =>
        isNew(line) && columnOf(line).some(({ table }) => tables.has(table) && demands(line)),
    ),
    changed,
    dataSource,
  };
}

function columnOf(line: string): Column[] {
  const [, table, name] = /^column (\S+) (\S+)/.exec(line) ?? [];
  return table && name ? [{ table, name }] : [];
}

/** Whether a column has to have a value, and no default: see the queries of `shapeOf`. */
function demands(line: string): boolean {
  return / 1 {2}\d$| NO$/.test(line);
}

import { ColumnOptions, QueryRunner, Table, TableForeignKey, TableIndex } from 'typeorm';

interface TableShape {
  readonly columns: Readonly<Record<string, ColumnOptions>>;
  readonly primaryKey: readonly string[];
  readonly indexes?: readonly IndexShape[];
  readonly foreignKeys?: readonly ForeignKeyShape[];
}

interface IndexShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique?: boolean;
  /** SQL condition of a partial index. */
  readonly where?: string;
}

interface ForeignKeyShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly references: readonly [table: string, ...columns: string[]];
}

/** Creates a table from the words of `columns.ts`, the same on both databases. */
export async function createTable(
  runner: QueryRunner,
  name: string,
  { columns, primaryKey, indexes = [], foreignKeys = [] }: TableShape,
): Promise<void> {
  const { driver } = runner.dataSource;
  await runner.createTable(
    new Table({
      name,
      columns: Object.entries(columns).map(
        ([column, { type, length, nullable, default: value }]) => ({
          name: column,
          type: driver.normalizeType({ type }),
          length: length === undefined ? undefined : String(length),
          isNullable: nullable ?? false,
          isPrimary: primaryKey.includes(column),
          primaryKeyConstraintName: primaryKey.includes(column) ? `pk_${name}` : undefined,
          default: value as string | undefined,
        }),
      ),
      indices: indexes.map(indexOf),
      foreignKeys: foreignKeys.map(
        ({ name: constraint, columns: own, references: [table, ...theirs] }) =>
          new TableForeignKey({
            name: constraint,
            columnNames: [...own],
            referencedTableName: table,
            referencedColumnNames: theirs,
          }),
      ),
    }),
  );
}

/**
 * Adds columns to a table that exists, without re-creating it, which SQLite would otherwise do. One
 * that may not be NULL needs a default, in SQL.
 */
export async function addColumns(
  runner: QueryRunner,
  table: string,
  columns: Readonly<Record<string, ColumnOptions>>,
): Promise<void> {
  const { driver } = runner.dataSource;
  for (const [name, { type, length, nullable, default: value }] of Object.entries(columns)) {
    const size = length === undefined ? '' : `(${length})`;
    const rest = nullable ? '' : ` NOT NULL DEFAULT ${inSql(value, runner)}`;
    await runner.query(
      `ALTER TABLE "${table}" ADD COLUMN "${name}" ${driver.normalizeType({ type })}${size}${rest}`,
    );
  }
}

/** As each database keeps it, for that is what the entities are compared with. */
function inSql(value: unknown, runner: QueryRunner): string {
  const isSqlite = runner.dataSource.options.type !== 'postgres';
  return String(isSqlite && typeof value === 'boolean' ? Number(value) : value);
}

export async function createIndex(
  runner: QueryRunner,
  table: string,
  index: IndexShape,
): Promise<void> {
  await runner.createIndex(table, indexOf(index));
}

function indexOf({ name, columns, unique = false, where }: IndexShape): TableIndex {
  return new TableIndex({ name, columnNames: [...columns], isUnique: unique, where });
}

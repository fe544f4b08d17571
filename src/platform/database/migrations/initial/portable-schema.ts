import { ColumnOptions, QueryRunner, Table, TableForeignKey, TableIndex } from 'typeorm';

/**
 * Columns and tables of migrations, the same on SQLite and PostgreSQL. Migrations import nothing from
 * outside their folder, so that later changes of the code cannot change them. `../columns.ts` has the
 * same types for entities, and a test compares the two schemas.
 */
export const column = {
  uuid: { type: 'uuid' },
  /** At most `length` characters. */
  text: (length: number) => ({ type: 'varchar', length: String(length) }),
  longText: { type: 'text' },
  integer: { type: 'integer' },
  /** Up to 2^53. */
  bigInteger: { type: 'bigint' },
  boolean: { type: 'boolean' },
  /** Minor units of the currency. */
  money: { type: 'integer' },
  /** Milliseconds since 1970-01-01T00:00Z. */
  instant: { type: 'bigint' },
  json: { type: 'simple-json' },
  /** As base64. */
  bytes: { type: 'text' },
} as const satisfies Record<string, ColumnOptions | ((length: number) => ColumnOptions)>;

export const optional = <T extends ColumnOptions>(options: T) =>
  ({ ...options, nullable: true }) as const;

export type TableShapes = Readonly<Record<string, TableShape>>;

export interface TableShape {
  readonly columns: Readonly<Record<string, ColumnOptions>>;
  readonly primaryKey: readonly string[];
  /** SQLite only: stores the rows in the primary key. */
  readonly withoutRowid?: boolean;
  readonly indexes?: readonly IndexShape[];
  readonly foreignKeys?: readonly ForeignKeyShape[];
}

interface IndexShape {
  readonly name: string;
  /** Or one SQL expression of columns, which the entity declares with `synchronize: false`. */
  readonly columns: readonly string[] | string;
  readonly unique?: boolean;
  /** SQL condition of a partial index. */
  readonly where?: string;
}

interface ForeignKeyShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly references: readonly [table: string, ...columns: string[]];
}

/** Creates a table with its indexes and foreign keys. */
export async function createTable(
  runner: QueryRunner,
  name: string,
  { columns, primaryKey, withoutRowid = false, indexes = [], foreignKeys = [] }: TableShape,
): Promise<void> {
  const { driver } = runner.dataSource;
  await runner.createTable(
    new Table({
      name,
      withoutRowid,
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
      indices: indexes.flatMap(indexOf),
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
  for (const { name: index, columns: expression } of indexes) {
    if (typeof expression !== 'string') continue;
    await runner.query(`CREATE INDEX "${index}" ON "${name}" (${expression})`);
  }
}

function indexOf({ name, columns, unique = false, where }: IndexShape): TableIndex[] {
  if (typeof columns === 'string') return [];
  return [new TableIndex({ name, columnNames: [...columns], isUnique: unique, where })];
}

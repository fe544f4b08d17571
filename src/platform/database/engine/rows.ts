import {
  type DataSource,
  type EntityManager,
  type EntityMetadata,
  type EntityTarget,
  In,
  type ObjectLiteral,
  type SelectQueryBuilder,
} from 'typeorm';
import { engineOf, type EngineName, type SqlValue } from './engine.js';
import type { Tx } from './tx.js';

/**
 * As `query.getMany()`, for queries without joins: TypeORM's hydration allocates too much memory for
 * exports.
 */
export async function entitiesOf<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
): Promise<T[]> {
  const { name, metadata } = query.expressionMap.mainAlias!;
  const { driver } = query.dataSource;
  const columns = metadata.columns.map((column) => ({
    column,
    property: column.propertyName,
    key: `${name}_${column.databaseName}`,
  }));
  const rows = await query.getRawMany<Record<string, unknown>>();
  const entities = rows.map((row) => {
    const entity = metadata.create() as Record<string, unknown>;
    for (const { column, property, key } of columns) {
      entity[property] = driver.prepareHydratedValue(row[key], column);
    }
    return entity as T;
  });
  // pg's result survives young-generation GCs. Truncated, it holds 1/40 of the memory.
  rows.length = 0;
  return entities;
}

/**
 * For each row, the single value that a query finds.
 * @param columns the properties of the entity that the values of a row are
 * @param query receives the SQL of these values
 */
export async function findForEach<T extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<T>,
  columns: readonly (keyof T & string)[],
  rows: readonly (readonly SqlValue[])[],
  query: (...values: string[]) => string,
): Promise<SqlValue[]> {
  const { dataSource } = tx as EntityManager;
  const { driver } = dataSource;
  const metadata = dataSource.getMetadata(entity);
  const engine = engineOf(dataSource);
  const values = columns.map((name, i) => {
    const column = metadata.findColumnWithPropertyName(name)!;
    return jsonValue(engine, i, driver.normalizeType(column));
  });
  const found = await tx.query<{ found: SqlValue }[]>(
    `SELECT (${query(...values)}) AS found FROM ${jsonRows(engine, driver.createParameter('', 0))} ORDER BY r.key`,
    [jsonOf(rows)],
  );
  return found.map((row) => row.found);
}

/** Rows to insert into one table. */
export interface Addition {
  readonly entity: EntityTarget<ObjectLiteral>;
  readonly rows: readonly ObjectLiteral[];
  readonly taken: Taken;
}

export function addition<T extends ObjectLiteral>(
  entity: EntityTarget<T>,
  rows: readonly T[],
  taken: Taken = 'fails',
): Addition {
  return { entity, rows, taken };
}

/**
 * As `tx.insert`, for entities with all columns: the database sets no defaults, so none are read back.
 */
export async function addRows<T extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<T>,
  rows: readonly T[],
  taken: Taken = 'fails',
): Promise<void> {
  await addTogether(tx, [addition(entity, rows, taken)]);
}

/** As `addRows`, for several tables in one round trip on PostgreSQL. */
export async function addTogether(tx: Tx, additions: readonly Addition[]): Promise<void> {
  const { dataSource } = tx as EntityManager;
  const lists = additions
    .filter(({ rows }) => rows.length > 0)
    .map(({ entity, rows, taken }) => {
      const metadata = dataSource.getMetadata(entity);
      return { metadata, taken, values: rows.map((row) => valuesOf(metadata, row)) };
    });
  if (lists.length === 0) return;
  const add = engineOf(dataSource) === 'postgres' ? addOnPostgres : addOnSqlite;
  await add(tx, lists, dataSource);
}

/** Rows of one table, converted for the driver. */
interface Values {
  readonly metadata: EntityMetadata;
  readonly taken: Taken;
  readonly values: readonly unknown[][];
}

/** A cache: TypeORM would compose each statement again, which takes longer than the insert. */
const statements = new WeakMap<DataSource, Map<string, string>>();

function statement(dataSource: DataSource, key: string, compose: () => string): string {
  let known = statements.get(dataSource);
  if (!known) statements.set(dataSource, (known = new Map<string, string>()));
  let sql = known.get(key);
  if (sql === undefined) known.set(key, (sql = compose()));
  return sql;
}

async function addOnPostgres(tx: Tx, lists: readonly Values[], dataSource: DataSource) {
  const key = lists.map(({ metadata, taken }) => `${metadata.tableName} ${taken}`).join();
  const sql = statement(dataSource, key, () => {
    const inserts = lists.map(({ metadata, taken }, i) =>
      insertJsonSql(metadata.tableName, typesOf(metadata), taken, i + 1),
    );
    const parts = inserts.map((insert, i) => `added_${i} AS (${insert})`);
    return inserts.length === 1 ? inserts[0]! : `WITH ${parts.join(', ')} SELECT 1`;
  });
  await tx.query(
    sql,
    lists.map(({ values }) => jsonOf(values)),
  );
}

/** Rows per statement on SQLite: few sizes, so that prepared statements are reused. */
const SIZES = [16, 4, 1];

async function addOnSqlite(tx: Tx, lists: readonly Values[], dataSource: DataSource) {
  for (const { metadata, taken, values } of lists) {
    let at = 0;
    for (const size of SIZES) {
      const sql = statement(dataSource, `${metadata.tableName} ${taken} ${size}`, () => {
        const names = metadata.columns.map(({ databaseName }) => databaseName);
        return insertSql(metadata.tableName, names, size, taken);
      });
      for (; at + size <= values.length; at += size) {
        await tx.query(sql, values.slice(at, at + size).flat());
      }
    }
  }
}

/** The values of a row for the driver, in the order of the entity's columns. */
function valuesOf({ columns, dataSource: { driver } }: EntityMetadata, row: ObjectLiteral) {
  return columns.map((column): unknown =>
    driver.preparePersistentValue(row[column.propertyName], column),
  );
}

/** How to handle a row whose key exists already. The key of one that `is replaced` is the first column. */
type Taken = 'fails' | 'is left out' | 'is replaced';

function onConflict(taken: Taken, [key, ...columns]: readonly string[]): string {
  if (taken === 'fails') return '';
  if (taken === 'is left out') return ' ON CONFLICT DO NOTHING';
  const values = columns.map((name) => `"${name}" = excluded."${name}"`);
  return ` ON CONFLICT ("${key}") DO UPDATE SET ${values.join(', ')}`;
}

/** Inserts a number of rows on SQLite. */
export function insertSql(
  table: string,
  columns: readonly string[],
  rows: number,
  taken: Taken,
): string {
  const row = `(${columns.map(() => '?').join(', ')})`;
  return `${insertInto(table, columns)} VALUES ${Array<string>(rows).fill(row).join(', ')}${onConflict(taken, columns)}`;
}

/**
 * Inserts any number of rows on PostgreSQL, as one parameter with JSON: thousands of parameters would
 * take five times the CPU here, and twice on the server.
 * @param types of the columns, by name
 * @param parameter its number
 */
export function insertJsonSql(
  table: string,
  types: ReadonlyMap<string, string>,
  taken: Taken,
  parameter = 1,
): string {
  const values = [...types.values()].map((type, i) => jsonValue('postgres', i, type));
  return `${insertInto(table, [...types.keys()])} SELECT ${values.join(', ')} FROM ${jsonRows('postgres', `$${parameter}`)}${onConflict(taken, [...types.keys()])}`;
}

/** PostgreSQL's types of the table's columns, by name. */
export function typesOf({ columns, dataSource }: EntityMetadata): Map<string, string> {
  return new Map(
    columns.map((column) => [column.databaseName, dataSource.driver.normalizeType(column)]),
  );
}

/**
 * Serialises rows for `jsonRows`. Replaces a lone surrogate (from a text cut inside a character) with
 * U+FFFD, because PostgreSQL refuses it in JSON.
 */
export function jsonOf(rows: readonly (readonly unknown[])[]): string {
  const text = JSON.stringify(rows);
  if (!text.includes('\\ud')) return text;
  return JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

/** The rows of a parameter from `jsonOf`. */
export function jsonRows(engine: EngineName, parameter: string): string {
  return engine === 'postgres'
    ? `jsonb_array_elements(${parameter}::jsonb) WITH ORDINALITY AS r(value, key)`
    : `json_each(${parameter}) AS r`;
}

/** The value at index `i` of such a row. SQLite takes its type from the JSON. */
export function jsonValue(engine: EngineName, i: number, type: string): string {
  return engine === 'postgres' ? `(r.value ->> ${i})::${type}` : `(r.value ->> ${i})`;
}

function insertInto(table: string, columns: readonly string[]): string {
  return `INSERT INTO "${table}" (${columns.map((name) => `"${name}"`).join(', ')})`;
}

/** Pads the list with its last id to a power of two: the database then prepares few statements. */
export function oneOf(ids: Iterable<string>) {
  const list = [...ids];
  const length = 2 ** Math.ceil(Math.log2(list.length));
  return In([...list, ...Array.from({ length: length - list.length }, () => list.at(-1)!)]);
}

import {
  type DataSource,
  type EntityManager,
  type EntityMetadata,
  type EntityTarget,
  In,
  type ObjectLiteral,
  type SelectQueryBuilder,
} from 'typeorm';
import { engineOf, type SqlValue } from './engine.js';
import {
  insertJsonSql,
  insertSql,
  jsonOf,
  jsonRows,
  jsonValue,
  type Taken,
  typesOf,
} from './insert-sql.js';
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
export function valuesOf({ columns, dataSource: { driver } }: EntityMetadata, row: ObjectLiteral) {
  return columns.map((column): unknown =>
    driver.preparePersistentValue(row[column.propertyName], column),
  );
}

/** Pads the list with its last id to a power of two: the database then prepares few statements. */
export function oneOf(ids: Iterable<string>) {
  const list = [...ids];
  const length = 2 ** Math.ceil(Math.log2(list.length));
  return In([...list, ...Array.from({ length: length - list.length }, () => list.at(-1)!)]);
}

import type {
  EntityManager,
  EntityMetadata,
  EntityTarget,
  ObjectLiteral,
  SelectQueryBuilder,
} from 'typeorm';
import { insertSql, type Taken } from './insert-sql.js';
import type { SqlValue } from './sqlite-rows.js';
import type { Tx } from './transactions.js';

/**
 * What `query.getMany()` gives, of a query without joins. TypeORM's own way from a row to an entity
 * serves joins too, and leaves some 77 kB of garbage for each order; an export is made of such rows.
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
  // An answer of pg outlives every collection of young garbage: emptied, it holds a fortieth.
  rows.length = 0;
  return entities;
}

/**
 * The rows that a statement of our own finds, as the database has them: for the one look-up where
 * TypeORM's composing costs many times the look-up itself.
 * @param sql with a `?` for each value
 */
export function findRows<T>(tx: Tx, sql: string, values: readonly SqlValue[]): Promise<T[]> {
  const { driver } = (tx as EntityManager).dataSource;
  let n = 0;
  const statement = sql.replaceAll('?', () => driver.createParameter('', n++));
  return tx.query<T[]>(statement, [...values]);
}

/** `INSERT` of so many rows, by entity: TypeORM's composing of one costs several times the row. */
const statements = new WeakMap<EntityMetadata, Map<string, string>>();

/**
 * As `tx.insert`, of whole entities: nothing is left to a default of the database, so that nothing has
 * to be read again.
 */
export async function addRows<T extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<T>,
  rows: readonly T[],
  taken: Taken = 'fails',
): Promise<void> {
  if (rows.length === 0) return;
  const { dataSource } = tx as EntityManager;
  const { driver } = dataSource;
  const metadata = dataSource.getMetadata(entity);
  let known = statements.get(metadata);
  if (!known) statements.set(metadata, (known = new Map<string, string>()));
  const key = `${rows.length} ${taken}`;
  let sql = known.get(key);
  if (sql === undefined) {
    const names = metadata.columns.map(({ databaseName }) => databaseName);
    const placeholder = (n: number) => driver.createParameter('', n);
    sql = insertSql(metadata.tableName, names, rows.length, taken, placeholder);
    known.set(key, sql);
  }
  const values = rows.flatMap((row) =>
    metadata.columns.map((column): unknown =>
      driver.preparePersistentValue(row[column.propertyName], column),
    ),
  );
  await tx.query(sql, values);
}

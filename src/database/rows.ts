import type {
  EntityTarget,
  ObjectLiteral,
  QueryDeepPartialEntity,
  SelectQueryBuilder,
} from 'typeorm';
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
 * As `tx.insert`, of rows in which nothing is left to a default of the database: TypeORM reads each of
 * them again, to learn what it already knows.
 */
export async function addRows<T extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<T>,
  rows: QueryDeepPartialEntity<T>[],
): Promise<void> {
  await tx
    .createQueryBuilder()
    .insert()
    .into(entity)
    .values(rows)
    .updateEntity(false)
    .callListeners(false)
    .execute();
}

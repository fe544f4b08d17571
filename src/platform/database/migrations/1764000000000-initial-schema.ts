import {
  type DataSource,
  type EntityMetadata,
  type MigrationInterface,
  type QueryRunner,
  Table,
  TableForeignKey,
} from 'typeorm';

const revisions = ['access', 'catalogue', 'follow-up', 'register', 'webhooks', 'viewers'];

const firstRows = [
  ...revisions.map((name) => `INSERT INTO revisions (name, number) VALUES ('${name}', 0)`),
  `INSERT INTO watch_progress (id, version, ready_at, access, settings, run, lease_until, done) VALUES (1, 0, 0, -1, '', '00000000-0000-0000-0000-000000000000', 0, TRUE)`,
];

/** Entities declare them with `synchronize: false`. */
const expressionIndexes = [
  'CREATE INDEX "ix_orders_reference_end" ON "orders" (substr(reference, 7))',
];

const secret = (sql: string) =>
  `INSERT INTO database_secrets (name, value) VALUES ('check-codes', ${sql})`;

const onSqlite = [secret('LOWER(HEX(RANDOMBLOB(32)))')];

const onPostgres = [
  secret(`REPLACE(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`),
  // By default PostgreSQL vacuums after a fifth of a table has changed. With a million orders, counts
  // would then read rows instead of the index.
  `ALTER TABLE "orders" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02)`,
];

/**
 * The statements that create the schema from the entities, on the engine of the runner. Runs none. At
 * the first release they are written into files, one for each engine, and the migration runs those:
 * from then on, a change of an entity needs a migration.
 */
export async function initialStatements(runner: QueryRunner): Promise<readonly string[]> {
  const { dataSource } = runner;
  runner.enableSqlMemory();
  try {
    for (const entity of inOrder(dataSource.entityMetadatas)) {
      await runner.createTable(tableOf(entity, dataSource));
    }
    return [
      ...runner.getMemorySql().upQueries.map(({ query }) => query),
      ...expressionIndexes,
      ...firstRows,
      ...(dataSource.options.type === 'postgres' ? onPostgres : onSqlite),
    ];
  } finally {
    runner.disableSqlMemory();
  }
}

/** By name, but each entity after those that it references. TypeORM has them in the order of imports. */
function inOrder(entities: readonly EntityMetadata[]): ReadonlySet<EntityMetadata> {
  const ordered = new Set<EntityMetadata>();
  const add = (entity: EntityMetadata) => {
    for (const key of entity.foreignKeys) add(key.referencedEntityMetadata);
    ordered.add(entity);
  };
  const byName = [...entities].sort((a, b) => (a.tableName < b.tableName ? -1 : 1));
  for (const entity of byName) add(entity);
  return ordered;
}

function tableOf(entity: EntityMetadata, { driver }: DataSource): Table {
  const table = Table.create(entity, driver);
  // Decorators run from the last to the first. SQLite prefers the newer of two equally rated indexes,
  // so they are created in the order in which the entity lists them.
  table.indices.reverse();
  table.foreignKeys = entity.foreignKeys.map((key) => TableForeignKey.create(key, driver));
  return table;
}

export class InitialSchema1764000000000 implements MigrationInterface {
  readonly name = 'InitialSchema1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of await initialStatements(runner)) await runner.query(statement);
  }

  /** Not supported: on SQLite it would re-create tables and lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}

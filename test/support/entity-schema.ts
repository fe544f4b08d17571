import { type DataSource, type EntityMetadata, Table, TableForeignKey } from 'typeorm';

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

const onSqlite = [
  'CREATE TABLE "migrations" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "timestamp" bigint NOT NULL, "name" varchar NOT NULL)',
  secret('LOWER(HEX(RANDOMBLOB(32)))'),
];

const onPostgres = [
  'CREATE TABLE "migrations" ("id" SERIAL NOT NULL, "timestamp" bigint NOT NULL, "name" character varying NOT NULL, CONSTRAINT "pk_migrations" PRIMARY KEY ("id"))',
  secret(`REPLACE(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`),
  // By default PostgreSQL vacuums after a fifth of a table has changed. With a million orders, counts
  // would then read rows instead of the index.
  `ALTER TABLE "orders" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02)`,
];

/** The tables of the entities, without the first rows of the service. Runs none. */
export async function entityTables(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  runner.enableSqlMemory();
  try {
    for (const entity of inOrder(dataSource.entityMetadatas)) {
      await runner.createTable(tableOf(entity, dataSource));
    }
    const tables = runner.getMemorySql().upQueries.map(({ query }) => query);
    return [...tables, ...expressionIndexes];
  } finally {
    runner.disableSqlMemory();
    await runner.release();
  }
}

/** What the first migration runs: `scripts/freeze-schema.mjs` writes it into a file for each engine. */
export async function initialStatements(dataSource: DataSource): Promise<string[]> {
  const own = dataSource.options.type === 'postgres' ? onPostgres : onSqlite;
  return [...(await entityTables(dataSource)), ...firstRows, ...own];
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

const SHAPE = {
  sqlite: [
    `SELECT 'column ' || t.name || ' ' || c.name || ' ' || lower(c.type) || ' ' || c."notnull" || ' ' || coalesce(c.dflt_value, '') || ' ' || c.pk AS line
     FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'`,
    `SELECT 'key ' || t.name || ' ' || k."from" || ' ' || k."table" || ' ' || k."to" || ' ' || k.on_delete AS line
     FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) k WHERE t.type = 'table'`,
    `SELECT 'index ' || sql AS line FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`,
  ],
  postgres: [
    `SELECT concat_ws(' ', 'column', table_name, column_name, data_type, character_maximum_length, is_nullable, column_default) AS line
     FROM information_schema.columns WHERE table_schema = 'public'`,
    `SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS line
     FROM pg_constraint WHERE connamespace = 'public'::regnamespace`,
    `SELECT 'index ' || indexdef AS line FROM pg_indexes WHERE schemaname = 'public'`,
  ],
} as const;

/** Columns, keys and indexes of a database as lines, without regard to their order, and without the list of migrations. */
export async function shapeOf(dataSource: DataSource): Promise<string[]> {
  const lines: string[] = [];
  const queries = SHAPE[dataSource.options.type === 'postgres' ? 'postgres' : 'sqlite'];
  for (const query of queries) {
    const rows = await dataSource.query<{ line: string }[]>(query);
    lines.push(...rows.map(({ line }) => line));
  }
  return lines.filter((line) => !/migrations|sqlite_sequence/.test(line)).sort();
}

// Writes the schema of the first release, as the entities declare it, into one file of SQL for each engine, which the first migration
// runs. Only until that release: afterwards the files never change, and `npm run check:released` fails if one does.
import { writeFileSync } from 'node:fs';
import { createDataSource } from '../dist/src/data-source.js';
import { readConfig } from '../dist/src/platform/config/config.js';
import { initialStatements } from '../dist/test/support/entity-schema.js';
import { startPostgres } from '../dist/test/support/postgres.js';

const given = process.env.TEST_POSTGRES_URL;
const server = given ? null : await startPostgres();
const settings = {
  sqlite: { SQLITE_FILE: ':memory:' },
  postgres: { DATABASE_URL: given ?? server.url },
};
for (const [engine, database] of Object.entries(settings)) {
  const dataSource = createDataSource(readConfig({ NODE_ENV: 'test', ...database }), 'endless');
  // In memory, SQLite has no log.
  if (engine === 'sqlite') dataSource.setOptions({ prepareDatabase: undefined, driver: undefined });
  await dataSource.initialize();
  const statements = await initialStatements(dataSource);
  await dataSource.destroy();
  const file = `src/platform/database/migrations/1764000000000-initial-schema.${engine}.sql`;
  writeFileSync(file, `${statements.join(';\n')};\n`);
  console.log(`${file}: ${statements.length} statements`);
}
await server?.stop();

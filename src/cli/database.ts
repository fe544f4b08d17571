import { resolve } from 'node:path';
import { Refused } from '../problems/refused.js';
import { createDataSource } from '../data-source.js';
import { backUp, type Contents, restore, verify } from '../database/backup.js';
import { migrate } from '../database/migrate.js';
import { RetentionService } from '../retention/retention.service.js';
import { withProgress } from './progress.js';
import { commandSettings, type ServiceCommand } from './service-command.js';

export function addDatabaseCommands(program: ServiceCommand): void {
  const db = program.add('db', 'the database');
  db.add('migrate', 'update the schema; the service does the same when it starts').action(
    async () => {
      const dataSource = await createDataSource(commandSettings(), 'endless').initialize();
      try {
        const done = await migrate(dataSource);
        for (const name of done) console.log(name);
        console.log(done.length === 0 ? 'The schema is up to date.' : 'Done.');
      } finally {
        await dataSource.destroy();
      }
    },
  );
  db.add(
    'backup <file>',
    'copy and verify the SQLite database, also while the service runs',
  ).action(async (file: string) => {
    const database = sqliteFile('pg_dump');
    const contents = await withProgress('Copying', (onProgress) =>
      backUp(database, resolve(file), onProgress),
    );
    console.log(`${file} is written and verified: ${summary(contents)}.`);
  });
  db.add('verify <file>', 'check that a backup is intact').action((file: string) =>
    console.log(`${file} is intact: ${summary(verify(resolve(file)))}.`),
  );
  db.add('restore <file>', 'restore the SQLite database from a backup; stop the service first')
    .option('--replace', 'replace an existing database, which is kept under another name', false)
    .action((file: string, { replace }: { replace: boolean }) => {
      const database = sqliteFile('pg_restore');
      const { contents, kept } = restore(resolve(file), database, { replace, at: new Date() });
      console.log(`${database} is restored: ${summary(contents)}.`);
      if (kept !== null) console.log(`The replaced database is kept as ${kept}.`);
    });
  db.add('prune', 'delete expired checks, idempotency keys, sessions and sandbox records').using(
    RetentionService,
    async (retention) => {
      const { checks, keys, signIns, tests } = await retention.prune();
      console.log(
        `Deleted ${checks} checks, ${keys} idempotency keys, ${signIns} records of sign-ins and ${tests} sandbox records.`,
      );
    },
  );
}

function sqliteFile(instead: string): string {
  const config = commandSettings();
  if (config.databaseUrl === null) return resolve(config.sqliteFile);
  throw new Refused(
    `This command is for SQLite. For PostgreSQL use ${instead}; see docs/operate/backup.md.`,
  );
}

function summary({ orders, checks, latestOrderAt, schema, bytes }: Contents): string {
  const latest = latestOrderAt === null ? '' : `, the latest from ${latestOrderAt.toISOString()}`;
  return `${orders} orders${latest}, ${checks} check records, schema ${schema}, ${(bytes / 1e6).toFixed(1)} MB`;
}

import { resolve } from 'node:path';
import { Refused } from '../problems/refused.js';
import { createDataSource } from '../data-source.js';
import { backUp, type Contents, restore, verify } from '../database/backup.js';
import { migrate } from '../database/migrate.js';
import { RetentionService } from '../retention/retention.service.js';
import { commandSettings, type ServiceCommand } from './service-command.js';

export function addDatabaseCommands(program: ServiceCommand): void {
  const db = program.add('db', 'the database');
  db.add('migrate', 'bring the schema up to date; the service does the same when it starts').action(
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
    'copy the SQLite database, also while the service runs; verified, then named',
  ).action(async (file: string) => {
    const contents = await backUp(sqliteFile('pg_dump'), resolve(file), showProgress());
    console.log(`${file} is written and verified: ${summary(contents)}.`);
  });
  db.add('verify <file>', 'read a whole backup, and say whether it is sound').action(
    (file: string) => console.log(`${file} is sound: ${summary(verify(resolve(file)))}.`),
  );
  db.add(
    'restore <file>',
    'put a backup in the place of the SQLite database, while the service is stopped',
  )
    .option('--replace', 'where there is a database: keep it under another name', false)
    .action((file: string, { replace }: { replace: boolean }) => {
      const database = sqliteFile('pg_restore');
      const { contents, kept } = restore(resolve(file), database, { replace, at: new Date() });
      console.log(`${database} is restored: ${summary(contents)}.`);
      if (kept !== null) console.log(`What was there is kept as ${kept}.`);
    });
  db.add(
    'prune',
    'delete check records, idempotency keys, ended sessions and tests past their time, as the service does',
  ).inService(async (services) => {
    const { checks, keys, signIns, tests } = await services.get(RetentionService).prune();
    console.log(
      `Deleted ${checks} check records, ${keys} idempotency keys, ${signIns} leftovers of sign-ins and ${tests} records of the sandbox.`,
    );
  });
}

function sqliteFile(instead: string): string {
  const config = commandSettings();
  if (config.databaseUrl === null) return resolve(config.sqliteFile);
  throw new Refused(
    `This is for SQLite. For PostgreSQL use ${instead}; docs/operate/backup.md shows how.`,
  );
}

/** Shows the progress on a terminal, a few times a second. */
function showProgress(): (done: number, pages: number) => void {
  let next = 0;
  return (done, pages) => {
    if (!process.stderr.isTTY || (Date.now() < next && done < pages)) return;
    next = Date.now() + 250;
    process.stderr.write(
      `\r${Math.floor((100 * done) / pages)} % of ${pages} pages${done < pages ? '' : '\n'}`,
    );
  };
}

function summary({ orders, checks, latestOrderAt, schema, bytes }: Contents): string {
  const latest = latestOrderAt === null ? '' : `, the latest of ${latestOrderAt.toISOString()}`;
  return `${orders} orders${latest}, ${checks} check records, schema ${schema}, ${(bytes / 1e6).toFixed(1)} MB`;
}

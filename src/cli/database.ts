import type { Command } from 'commander';
import { resolve } from 'node:path';
import { Refused } from '../problems/refused.js';
import { createDataSource } from '../data-source.js';
import { backUp, type Contents, restore, verify } from '../database/backup.js';
import { migrate } from '../database/migrate.js';
import { RetentionService } from '../retention/retention.service.js';
import { commandSettings, withService } from './context.js';

export function addDatabaseCommands(program: Command): void {
  const db = program.command('db').description('the database');
  db.command('migrate')
    .description('bring the schema up to date; the service does the same when it starts')
    .action(async () => {
      const dataSource = await createDataSource(commandSettings(), 'endless').initialize();
      try {
        const done = await migrate(dataSource);
        for (const name of done) console.log(name);
        console.log(done.length === 0 ? 'The schema is up to date.' : 'Done.');
      } finally {
        await dataSource.destroy();
      }
    });
  db.command('backup <file>')
    .description('copy the SQLite database, also while the service runs; verified, then named')
    .action(async (file: string) => {
      const contents = await backUp(sqliteFile('pg_dump'), resolve(file), tellProgress());
      console.log(`${file} is written and verified: ${summary(contents)}.`);
    });
  db.command('verify <file>')
    .description('read a backup whole, and tell whether it is sound')
    .action((file: string) => {
      console.log(`${file} is sound: ${summary(verify(resolve(file)))}.`);
    });
  db.command('restore <file>')
    .description('put a backup in the place of the SQLite database, while the service is stopped')
    .option('--replace', 'where there is a database: keep it under another name', false)
    .action((file: string, { replace }: { replace: boolean }) => {
      const database = sqliteFile('pg_restore');
      const { contents, kept } = restore(resolve(file), database, { replace, at: new Date() });
      console.log(`${database} is restored: ${summary(contents)}.`);
      if (kept !== null) console.log(`What was there is kept as ${kept}.`);
    });
  db.command('prune')
    .description(
      'delete check records, idempotency keys, ended sessions and tests past their time, as the service does',
    )
    .action(async () => {
      const { checks, keys, signIns, tests } = await withService((service) =>
        service.get(RetentionService).prune(),
      );
      console.log(
        `Deleted ${checks} check records, ${keys} idempotency keys, ${signIns} leftovers of sign-ins and ${tests} records of the sandbox.`,
      );
    });
}

function sqliteFile(instead: string): string {
  const config = commandSettings();
  if (config.databaseUrl === null) return resolve(config.sqliteFile);
  throw new Refused(`This is for SQLite. For PostgreSQL use ${instead}; docs/operate/backup.md shows how.`);
}

/** Tells on a terminal how far the copying is, a few times a second. */
function tellProgress(): (done: number, pages: number) => void {
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

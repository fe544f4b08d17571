import { join, resolve } from 'node:path';
import { Refused } from '../platform/problems/refused.js';
import { AuditService, backupSubject, operator } from '../platform/audit/audit.service.js';
import type { Config } from '../platform/config/config.js';
import { createDataSource } from '../data-source.js';
import { openExisting } from '../platform/database/database.module.js';
import { backUp, type Contents, restore, verify } from '../platform/database/backup.js';
import { Transactions } from '../platform/database/transactions.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { Clock } from '../platform/kernel/clock.js';
import { migrate } from '../platform/database/migrate.js';
import { commandSettings, type ServiceCommand } from './service-command.js';
import { readInstant, wholeNumber } from './options.js';
import { readdirSync, rmSync } from 'node:fs';

const NAME = /^availability-\d{8}T\d{6}Z\.sqlite$/;

/** Such as `availability-20261122T023000Z.sqlite`: names sort by time. */
function backupName(at: Date): string {
  return `availability-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.sqlite`;
}

/** Removes all but the newest backups that `backupName` named. @returns the names of the removed ones */
function rotate(folder: string, keep: number): string[] {
  const names = readdirSync(folder).filter((name) => NAME.test(name));
  const old = names.sort().slice(0, -keep);
  for (const name of old) rmSync(join(folder, name));
  return old;
}

export function addDatabaseCommands(db: ServiceCommand): void {
  db.add('migrate').action(async () => {
    const dataSource = await createDataSource(commandSettings(), 'endless').initialize();
    try {
      const done = await migrate(dataSource);
      for (const name of done) console.log(name);
      console.log(done.length === 0 ? 'The schema is up to date.' : 'Done.');
    } finally {
      await dataSource.destroy();
    }
  });
  db.add('backup [file]')
    .option('--into <folder>', 'instead of a file: a folder, in which its name is the time')
    .option('--keep <n>', 'with --into: remove all but the newest n backups', wholeNumber())
    .action(backUpAndRecord);
  db.add('record-backup <name>')
    .option('--at <instant>', 'when it was started; by default now', readInstant)
    .action(async (name: string, { at }: { at?: Date }) => {
      const config = commandSettings();
      await recordBackup(config, { name, ...(at && { at: at.toISOString() }) }, at);
      console.log(`${name} is recorded.`);
    });
  db.add('verify <file>').action((file: string) => {
    const contents = verify(resolve(file));
    console.log(`${file} is intact: ${summary(contents)}.`);
  });
  db.add('restore <file>')
    .option('--replace', 'replace an existing database, which is kept under another name', false)
    .action((file: string, { replace }: { replace: boolean }) => {
      const database = sqliteFile(commandSettings(), 'pg_restore');
      const options = { replace, at: new Date() };
      const { contents, kept } = restore(resolve(file), database, options);
      console.log(`${database} is restored: ${summary(contents)}.`);
      if (kept !== null) console.log(`The replaced database is kept as ${kept}.`);
    });
}

interface BackupOptions {
  readonly into?: string;
  readonly keep?: number;
}

async function backUpAndRecord(name: string | undefined, { into, keep }: BackupOptions) {
  if ((name === undefined) === (into === undefined) || (keep !== undefined && !into)) {
    throw new Refused('Name either a file or, with --into, a folder. --keep needs --into.');
  }
  const config = commandSettings();
  const database = sqliteFile(config, 'pg_dump');
  const at = new Date();
  const file = name ?? join(into!, backupName(at));
  const contents = backUp(database, resolve(file));
  console.log(`${file} is written and verified: ${summary(contents)}.`);
  try {
    await recordBackup(config, { name: file, orders: contents.orders, bytes: contents.bytes }, at);
  } catch (error) {
    console.error(`The backup is good, but its time could not be recorded: ${String(error)}`);
  }
  if (into === undefined || keep === undefined) return;
  for (const old of rotate(into, keep)) console.log(`${old} is removed.`);
}

/**
 * Records a verified backup in the audit trail of the database itself, where the service reads its age.
 * Runs no migration: a backup comes before an upgrade.
 */
async function recordBackup(
  config: Config,
  details: Readonly<Record<string, unknown>>,
  at = new Date(),
): Promise<void> {
  const transactions = new Transactions(await openExisting(config, createDataSource));
  const background = new BackgroundWork(() => undefined);
  const audit = new AuditService(new Clock(), transactions, background);
  const event = {
    subject: backupSubject,
    action: 'backed up',
    actor: operator,
    details,
    at,
  } as const;
  try {
    await transactions.run((tx) => audit.record(tx, event));
  } finally {
    await transactions.close();
  }
}

function sqliteFile(config: Config, instead: string): string {
  if (config.databaseUrl === null) return resolve(config.sqliteFile);
  throw new Refused(
    `This command is for SQLite. For PostgreSQL use ${instead}; see docs/operate/backup.md.`,
  );
}

function summary({ orders, checks, latestOrderAt, schema, bytes }: Contents): string {
  const latest = latestOrderAt === null ? '' : `, the latest from ${latestOrderAt.toISOString()}`;
  return `${orders} orders${latest}, ${checks} check records, schema ${schema}, ${(bytes / 1e6).toFixed(1)} MB`;
}

/** @jest-environment node */
import { expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../support/closing.js';
import {
  type DatabaseSettings,
  type Engine,
  environmentOf,
  newDatabase,
  openDataSource,
} from '../support/databases.js';
import { becomeLater } from '../fixtures/trial-releases.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { migrationNames } from '../../src/platform/database/migrations/releases.js';
import { onBothEngines, startService } from '../support/service.js';
import { cli, cliAfter, cliAlone } from '../support/processes.js';

const SENTENCE =
  /was created by a version from before release 1\.0\.0, whose tables are not those of this program\. It was not changed\. Carry its data over as docs\/operate\/upgrade\.md describes/;

onBothEngines('a database from before the first release', (engine) => {
  /** @param change makes the mark of the schema another */
  const startRefused = async (change: string) => {
    const database = await newDatabase(engine);
    const dataSource = await openDataSource(database);
    await dataSource.query(change);
    await dataSource.destroy();
    await expect(startService(engine, { database })).rejects.toThrow(SENTENCE);
    return database;
  };

  it.each([
    ['no mark', `DELETE FROM revisions WHERE name = 'schema'`],
    ['no column for it', `ALTER TABLE revisions DROP COLUMN mark`],
  ])('is refused by the start if it has %s', async (_, change) => {
    await startRefused(change);
  });

  it('is refused by the start and by every command if it has another mark', async () => {
    const database = await startRefused(`UPDATE revisions SET mark = 'x' WHERE name = 'schema'`);
    const backup = join(await newFolder(), 'backup.sqlite');
    const commands = commandsOn(engine, database, backup);
    for (const words of commands) {
      const environment = environmentOf(database);
      const target = words[1] === 'restore' ? { SQLITE_FILE: `${backup}.restored` } : {};
      const { code, stderr } = await cli({ ...environment, ...target }, ...words);
      expect([words, code, stderr]).toEqual([words, 1, expect.stringMatching(SENTENCE)]);
    }
    expect([existsSync(backup), existsSync(`${backup}.restored`)]).toEqual([false, false]);
  });
});

/** Those that open a database. */
function commandsOn(engine: Engine, { sqliteFile }: DatabaseSettings, backup: string): string[][] {
  return [
    ['db', 'migrate'],
    ['catalogue', 'import', 'examples/catalogue'],
    ['orders', 'erase', 'ORD-1'],
    ['db', 'record-backup', 'dump'],
    ...(engine === 'sqlite'
      ? [
          ['db', 'backup', backup],
          ['db', 'verify', sqliteFile],
          ['db', 'restore', sqliteFile],
        ]
      : []),
  ];
}

/** A database that a later release has migrated. */
async function laterDatabase(engine: Engine, by: 1 | 2): Promise<DatabaseSettings> {
  const database = await newDatabase(engine);
  const takeBack = becomeLater(by);
  try {
    const dataSource = await openDataSource(database, 'endless');
    expect(await migrate(dataSource)).toEqual(migrationNames().slice(-by - 1));
    await dataSource.destroy();
  } finally {
    takeBack();
  }
  return database;
}

onBothEngines('a database that a later release has upgraded', (engine) => {
  it('is refused by the start and by every command, if it is two releases later', async () => {
    const database = await laterDatabase(engine, 2);
    const words =
      /was upgraded by a later release, whose tables this program does not know \(TrialSmallTable1900000000000, TrialReceivedDay1900000000001, TrialLater1900000000002\)\. It was not changed\. Use the program of that release, or of the one before it\./;
    await expect(startService(engine, { database })).rejects.toThrow(words);
    const backup = join(await newFolder(), 'backup.sqlite');
    for (const command of commandsOn(engine, database, backup)) {
      const target = command[1] === 'restore' ? { SQLITE_FILE: `${backup}.restored` } : {};
      const { code, stderr } = await cli({ ...environmentOf(database), ...target }, ...command);
      expect([command, code, stderr]).toEqual([command, 1, expect.stringMatching(words)]);
    }
    expect([existsSync(backup), existsSync(`${backup}.restored`)]).toEqual([false, false]);
  });

  it('is used by the release before, and stays as it is', async () => {
    const database = await laterDatabase(engine, 1);
    const service = await startService(engine, { database });
    await service.given.catalogue();
    const order = await service.given.order();
    expect(order.orderId).toBeDefined();
    const { code, stdout } = await cliAlone(environmentOf(database), 'db', 'migrate');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /The next release has upgraded this database \(TrialSmallTable1900000000000, TrialReceivedDay1900000000001\)[^]*The schema is up to date\./,
      ),
    ]);
  });
});

/** The commands of the next release. */
const nextRelease = cliAfter(new URL('../fixtures/release-plus-1.js', import.meta.url).href);

onBothEngines('a database of an earlier release', (engine) => {
  it('is changed by no command except `db migrate`, and can be backed up before', async () => {
    const database = await newDatabase(engine);
    const settings = environmentOf(database);
    const refused = await nextRelease(settings, 'catalogue', 'import', 'examples/catalogue');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /is of an earlier release: TrialSmallTable1900000000000, TrialReceivedDay1900000000001 has not run\. It was not changed\. Make a backup, then run "db migrate"/,
      ),
    ]);
    const folder = await newFolder();
    const backup = join(folder, 'backup.sqlite');
    if (engine === 'sqlite') {
      expect((await nextRelease(settings, 'db', 'backup', backup)).code).toBe(0);
      const restored = { ...settings, SQLITE_FILE: join(folder, 'restored.sqlite') };
      expect((await nextRelease(restored, 'db', 'restore', backup)).code).toBe(0);
    } else {
      expect((await nextRelease(settings, 'db', 'record-backup', 'dump')).code).toBe(0);
    }
    const { code, stdout } = await nextRelease(settings, 'db', 'migrate');
    expect([code, stdout]).toEqual([
      0,
      'TrialSmallTable1900000000000\nTrialReceivedDay1900000000001\nDone.\n',
    ]);
    expect((await nextRelease(settings, 'catalogue', 'import', 'demo/catalogue')).code).toBe(0);
  });
});

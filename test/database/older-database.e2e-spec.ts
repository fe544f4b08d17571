import { expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf, newDatabase, newFolder, openDataSource } from '../support/databases.js';
import { onBothEngines } from '../support/service.js';
import { cli } from '../support/processes.js';
import { refusedStart } from '../support/service-process.js';

const SENTENCE =
  /was created by a development version, whose tables are not those of this program\. It was not changed\. Carry its data over as CHANGELOG\.md describes/;

onBothEngines('a database that a development version created', (engine) => {
  it.each([
    ['has another mark', `UPDATE revisions SET mark = 'x' WHERE name = 'schema'`],
    ['has no mark', `DELETE FROM revisions WHERE name = 'schema'`],
    ['has no column for it', `ALTER TABLE revisions DROP COLUMN mark`],
  ])('is refused by the start and by every command: it %s', async (_, change) => {
    const database = await newDatabase(engine, 'migrated');
    const dataSource = await openDataSource(database);
    await dataSource.query(change);
    await dataSource.destroy();

    const started = await refusedStart(database);
    expect([started.code, started.output]).toEqual([1, expect.stringMatching(SENTENCE)]);
    const backup = join(await newFolder(), 'backup.sqlite');
    const commands = [
      ['db', 'migrate'],
      ['catalogue', 'import', 'examples/catalogue'],
      ['orders', 'erase', 'ORD-1'],
      ['db', 'record-backup', 'dump'],
      ...(engine === 'sqlite'
        ? [
            ['db', 'backup', backup],
            ['db', 'verify', database.sqliteFile],
            ['db', 'restore', database.sqliteFile],
          ]
        : []),
    ];
    for (const words of commands) {
      const environment = environmentOf(database);
      const target = words[1] === 'restore' ? { SQLITE_FILE: `${backup}.restored` } : {};
      const { code, stderr } = await cli({ ...environment, ...target }, ...words);
      expect([words, code, stderr]).toEqual([words, 1, expect.stringMatching(SENTENCE)]);
    }
    expect([existsSync(backup), existsSync(`${backup}.restored`)]).toEqual([false, false]);
  });
});

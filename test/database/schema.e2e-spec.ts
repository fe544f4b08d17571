import { afterEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { migrate } from '../../src/platform/database/migrate.js';
import { prepareSqlite } from '../../src/platform/database/sqlite/sqlite.js';
import { newFolder } from '../support/closing.js';
import {
  type DatabaseSettings,
  environmentOf,
  newDatabase,
  openDataSource,
} from '../support/databases.js';
import { entityTables, shapeOf } from '../support/entity-schema.js';
import { cli, cliAlone } from '../support/processes.js';
import { onBothEngines } from '../support/service.js';

async function applied(dataSource: DataSource): Promise<string[]> {
  const rows = await dataSource.query<{ name: string }[]>(
    'SELECT name FROM migrations ORDER BY id',
  );
  return rows.map(({ name }) => name);
}

const namesOf = (dataSource: DataSource) => dataSource.migrations.map(({ name }) => name);

onBothEngines('the schema', (engine) => {
  afterEach(() => void jest.restoreAllMocks());

  it('has all that the entities declare, with indexes of expressions', async () => {
    const dataSource = await openDataSource(await newDatabase(engine, 'empty'));
    await migrate(dataSource);
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries).toEqual([]);
    const declaring = await openDataSource(await newDatabase(engine, 'empty'));
    for (const statement of await entityTables(declaring)) await declaring.query(statement);
    expect(await shapeOf(dataSource)).toEqual(await shapeOf(declaring));
    const rows = await dataSource.query<{ name: string }[]>(
      engine === 'sqlite'
        ? `SELECT name FROM sqlite_schema WHERE type = 'index'`
        : 'SELECT indexname AS name FROM pg_indexes',
    );
    const declared = dataSource.entityMetadatas.flatMap(({ indices }) => indices);
    expect(declared.length).toBeGreaterThan(0);
    const names = new Set(rows.map(({ name }) => name));
    expect(declared.filter(({ name }) => !names.has(name))).toEqual([]);
  });

  it('is migrated once', async () => {
    const dataSource = await openDataSource(await newDatabase(engine, 'empty'));
    expect(await migrate(dataSource)).toEqual(namesOf(dataSource));
    expect(await migrate(dataSource)).toEqual([]);
    expect(await applied(dataSource)).toEqual(namesOf(dataSource));
  });

  it('is unchanged after a failed migration', async () => {
    const dataSource = await openDataSource(await newDatabase(engine, 'empty'));
    // One of the last tables of the migration is in its way.
    await dataSource.query('CREATE TABLE idempotency_keys (id INTEGER)');
    jest.spyOn(console, 'log').mockReturnValue(); // TypeORM says there what it throws as well.
    await expect(migrate(dataSource)).rejects.toThrow('idempotency_keys');
    await expect(dataSource.query('SELECT * FROM revisions')).rejects.toThrow('revisions');
    await dataSource.query('DROP TABLE idempotency_keys');
    expect(await migrate(dataSource)).toEqual(namesOf(dataSource));
  });
});

onBothEngines('a database with the layout before the first release', (engine) => {
  it('is refused with instructions, and not changed', async () => {
    const database = await newDatabase(engine, 'empty');
    const dataSource = await openDataSource(database);
    await dataSource.query('CREATE TABLE migrations (id INTEGER, name VARCHAR(255))');
    await dataSource.query(`INSERT INTO migrations VALUES (1, 'InitialSchema1763700000000')`);
    await expect(migrate(dataSource)).rejects.toThrow('docs/operate/upgrade.md');
    const { code, stderr } = await cli(environmentOf(database), 'db', 'migrate');
    expect([code, stderr]).toEqual([1, expect.stringContaining('docs/operate/upgrade.md')]);
    expect(await applied(dataSource)).toEqual(['InitialSchema1763700000000']);
    await expect(dataSource.query('SELECT * FROM revisions')).rejects.toThrow('revisions');
  });
});

describe('migrations', () => {
  it('import nothing from outside their folder except TypeORM and Node.js', () => {
    const folder = 'src/platform/database/migrations';
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const imports = files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/ from '(.+)';/g)])
      .map(([, module = '']) => module);
    const outside = imports.filter((module) => !/^typeorm$|^\.\/|^node:/.test(module));
    expect([imports.length > 0, outside]).toEqual([true, []]);
  });
});

describe('instances that start together', () => {
  it('run each migration once, on PostgreSQL', async () => {
    const database = await newDatabase('postgres', 'empty');
    const instances: DataSource[] = [];
    for (let i = 0; i < 5; i += 1) instances.push(await openDataSource(database, 'endless'));
    const done = await Promise.all(instances.map((instance) => migrate(instance)));
    const [instance] = instances as [DataSource];
    expect(done.flat()).toEqual(namesOf(instance));
    expect(await applied(instance)).toEqual(namesOf(instance));
  });

  it('run each migration once, on SQLite', async () => {
    const database = await newDatabase('sqlite', 'empty');
    const settings = environmentOf(database);
    const outcomes = await Promise.all([1, 2].map(() => cliAlone(settings, 'db', 'migrate')));
    const dataSource = await openDataSource(database);
    // Each prints those that it ran: of those that commit step by step, either may be the first to end.
    const ran = outcomes.flatMap(({ stdout }) => stdout.match(/^[A-Z]\w*\d{13}$/gm) ?? []);
    expect(ran.sort()).toEqual([...namesOf(dataSource)].sort());
    for (const { stdout } of outcomes) {
      expect(stdout).toMatch(/(?:^|\n)(?:Done|The schema is up to date)\.\n$/);
    }
    expect(await applied(dataSource)).toEqual(namesOf(dataSource));
  });
});

describe('a connection', () => {
  async function ask(database: DatabaseSettings, questions: readonly string[]) {
    const dataSource = await openDataSource(database);
    const answers: unknown[] = [];
    for (const question of questions) {
      const [row] = await dataSource.query<Record<string, unknown>[]>(question);
      answers.push(Object.values(row ?? {})[0]);
    }
    return answers;
  }

  it('to SQLite loses no commit, enforces foreign keys and waits for other processes', async () => {
    const pragmas = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'];
    const questions = pragmas.map((name) => `PRAGMA ${name}`);
    const FULL = 2;
    // `onceFree` does longer waits, without blocking this process.
    expect(await ask(await newDatabase('sqlite', 'empty'), questions)).toEqual([
      'wal',
      FULL,
      1,
      10,
    ]);
  });

  it('to SQLite creates the file and its folders', async () => {
    const sqliteFile = join(await newFolder(), 'not/yet/there.sqlite');
    const dataSource = await openDataSource({ sqliteFile, databaseUrl: null });
    expect(await migrate(dataSource)).toEqual(namesOf(dataSource));
  });

  it('to SQLite is refused if a setting is not applied', () => {
    expect(() => prepareSqlite(new Database(':memory:'))).toThrow(
      'SQLite keeps journal_mode at memory, but wal is needed.',
    );
  });

  it('to SQLite is refused for a release that can corrupt a database', () => {
    const database = Object.assign(new Database(':memory:'), {
      prepare: () => ({ get: () => ({ version: '3.51.2' }) }),
    });
    expect(() => prepareSqlite(database)).toThrow('SQLite 3.51.2 is too old');
  });

  it('to PostgreSQL has time-outs', async () => {
    const questions = [
      'SHOW statement_timeout',
      'SHOW lock_timeout',
      'SHOW idle_in_transaction_session_timeout',
    ];
    expect(await ask(await newDatabase('postgres', 'empty'), questions)).toEqual([
      '2400ms',
      '1500ms',
      '5s',
    ]);
  });

  it('to PostgreSQL for migrations has no time-outs', async () => {
    const dataSource = await openDataSource(await newDatabase('postgres', 'empty'), 'endless');
    expect(await dataSource.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '0' }]);
  });
});

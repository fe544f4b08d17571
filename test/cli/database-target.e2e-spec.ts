import { describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { BackupsService } from '../../src/ops/backups.service.js';
import { MetricsService } from '../../src/ops/metrics.service.js';
import { newFolder } from '../support/closing.js';
import { engines, environmentOf, newDatabase, openDataSource } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { cli, cliAlone, outcomeOf, refusal, start } from '../support/processes.js';
import { startService } from '../support/service.js';

describe.each(engines)('A command on a missing database, on %s', (engine) => {
  it('says so, exits with 1 and creates nothing', async () => {
    const settings = environmentOf(await newDatabase(engine, 'empty'));
    for (const words of [
      ['catalogue', 'list'],
      ['tokens', 'list'],
      ['notifications', 'list'],
      ['watches', 'list'],
      ['db', 'record-backup', '/backups/a.dump'],
    ]) {
      const outcome = await cli(settings, ...words);
      const [code, stdout, said] = refusal(outcome);
      expect([code, stdout]).toEqual([1, '']);
      expect(said).toMatch(
        /^(There is no database|This database has no tables).*Nothing was created/,
      );
    }
    if (engine === 'sqlite') expect(existsSync(settings.SQLITE_FILE)).toBe(false);
    const migrated = await cli(settings, 'db', 'migrate');
    const shown = await cli(settings, 'catalogue', 'list');
    expect([migrated.code, shown.code]).toEqual([0, 0]);
  });

  it('names the database, and reads the settings of the service from their file', async () => {
    const settings = environmentOf(await newDatabase(engine, 'empty'));
    const file = join(await newFolder(), 'environment');
    const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"`);
    writeFileSync(file, `# settings\n${lines.join('\n')}\nSALES_CONTACT=sales@example.net\n`);
    const outcome = await cli({}, '--env-file', file, 'db', 'migrate');
    expect(outcome.code).toBe(0);
    const name =
      engine === 'sqlite' ? settings.SQLITE_FILE : new URL(settings.DATABASE_URL).pathname;
    expect(outcome.database).toContain(name);
  });

  it('records a backup of another program, whose age the service reports', async () => {
    const database = await newDatabase(engine);
    const clock = new FakeClock();
    const service = await startService(engine, { database, clock });
    const metric = async () => (await service.get(MetricsService).read()).text;
    const backups = service.get(BackupsService);
    await backups.look();
    expect(backups.ageSeconds).toBeNull();
    const at = new Date(clock.now().getTime() - 3_600_000).toISOString();
    const recorded = await cli(
      environmentOf(database),
      'db',
      'record-backup',
      '/backups/a.dump',
      '--at',
      at,
    );
    expect(recorded.code).toBe(0);
    await backups.look();
    expect(await metric()).toContain('availability_backup_age_seconds 3600\n');
    clock.advance({ hours: 36 });
    const { body } = await service.http.get<{ warnings: string[] }>('/health/ready');
    expect(body.warnings).toContain('The last verified backup is 37 hours old.');
  });
});

it('a command names the file of settings that is missing', async () => {
  const file = join(await newFolder(), 'environment');
  // As the script starts it: without its `--`, Node.js would take the option for its own.
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: { cli: string };
  };
  const [, first, ...words] = [...scripts.cli.split(' '), '--env-file', file, 'db'];
  expect(refusal(await outcomeOf(start(first, {}, [...words, 'migrate'])))).toEqual([
    1,
    '',
    `The settings ${file} cannot be read: it does not exist.`,
  ]);
});

it('a command whose start fails ends, although PostgreSQL has answered it', async () => {
  const database = await newDatabase('postgres');
  const dataSource = await openDataSource(database);
  await dataSource.query('DELETE FROM database_secrets');
  await dataSource.destroy();
  const [code, stdout, said] = refusal(await cliAlone(environmentOf(database), 'tokens', 'list'));
  expect([code, stdout]).toEqual([1, '']);
  expect(said).toContain('Could not find any entity of type "DatabaseSecret"');
});

describe('A backup', () => {
  it('goes into a folder under its time, keeps the newest, and is recorded', async () => {
    const database = await newDatabase('sqlite');
    const service = await startService('sqlite', { database });
    const folder = await newFolder();
    writeFileSync(join(folder, 'notes.txt'), 'stays');
    for (const day of ['20200101', '20200102', '20200103']) {
      writeFileSync(join(folder, `availability-${day}T000000Z.sqlite`), 'old');
    }
    const outcome = await cli(
      environmentOf(database),
      'db',
      'backup',
      '--into',
      folder,
      '--keep',
      '2',
    );
    expect([outcome.code, outcome.stdout]).toEqual([0, expect.stringContaining('is removed.')]);
    const [first, second, notes, ...more] = readdirSync(folder).sort();
    expect([first, notes, more]).toEqual(['availability-20200103T000000Z.sqlite', 'notes.txt', []]);
    expect(second).toMatch(/^availability-\d{8}T\d{6}Z\.sqlite$/);
    await service.get(BackupsService).look();
    expect(service.get(BackupsService).ageSeconds).not.toBeNull();
  });

  it('and a restored database keep owner and mode', async () => {
    const isRoot = process.getuid?.() === 0;
    const database = await newDatabase('sqlite');
    const file = database.sqliteFile;
    const backup = join(await newFolder(), 'backup.sqlite');
    chmodSync(file, 0o640);
    if (isRoot) chownSync(file, 1_234, 2_345);
    const ids = (path: string) => {
      const { uid, gid, mode } = statSync(path);
      return [...(isRoot ? [uid, gid] : []), (mode & 0o777).toString(8)];
    };
    const own = ids(file);
    await cli(environmentOf(database), 'db', 'backup', backup);
    expect(ids(backup)).toEqual(own);
    if (isRoot) chownSync(backup, 0, 0);
    const restored = await cli(environmentOf(database), 'db', 'restore', backup, '--replace');
    expect([restored.code, ids(file)]).toEqual([0, own]);
  });

  it('says which folder is missing', async () => {
    const database = await newDatabase('sqlite');
    const folder = join(await newFolder(), 'not-there');
    const outcome = await cli(environmentOf(database), 'db', 'backup', join(folder, 'a.sqlite'));
    expect(refusal(outcome)).toEqual([
      1,
      '',
      `The folder ${folder} cannot be written: it does not exist. Nothing was changed.`,
    ]);
  });
});

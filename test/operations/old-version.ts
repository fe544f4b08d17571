import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { later } from '../support/closing.js';

const MIGRATIONS = 'src/platform/database/migrations';

const git = (...words: string[]) => spawnSync('git', words, { encoding: 'utf8' }).stdout.trim();

/**
 * The commit before the last change of the schema, or `OLD`. Empty while there is only the initial
 * schema: no earlier version can share a database with this one.
 */
export function oldCommit(): string {
  if (process.env.OLD) return process.env.OLD;
  const [, ...later] = readdirSync(MIGRATIONS)
    .filter((file) => /^\d+-/.test(file))
    .sort();
  const newest = later.at(-1);
  if (newest === undefined) return '';
  const changed = git(
    'log',
    '--diff-filter=A',
    '--format=%H',
    '-1',
    '--',
    `${MIGRATIONS}/${newest}`,
  );
  return changed && git('rev-parse', '--verify', '--quiet', `${changed}^`);
}

/** Builds the old version of the service in a temporary folder. */
export function buildOld(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'availability-old-'));
  later(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'ignore' });
  return folder;
}

export interface Shop {
  readonly token: string;
  readonly staff: string;
}

/** Filled by the commands of the old version. */
export function fill(folder: string, databaseUrl: string): Shop {
  const cli = (...words: string[]) =>
    execFileSync(process.execPath, ['dist/src/cli/main.js', ...words], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  cli('catalogue', 'import', 'demo/catalogue', '--activate');
  const contact = ['--contact', 'Ada Lovelace', '--email', 'ada@example.com'];
  cli('clients', 'add', 'Reseller', ...contact, '--phone', '+44 20 7946 0000');
  cli('staff', 'add', 'Grace Hopper', '--email', 'grace@example.com', '--role', 'manager');
  return {
    token: cli('tokens', 'issue', '--client', 'Reseller'),
    staff: cli('tokens', 'issue', '--staff', 'grace@example.com'),
  };
}

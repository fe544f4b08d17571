/**
 * Fails if the OpenAPI document for API clients breaks clients of the last release:
 * `node scripts/check-compatibility.mjs [document]`. With `--release` it becomes the released document,
 * under its `info.version`. The document for staff may change until the first release.
 *
 * oasdiff decides what breaks a client, with the severities in `released/severities.txt` in addition to
 * its own: a client may also rely on something optional.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';

const FOLDER = 'released';
const options = process.argv.slice(2);
const release = options.includes('--release');
const [document = 'openapi.json'] = options.filter((option) => !option.startsWith('--'));

const last = lastReleased();
if (last !== undefined && !isCompatible(last)) {
  console.error(`The interface breaks clients of ${last}: add, and change nothing.`);
  process.exit(1);
}
if (last !== undefined) console.log(`The interface breaks no client of ${last}.`);
if (release) {
  const { info } = JSON.parse(readFileSync(document, 'utf8'));
  const target = `${FOLDER}/openapi-${info.version}.json`;
  copyFileSync(document, target);
  console.log(`${target} is what later ones are compared with. Commit it.`);
}

function isCompatible(released) {
  const { status, error } = spawnSync(
    process.execPath,
    [
      'scripts/linter.mjs',
      ...['oasdiff', 'breaking', released, document, '--fail-on=ERR', '--flatten-allof'],
      `--severity-levels=${FOLDER}/severities.txt`,
    ],
    { stdio: 'inherit' },
  );
  if (error) throw error;
  return status === 0;
}

function lastReleased() {
  const versions = readdirSync(FOLDER)
    .map((name) => /^openapi-(\d+)\.(\d+)\.(\d+)\.json$/.exec(name))
    .filter((match) => match !== null)
    .sort((a, b) => a[1] - b[1] || a[2] - b[2] || a[3] - b[3]);
  const newest = versions.at(-1);
  return newest && `${FOLDER}/${newest[0]}`;
}

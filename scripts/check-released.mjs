// Fails if something that was released has changed: migrations and the files that they read, golden forms and filled databases of releases.
// `node scripts/check-released.mjs --record 1.0.0` records what is new, under the release; that of the newest release may be recorded again.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';

const HASHES = 'released/hashes.json';
const KEPT = ['src/platform/database/migrations/*', 'released/forms/*', 'released/*/*'];
/** The list of migrations grows. */
const GROWS = 'src/platform/database/migrations/releases.ts';

const hashOf = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');
const byRelease = existsSync(HASHES) ? JSON.parse(readFileSync(HASHES, 'utf8')) : {};
const [option, release] = process.argv.slice(2);
const isRecorded = option === '--record';
if (isRecorded) delete byRelease[release];

const hashes = Object.assign({}, ...Object.values(byRelease));
const changed = Object.entries(hashes)
  .filter(([path, hash]) => !existsSync(path) || hashOf(path) !== hash)
  .map(([path]) => path);
if (changed.length > 0) {
  console.error(
    `Released files have changed. Databases that ran them, or were written by them, stay as they are: restore the files, and add a migration or a form.\n  ${changed.join('\n  ')}`,
  );
  process.exit(1);
}
if (isRecorded) {
  const added = globSync(KEPT)
    .filter((path) => path !== GROWS && !(path in hashes))
    .sort();
  byRelease[release] = Object.fromEntries(added.map((path) => [path, hashOf(path)]));
  writeFileSync(HASHES, `${JSON.stringify(byRelease, null, 2)}\n`);
  console.log(`${HASHES}: ${added.length} files of ${release}. Commit them.`);
} else {
  console.log(`${Object.keys(hashes).length} released files are as they were.`);
}

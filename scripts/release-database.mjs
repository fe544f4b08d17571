// Makes the filled databases of a release, which all later releases open in their tests: `node scripts/release-database.mjs 1.0.0`.
// Records the hashes of all that is released. It fills them by the services of the built commit: the week of the demo, and one of each thing that is stored in a form of its own.
import { spawnSync } from 'node:child_process';

const [release = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(release)) {
  console.error('Name the release: npm run release:database -- 1.0.0');
  process.exit(1);
}
for (const args of [
  ['dist/test/released/make.js', release],
  ['scripts/check-released.mjs', '--record', release],
]) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

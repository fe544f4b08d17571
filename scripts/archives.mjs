/**
 * Makes the archives of the present commit in archives/<version>: `npm run archives`. The same commit gives the same bytes
 * with the same Node.js, wherever and whenever it is built. `--built` takes dist/ as it is, which the release has just built.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changedFiles, git, refuse, run } from './release/commands.mjs';
import { readyFolder } from './release/ready-folder.mjs';
import { foldersOf, gzipped, tar } from './release/tar.mjs';
import { checksumFile } from './release/versions.mjs';

const PRODUCT = 'product-availability';
const PROCESSORS = ['x64', 'arm64'];

const { version } = JSON.parse(readFileSync('package.json'));
const locked = JSON.parse(readFileSync('package-lock.json')).packages['node_modules/node'].version;
if (process.versions.node !== locked) {
  refuse(
    `The archives are packed with Node.js ${locked}, whose bytes others can repeat; this is ${process.versions.node}. ` +
      'Run npm ci, then npm run archives.',
  );
}
const changed = changedFiles();
if (changed.length > 0) {
  refuse(
    `Archives are made of a commit. Commit or remove these files first:\n${changed.join('\n')}`,
  );
}

const folder = join('archives', version);
/** When the commit was made, in seconds since the epoch. */
const when = Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct'));

function source() {
  // The settings of the caller must not change modes and ends of lines.
  const settings = ['-c', 'tar.umask=0022', '-c', 'core.autocrlf=false'];
  const words = ['archive', '--format=tar', `--prefix=${PRODUCT}-${version}/`, 'HEAD'];
  return gzipped(execFileSync('git', [...settings, ...words], { maxBuffer: 1 << 30 }));
}

function write(name, content) {
  writeFileSync(join(folder, name), content);
  console.log(`${join(folder, name)}  ${(content.length / 1e6).toFixed(1)} MB`);
}

if (!process.argv.includes('--built')) run(process.execPath, ['scripts/build.mjs', '--force']);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
write(`${PRODUCT}-${version}-source.tar.gz`, source());
const missing = [];
for (const arch of PROCESSORS) {
  const name = `${PRODUCT}-${version}-linux-${arch}`;
  try {
    const { files, bill } = readyFolder(arch, when);
    const placed = files.map(([path, ...rest]) => [`${name}/${path}`, ...rest]);
    const folders = foldersOf(placed.map(([path]) => path)).map((path) => [path, '']);
    write(`${name}.tar.gz`, tar([...folders, ...placed], when));
    write(`${name}.cdx.json`, bill);
  } catch (error) {
    missing.push(`${name}.tar.gz was not made: ${String(error.stderr || error.message).trim()}`);
  }
}
for (const name of readdirSync('dist/packages').filter((one) => !one.startsWith('.'))) {
  cpSync(join('dist/packages', name), join(folder, name));
}
const digests = Object.fromEntries(
  readdirSync(folder).map((name) => [
    name,
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex'),
  ]),
);
write('SHA256SUMS', checksumFile(digests));
for (const fault of missing) console.error(fault);
if (missing.length > 0) process.exit(1);

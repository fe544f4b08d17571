// Packs the clients in packages/ with what follows from openapi.json: an npm tarball, a Python wheel and an sdist, in
// dist/packages or the given folder. The same inputs give the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { pythonOperations, pythonTypes } from './packages/python.mjs';
import { typescriptOperations, typescriptTypes } from './packages/typescript.mjs';
import { tar } from './release/tar.mjs';

const TO = process.argv[2] ?? 'dist/packages';
const inputs = [
  'openapi.json',
  'LICENSE',
  'package-lock.json',
  ...filesIn('packages'),
  ...filesIn('scripts').filter((path) => path.includes('packages')),
  'scripts/release/tar.mjs',
];
const document = JSON.parse(readFileSync('openapi.json', 'utf8'));
/** Of the packages: neither that of the service nor the label of the description. */
const { version } = JSON.parse(readFileSync('packages/typescript/package.json'));
const license = readFileSync('LICENSE');

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.pyc'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

async function npmTarball() {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  try {
    cpSync('packages/typescript', folder, { recursive: true });
    writeFileSync(join(folder, 'schema.ts'), await typescriptTypes(document));
    writeFileSync(join(folder, 'operations.ts'), typescriptOperations(document));
    const tsc = join('node_modules', 'typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', folder], { stdio: 'inherit' });
    const made = readdirSync(folder).filter((name) => /\.js$|\.d\.ts$/.test(name));
    return tar([
      ['package/package.json', readFileSync(join(folder, 'package.json'))],
      ['package/README.md', readFileSync(join(folder, 'README.md'))],
      ['package/LICENSE', license],
      ...made.sort().map((name) => [`package/${name}`, readFileSync(join(folder, name))]),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const readme = readFileSync('packages/python/README.md', 'utf8');
const metadata = `Metadata-Version: 2.1
Name: product-availability
Version: ${version}
Summary: A client of the Product Availability Service, with the standard library alone.
License: MIT
Requires-Python: >=3.10
Description-Content-Type: text/markdown

${readme}`;

const modules = [
  ['__init__.py', readFileSync('packages/python/product_availability/__init__.py')],
  ['operations.py', pythonOperations(document)],
  ['py.typed', ''],
  ['types.py', pythonTypes(document)],
].map(([name, content]) => [`product_availability/${name}`, content]);

function wheel() {
  const info = `product_availability-${version}.dist-info`;
  const files = [
    ...modules,
    [`${info}/LICENSE`, license],
    [`${info}/METADATA`, metadata],
    [
      `${info}/WHEEL`,
      'Wheel-Version: 1.0\nGenerator: product-availability\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    ],
  ];
  const digest = (content) => createHash('sha256').update(content).digest('base64url');
  const record = files.map(
    ([name, content]) => `${name},sha256=${digest(content)},${Buffer.byteLength(content)}\n`,
  );
  return zip([...files, [`${info}/RECORD`, `${record.join('')}${info}/RECORD,,\n`]]);
}

function sdist() {
  const root = `product_availability-${version}`;
  const project = readFileSync('packages/python/pyproject.toml', 'utf8');
  if (!project.includes(`\nversion = "${version}"\n`)) {
    throw new Error(
      `packages/python/pyproject.toml must have the version of the other package: ${version}.`,
    );
  }
  const files = [
    ['LICENSE', license],
    ['PKG-INFO', metadata],
    ['README.md', readme],
    ['pyproject.toml', project],
    ...modules,
  ];
  return tar(files.map(([name, content]) => [`${root}/${name}`, content]));
}

/** In yazl, the fields of a DOS date are those of the local time. */
const WHEN = new Date(2020, 0, 1);

async function zip(files) {
  const archive = new ZipFile();
  for (const [name, content] of files) {
    archive.addBuffer(Buffer.from(content), name, {
      mtime: WHEN,
      mode: 0o100644,
      forceDosTimestamp: true,
    });
  }
  archive.end();
  return buffer(archive.outputStream);
}

/** Other processes may read the folder, or write it, at the same time. */
async function write() {
  const fingerprint = createHash('sha256');
  for (const path of inputs)
    fingerprint.update(`${path}\0`).update(readFileSync(path)).update('\0');
  const stamp = fingerprint.digest('hex');
  const stampFile = join(TO, '.built-from');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const made = {
    [`product-availability-${version}.tgz`]: await npmTarball(),
    [`product_availability-${version}-py3-none-any.whl`]: await wheel(),
    [`product_availability-${version}.tar.gz`]: sdist(),
  };
  mkdirSync(TO, { recursive: true });
  for (const [name, content] of [...Object.entries(made), ['.built-from', stamp]]) {
    const partial = join(TO, `.${name}.${process.pid}`);
    writeFileSync(partial, content);
    renameSync(partial, join(TO, name));
  }
  for (const name of readdirSync(TO)) {
    if (!name.startsWith('.') && !(name in made)) rmSync(join(TO, name));
  }
}

await write();
for (const name of readdirSync(TO).filter((one) => !one.startsWith('.')))
  console.log(join(TO, name));

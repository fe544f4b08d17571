// Builds dist/, unless it is up to date. `--force` always builds.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const SOURCES = [
  'src',
  'test',
  'bench',
  'demo',
  'ormconfig.ts',
  'nest-cli.json',
  'tsconfig.json',
  'package-lock.json',
];
const COMPILED = /\.(?:tsx?|json|css|svg|txt|woff2)$/;
/** The demo writes it. */
const CREDENTIALS = join('demo', 'credentials.json');
const STAMP = 'dist/.built-from';

/** SHA-256 of the paths and contents of all inputs of the build. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const paths = statSync(source).isDirectory()
      ? readdirSync(source, { recursive: true })
          .map((path) => join(source, path))
          .filter((path) => COMPILED.test(path) && path !== CREDENTIALS)
          .sort()
      : [source];
    for (const path of paths) hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

function run(tool, ...args) {
  execFileSync(process.execPath, [join('node_modules', tool), ...args], { stdio: 'inherit' });
}

const wanted = fingerprint();
const isCurrent = existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted;
if (!isCurrent || process.argv.includes('--force')) {
  for (const name of existsSync('dist') ? readdirSync('dist') : []) {
    // The packages know themselves whether they are up to date.
    if (name !== 'packages') rmSync(join('dist', name), { recursive: true });
  }
  try {
    run('@nestjs/cli/bin/nest.js', 'build');
    for (const folder of ['platform/ui', 'documentation']) {
      run('typescript/bin/tsc', '-p', `src/${folder}/browser`);
    }
  } catch {
    process.exit(1); // The compiler has printed what is wrong.
  }
  mkdirSync('dist', { recursive: true });
  writeFileSync(STAMP, wanted);
}
execFileSync(process.execPath, ['scripts/packages.mjs']);

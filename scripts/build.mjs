// Builds dist/, unless it is up to date. `--force` always builds. `--demo` builds only what the demo needs, without type checks.
import { execFileSync, spawn } from 'node:child_process';
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
import { once } from 'node:events';
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
const DEMO_STAMP = 'dist/.demo-built-from';

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

/** V8's default for the young generation makes the compiler collect garbage for a fifth of its time. */
const COMPILER = ['--max-semi-space-size=64', 'scripts/compile.mjs'];

/** The packages compile with types of their own, beside the rest. */
async function buildForDemo() {
  const tools = [COMPILER, ['scripts/packages.mjs']].map((args) =>
    once(spawn(process.execPath, args, { stdio: ['inherit', 'ignore', 'inherit'] }), 'exit'),
  );
  const exits = await Promise.all(tools);
  if (exits.some(([code]) => code !== 0)) process.exit(1);
}

function buildAll() {
  try {
    run('@nestjs/cli/bin/nest.js', 'build');
    for (const folder of ['platform/ui', 'documentation']) {
      run('typescript/bin/tsc', '-p', `src/${folder}/browser`);
    }
  } catch {
    process.exit(1); // The compiler has printed what is wrong.
  }
}

const forDemo = process.argv.includes('--demo');
const wanted = fingerprint();
const isCurrent = [STAMP, ...(forDemo ? [DEMO_STAMP] : [])].some(
  (stamp) => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted,
);
if (!isCurrent || process.argv.includes('--force')) {
  console.error(
    `Building${forDemo ? ' the demo, up to half a minute' : ', up to two minutes'} ...`,
  );
  for (const name of existsSync('dist') ? readdirSync('dist') : []) {
    // The packages know themselves whether they are up to date.
    if (name !== 'packages') rmSync(join('dist', name), { recursive: true });
  }
  if (forDemo) await buildForDemo();
  else buildAll();
  mkdirSync('dist', { recursive: true });
  writeFileSync(forDemo ? DEMO_STAMP : STAMP, wanted);
}
execFileSync(process.execPath, ['scripts/packages.mjs']);

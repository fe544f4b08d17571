// Builds dist/, unless it is up to date: what has changed since the last build, or everything with `--force`. `--demo` builds only
// what the demo needs, without type checks.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
const COMPILED = /\.(?:tsx?|json|css|sql|svg|txt|md|woff2)$/;
/** The demo writes it. */
const CREDENTIALS = join('demo', 'credentials.json');
const STAMP = 'dist/.built-from';
const DEMO_STAMP = 'dist/.demo-built-from';
/** The files that the last whole build read, and the fingerprint of those that change how all others are compiled. */
const INPUTS = 'dist/.inputs.json';

const paths = SOURCES.flatMap((source) =>
  statSync(source).isDirectory()
    ? readdirSync(source, { recursive: true })
        .map((path) => join(source, path))
        .filter((path) => COMPILED.test(path) && path !== CREDENTIALS)
        .sort()
    : [source],
);

/** SHA-256 of the paths and contents of these inputs of the build. */
function fingerprint(inputs) {
  const hash = createHash('sha256');
  for (const path of inputs) hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}

const inputs = {
  paths,
  options: fingerprint([
    ...paths.filter((path) => SOURCES.includes(path) || path.endsWith('tsconfig.json')),
    'scripts/compile.mjs',
    'scripts/plugin-imports.mjs',
  ]),
};

/** Whether only what has changed needs to be compiled: no source has gone, whose output would stay. */
function canContinue() {
  if (!existsSync(INPUTS)) return false;
  const last = JSON.parse(readFileSync(INPUTS, 'utf8'));
  const present = new Set(paths);
  return last.options === inputs.options && last.paths.every((path) => present.has(path));
}

function removeOutput() {
  for (const name of existsSync('dist') ? readdirSync('dist') : []) {
    // The packages know themselves whether they are up to date.
    if (name !== 'packages') rmSync(join('dist', name), { recursive: true });
  }
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
    execFileSync(process.execPath, [...COMPILER, '--all'], { stdio: 'inherit' });
  } catch {
    process.exit(1); // The compiler has printed what is wrong.
  }
  writeFileSync(INPUTS, JSON.stringify(inputs));
}

const forDemo = process.argv.includes('--demo');
const isForced = process.argv.includes('--force');
const wanted = fingerprint(paths);
const isCurrent = [STAMP, ...(forDemo ? [DEMO_STAMP] : [])].some(
  (stamp) => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted,
);
if (!isCurrent || isForced) {
  const continues = !forDemo && !isForced && canContinue();
  const seconds = forDemo ? 'half a minute' : continues ? 'a minute' : 'two minutes';
  console.error(`Building${forDemo ? ' the demo' : ''}, up to ${seconds} ...`);
  if (!continues) removeOutput();
  rmSync(STAMP, { force: true });
  rmSync(DEMO_STAMP, { force: true });
  if (forDemo) await buildForDemo();
  else buildAll();
  writeFileSync(forDemo ? DEMO_STAMP : STAMP, wanted);
}
execFileSync(process.execPath, ['scripts/packages.mjs']);

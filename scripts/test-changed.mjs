// Builds, and runs the tests that a change reaches: those of the rooms of src that differ from a commit, by default the last one,
// and the test files that differ themselves. More arguments go to jest.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

/** Folders and names of tests, of rooms whose tests are not only in a folder of the same name. */
const testsOf = {
  administration: ['pages/admin', 'clients'],
  availability: ['availability', 'pages/check-pages'],
  catalogue: ['catalogue', 'pages/admin/catalogue'],
  'near-net': ['near-net', 'availability'],
  orders: ['orders', 'follow-up/moves', 'follow-up/undo'],
  queue: ['follow-up', 'pages/queue'],
  quotes: ['quotes', 'pages/quote'],
  reports: ['follow-up/reports', 'pages/report-pages'],
  telephone: ['pages/check-pages', 'watches/callers'],
  'platform/access': ['clients/access', 'http'],
  'platform/ui': ['pages/forms', 'pages/brand'],
};

/** @returns the patterns of the test files that the change of a source reaches */
function reachedBy(path) {
  const [, room] = /^src\/(platform\/[^/]+|[^/]+)\//.exec(path) ?? [];
  if (room) {
    const own = room.replace(/^platform\//, '');
    const folders = testsOf[room] ?? (existsSync(`test/${own}`) ? [own] : ['http']);
    return [`dist/src/${room}/`, ...folders.map((folder) => `dist/test/${folder}`)];
  }
  if (/^src\//.test(path)) return ['dist/src/[^/]+$', 'dist/test/http'];
  if (/^test\/.*-?spec\.ts$/.test(path)) return [`dist/${path.replace(/\.ts$/, '')}`];
  if (/^docs\/api\//.test(path)) return ['dist/test/documentation'];
  if (/^docs\//.test(path)) return ['dist/test/documentation/[^/.]*\\.spec'];
  if (/^demo\//.test(path)) return ['dist/test/demo'];
  return [];
}

const [base = 'HEAD', ...rest] = process.argv.slice(2);
const changed = [
  ...git('diff', '--name-only', base),
  ...git('ls-files', '--others', '--exclude-standard'),
];
const patterns = [...new Set(changed.flatMap(reachedBy))];
if (patterns.length === 0) {
  console.error(`Nothing that has tests differs from ${base}.`);
} else {
  const npm = (...args) => execFileSync('npm', ['run', '--silent', ...args], { stdio: 'inherit' });
  console.error(['Tests:', ...patterns].join('\n  '));
  try {
    npm('build');
    npm('test:built', '--', ...patterns, ...rest);
  } catch {
    process.exit(1); // The build or jest has printed what is wrong.
  }
}

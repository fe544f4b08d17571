/**
 * Makes a release of the present commit: `npm run release -- 1.2.3 [--dry-run] [--ci-passed <commit>]`. It writes the version
 * and the day, freezes what later versions are tested with, makes the commit, the tag and the archives. It sends nothing
 * anywhere. CONTRIBUTING.md describes it.
 *
 * CI has passed if `.ci/run` ended well in this clone at this commit, or `--ci-passed` names this commit: then the caller
 * has looked. What fails before the commit is undone; what fails after it is made when the command runs again.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changedFiles, committedFiles, git, refuse, run } from './release/commands.mjs';
import {
  checksumFile,
  datedChangelog,
  isReleasedIn,
  manifestWithVersion,
  unreleasedIn,
  versionFault,
  withVersion,
} from './release/versions.mjs';

const BRANCH = 'main';
/** What API clients and operators see, and what API clients see. */
const CHANGELOGS = ['CHANGELOG.md', 'docs/api/changelog.md'];
const MANIFESTS = ['package.json', 'package-lock.json'];
/** Files that name archives or images of the service. */
const NAMING = ['Dockerfile', 'README.md', 'SECURITY.md', 'deploy', 'docs/operate'];
/** Of each released version of the client packages, which never changes again. */
const PACKAGE_SUMS = 'released/packages.sha256';

const read = (path) => readFileSync(path, 'utf8');

function argumentsOrRefuse() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { 'dry-run': { type: 'boolean' }, 'ci-passed': { type: 'string' } },
    });
    if (positionals.length > 1)
      return refuse(`Name one version, not ${positionals.join(' and ')}.`);
    return { ...values, version: positionals[0] };
  } catch (error) {
    return refuse(`${error.message}\nnpm run release -- 1.2.3 [--dry-run] [--ci-passed <commit>]`);
  }
}

const options = argumentsOrRefuse();
const { version } = options;
const tag = `v${version}`;
const subject = `chore(release): ${version}`;
const head = git('rev-parse', 'HEAD');
/** The commit is there, from a run that failed after it. */
const isCommitted = git('log', '-1', '--format=%s') === subject;

/** The commit that the tag names; empty where there is none. */
function tagged() {
  return git('for-each-ref', '--format=%(objectname) %(*objectname)', `refs/tags/${tag}`)
    .trim()
    .split(' ')
    .at(-1);
}

function ciFault() {
  const stamp = git('rev-parse', '--git-path', 'ci-passed');
  const passed = options['ci-passed'] ?? (existsSync(stamp) ? read(stamp).trim() : undefined);
  if (passed === head) return undefined;
  const other =
    passed === undefined ? 'is not known to have passed' : `passed for ${passed.slice(0, 12)}, not`;
  return (
    `CI ${other} for ${head.slice(0, 12)}. Run .ci/run in this clone; or, if it passed elsewhere, ` +
    `name the whole commit: --ci-passed ${head}`
  );
}

/** Why nothing can be released, if so. */
function releaseFault() {
  const fault = versionFault(version, JSON.parse(read('package.json')).version);
  if (fault) return fault;
  const branch = git('branch', '--show-current');
  if (branch !== BRANCH) {
    return `Releases are made on ${BRANCH}; this is ${branch === '' ? 'no branch' : branch}. Check it out: git switch ${BRANCH}`;
  }
  const changed = changedFiles();
  if (changed.length > 0) {
    return `These files are not committed. Commit, stash or remove them:\n${changed.join('\n')}`;
  }
  if (isCommitted) {
    return tagged() === '' || tagged() === head
      ? undefined
      : `The tag ${tag} names another commit: ${tagged()}.`;
  }
  if (tagged() !== '')
    return `${version} exists: the tag ${tag} names ${tagged().slice(0, 12)}. Choose a later version.`;
  const changelog = read('CHANGELOG.md');
  if (isReleasedIn(changelog, version))
    return `${version} exists: CHANGELOG.md has it. Choose a later version.`;
  if (unreleasedIn(changelog) === '') {
    return 'CHANGELOG.md has nothing under "## Unreleased". Say there what operators and clients get.';
  }
  return ciFault();
}

/** The files that the release changes, with their new text. */
function changes(day) {
  const named = committedFiles(...NAMING).map(({ path }) => path);
  return [
    ...MANIFESTS.map((path) => [path, manifestWithVersion(read(path), version)]),
    ...CHANGELOGS.map((path) => [path, datedChangelog(read(path), version, day)]),
    ...named.map((path) => [path, withVersion(read(path), version)]),
  ].filter(([path, text]) => text !== read(path));
}

/** @throws where a released version of the packages would change */
function freezePackages() {
  const folder = 'dist/packages';
  const frozen = existsSync(PACKAGE_SUMS) ? read(PACKAGE_SUMS) : '';
  const sums = Object.fromEntries(
    frozen
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('  ').reverse()),
  );
  for (const name of readdirSync(folder).filter((one) => !one.startsWith('.'))) {
    const sum = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    if (sums[name] !== undefined && sums[name] !== sum) {
      throw new Error(
        `${name} was released with other contents. Set a later version in packages/typescript/package.json and ` +
          'packages/python/pyproject.toml.',
      );
    }
    sums[name] = sum;
  }
  writeFileSync(PACKAGE_SUMS, checksumFile(sums));
}

function commit() {
  // Another version in the lock compiles everything; without one, an earlier build could be continued.
  const isBumped = JSON.parse(read('package.json')).version !== version;
  for (const [path, text] of changes(new Date().toISOString().slice(0, 10)))
    writeFileSync(path, text);
  run('npm', ['run', '--silent', 'release:openapi']);
  run(process.execPath, ['scripts/build.mjs', ...(isBumped ? [] : ['--force'])]);
  run('npm', ['run', '--silent', 'release:database', '--', version]);
  freezePackages();
  git('add', '--all');
  run('git', [
    'commit',
    '--quiet',
    '-m',
    subject,
    '-m',
    'Freezes the description, the database and the packages that later versions are compared with.',
  ]);
}

/** As it was: nothing was changed or new before. */
function undo() {
  git('reset', '--quiet', '--hard', head);
  git('clean', '--quiet', '--force', '-d');
}

const fault = releaseFault();
if (fault) refuse(`${fault}\nNothing was changed.`);
if (options['dry-run']) {
  const changed = isCommitted ? [] : changes('today').map(([path]) => path);
  console.log(
    [
      `${version} can be released from ${head.slice(0, 12)}. The release would change`,
      ...[...changed, 'released/ (description, database, checksums of the packages)'].map(
        (path) => `  ${path}`,
      ),
      `make the commit "${subject}" and the tag ${tag}, and write the archives into archives/${version}.`,
      'Nothing was changed.',
    ].join('\n'),
  );
  process.exit(0);
}
// An interrupt ends the program that runs; then the changes are undone here.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
if (isCommitted) console.log(`The commit of ${version} is there: only what is missing is made.`);
else {
  try {
    commit();
  } catch (error) {
    undo();
    refuse(
      `The release failed: ${error.message}\nThe files are as before. Correct the reason, and run it again.`,
    );
  }
}
try {
  if (tagged() === '')
    git('tag', '--annotate', tag, '-m', `Product Availability Service ${version}`);
  run(process.execPath, ['scripts/archives.mjs', ...(isCommitted ? [] : ['--built'])]);
} catch {
  refuse(
    `The commit of ${version} is made; something after it failed, as said above. Run the command again to make the rest.`,
  );
}
console.log(
  `${version} is released in this clone. Look at it, then send it: git push origin ${BRANCH} ${tag}. The archives are in archives/${version}.`,
);

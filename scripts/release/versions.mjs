// What a release writes into files: pure functions.

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

function compare(one, other) {
  const [a, b] = [one, other].map((version) => VERSION.exec(version).slice(1).map(Number));
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** Why a release cannot have this version, if so. @param present the version in package.json */
export function versionFault(version, present) {
  if (version === undefined) return 'Name the version: npm run release -- 1.2.3';
  if (!VERSION.test(version)) {
    return `"${version}" is not a version. Write three numbers: npm run release -- 1.2.3`;
  }
  if (compare(version, present) < 0) {
    return `${version} is before ${present}, the version in package.json. Name a later one.`;
  }
  return undefined;
}

const UNRELEASED = /^## Unreleased\n([^]*?)(?=^## |$(?![^]))/m;

/** The entries for the next release; empty where there are none. */
export function unreleasedIn(changelog) {
  const [, entries = ''] = UNRELEASED.exec(changelog) ?? [];
  return entries.replaceAll(/^#+ .*$/gm, '').trim();
}

/** Whether the changelog has this version already. */
export function isReleasedIn(changelog, version) {
  return changelog.split('\n').some((line) => line.startsWith(`## ${version} - `));
}

/** The changelog with the entries for the next release under its version. @param day such as `2026-11-28` */
export function datedChangelog(changelog, version, day) {
  return changelog.replace(/^## Unreleased$/m, `## ${version} - ${day}`);
}

/** A file that names archives or images of the service, with another version. */
export function withVersion(text, version) {
  return text
    .replaceAll(
      /(product-availability[:-])\d+\.\d+\.\d+(?=$|[\s`'"]|-(?:linux|source))/gm,
      `$1${version}`,
    )
    .replaceAll(/(--branch v|archives\/)\d+\.\d+\.\d+/g, `$1${version}`)
    .replaceAll(/^(ARG VERSION=)\d+\.\d+\.\d+$/gm, `$1${version}`);
}

/** package.json or package-lock.json with this version, and all else as it is. */
export function manifestWithVersion(text, version) {
  const manifest = JSON.parse(text);
  manifest.version = version;
  if (manifest.packages?.['']) manifest.packages[''].version = version;
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** What `sha256sum --check` reads. @param digests by file name */
export function checksumFile(digests) {
  return Object.keys(digests)
    .sort()
    .map((name) => `${digests[name]}  ${name}\n`)
    .join('');
}

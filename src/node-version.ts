/** As in `engines` of package.json. */
const LEAST = '24.15';

/** Why a version of Node.js is not supported, if so. @param version as `process.versions.node` */
export function nodeFault(version: string): string | undefined {
  const [major, minor] = version.split('.').map(Number) as [number, number];
  const [leastMajor, leastMinor] = LEAST.split('.').map(Number) as [number, number];
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `Node.js ${LEAST} or later is required, preferably 24 or 26 (LTS); this is ${version}, ${process.execPath}.`;
}

/**
 * Ends the process if its Node.js is too old. This file and the entry points import nothing of the project
 * or its packages statically: an old version could not load it.
 */
export function requireNode(): void {
  const fault = nodeFault(process.versions.node);
  if (fault !== undefined) {
    process.stderr.write(`${fault}\n`);
    process.exit(1);
  }
}

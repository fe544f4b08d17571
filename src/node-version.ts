/** As in `engines` of package.json. */
const LEAST = '24.15';

/** What is wrong with a version of Node.js, as `process.versions.node` states it, if anything. */
export function nodeFault(version: string): string | undefined {
  const [major, minor] = version.split('.').map(Number) as [number, number];
  const [leastMajor, leastMinor] = LEAST.split('.').map(Number) as [number, number];
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `Node.js ${LEAST} or later is needed, best 24 or 26 (LTS); this is ${version}, ${process.execPath}.`;
}

/**
 * Ends the process where its Node.js is too old, before anything is imported that such a version cannot
 * load: this file imports nothing, and whatever starts the service imports nothing else statically.
 */
export function requireNode(): void {
  const fault = nodeFault(process.versions.node);
  if (fault === undefined) return;
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}

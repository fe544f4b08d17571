import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** What the headers of Node 24.19 and later make a driver that is compiled with them ask Node for. */
const CALL = 'RemoveEnvironmentCleanupHook';

/**
 * Node 24 aborts when it clears away a statement of a driver that was compiled with its headers of
 * 24.19 or later (https://github.com/nodejs/node/issues/65446): some seconds or hours after the start.
 * Binaries made before, and other lines of Node, are sound.
 * @throws where this is such a driver
 */
export function refuseUnsoundDriver(node = process.versions.node, read = readDriver): void {
  if (!node.startsWith('24.') || !read().includes(CALL)) return;
  throw new Error(
    `Node ${node} aborts with a SQLite driver that was compiled with its headers. Use Node 22 or 26, and install the packages again (npm ci).`,
  );
}

function readDriver(): Buffer {
  const { resolve } = createRequire(import.meta.url);
  return readFileSync(resolve('better-sqlite3/build/Release/better_sqlite3.node'));
}

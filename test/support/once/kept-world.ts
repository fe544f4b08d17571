import { randomBytes } from 'node:crypto';

/** The database of the demo's week, which a worker fills once; see `World.begin`. */
export const keptWorld = {
  /** A file that the setup of the tests removes. */
  file: undefined as Promise<string> | undefined,
  staffKey: randomBytes(32),
};

import type { ChildProcess } from 'node:child_process';

/** The process of the commands; see `cli`. */
export interface KeptCommandLine {
  child: ChildProcess | undefined;
}

/** Of this worker. It ends with the worker. */
export const keptCommandLine: KeptCommandLine = { child: undefined };

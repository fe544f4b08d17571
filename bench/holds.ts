import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A time in which the event loop of the service had no turn; milliseconds. */
export interface Hold {
  /** Its end, by the clock of the machine. */
  readonly at: number;
  readonly wall: number;
  /** Of the main thread. */
  readonly cpu: number;
}

/** For Node: see `holds-hook.ts`. */
export const holdFlags = [
  '--import',
  fileURLToPath(new URL('./holds-hook.js', import.meta.url)),
] as const;

/** As in `Hold.at`. */
export function machineTime(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** What the hook has written of a period. */
export function holdsBetween(file: string, from: number, until: number): Hold[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Hold)
    .filter(({ at }) => at >= from && at <= until);
}

import { accessFault } from '../platform/database/sqlite/sqlite-file.js';
import { Refused } from '../platform/problems/refused.js';
import { Presets, SingleBar } from 'cli-progress';

/** Shows a progress bar on a terminal only. @param what the label of the bar */
export async function withProgress<T>(
  what: string,
  work: (onProgress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  if (!process.stderr.isTTY) return work(() => undefined);
  const bar = new SingleBar(
    {
      format: `${what} {bar} {percentage} %  {seconds} s`,
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  );
  const start = performance.now();
  const seconds = () => ({ seconds: ((performance.now() - start) / 1_000).toFixed(1) });
  bar.start(1, 0, seconds());
  try {
    return await work((done, total) => {
      bar.setTotal(total);
      bar.update(done, seconds());
    });
  } finally {
    bar.stop();
  }
}

/** Prints rows as a table, or as JSON lines. */
export function printRows(rows: readonly object[], json = false): void {
  if (json) {
    for (const row of rows) console.log(JSON.stringify(row));
    return;
  }
  const [first] = rows;
  if (!first) return;
  const names = Object.keys(first) as (keyof typeof first)[];
  const lines = [names as string[], ...rows.map((row) => names.map((name) => textOf(row[name])))];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    );
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** @throws {Refused} with what is wrong with the path of a file or folder */
export async function writing(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(`${path} cannot be written: ${faultOf(path, error)}`);
  }
}

function faultOf(path: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'its folder does not exist.';
  if (code === 'EISDIR') return 'it is a folder.';
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'it is no folder.';
  return accessFault(path, error);
}

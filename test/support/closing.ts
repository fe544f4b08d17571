import { afterAll } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const pending: (() => Promise<unknown>)[] = [];

/** Runs `close` at the end of the test file, last opened first. */
export function later(close: () => Promise<unknown>): void {
  pending.push(close);
}

/** A new temporary folder, removed when the test file ends. */
export async function newFolder(name = 'availability-test'): Promise<string> {
  return removedLater(await mkdtemp(join(tmpdir(), `${name}-`)));
}

export function removedLater(folder: string): string {
  later(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

afterAll(async () => {
  for (let close = pending.pop(); close; close = pending.pop()) await close();
});

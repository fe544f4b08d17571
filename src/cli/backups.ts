import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^availability-\d{8}T\d{6}Z\.sqlite$/;

/** Such as `availability-20261122T023000Z.sqlite`: names sort by time. */
export function backupName(at: Date): string {
  return `availability-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.sqlite`;
}

/** Removes all but the newest backups that `backupName` named. @returns the names of the removed ones */
export function rotate(folder: string, keep: number): string[] {
  const names = readdirSync(folder).filter((name) => NAME.test(name));
  const old = names.sort().slice(0, -keep);
  for (const name of old) rmSync(join(folder, name));
  return old;
}

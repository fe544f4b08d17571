import { chmodSync, chownSync, type Stats, statSync } from 'node:fs';
import { userInfo } from 'node:os';

/** Why this user may not use the file or folder: who it is, and whose it is. Other errors as they are. */
export function accessFault(path: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'it does not exist.';
  if (code !== 'EACCES' && code !== 'EPERM') return `${String(error)}.`;
  return `this user, ${thisUser()}, may not use it. ${ownerOf(path)}`;
}

/** Such as `root (uid 0)`. */
export function thisUser(): string {
  const { username, uid } = userInfo();
  return `${username} (uid ${uid})`;
}

/** A sentence; empty if that cannot be found out. */
export function ownerOf(path: string): string {
  try {
    const { uid, mode } = statSync(path);
    return `It belongs to uid ${uid} and has the mode ${modeOf(mode)}.`;
  } catch {
    return '';
  }
}

/** Gives a file the owner and mode of another one. Only root can change an owner. */
export function likeOwner(file: string, { uid, gid, mode }: Stats): void {
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
  chmodSync(file, mode & 0o777);
}

function modeOf(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

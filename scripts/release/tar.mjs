// A gzipped tar (POSIX ustar) whose bytes follow from its files alone.
import { gzipSync } from 'node:zlib';

/** Of every file where the caller names no other: seconds since the epoch. */
const WHEN = Date.UTC(2020, 0, 1) / 1_000;
const NAME_LENGTH = 100;
const PREFIX_LENGTH = 155;

/** Splits a path of more than 100 bytes at a slash. @throws where ustar has no room for it */
export function splitName(path) {
  if (Buffer.byteLength(path) <= NAME_LENGTH) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    const fits = Buffer.byteLength(prefix) <= PREFIX_LENGTH && name !== '';
    if (fits && Buffer.byteLength(name) <= NAME_LENGTH) return { prefix, name };
  }
  throw new Error(`${path} is too long for a tar archive.`);
}

function header(path, size, { mode, type, when }) {
  const { prefix, name } = splitName(path);
  const block = Buffer.alloc(512);
  const octal = (value, length) => value.toString(8).padStart(length - 1, '0');
  for (const [offset, text] of [
    [0, name],
    [100, octal(mode, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(size, 12)],
    [136, octal(when, 12)],
    [148, ' '.repeat(8)],
    [156, type],
    [257, 'ustar\x0000'],
    [345, prefix],
  ]) {
    block.write(text, offset, 'utf8');
  }
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)}\0 `, 148, 'latin1');
  return block;
}

/** The folders of these files. Without them in the archive, the umask of who unpacks it decides who can read them. */
export function foldersOf(paths) {
  const folders = new Set();
  for (const path of paths) {
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
      folders.add(path.slice(0, at + 1));
    }
  }
  return [...folders];
}

/** In the order of code units, which does not depend on the language of the machine. */
const byName = ([a], [b]) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Owner and group are 0, and the files are sorted by path.
 * @param files pairs of path and content, with a third member `0o755` for a program; the path of a folder ends with a slash
 * @param when seconds since the epoch
 */
export function tar(files, when = WHEN) {
  const blocks = files.toSorted(byName).flatMap(([path, content, mode]) => {
    const bytes = Buffer.from(content);
    const isFolder = path.endsWith('/');
    const about = { mode: mode ?? (isFolder ? 0o755 : 0o644), type: isFolder ? '5' : '0', when };
    return [header(path, bytes.length, about), bytes, Buffer.alloc(-bytes.length & 511)];
  });
  return gzipped(Buffer.concat([...blocks, Buffer.alloc(1_024)]));
}

/** Node.js writes no time and no name into the header. */
export function gzipped(bytes) {
  return gzipSync(bytes, { level: 9 });
}

// Other programs, in the folder of the project.
import { execFileSync } from 'node:child_process';

/** What a program prints, without the last line feed. @throws with what it says on standard error */
export function output(program, words, options) {
  return execFileSync(program, words, {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  }).replace(/\n$/, '');
}

export const git = (...words) => output('git', words);

/** Runs a program that prints for the reader. @throws where it fails */
export function run(program, words, options) {
  execFileSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
}

/** Changed and new files, which a release would not contain. */
export function changedFiles() {
  return git('status', '--porcelain').split('\n').filter(Boolean);
}

/** Files of the present commit, with their modes. */
export function committedFiles(...paths) {
  return git('ls-files', '--stage', '-z', ...paths)
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [, mode, path] = /^(\d+) \S+ \d\t(.*)$/s.exec(line);
      return { path, mode: mode === '100755' ? 0o755 : 0o644 };
    });
}

/** Prints why nothing is done, and ends the process. */
export function refuse(fault) {
  console.error(fault);
  process.exit(1);
}

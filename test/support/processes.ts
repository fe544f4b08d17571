import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface Outcome {
  /** The exit code; null where a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The settings of the process: of the tests' own environment it sees only where programs are. */
export type Settings = Readonly<Record<string, string>>;

/** Runs a command of the operator, as `npm run cli -- …` does. */
export function cli(settings: Settings, ...words: string[]): Promise<Outcome> {
  return outcomeOf(start('dist/src/cli/main.js', settings, words));
}

/** Starts a compiled file as a process of its own. */
export function start(file: string, settings: Settings, words: readonly string[] = []) {
  return spawn(process.execPath, [file, ...words], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** What it wrote, when it has ended. */
export async function outcomeOf(child: ReturnType<typeof start>): Promise<Outcome> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[ChildProcess['exitCode']]>,
  ]);
  return { code, stdout, stderr };
}

/** The objects that it wrote, one a line. */
export function jsonLines({ stdout }: Pick<Outcome, 'stdout'>): Record<string, unknown>[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The code of a command that did not do what was asked, its answer, and what it said. */
export function refusal({ code, stdout, stderr }: Outcome) {
  return [code, stdout, stderr.trim()];
}

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { later } from './closing.js';
import { type KeptCommandLine, keptCommandLine } from './once/kept-command-line.js';
import { type Outcome, outcome } from './outcome.js';

/** What every process has: where programs are, and what V8 compiled in earlier ones, a quarter of a start. */
export const inherited = {
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: resolve('node_modules/.cache/v8'),
};

/** With which `npm start` starts Node. */
export const nodeOptions = startScript().match(/--\S+/g) ?? [];

function startScript(): string {
  const file = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(file) as { scripts: { start: string } }).scripts.start;
}

/** The settings of the process, beside `inherited`. */
export type Settings = Readonly<Record<string, string>>;

/** A request to the process of command-line.ts, which answers with an `Outcome`. */
export interface CommandRequest {
  readonly settings: Settings;
  readonly words: readonly string[];
}

/**
 * Runs an operator's command, like `npm run cli -- …`, but in a process that all test files of a worker use,
 * because the start takes most of the time. One command runs at a time.
 */
export const cli = commandLine(keptCommandLine);

/** As `cli`, in a process of the test file. @param first the URL of a module that it loads before the program */
export function cliAfter(first: string) {
  const own: KeptCommandLine = { child: undefined };
  later(() => end(own));
  return commandLine(own, [`--import=${first}`]);
}

function commandLine(kept: KeptCommandLine, options: readonly string[] = []) {
  let last: Promise<unknown> = Promise.resolve();
  let running = 0;
  // A command that a test did not wait for must not answer the next file.
  later(() => (running > 0 ? end(kept) : Promise.resolve()));
  return (settings: Settings, ...words: string[]): Promise<Outcome> => {
    running += 1;
    const outcome = last.then(async () => {
      const { child } = kept;
      const isThere = child?.exitCode === null && child.signalCode === null;
      if (!isThere) kept.child = startCommandLine(options);
      return ask(kept.child!, { settings, words });
    });
    last = outcome.catch(() => undefined).finally(() => (running -= 1));
    return outcome;
  };
}

async function end(kept: KeptCommandLine): Promise<void> {
  const { child } = kept;
  kept.child = undefined;
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

async function ask(child: ChildProcess, request: CommandRequest): Promise<Outcome> {
  const answered = new AbortController();
  const { signal } = answered;
  const answer = once(child, 'message', { signal }) as Promise<[Outcome]>;
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error(`The process of the commands ended at: ${request.words.join(' ')}`);
  });
  child.ref();
  child.channel?.ref();
  child.send(request);
  try {
    return (await Promise.race([answer, ended]))[0];
  } finally {
    answered.abort();
    child.unref();
    child.channel?.unref();
  }
}

function startCommandLine(options: readonly string[]): ChildProcess {
  const child = fork('dist/test/support/command-line.js', {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...inherited },
    execArgv: [...nodeOptions, ...options],
  });
  child.unref();
  child.channel!.unref();
  return child;
}

/** Runs a command in a separate process. */
export function cliAlone(settings: Settings, ...words: string[]): Promise<Outcome> {
  return outcomeOf(start('dist/src/cli/main.js', settings, words));
}

/** Starts a compiled file as a separate process. */
export function start(file: string, settings: Settings, words: readonly string[] = []) {
  return spawn(process.execPath, [...nodeOptions, file, ...words], {
    env: { ...inherited, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The output, after the process has ended. */
export async function outcomeOf(child: ReturnType<typeof start>): Promise<Outcome> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[ChildProcess['exitCode']]>,
  ]);
  return outcome(code, stdout, stderr);
}

/** The JSON objects in the output, one per line. */
export function jsonLines({ stdout }: Pick<Outcome, 'stdout'>): Record<string, unknown>[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The exit code and output of a command that failed. */
export function refusal({ code, stdout, stderr }: Outcome) {
  return [code, stdout, stderr.trim()];
}

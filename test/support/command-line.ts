/**
 * Runs the operator's commands in order, each with its own environment, output and exit code.
 */
import { runCommand } from '../../src/cli/commands.js';
import { type Outcome, outcome } from './outcome.js';
import type { CommandRequest } from './processes.js';

const { stdout, stderr } = process;
const exit = process.exit.bind(process);
const said = { out: '', err: '' };
/** The output until the command ended the process. */
let ended: Outcome | undefined;

function capture(key: keyof typeof said) {
  return (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    said[key] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const done = rest.at(-1);
    if (typeof done === 'function') (done as () => void)();
    return true;
  };
}

function outcomeNow(code = Number(process.exitCode ?? 0)): Outcome {
  return outcome(code, said.out, said.err);
}

stdout.write = capture('out');
stderr.write = capture('err');
process.exit = (code?: number) => {
  ended ??= outcomeNow(code);
  throw new Error('The command has ended the process.');
};

async function run({ settings, words }: CommandRequest): Promise<Outcome> {
  process.env = { PATH: process.env.PATH, ...settings };
  Object.assign(said, { out: '', err: '' });
  process.exitCode = undefined;
  ended = undefined;
  await runCommand(words);
  return ended ?? outcomeNow();
}

process.on('message', (request: CommandRequest) => {
  void run(request).then((outcome) => process.send!(outcome));
});
process.on('disconnect', () => exit(0));

import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError } from '../platform/config/config.js';
import { accessFault } from '../platform/database/sqlite/sqlite-file.js';
import { Refused } from '../platform/problems/refused.js';
import { serviceVersion } from '../platform/config/version.js';
import { nouns } from './nouns.js';
import { ServiceCommand } from './service-command.js';

/** Adds the variables of a file such as systemd's `EnvironmentFile` to those of the process. */
function loadEnvironment(file: string | undefined): void {
  if (file === undefined) return;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Refused(`The settings ${file} cannot be read: ${accessFault(file, error)}`);
  }
  process.env = { ...parseEnv(text), ...process.env };
}

/** The first two words that are no options: the noun and the verb. */
function namesIn(words: readonly string[]): readonly string[] {
  return words
    .filter((word, i) => !word.startsWith('-') && words[i - 1] !== '--env-file')
    .slice(0, 2);
}

/** All commands. Only those of the noun that the words name do anything. */
async function commandsFor(words: readonly string[]): Promise<ServiceCommand> {
  const program = new ServiceCommand('npm run cli --')
    .description('Commands for the operator of the Product Availability Service.')
    .configureHelp({ helpWidth: 100 })
    .showHelpAfterError('(--help shows how)')
    .option('--env-file <file>', 'settings of the service; those of the environment come first')
    .hook('preAction', (program) => loadEnvironment(program.opts<{ envFile?: string }>().envFile))
    .addHelpText(
      'after',
      `
"<command> --help" says what its commands do, and when one needs them. "--version" prints the
version. Settings come from the environment, as for the service itself: SQLITE_FILE or
DATABASE_URL. Or name its file:
  npm run cli -- --env-file /etc/product-availability/environment catalogue list

Examples:
  npm run cli -- catalogue import demo/catalogue
  npm run cli -- check "EC2A 2BS" --explain
  npm run cli -- tokens issue --client "Example Reseller"`,
    );
  const [named, verb] = namesIn(words);
  for (const [name, { about, commands, load }] of Object.entries(nouns)) {
    const verbs = Object.keys(commands ?? {});
    const noun = program.add(name, about);
    if (verbs.length > 0) noun.summary(`${about}: ${verbs.join(', ')}`);
    if (name === named && (!commands || (verb !== undefined && Object.hasOwn(commands, verb)))) {
      noun.lines = commands ?? {};
      (await load())(noun);
      const added = noun.commands.map((command) => command.name());
      if (added.join() !== verbs.join()) throw new Error(`nouns.ts differs: ${added.join(', ')}.`);
    } else for (const [word, line] of Object.entries(commands ?? {})) noun.add(word, line);
  }
  return program;
}

/** `help catalogue import` as `catalogue import --help`, which loads the command. */
function withoutHelpCommand(words: readonly string[]): readonly string[] {
  return words[0] === 'help' ? [...words.slice(1), '--help'] : words;
}

/** Runs a command. Prints an error and sets the exit code of the process. */
export async function runCommand(given: readonly string[]): Promise<void> {
  const words = withoutHelpCommand(given);
  // No option of commander's: it would also take the `--version <number>` of a command.
  if (words[0] === '--version') {
    console.log(serviceVersion);
    return;
  }
  try {
    await (await commandsFor(words)).parseAsync(words, { from: 'user' });
  } catch (error) {
    const { GuardRailBroken } = await import('../catalogue/versions/catalogue.errors.js');
    const isRail = error instanceof GuardRailBroken;
    console.error(isRail ? error.inFull : error instanceof Error ? error.message : String(error));
    const isExpected = error instanceof Refused || error instanceof ConfigError;
    if (!isExpected && process.env.DEBUG) console.error(error);
    process.exitCode = isRail ? 2 : 1;
  }
}

import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError } from '../platform/config/config.js';
import { accessFault } from '../platform/database/sqlite/sqlite-file.js';
import { Refused } from '../platform/problems/refused.js';
import { serviceVersion } from '../platform/config/version.js';
import { ServiceCommand } from './service-command.js';

type AddCommands = (noun: ServiceCommand) => void;

/** A group of commands, such as `catalogue`, or a command of one word. */
interface Noun {
  readonly about: string;
  /** The line of each of its commands: what it does, and when one needs it. Absent if the noun is a command itself. */
  readonly commands?: Readonly<Record<string, string>>;
  /** Adds the commands. Their services take two seconds to load, so that help and wrong words need none of them. */
  readonly load: () => Promise<AddCommands>;
}

/** Every command. What the pages do better is not among them. */
export const nouns: Readonly<Record<string, Noun>> = {
  catalogue: {
    about: 'products, prices and coverage',
    commands: {
      import: 'check the CSV files of a catalogue and store a draft, by hand or each night',
      list: 'list the versions, newest first, to find the number of one',
      export: 'write a version as CSV files, to edit them or to keep them',
      activate: 'publish a draft now, after an import that a guard rail stopped',
      restore: 'publish an earlier content again, after a mistake',
      adjust: 'change prices of the live version by a percentage; store a draft',
      prune: 'delete old versions to which nothing refers, when the database is too large',
    },
    load: async () => (await import('./catalogue.js')).addCatalogueCommands,
  },
  check: {
    about: 'show what is sold at a postcode, and why, when someone asks',
    load: async () => (await import('./check.js')).addCheckCommand,
  },
  postcodes: {
    about: 'the optional register of postcodes',
    commands: { import: 'replace the register, for each new edition of ONS or OS' },
    load: async () => (await import('./check.js')).addPostcodeCommands,
  },
  clients: {
    about: 'API clients',
    commands: {
      add: 'add an API client, before its first token',
      list: 'list the API clients and how they are set up',
      limits: 'show or set its limits, for a client that needs others; `default` removes its own',
    },
    load: async () => (await import('./access.js')).addClientCommands,
  },
  staff: {
    about: 'staff members',
    commands: {
      add: 'add a staff member, such as the first administrator',
      invite: 'print a one-time link to set a password, for a person who cannot sign in',
      'forget-second-factor': 'remove a lost second factor and end all sessions',
    },
    load: async () => (await import('./access.js')).addStaffCommands,
  },
  tokens: {
    about: 'bearer tokens of API clients and of staff',
    commands: {
      issue: 'issue a token, shown once, for a program',
      list: 'list the tokens without their secret, to find the id of one',
      revoke: 'revoke a token for good, when it has leaked or is not used any more',
    },
    load: async () => (await import('./access.js')).addTokenCommands,
  },
  db: {
    about: 'the database',
    commands: {
      migrate: 'update the schema before instances start; a single one does it itself',
      backup: 'copy and verify the SQLite database, each night, also while the service runs',
      'record-backup': 'record a verified backup of another program, such as pg_dump',
      verify: 'check that a backup is intact, before you need it',
      restore: 'restore the SQLite database from a backup; stop the service first',
    },
    load: async () => (await import('./database.js')).addDatabaseCommands,
  },
  orders: {
    about: 'orders and enquiries',
    commands: {
      erase: 'erase the personal data of an order or enquiry, when a person asks for it',
      delivery: 'what happens after orders are accepted',
    },
    load: async () => (await import('./orders.js')).addOrderCommands,
  },
  quotes: {
    about: 'quotes of many sites',
    commands: { erase: 'erase the personal data of a quote, when a person asks for it' },
    load: async () => (await import('./orders.js')).addQuoteCommands,
  },
  watches: {
    about: 'places that API clients watch',
    commands: {
      list: 'list watches, newest first, to find the id of one to erase',
      erase: "erase the client's reference of a watch; one of single premises is deleted",
    },
    load: async () => (await import('./orders.js')).addWatchCommands,
  },
  notifications: {
    about: 'emails and webhook messages',
    commands: {
      list: 'list waiting and failed (dead) messages, when an alert names them',
      resend: 'retry failed, discarded or waiting messages now, after their receiver works again',
      test: 'send a test email, or a test event to a webhook, after a change of settings',
    },
    load: async () => (await import('./notifications.js')).addMessageCommands,
  },
  webhooks: {
    about: 'endpoints that receive order events',
    commands: {
      add: 'add an endpoint of your own systems, for all orders, or that of an API client',
      list: 'list the endpoints without their secrets, to find the id of one',
      rotate: 'add a signing secret, when the old one may be known; until `retire`, both sign',
      retire: 'delete all signing secrets except the newest, once the receiver has that',
      remove: 'delete an endpoint and its secrets',
    },
    load: async () => (await import('./notifications.js')).addWebhookCommands,
  },
  keys: {
    about: 'the keys that encrypt secrets in the database',
    commands: {
      reseal: 'encrypt again with WEBHOOK_KEY and STAFF_KEY, so that the second keys can go',
    },
    load: async () => (await import('./access.js')).addKeyCommands,
  },
  settings: {
    about: 'list every setting with its default',
    load: async () => {
      const { settingsHelp } = await import('../platform/config/config.js');
      return (settings) => void settings.action(() => console.log(settingsHelp()));
    },
  },
};

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
      if (added.join() !== verbs.join())
        throw new Error(`commands.ts differs: ${added.join(', ')}.`);
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

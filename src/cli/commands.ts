import { GuardRailBroken } from '../catalogue/versions/catalogue.errors.js';
import { Refused } from '../platform/problems/refused.js';
import { ConfigError } from '../platform/config/config.js';
import { settingsHelp } from '../platform/config/settings-help.js';
import { addCatalogueCommands } from './catalogue.js';
import { addAccessCommands, addKeyCommands } from './access.js';
import {
  addAuditCommands,
  addOrderCommands,
  addQuoteCommands,
  addWatchCommands,
} from './orders.js';
import { addCheckCommand, addPostcodeCommands } from './check.js';
import { addDatabaseCommands } from './database.js';
import { addNotificationCommands } from './notifications.js';
import { ServiceCommand } from './service-command.js';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { accessFault } from '../platform/database/sqlite/sqlite-file.js';

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

function allCommands(): ServiceCommand {
  const program = new ServiceCommand('npm run cli --')
    .description('Commands for the operator of the Product Availability Service.')
    .showHelpAfterError('(--help shows how)')
    .option('--env-file <file>', 'settings of the service; those of the environment come first')
    .hook('preAction', (program) => loadEnvironment(program.opts<{ envFile?: string }>().envFile))
    .addHelpText(
      'after',
      `
Settings come from the environment, as for the service itself: SQLITE_FILE or DATABASE_URL. Or name
its file: npm run cli -- --env-file /etc/product-availability/environment catalogue list
"settings" lists all of them.

Examples:
  npm run cli -- catalogue import demo/catalogue
  npm run cli -- check "EC2A 2BS" --explain
  npm run cli -- clients add "Example Reseller" --contact "Ada Lovelace" --email ada@example.com --phone "+44 20 7946 0958"
  npm run cli -- tokens issue --client "Example Reseller"`,
    );
  addCatalogueCommands(program);
  addCheckCommand(program);
  addPostcodeCommands(program);
  addAccessCommands(program);
  addDatabaseCommands(program);
  addOrderCommands(program);
  addQuoteCommands(program);
  addWatchCommands(program);
  addAuditCommands(program);
  addNotificationCommands(program);
  addKeyCommands(program);
  program
    .add('settings', 'list every setting with its default')
    .action(() => console.log(settingsHelp()));
  return program;
}

/** Runs a command. Prints an error and sets the exit code of the process. */
export async function runCommand(words: readonly string[]): Promise<void> {
  try {
    await allCommands().parseAsync(words, { from: 'user' });
  } catch (error) {
    const isRail = error instanceof GuardRailBroken;
    console.error(isRail ? error.inFull : error instanceof Error ? error.message : String(error));
    const isExpected = error instanceof Refused || error instanceof ConfigError;
    if (!isExpected && process.env.DEBUG) console.error(error);
    process.exitCode = isRail ? 2 : 1;
  }
}

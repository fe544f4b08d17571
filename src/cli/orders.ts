import { LIVE, SANDBOX } from '../platform/database/sides.js';
import { operator } from '../platform/audit/audit.service.js';
import { readFile } from 'node:fs/promises';
import {
  DeliveryImportService,
  UpdatesRejected,
} from '../orders/delivery/delivery-import.service.js';
import { COLUMNS } from '../orders/delivery/updates-file.js';
import { textOfFile } from '../platform/tables/table-file.js';
import { faultInWords } from './catalogue-import.js';
import { ErasureService } from '../orders/erasure.service.js';
import type { ServiceCommand, Services } from './service-command.js';
import { resolve } from 'node:path';
import { Config } from '../platform/config/config.js';
import { emptyLog } from '../platform/database/sqlite/sqlite-file.js';
import { type JsonOption, limitOption, jsonOption } from './options.js';
import { Option } from 'commander';
import { ClientsService } from '../clients/clients.service.js';
import { QuoteErasureService } from '../quotes/quote-erasure.service.js';
import { OperatorWatchesService } from '../watches/operator-watches.service.js';
import { type WatchState, watchStates } from '../watches/watch.entity.js';
import { counted, whole } from '../platform/kernel/counts.js';

function sayKept(kept: readonly string[]): void {
  if (kept.length > 0) console.log(`kept: ${kept.join(', ')}.`);
}

/** What was erased must not stay in the write-ahead log. */
function wipe(services: Services): void {
  const { databaseUrl, sqliteFile } = services.get(Config);
  if (databaseUrl !== null || emptyLog(resolve(sqliteFile))) return;
  console.log(
    'The log of the database, which is in use, still holds it. Run the command again later.',
  );
}

interface UpdateOptions extends JsonOption {
  readonly dryRun: boolean;
}

interface TestOption {
  readonly test: boolean;
}

interface WatchListOptions extends JsonOption, TestOption {
  readonly client?: string;
  readonly state?: WatchState;
  readonly reference?: string;
  readonly limit: number;
}

const testOption = () =>
  new Option('--test', 'the watches of test tokens, not the live ones').default(false);

export function addWatchCommands(watches: ServiceCommand): void {
  watches
    .addList(
      'There are no such watches.',
      async (services, { client, state, reference, test, limit }: WatchListOptions) => {
        const owner =
          client === undefined ? undefined : await services.get(ClientsService).find(client);
        const filter = {
          ...(owner && { clientId: owner.id }),
          ...(state && { state }),
          ...(reference !== undefined && { reference }),
          ...(test ? SANDBOX : LIVE),
        };
        return services.get(OperatorWatchesService).list(filter, limit);
      },
    )
    .option('--client <id-or-name>', 'only those of this API client')
    .addOption(new Option('--state <state>', 'only those in this state').choices(watchStates))
    .option('--reference <text>', "only those with this reference of the client's")
    .addOption(testOption())
    .addOption(limitOption(50, 100_000));
  watches.add('erase <watch-id>').inService(async (services, id: string) => {
    const { watch, isDeleted } = await services.get(OperatorWatchesService).erase(id, operator);
    wipe(services);
    const done = isDeleted ? 'deleted the watch' : 'erased the reference';
    console.log(`${watch.postcode}: ${done}. Earlier backups still hold it.`);
  });
}

export function addQuoteCommands(quotes: ServiceCommand): void {
  quotes
    .add('erase <id-or-reference>')
    .addHelpText(
      'after',
      "\nErases customer, the client's reference, sites, notes, UPRNs and details. The quote stays.",
    )
    .inService(async (services, idOrReference: string) => {
      const erased = await services.get(QuoteErasureService).erase(idOrReference, operator);
      wipe(services);
      const { reference, fields, kept, orders, quotes } = erased;
      console.log(
        fields.length === 0
          ? `${reference} has no personal data.`
          : `${reference}: erased ${fields.join(', ')}. Earlier backups still hold them.`,
      );
      sayKept(kept);
      if (orders.length > 0) {
        console.log(
          `Its orders and enquiries keep theirs: ${orders.join(', ')}. See \`orders erase\`.`,
        );
      }
      if (quotes.length > 0) {
        console.log(
          `Quotes of the same API client with the same customer or reference keep theirs: ${quotes.join(', ')}.`,
        );
      }
    });
}

export function addOrderCommands(orders: ServiceCommand): void {
  orders
    .add('erase <id-or-reference>')
    .addHelpText(
      'after',
      "\nErases the contact, notes, the client's reference and what it wants in words. The order stays.",
    )
    .inService(async (services, idOrReference: string) => {
      const done = await services.get(ErasureService).erase(idOrReference, operator);
      wipe(services);
      const { order, fields, notes, watches, kept } = done;
      const erased = [
        ...fields,
        ...(notes === 0 ? [] : [`${counted(notes, 'text')} written about it`]),
      ];
      console.log(
        erased.length === 0
          ? `${order.reference} has no personal data.`
          : `${order.reference}: erased ${erased.join(', ')}. Earlier backups still hold them.`,
      );
      sayKept(kept);
      if (watches.length > 0) {
        console.log(
          `Watches of the same API client with the same reference or premises keep them: ${watches.join(', ')}. See \`watches erase\`.`,
        );
      }
    });
  orders
    .add('delivery')
    .add(
      'import <file>',
      'import the updates of deliveries from a CSV file or a workbook: all rows, or none',
    )
    .option('--dry-run', 'change nothing: only show what would change', false)
    .addOption(jsonOption('one JSON object'))
    .addHelpText(
      'after',
      `
Columns: ${COLUMNS.join(', ')}.

Example:
  npm run cli -- orders delivery import updates.csv --dry-run`,
    )
    .using(DeliveryImportService, async (imports, path: string, options: UpdateOptions) => {
      const { dryRun, json } = options;
      const text = await textOfFile(await readFile(path));
      const work = dryRun ? imports.preview(text) : imports.run(text, operator);
      const report = await work.catch((error: unknown) => {
        if (error instanceof UpdatesRejected) return error.report;
        throw error;
      });
      const { faults, rows, orders: named, changed } = report;
      if (faults.total > 0) process.exitCode = 1;
      if (json) return console.log(JSON.stringify(report));
      for (const fault of faults.shown) console.log(faultInWords(fault));
      const done = dryRun ? 'would change' : 'changed';
      const end = faults.total > 0 ? 'nothing was imported' : `${whole(changed)} ${done}`;
      console.log(`${counted(rows, 'row')} about ${counted(named, 'order')}: ${end}.`);
    });
}

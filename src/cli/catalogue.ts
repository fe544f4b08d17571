import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { operator } from '../platform/audit/audit.service.js';
import type { CatalogueVersion } from '../catalogue/versions/catalogue-version.entity.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { diffAsJson, diffInWords, printDiffCsv } from '../catalogue/content/change-lists.js';
import { lintInWords, lintRules } from '../catalogue/content/lint.js';
import { printCatalogue, type WrittenFile } from '../catalogue/content/files/csv-writer.js';
import { zipOf } from '../catalogue/downloads.service.js';
import { ReviewService } from '../catalogue/versions/review.service.js';
import { calendarInWords } from '../catalogue/content/browse/calendar.js';
import { calendarView, versionView } from '../catalogue/version-view.js';
import { VersionPruningService } from '../catalogue/versions/version-pruning.service.js';
import { VersionsService } from '../catalogue/versions/versions.service.js';
import { filesIn } from '../catalogue/worker/read-files.js';
import { Refused } from '../platform/problems/refused.js';
import { addImportCommand, printReport } from './catalogue-import.js';
import {
  acceptedBy,
  acceptOption,
  type AcceptOption,
  jsonOption,
  type JsonOption,
  mostOption,
  readNumber,
  versionArgument,
} from './options.js';
import { printRows, writing } from './output.js';
import type { ServiceCommand, Services } from './service-command.js';
import type { AgreedTerms } from '../catalogue/content/offer-fields.js';
import { inBrief, termsOnLine } from '../catalogue/content/offers.js';
import { type OfferChange, type Replay, ReplayService } from '../orders/views/replay.service.js';
import { adjustmentOf } from '../catalogue/adjustment.js';
import { AdjustmentBody } from '../catalogue/catalogue.dto.js';
import { ImportService } from '../catalogue/versions/import.service.js';
import { commandInput } from './input-options.js';
import { whole } from '../platform/kernel/counts.js';

const adjustment = commandInput(AdjustmentBody, {
  percent: ['<percent>'],
  priceList: ['--price-list <name>', 'only rows of this list; derived lists follow their base'],
  product: ['--product <start>', 'only products whose code starts like this, such as ETH-'],
  zone: ['--zone <zone>', 'only prices in this zone'],
  roundTo: ['--round-to <amount>', 'round to a multiple, such as 0.50'],
  floor: ['--floor <amount>', 'the lowest adjusted monthly price'],
  setupPercent: ['--setup <percent>', 'change set-up prices too; -100 makes them free'],
  from: ['--from <day>', 'the first day in London, such as 2026-12-01'],
  until: ['--until <day>', 'the last day'],
  label: ['--label <text>', 'a name for the version; default: the change in words'],
  base: ['--base <version>', 'adjust this draft; default: the live version'],
  dryRun: ['--dry-run', 'store nothing: only show what would change'],
});

function addEditCommands(catalogue: ServiceCommand): void {
  catalogue
    .add('adjust <percent>', 'change prices of the live version by a percentage; store a draft')
    .taking(adjustment)
    .addOption(jsonOption('one JSON object'))
    .addHelpText(
      'after',
      `
Examples:
  npm run cli -- catalogue adjust 3 --price-list standard --round-to 0.50
  npm run cli -- catalogue adjust -10 --from 2027-01-01 --until 2027-01-31
  npm run cli -- catalogue adjust 0 --setup -100 --from 2027-01-01 --until 2027-01-31
  npm run cli -- catalogue adjust -5 --product ETH- --zone LONDON-ONNET`,
    )
    .using(ImportService, async (imports, percent: string, options: JsonOption) => {
      const input = await adjustment.read({ ...options, percent });
      printReport(await imports.adjustPrices(...adjustmentOf(input, operator)), options.json);
    });
}

function addReplayCommand(catalogue: ServiceCommand): void {
  catalogue
    .add('replay', 'show which recent checks and open orders a version would change')
    .addArgument(versionArgument('<version>'))
    .option('--days <n>', 'how many days back', readNumber, 7)
    .addOption(mostOption())
    .addOption(jsonOption('one JSON object'))
    .using(ReplayService, async (service, version: number, { days, most, json }: ReplayOptions) => {
      const replay = await service.replay(version, days);
      console.log(json ? JSON.stringify(replay) : inWords(replay, most));
    });
}

interface ReplayOptions extends JsonOption {
  readonly days: number;
  readonly most: number;
}

function inWords(replay: Replay, most: number): string {
  const { version, comparedWith, days, checks, checksChanged, answers, openOrders, orders } =
    replay;
  const lines = [
    `Version ${version} instead of version ${comparedWith}`,
    `${whole(checksChanged)} of ${whole(checks)} checks of the last ${days} days would change.`,
  ];
  for (const { postcode, uprn, priceList, checks: count, changes } of answers.slice(0, most)) {
    const place = uprn === null ? postcode : `UPRN ${uprn} at ${postcode}`;
    lines.push(`  ${place} (${priceList}), checked ${count} times: ${some(changes)}`);
  }
  if (answers.length > most) lines.push(`  … and ${answers.length - most} more postcodes`);
  lines.push(
    `${orders.length} of ${openOrders} open orders could not be placed again on the same terms. They keep their terms.`,
  );
  for (const { reference, postcode, change } of orders.slice(0, most)) {
    lines.push(`  ${reference} at ${postcode}: ${changeInWords(change)}`);
  }
  if (orders.length > most) lines.push(`  … and ${orders.length - most} more`);
  return lines.join('\n');
}

function some(changes: readonly OfferChange[]): string {
  const shown = changes.slice(0, 3).map(changeInWords).join('; ');
  return changes.length > 3 ? `${shown}; and ${changes.length - 3} more` : shown;
}

function changeInWords({ productCode, change, before, after }: OfferChange): string {
  const terms = (offer: AgreedTerms | null) => (offer ? termsOnLine(offer, inBrief) : '');
  if (!before) return `${productCode} gained, ${terms(after)}`;
  if (!after) return `${productCode} lost, was ${terms(before)}`;
  return `${productCode} ${change}, ${terms(before)} → ${terms(after)}`;
}

/** Of the newest: a year of monthly price lists, with drafts. */
const VERSIONS_KEPT = 20;

export function addCatalogueCommands(program: ServiceCommand): void {
  const catalogue = program.add('catalogue', 'products, prices and coverage');
  addImportCommand(catalogue);
  addReading(catalogue);
  addMoves(catalogue);
  addEditCommands(catalogue);
  addReplayCommand(catalogue);
}

function addReading(catalogue: ServiceCommand): void {
  catalogue.addList(
    'list the versions, newest first',
    'There is no catalogue yet. Next: catalogue import <folder>',
    async (services, { json }) =>
      (await services.get(VersionsService).list()).map(
        json ? (one) => versionView(one, operator) : row,
      ),
  );
  catalogue
    .add('show', 'show a version, by default the active one, with its history')
    .addArgument(versionArgument('[version]'))
    .addOption(jsonOption())
    .inService(show);
  catalogue
    .add('diff', 'show what changes between two versions, or from the active one')
    .addArgument(versionArgument('<from>', 'the version before; alone, the version after'))
    .addArgument(versionArgument('[to]', 'the version after'))
    .addOption(jsonOption('one JSON object, with the first 1,000 of each list'))
    .option('--csv', 'every change as CSV', false)
    .addOption(mostOption())
    .inService(diff);
  catalogue
    .add(
      'calendar',
      'list the days on which dates change something, by default of the active version',
    )
    .addArgument(versionArgument('[version]'))
    .addOption(jsonOption())
    .inService(async (services, version: number | undefined, { json }: JsonOption) => {
      const calendar = await services
        .get(ReviewService)
        .calendar(await numberOr(services, version));
      if (json) printRows(calendarView(calendar), true);
      else process.stdout.write(calendarInWords(calendar) || 'No change is planned.\n');
    });
  catalogue
    .add('lint', 'list warnings about a version, by default the active one')
    .addArgument(versionArgument('[version]'))
    .option('--rules', 'list the rules instead', false)
    .addOption(jsonOption())
    .inService(
      async (
        services,
        version: number | undefined,
        { json, rules }: JsonOption & { rules: boolean },
      ) => {
        if (rules) {
          const meanings = Object.entries(lintRules).map(([rule, meaning]) => ({ rule, meaning }));
          return printRows(meanings, json);
        }
        const warnings = await services.get(ReviewService).lint(await numberOr(services, version));
        if (json) printRows(warnings, true);
        else process.stdout.write(lintInWords(warnings, 20) || 'No warnings.\n');
      },
    );
  catalogue
    .add(
      'export <folder-or-zip>',
      'write a version as CSV files: products.csv, prices.csv, coverage.csv, and others that it has; or as one zip with all of them',
    )
    .option('--version <number>', 'the version; by default the active one', readNumber)
    .inService(async (services, folder: string, { version }: { version?: number }) => {
      const number = await numberOr(services, version);
      const files = await services.get(CatalogueService).files(number);
      await writing(folder, async () => {
        if (folder.toLowerCase().endsWith('.zip')) {
          return pipeline(zipOf(files), createWriteStream(folder));
        }
        await mkdir(folder, { recursive: true });
        const written = printCatalogue(files);
        await refuseOthers(folder, number, written);
        for (const { fileName, chunks } of written) {
          await mkdir(dirname(join(folder, fileName)), { recursive: true });
          await pipeline(Readable.from(chunks), createWriteStream(join(folder, fileName)));
        }
      });
      console.log(`Version ${number} is in ${folder}.`);
    });
}

/** @throws {Refused} where a later import of the folder would also read files of another version */
async function refuseOthers(
  folder: string,
  version: number,
  written: readonly WrittenFile[],
): Promise<void> {
  const found = await filesIn(folder);
  const others = found.filter((name) => !written.some(({ fileName }) => fileName === name));
  if (others.length === 0) return;
  throw new Refused(
    `Version ${version} has no ${others.join(', ')}, but ${folder} has. Remove them, or name another folder. Nothing was written.`,
  );
}

async function show(
  services: Services,
  version: number | undefined,
  { json }: JsonOption,
): Promise<void> {
  const versions = services.get(VersionsService);
  const number = await numberOr(services, version);
  const view = versionView(await versions.find(number), operator);
  const entries = await versions.history(number);
  const history = entries.map(({ at, action, actorName: by, details }) => {
    return { at, action, by, details };
  });
  if (json) {
    console.log(JSON.stringify({ ...view, history }));
    return;
  }
  for (const [name, value] of Object.entries(view)) {
    if (name === 'rails' || value === null) continue;
    console.log(`${name.padEnd(13)} ${value instanceof Date ? value.toISOString() : value}`);
  }
  for (const { rail, detail } of view.rails) console.log(`guard rail    ${rail}: ${detail}`);
  console.log();
  printRows(history);
}

interface DiffOptions extends JsonOption {
  readonly csv: boolean;
  readonly most: number;
}

async function diff(
  services: Services,
  from: number,
  to: number | undefined,
  { json, csv, most }: DiffOptions,
): Promise<void> {
  const compared = await services
    .get(ReviewService)
    .diff(to === undefined ? null : from, to ?? from);
  if (csv) {
    await pipeline(Readable.from(printDiffCsv(compared.diff)), process.stdout, { end: false });
  } else if (json) {
    console.log(JSON.stringify({ ...compared, diff: diffAsJson(compared.diff, true) }));
  } else {
    console.log(`From version ${compared.from} to version ${compared.to}`);
    process.stdout.write(diffInWords(compared.diff, most));
  }
}

function addMoves(catalogue: ServiceCommand): void {
  catalogue
    .add('activate', 'publish a draft now')
    .addArgument(versionArgument('<version>'))
    .addOption(acceptOption())
    .using(VersionsService, async (versions, number: number, options: AcceptOption) => {
      await versions.activate(number, { accept: acceptedBy(options) }, operator);
      console.log(`Version ${number} is active.`);
    });
  catalogue
    .add(
      'restore',
      'publish the content of the previous version, or of this one, under a new number',
    )
    .addArgument(versionArgument('[version]'))
    .addOption(acceptOption())
    .using(VersionsService, async (versions, target: number | undefined, options: AcceptOption) => {
      const accept = acceptedBy(options);
      const { number, contentOf } = await versions.restore(target ?? null, { accept }, operator);
      console.log(`Version ${number} is active, with the content of version ${contentOf}.`);
    });
  catalogue
    .add('discard', 'remove a draft; its number is not used again')
    .addArgument(versionArgument('<version>'))
    .using(VersionsService, async (versions, number: number) => {
      await versions.discard(number, operator);
      console.log(`Version ${number} is discarded.`);
    });
  catalogue
    .add('prune', 'delete old versions to which no order or kept check refers')
    .option('--keep <n>', 'keep the newest n', readNumber, VERSIONS_KEPT)
    .option('--dry-run', 'only list them', false)
    .inService(async (services, { keep, dryRun }: { keep: number; dryRun: boolean }) => {
      const pruning = services.get(VersionPruningService);
      const { removed, referred } = await pruning.prune(keep, dryRun, operator);
      const verb = dryRun ? 'Would remove' : 'Removed';
      console.log(removed.length === 0 ? 'Nothing to remove.' : `${verb} ${removed.join(', ')}.`);
      if (referred.length > 0) console.log(`Kept, still in use: ${referred.join(', ')}.`);
    });
}

async function numberOr(services: Services, version: number | undefined): Promise<number> {
  if (version !== undefined) return version;
  const active = await services.get(ReviewService).activeNumber();
  if (active === null) throw new Refused('No version is active. Next: catalogue import <folder>');
  return active;
}

const columns = [
  'number',
  'state',
  'label',
  'products',
  'prices',
  'places',
  'premises',
  'createdAt',
  'createdBy',
  'activatedAt',
] as const;

function row(version: CatalogueVersion): object {
  return Object.fromEntries(columns.map((column) => [column, version[column]]));
}

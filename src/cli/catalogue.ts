import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { operator } from '../platform/audit/audit.service.js';
import type { CatalogueVersion } from '../catalogue/versions/catalogue-version.entity.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { printCatalogue, type WrittenFile } from '../catalogue/content/files/csv-writer.js';
import { zipOf } from '../catalogue/downloads.service.js';
import { ReviewService } from '../catalogue/versions/review.service.js';
import { versionView } from '../catalogue/version-view.js';
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
  readNumber,
  versionArgument,
} from './options.js';
import { commandInput } from './input-options.js';
import { writing } from './output.js';
import type { ServiceCommand, Services } from './service-command.js';
import { adjustmentOf } from '../catalogue/adjustment.js';
import { AdjustmentBody } from '../catalogue/catalogue.dto.js';
import { ImportService } from '../catalogue/versions/import.service.js';

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

function addAdjustCommand(catalogue: ServiceCommand): void {
  catalogue
    .add('adjust <percent>')
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

/** Of the newest: a year of monthly price lists, with drafts. */
const VERSIONS_KEPT = 20;

export function addCatalogueCommands(catalogue: ServiceCommand): void {
  addImportCommand(catalogue);
  addReading(catalogue);
  addMoves(catalogue);
  addAdjustCommand(catalogue);
  addPruneCommand(catalogue);
}

function addReading(catalogue: ServiceCommand): void {
  catalogue.addList(
    'There is no catalogue yet. Next: catalogue import <folder>',
    async (services, { json }) =>
      (await services.get(VersionsService).list()).map(
        json ? (one) => versionView(one, operator) : row,
      ),
  );
  catalogue
    .add('export <folder-or-zip>')
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

function addMoves(catalogue: ServiceCommand): void {
  catalogue
    .add('activate')
    .addArgument(versionArgument('<version>'))
    .addOption(acceptOption())
    .using(VersionsService, async (versions, number: number, options: AcceptOption) => {
      await versions.activate(number, { accept: acceptedBy(options) }, operator);
      console.log(`Version ${number} is active.`);
    });
  catalogue
    .add('restore')
    .addArgument(versionArgument('[version]', 'the number of a version; default: the previous one'))
    .addOption(acceptOption())
    .using(VersionsService, async (versions, target: number | undefined, options: AcceptOption) => {
      const accept = acceptedBy(options);
      const { number, contentOf } = await versions.restore(target ?? null, { accept }, operator);
      console.log(`Version ${number} is active, with the content of version ${contentOf}.`);
    });
}

function addPruneCommand(catalogue: ServiceCommand): void {
  catalogue
    .add('prune')
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

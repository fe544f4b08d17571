import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { operator } from '../audit/audit.service.js';
import type { CatalogueVersion } from '../catalogue/versions/catalogue-version.entity.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { diffAsJson, diffInWords, printDiffCsv } from '../catalogue/content/diff-print.js';
import { lintInWords, lintRules } from '../catalogue/content/lint.js';
import { printCoverage, printPrices, printProducts } from '../catalogue/content/csv-writer.js';
import { ReviewService } from '../catalogue/versions/review.service.js';
import { versionView } from '../catalogue/version-view.js';
import { VersionsService } from '../catalogue/versions/versions.service.js';
import { Refused } from '../problems/refused.js';
import { Config } from '../config/config.js';
import { addImportCommand } from './catalogue-import.js';
import { addReplayCommand } from './catalogue-replay.js';
import { addList, jsonOption, printRows, withService } from './context.js';
import { readNumber, readWhen } from './options.js';

interface Json {
  readonly json: boolean;
}

interface Accept {
  readonly yes?: string | true;
}

export function addCatalogueCommands(program: Command): void {
  const catalogue = program.command('catalogue').description('products, prices and coverage');
  addImportCommand(catalogue);
  addReading(catalogue);
  addMoves(catalogue);
  addReplayCommand(catalogue);
}

function addReading(catalogue: Command): void {
  addList(
    catalogue,
    {
      description: 'list the versions, newest first',
      none: 'There is no catalogue yet. Next: catalogue import <folder>',
    },
    async (service, { json }) =>
      (await service.get(VersionsService).list()).map(json ? versionView : row),
  );
  catalogue
    .command('show [version]')
    .description('show one version, by default the active one, and who did what to it')
    .addOption(jsonOption())
    .action(async (text: string | undefined, { json }: Json) => {
      await withService(async (service) => {
        const versions = service.get(VersionsService);
        const number = await numberOr(service, text);
        const view = versionView(await versions.find(number));
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
        printRows(history, false);
      });
    });
  catalogue
    .command('diff <from> [to]')
    .description(
      'what changes for clients between two versions; with one, from the active one to it',
    )
    .option('--json', 'one JSON object; of each list the first 1,000', false)
    .option('--csv', 'every change as CSV', false)
    .option('--most <n>', 'lines of each list', readNumber, 20)
    .action(
      async (
        from: string,
        to: string | undefined,
        { json, csv, most }: Json & { csv: boolean; most: number },
      ) => {
        await withService(async (service) => {
          const compared = await service
            .get(ReviewService)
            .diff(to === undefined ? null : readNumber(from), readNumber(to ?? from));
          if (csv)
            await pipeline(Readable.from(printDiffCsv(compared.diff)), process.stdout, {
              end: false,
            });
          else if (json)
            console.log(JSON.stringify({ ...compared, diff: diffAsJson(compared.diff) }));
          else {
            console.log(`From version ${compared.from} to version ${compared.to}`);
            process.stdout.write(diffInWords(compared.diff, most));
          }
        });
      },
    );
  catalogue
    .command('lint [version]')
    .description('say what is odd about a version, by default the active one, but no fault')
    .option('--rules', 'list the rules instead', false)
    .addOption(jsonOption())
    .action(async (text: string | undefined, { json, rules }: Json & { rules: boolean }) => {
      if (rules) {
        const known = Object.entries(lintRules).map(([rule, meaning]) => ({ rule, meaning }));
        return printRows(known, json);
      }
      const warnings = await withService(async (service) =>
        service.get(ReviewService).lint(await numberOr(service, text)),
      );
      if (json) printRows(warnings, true);
      else process.stdout.write(lintInWords(warnings, 20) || 'Nothing is odd.\n');
    });
  catalogue
    .command('export <folder>')
    .description('write a version as products.csv, prices.csv and coverage.csv')
    .option('--version <number>', 'the version; by default the active one')
    .action(async (folder: string, { version }: { version?: string }) => {
      await withService(async (service) => {
        const number = await numberOr(service, version);
        const { content } = await service.get(CatalogueService).version(number);
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, 'products.csv'), printProducts(content.products));
        await writeFile(join(folder, 'prices.csv'), printPrices(content.prices));
        await pipeline(
          Readable.from(printCoverage(content.coverage)),
          createWriteStream(join(folder, 'coverage.csv')),
        );
        console.log(`Version ${number} is in ${folder}.`);
      });
    });
}

function addMoves(catalogue: Command): void {
  catalogue
    .command('activate <version>')
    .description('take a draft or scheduled version into service at once')
    .option('--yes [why]', 'go on where a guard rail stops; the word is kept in the audit trail')
    .action(async (text: string, options: Accept) => {
      const version = await withService((service) =>
        service.get(VersionsService).activate(readNumber(text), wordOf(options), operator),
      );
      console.log(`Version ${version.number} is active.`);
    });
  catalogue
    .command('schedule <version>')
    .description('take a draft into service at an instant, on all instances together')
    .requiredOption('--at <instant>', '2026-12-01T00:00:00Z, or +10s, +5m, +2h', readWhen)
    .option('--yes [why]', 'go on where a guard rail stops; the word is kept in the audit trail')
    .action(async (text: string, { at, ...options }: Accept & { at: Date }) => {
      await withService((service) =>
        service.get(VersionsService).schedule(readNumber(text), at, wordOf(options), operator),
      );
      console.log(`Version ${text} becomes active at ${at.toISOString()}.`);
    });
  catalogue
    .command('withdraw <version>')
    .description('make a scheduled version a draft again')
    .action(async (text: string) => {
      await withService((service) =>
        service.get(VersionsService).withdraw(readNumber(text), operator),
      );
      console.log(`Version ${text} is a draft again.`);
    });
  catalogue
    .command('rollback [version]')
    .description('bring back the version before, or the one given, at once, under a new number')
    .action(async (text: string | undefined) => {
      const version = await withService((service) =>
        service
          .get(VersionsService)
          .rollback(text === undefined ? null : readNumber(text), operator),
      );
      console.log(
        `Version ${version.number} is active: it brings back the content of version ${version.contentOf}.`,
      );
    });
  catalogue
    .command('prune')
    .description('remove old versions, but none that an order or a kept check refers to')
    .option(
      '--keep <n>',
      'the newest versions to keep; by default CATALOGUE_VERSIONS_KEPT',
      readNumber,
    )
    .option('--dry-run', 'only say which', false)
    .action(async ({ keep, dryRun }: { keep?: number; dryRun: boolean }) => {
      const { removed, referred } = await withService((service) =>
        service
          .get(VersionsService)
          .prune(keep ?? service.get(Config).catalogueVersionsKept, dryRun, operator),
      );
      const verb = dryRun ? 'Would remove' : 'Removed';
      console.log(removed.length === 0 ? 'Nothing to remove.' : `${verb} ${removed.join(', ')}.`);
      if (referred.length > 0) console.log(`Kept because referred to: ${referred.join(', ')}.`);
    });
}

function wordOf({ yes }: Accept): string | null {
  return yes === undefined ? null : yes === true ? 'yes' : yes;
}

async function numberOr(
  service: INestApplicationContext,
  text: string | undefined,
): Promise<number> {
  if (text !== undefined) return readNumber(text);
  const active = await service.get(ReviewService).activeNumber();
  if (active === null) throw new Refused('No version is active. Next: catalogue import <folder>');
  return active;
}

/** The columns of the table; `--json` has more. */
const shown = [
  'number',
  'state',
  'label',
  'products',
  'prices',
  'places',
  'createdAt',
  'createdBy',
  'activatesAt',
  'activatedAt',
] as const;

function row(version: CatalogueVersion): object {
  return Object.fromEntries(shown.map((name) => [name, version[name]]));
}

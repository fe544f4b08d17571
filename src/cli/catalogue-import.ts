import { InvalidArgumentError } from 'commander';
import { writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { shownRails } from '../catalogue/content/review/guard-rails.js';
import { operator } from '../platform/audit/audit.service.js';
import { CatalogueRejected } from '../catalogue/versions/catalogue.errors.js';
import { diffAsJson, diffInWords } from '../catalogue/content/change-lists.js';
import type { FileFault, FileFaults } from '../platform/tables/csv-table.js';
import { calendarInWords } from '../catalogue/content/browse/calendar.js';
import { lintInWords } from '../catalogue/content/lint.js';
import type { CoverageSize } from '../catalogue/content/coverage-index.js';
import { csvRecord } from '../platform/tables/csv.js';
import {
  type ImportOptions,
  type ImportReport,
  ImportService,
  LIVE,
} from '../catalogue/versions/import.service.js';
import { UploadOptions } from '../catalogue/catalogue.dto.js';
import { Refused } from '../platform/problems/refused.js';
import {
  acceptedBy,
  acceptOption,
  type AcceptOption,
  jsonOption,
  type JsonOption,
} from './options.js';
import { commandInput } from './input-options.js';
import { writing, withProgress } from './output.js';
import type { ServiceCommand, Services } from './service-command.js';
import { whole } from '../platform/kernel/counts.js';

const uploadOptions = commandInput(UploadOptions, {
  label: ['--label <text>', 'a name for the version; default: the name of the folder or zip'],
});

interface ImportCommandOptions extends AcceptOption, JsonOption {
  readonly label?: string;
  readonly dryRun: boolean;
  readonly activate: boolean;
  readonly report?: string;
  readonly base?: ImportOptions['base'];
}

export function addImportCommand(catalogue: ServiceCommand): void {
  catalogue
    .add('import <folder-or-zip>')
    .taking(uploadOptions)
    .option('--dry-run', 'store nothing: only show what would change', false)
    .option('--activate', 'publish the version now', false)
    .option('--base <version>', 'take missing files from `live` or from this draft', readBase)
    .addOption(acceptOption())
    .option('--report <file>', 'also write the faults to this file, as CSV or (.json) JSON')
    .addOption(jsonOption('one JSON object'))
    .addHelpText(
      'after',
      `
The very first version is published at once. The exit code is 2 if a guard rail keeps a version a draft.

Examples:
  npm run cli -- catalogue import rates/ --dry-run
  npm run cli -- catalogue import rates.zip --activate
  npm run cli -- catalogue import new-postcodes/ --base live     # only coverage.csv has changed
  npm run cli -- catalogue import coverage.geojson --base live   # a map: one file that has changed
  npm run cli -- catalogue import rates/ --activate --yes "new rate card, approved by Ada"`,
    )
    .creating()
    .inService(importCatalogue);
}

async function importCatalogue(
  services: Services,
  path: string,
  options: ImportCommandOptions,
): Promise<void> {
  const { activate, dryRun, json } = options;
  const { label } = await uploadOptions.read({ label: options.label });
  const imports = services.get(ImportService);
  const first = !(await imports.hasActive());
  const report = await withProgress('Reading', (onProgress) =>
    imports.importFiles(path, {
      label: label || basename(resolve(path)),
      actor: operator,
      dryRun,
      activate: activate || first,
      accept: acceptedBy(options),
      base: options.base,
      onProgress,
    }),
  ).catch(async (error: unknown) => {
    if (!(error instanceof CatalogueRejected)) throw error;
    await reportFaults(error.faults, options);
    throw new Refused(error.detail);
  });
  printReport(report, json);
  if (report.stopped && report.outcome === 'draft') process.exitCode = 2;
}

/** Prints what an import or an adjustment found and did. */
export function printReport(report: ImportReport, json: boolean): void {
  console.log(json ? JSON.stringify(asJson(report)) : inWords(report));
}

/** Reads `live` or the number of a version. */
export function readBase(text: string): number | typeof LIVE {
  if (text === LIVE) return LIVE;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`Must be ${LIVE} or the number of a draft.`);
}

async function reportFaults(
  faults: FileFaults,
  { json, report }: ImportCommandOptions,
): Promise<void> {
  if (json) {
    console.log(JSON.stringify({ outcome: 'rejected', ...faults }));
  } else {
    for (const fault of faults.shown) console.log(faultInWords(fault));
    const hidden = faults.total - faults.shown.length;
    if (hidden > 0) console.log(`… and ${whole(hidden)} more.`);
  }
  // Last, because it can fail.
  if (report !== undefined) {
    const text = report.endsWith('.json') ? JSON.stringify(faults, null, 2) : faultsAsCsv(faults);
    await writing(report, () => writeFile(report, text));
  }
}

export function faultInWords({ file, line, column, value, reason, suggestion }: FileFault): string {
  const where = [`${file}:${line}`, column && `${column}${value && ` ${JSON.stringify(value)}`}`];
  return `${where.filter(Boolean).join(' ')}: ${reason} ${suggestion}`;
}

const faultColumns = ['file', 'line', 'column', 'value', 'reason', 'suggestion'] as const;

function faultsAsCsv({ shown }: FileFaults): string {
  const rows = shown.map((fault) => faultColumns.map((column) => fault[column]));
  return [faultColumns, ...rows].map(csvRecord).join('');
}

function asJson({ diff, rails, ...report }: ImportReport) {
  return { ...report, rails: shownRails(rails, true), diff: diff && diffAsJson(diff, true) };
}

function inWords(report: ImportReport): string {
  const { outcome, version, rails, warnings, diff, calendar, stopped, comparedWith } = report;
  if (outcome === 'no-change') return `No change: version ${version} has the same content.`;
  const parts: string[] = [];
  if (warnings.length > 0) parts.push(`Warnings\n${lintInWords(warnings)}`);
  if (diff) parts.push(`Changes from version ${comparedWith}\n${diffInWords(diff)}`);
  if (calendar.length > 0) parts.push(`Calendar\n${calendarInWords(calendar)}`);
  if (rails.length > 0) {
    const lines = shownRails(rails, true)
      .map(({ rail, detail }) => `  ${rail}: ${detail}\n`)
      .join('');
    parts.push(`Guard rails\n${lines}`);
  }
  parts.push(conclusion(outcome, version, report, stopped));
  return parts.join('\n');
}

function conclusion(
  outcome: ImportReport['outcome'],
  version: number | null,
  { products, prices, size, premises }: ImportReport,
  stopped: boolean,
): string {
  const content = `${products} products, ${prices} prices, ${places(size)}${premises > 0 ? `, ${premises} premises` : ''}`;
  switch (outcome) {
    case 'dry-run':
      return `Dry run: ${content}. Nothing was stored.${stopped ? ' A guard rail would stop this: confirm it with --yes.' : ''}`;
    case 'active':
      return `Version ${version} is active: ${content}.`;
    case 'draft':
    case 'no-change':
      return stopped
        ? `Version ${version} stays a draft: a guard rail stops it. To confirm: catalogue activate ${version} --yes "<reason>"`
        : `Version ${version} is a draft: ${content}. Next: catalogue activate ${version}`;
  }
}

function places(size: CoverageSize): string {
  const counted = Object.entries(size).filter(([, count]) => count > 0);
  return counted.map(([level, count]) => `${count} ${level}`).join(', ') || 'no coverage';
}

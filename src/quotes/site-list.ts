import { MOST_SITES } from '../platform/access/counting.js';
import { whole } from '../platform/kernel/counts.js';
import { type FieldError, Problem, ValidationFailed } from '../platform/problems/problem.js';
import { Refused } from '../platform/problems/refused.js';
import type { CsvFault } from '../platform/tables/csv.js';
import { readTableFile, type SheetsOfFile, tabbed } from '../platform/tables/table-file.js';
import { TableReader } from '../platform/tables/table-reader.js';
import { isPlaceholder, isRounded, ROUNDED, wholeNumberIn } from '../platform/tables/values.js';
import {
  type HeadOptions,
  knownNames,
  type ListColumn,
  type ListHead,
  readHead,
  type SiteColumn,
} from './site-columns.js';

export interface SiteListOptions extends HeadOptions {
  /** The name of a sheet of a workbook, in any case; the first one by default. */
  readonly sheet?: string | undefined;
  /** Of bandwidths that say no unit, in a column that says none: the answer to `needsUnit`. */
  readonly unit?: 'g' | 'm' | undefined;
  /** What the quote says for all sites. */
  readonly service?: string | undefined;
}

/** What is wrong with a cell. */
export interface SiteFault {
  readonly column: SiteColumn;
  /** A sentence that says what to write. */
  readonly detail: string;
}

export interface ListedSite {
  /** From 1, as an editor or a spreadsheet shows it. */
  readonly line: number;
  /** As written, one for each of `columns`. */
  readonly cells: readonly string[];
  /** The site as the API takes it, without the cells that have a fault. Its own rules are applied when it is answered. */
  readonly site: Readonly<Record<string, unknown>>;
  /** Only of cells that are read before the rules of a site: units, rounded numbers. */
  readonly faults: readonly SiteFault[];
}

/** A list of sites as it was read: see `readSiteList`. */
export interface SiteList extends ListHead {
  /** The names of the sheets of a workbook that are not hidden; empty for a text. */
  readonly sheets: readonly string[];
  /** The sheet that was read; null for a text. */
  readonly sheet: string | null;
  /** The line of the names. Those above it are a title, and left out. */
  readonly headLine: number;
  readonly rows: readonly ListedSite[];
  /** Neither the list nor the quote says a service: each site would have the cheapest of any. */
  readonly needsService: boolean;
  /** Some bandwidths could be in Gbit/s or Mbit/s: their rows have a fault until `unit` says which. */
  readonly needsUnit: boolean;
}

/** Why a list cannot be read at all. Line and column count from 1, a column being a value. */
export class UnreadableList extends Problem {
  constructor(detail: string, field = 'sites') {
    super('malformed-request', detail, { field });
  }

  static at(line: number, column: number, reason: string): UnreadableList {
    return new UnreadableList(`Line ${line}, column ${column}: ${reason}`);
  }
}

/** A site of a list with cells that cannot be read: its line of the quote is invalid. */
export class FaultySite {
  constructor(
    readonly site: Readonly<Record<string, unknown>>,
    readonly faults: readonly FieldError[],
  ) {}
}

const MOST_COLUMNS = 100;

const TOO_MANY_SITES = {
  pointer: '/sites',
  code: 'too-long',
  detail: `Must have at most ${whole(MOST_SITES)} sites.`,
};

/**
 * Reads a list of sites as a person has it: CSV, copied cells, or a workbook. Nothing is stored, so a page can show what was read
 * before a quote is made of it.
 *
 * - `columns` has each column of the list, with its meaning; null is left out, and named in `ignored`.
 * - `faults` (of the head) says all that is wrong with the names: two of one meaning, unknown ones unless `ignoreOtherColumns`, no postcode.
 *   The rows are read all the same, by the names that are known, so that a page can show them beside its choices. To make a quote of
 *   a list, use `sitesOf`, which refuses a head with faults.
 * - `rows` has each row with its line, its cells as written, and the site that it says.
 * - `needsUnit`, `needsService`: questions to ask before a quote is made. Read again with `unit` or `service` for the answers.
 *
 * To change how a column is read, read again with `columns: { site: 'Library name' }`, or with its letter: `{ site: 'B' }`.
 * To correct a cell, write the list again: `listText(list)` is it as text with tabs, and reads the same.
 *
 * @param bytes at most a few hundred kilobytes
 * @throws {UnreadableList} if it is no table, or a row cannot be split into cells: a sentence that names line and column
 * @throws {ValidationFailed} for too many sites
 */
export async function readSiteList(
  bytes: Uint8Array,
  options: SiteListOptions = {},
): Promise<SiteList> {
  const found: FoundRows = { names: [], headLine: 1, rows: [] };
  const table = new TableReader(
    { known: knownNames, hasComments: false },
    {
      onHead(names, line) {
        [found.names, found.headLine] = [names, line];
        refuseWide(names, line);
      },
      onRow(cells, line) {
        if (found.rows.length === MOST_SITES) throw new ValidationFailed([TOO_MANY_SITES]);
        found.rows.push({ cells: cellsOf(cells, line, found.names.length), line });
      },
      onFault({ line, column, reason, suggestion }: CsvFault) {
        throw UnreadableList.at(line, column, `${reason} ${suggestion}`);
      },
    },
  );
  const sheets = await readTableFile(bytes, options.sheet, table).catch((error: unknown) => {
    throw error instanceof Refused ? new UnreadableList(error.message, error.field) : error;
  });
  table.end();
  if (found.names.length === 0) {
    throw UnreadableList.at(1, 1, 'There is no row that names the columns.');
  }
  return listOf(found, sheets, options);
}

interface FoundRows {
  names: readonly string[];
  headLine: number;
  readonly rows: { readonly cells: readonly string[]; readonly line: number }[];
}

function refuseWide({ length }: readonly string[], line: number): void {
  if (length <= MOST_COLUMNS) return;
  const reason = `The row has more than ${MOST_COLUMNS} columns. Remove those that are not needed.`;
  throw UnreadableList.at(line, MOST_COLUMNS + 1, reason);
}

/** Trimmed, as many as there are names. */
function cellsOf(cells: readonly string[], line: number, expected: number): string[] {
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  if (last >= expected) {
    const reason = `The row has ${last + 1} values, but the names have ${expected}. Put a value with a separator in quotes.`;
    throw UnreadableList.at(line, expected + 1, reason);
  }
  const nul = cells.findIndex((cell) => cell.includes('\0'));
  if (nul >= 0) throw UnreadableList.at(line, nul + 1, 'The value has a NUL character. Remove it.');
  return Array.from({ length: expected }, (_, i) => cells[i]?.trim() ?? '');
}

function listOf(
  { names, headLine, rows }: FoundRows,
  sheets: SheetsOfFile | null,
  options: SiteListOptions,
): SiteList {
  const head = readHead(names, options);
  const read = rows.map((row) => siteOf(row, head, options.unit));
  const unnamed = head.columns.flatMap(({ name, letter }, i) =>
    name === '' && rows.some(({ cells }) => cells[i] !== '') ? `column ${letter}` : [],
  );
  const hasService = read.some(({ site }) => (site['wanted'] as { service?: string })?.service);
  return {
    ...head,
    ignored: [...head.ignored, ...unnamed],
    sheets: sheets?.sheets ?? [],
    sheet: sheets?.sheet ?? null,
    headLine,
    rows: read,
    needsService: options.service === undefined && !hasService,
    needsUnit: read.some(({ isDoubtful }) => isDoubtful),
  };
}

function siteOf(
  { cells, line }: FoundRows['rows'][number],
  { columns, isOwn }: ListHead,
  unit: SiteListOptions['unit'],
): ListedSite & { readonly isDoubtful: boolean } {
  const faults: SiteFault[] = [];
  const site: Record<string, unknown> = {};
  const wanted: Record<string, unknown> = {};
  let isDoubtful = false;
  for (const [i, column] of columns.entries()) {
    const { meaning } = column;
    const cell = meaning === null ? '' : valueIn(cells[i]!, meaning, isOwn);
    if (meaning === null || cell === '') continue;
    const value = meaningOf(cell, meaning, column, unit);
    isDoubtful ||= value instanceof UnitQuestion;
    if (value instanceof UnitQuestion) faults.push({ column: meaning, detail: value.detail });
    else if (meaning === 'uprn' && isRounded(String(value)))
      faults.push({ column: meaning, detail: ROUNDED });
    else if (WISHES.has(meaning)) wanted[meaning] = value;
    else site[meaning] = value;
  }
  if (Object.keys(wanted).length > 0) site['wanted'] = wanted;
  return { line, cells, site, faults, isDoubtful };
}

const WISHES: ReadonlySet<SiteColumn> = new Set(['bandwidth', 'term', 'service']);

/** Empty for what says nothing. A name is one line; notes may have several. */
function valueIn(cell: string, meaning: SiteColumn, isOwn: boolean): string {
  const text = isOwn ? cell.replace(/^'(?=\s*[=+\-@])/, '') : cell;
  if (meaning === 'notes') return text;
  if (meaning !== 'site' && isPlaceholder(text)) return '';
  return text.replaceAll(/\s*[\r\n]+\s*/g, ' ');
}

function meaningOf(
  cell: string,
  meaning: SiteColumn,
  { unit: ofHead }: ListColumn,
  unit: string | undefined,
): string | number | UnitQuestion {
  if (meaning === 'bandwidth') return readBandwidth(cell, ofHead ?? unit);
  if (meaning === 'term') return readTerm(cell, ofHead);
  return meaning === 'uprn' ? wholeNumberIn(cell) : cell;
}

/**
 * The sites of a list, to make a quote of.
 * @throws {ValidationFailed} if there are none, or the names of the columns have faults: all of them
 */
export function sitesOf({ faults, rows }: SiteList): object[] {
  if (faults.length > 0) throw new ValidationFailed(faults);
  if (rows.length === 0) {
    const detail = 'Must have at least one site.';
    throw new ValidationFailed([{ pointer: '/sites', code: 'too-short', detail }]);
  }
  return rows.map(({ site, faults: ofSite }) =>
    ofSite.length === 0 ? site : new FaultySite(site, ofSite.map(fieldOf)),
  );
}

function fieldOf({ column, detail }: SiteFault): FieldError {
  const pointer = WISHES.has(column) ? `/wanted/${column}` : `/${column}`;
  return { pointer, code: 'not-allowed', detail };
}

/** The list as text with tabs, as cells are copied from a spreadsheet. */
export function listText({ columns, rows }: Pick<SiteList, 'columns' | 'rows'>): string {
  const lines = [columns.map(({ name }) => name), ...rows.map(({ cells }) => cells)];
  return lines.map(tabbed).join('\n');
}

/** Of bandwidths, by the first letter: in Gbit/s. */
const gigabits: Readonly<Record<string, number>> = { g: 1, m: 0.001, k: 0.000_001 };

/** A letter, and what people write after it: `Gig`, `GbE`, `Mbit/s`, `mbps`. */
const UNIT =
  '(?:([gmk])(?:b(?:it)?s?|be|e|[ie]gs?|[ie]ga(?:bit)?s?|ig-?e)?(?:\\/s(?:ec(?:ond)?)?|ps)?)?';
const NUMBER = '([\\d.,\\s]*\\d)';
const BANDWIDTH = new RegExp(`^${NUMBER}\\s*${UNIT}(?:\\s*/\\s*${NUMBER}\\s*${UNIT})?$`, 'i');

/** From here on, a number without a unit is mostly one of Mbit/s. */
const DOUBTFUL = 30;

/** A bandwidth without a unit that could be one of either. */
export class UnitQuestion {
  constructor(private readonly number: number) {}

  get detail(): string {
    const number = whole(this.number);
    return `${number} Gbit/s, or did you mean ${number} Mbit/s? Write the unit, such as ${number} Mbit/s.`;
  }
}

/**
 * Gbit/s: `1`, `1G`, `1 Gig`, `1GbE`, `100M`, `100meg`, `10,000 Mbit/s`, `2,5 Gbps`, `100/100` (Mbit/s both ways). Any other text stays as it
 * is, also `100/20`.
 * @param unit of numbers without one: `g`, `m` or `k`; undefined if nothing says it
 */
export function readBandwidth(text: string, unit?: string): number | string | UnitQuestion {
  const [, first, ownUnit, second, secondUnit] = BANDWIDTH.exec(text) ?? [];
  const number = first === undefined ? null : readNumber(first);
  if (number === null) return text;
  const isBothWays = second !== undefined;
  const assumed = number < DOUBTFUL ? 'g' : isBothWays ? 'm' : undefined;
  const said = (ownUnit ?? secondUnit ?? unit ?? assumed)?.toLowerCase();
  if (
    isBothWays &&
    (readNumber(second) !== number || (secondUnit ?? said)?.toLowerCase() !== said)
  ) {
    return text;
  }
  if (said === undefined) return new UnitQuestion(number);
  return Math.round(number * gigabits[said]! * 1e6) / 1e6;
}

/** A comma before three digits separates thousands; after a zero or before other numbers of digits it is a decimal point. */
function readNumber(digits: string): number | null {
  const plain = digits
    .replaceAll(/\s/g, '')
    .replaceAll(/(?<!^0),(?=\d{3}(?:\D|$))/g, '')
    .replace(',', '.');
  return /^\d+(?:\.\d+)?$/.test(plain) ? Number(plain) : null;
}

/** Months: `36`, `36 months`, `3 years`. @param unit of numbers without one: `m` or `y` */
export function readTerm(text: string, unit = 'm'): number | string {
  const [, digits, ownUnit = unit] =
    /^(\d{1,3})(?:\.0+)?\s*-?\s*(?:(m|y)[a-z]*)?$/i.exec(text) ?? [];
  return digits === undefined ? text : Number(digits) * (ownUnit.toLowerCase() === 'y' ? 12 : 1);
}

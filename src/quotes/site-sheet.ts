import { type CsvError, parse } from 'csv-parse/sync';
import { MOST_SITES } from '../platform/access/counting.js';
import { whole } from '../platform/kernel/counts.js';
import { decoded, upperFirst } from '../platform/kernel/text.js';
import { Problem, ValidationFailed } from '../platform/problems/problem.js';
import { rowsIn, type SheetRow } from './sheet-rows.js';

/** A row as a site of a quote: what cannot be read stays as it is, for the rules of a site to refuse. */
type SheetSite = Readonly<Record<string, unknown>>;

/** Why a spreadsheet cannot be read. Line and column count from 1, a column being a field. */
export class UnreadableSheet extends Problem {
  constructor(line: number, column: number, reason: string) {
    super('malformed-request', `Line ${line}, column ${column}: ${reason}`, { field: 'sites' });
  }
}

const columns = ['site', 'postcode', 'uprn', 'bandwidth', 'term', 'service', 'notes'] as const;
type SheetColumn = (typeof columns)[number];

/** What is wrong with a row, with the columns in place of the fields of the API: `Bandwidth: …`. */
export function inColumns(detail: string): string {
  return detail.replaceAll(/(?<=^|\. )(?:wanted\.)?([a-z]+)(?=: )/g, (field, name: string) =>
    (columns as readonly string[]).includes(name) ? upperFirst(name) : field,
  );
}

const SEPARATORS = [',', ';', '\t'];

/** Characters of a row; its notes have 2,000. */
const LONGEST_ROW = 16_384;
const MOST_COLUMNS = 100;

/**
 * Reads a spreadsheet as Excel and LibreOffice export it: `,`, `;` or tab between the fields, quoted fields with
 * line breaks, a byte order mark, empty rows. The first row names the columns in any order and case. No cell is read
 * of a spreadsheet with too many rows.
 * @param bytes UTF-8, UTF-16 with a byte order mark, or Windows-1252, as old programs write
 * @throws {UnreadableSheet | ValidationFailed}
 */
export function readSites(bytes: Uint8Array): SheetSite[] {
  const [head, ...rows] = recordsIn(decoded(bytes));
  if (!head) throw new UnreadableSheet(1, 1, 'There is no row that names the columns.');
  const names = columnsIn(head);
  return rows.map(({ record, line }) => {
    if (record.length > names.length) {
      const reason = `The row has ${record.length} fields, but the first row has ${names.length}. Put a field with a separator in quotes.`;
      throw new UnreadableSheet(line, names.length + 1, reason);
    }
    const nul = record.findIndex((cell) => cell.includes('\0'));
    if (nul >= 0) {
      const before = record
        .slice(0, nul + 1)
        .join()
        .split('\0', 1)[0]!;
      const at = line + before.split('\n').length - 1;
      throw new UnreadableSheet(at, nul + 1, 'The field has a NUL character. Remove it.');
    }
    const cells = record.flatMap((cell, i) => {
      const name = names[i];
      return name === undefined || cell === '' ? [] : [[name, cell] as const];
    });
    return siteOf(Object.fromEntries(cells));
  });
}

interface SheetRecord {
  readonly record: readonly string[];
  readonly line: number;
}

/** The records with content. */
function recordsIn(sheet: string): SheetRecord[] {
  const text = sheet.startsWith('\uFEFF') ? sheet.slice(1) : sheet;
  const separator = separatorOf(text);
  const rows = rowsIn(text, { separator, most: MOST_SITES + 2, longest: LONGEST_ROW });
  for (const row of rows) refuseLarge(row);
  if (rows.length > MOST_SITES + 1) throw new ValidationFailed([TOO_MANY_SITES]);
  const filled = rows.map(({ start, end }) => text.slice(start, end).replace(/\r$/, '')).join('\n');
  return parsed(filled, separator, rows).flatMap((record, i) =>
    record.some((cell) => cell !== '') ? [{ record, line: rows[i]?.line ?? 1 }] : [],
  );
}

const TOO_MANY_SITES = {
  pointer: '/sites',
  code: 'too-long',
  detail: `Must have at most ${whole(MOST_SITES)} sites.`,
};
const NOT_CLOSED = 'A quote is not closed. Close it, or write "" for a quote inside a field.';

function refuseLarge({ line, start, end, fields, isOpen }: SheetRow): void {
  if (end - start > LONGEST_ROW && isOpen) throw new UnreadableSheet(line, fields, NOT_CLOSED);
  if (end - start > LONGEST_ROW) {
    const reason = `The row has more than ${whole(LONGEST_ROW)} characters. Shorten it.`;
    throw new UnreadableSheet(line, 1, reason);
  }
  if (fields > MOST_COLUMNS) {
    const reason = `The row has more than ${MOST_COLUMNS} fields. Remove the columns that are not needed.`;
    throw new UnreadableSheet(line, MOST_COLUMNS + 1, reason);
  }
}

function parsed(text: string, delimiter: string, rows: readonly SheetRow[]): string[][] {
  try {
    return parse(text, { delimiter, relax_column_count: true, trim: true });
  } catch (error) {
    const { code, records, column } = error as CsvError & { records: number; column: number };
    const reason =
      code === 'CSV_QUOTE_NOT_CLOSED'
        ? NOT_CLOSED
        : 'There is a quote inside a field. Put the whole field in quotes, and write "" for each quote in it.';
    throw new UnreadableSheet(rows[records]?.line ?? 1, column + 1, reason);
  }
}

/** That of the first row: most spreadsheets outside the UK write `;`. */
function separatorOf(text: string): string {
  const [line = ''] = /^.*\S.*$/m.exec(text) ?? [];
  const counts = SEPARATORS.map((separator) => line.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}

/** Undefined for a column without a name, which is left out. */
function columnsIn({ record, line }: SheetRecord): (SheetColumn | undefined)[] {
  const names = record.map((name, i) => columnOf(name, line, i + 1));
  if (!names.includes('postcode')) {
    throw new UnreadableSheet(line, 1, 'No column is named postcode.');
  }
  for (const [i, name] of names.entries()) {
    const first = names.indexOf(name);
    if (name === undefined || first === i) continue;
    const reason = `Columns ${first + 1} and ${i + 1} are both named ${name}. Remove one of them.`;
    throw new UnreadableSheet(line, i + 1, reason);
  }
  return names;
}

function columnOf(text: string, line: number, column: number): SheetColumn | undefined {
  const name = text.toLowerCase();
  if (name === '') return undefined;
  const known = columns.find((one) => one === name);
  if (known) return known;
  const reason = `There is no column of this name. The columns are ${columns.join(', ')}; all but postcode are optional.`;
  throw new UnreadableSheet(line, column, reason);
}

function siteOf(cells: Readonly<Partial<Record<SheetColumn, string>>>): SheetSite {
  const { bandwidth, term, service, ...site } = cells;
  if (bandwidth === undefined && term === undefined && service === undefined) return site;
  const wanted = {
    bandwidth: bandwidth && readBandwidth(bandwidth),
    term: term && readTerm(term),
    service,
  };
  return { ...site, wanted };
}

const gigabits: Readonly<Record<string, number>> = { '': 1, g: 1, m: 0.001, k: 0.000_001 };

/** Gbit/s: `1`, `1G`, `100M`, `10,000 Mbit/s`, `2,5 Gbps`. Any other text stays as it is. */
export function readBandwidth(text: string): number | string {
  const [, digits, unit = ''] =
    /^([\d.,\s]*\d)\s*([gmk]?)(?:b|bit|bits)?(?:\/s|ps)?$/i.exec(text) ?? [];
  if (digits === undefined) return text;
  const number = readNumber(digits);
  return number === null ? text : Math.round(number * gigabits[unit.toLowerCase()]! * 1e6) / 1e6;
}

/** A comma before three digits separates thousands; after a zero or before other numbers of digits it is a decimal point. */
function readNumber(digits: string): number | null {
  const plain = digits
    .replaceAll(/\s/g, '')
    .replaceAll(/(?<!^0),(?=\d{3}(?:\D|$))/g, '')
    .replace(',', '.');
  return /^\d+(?:\.\d+)?$/.test(plain) ? Number(plain) : null;
}

/** Months: `36`, `36 months`, `3 years`. */
function readTerm(text: string): number | string {
  const [, digits, unit = 'm'] = /^(\d{1,3})\s*(?:(m|y)[a-z]*)?$/i.exec(text) ?? [];
  return digits === undefined ? text : Number(digits) * (unit.toLowerCase() === 'y' ? 12 : 1);
}

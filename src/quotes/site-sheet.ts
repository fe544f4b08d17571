import { type CsvError, type Info, parse } from 'csv-parse/sync';
import { decoded, upperFirst } from '../platform/kernel/text.js';
import { Problem } from '../platform/problems/problem.js';

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

interface SheetRecord {
  readonly record: readonly string[];
  readonly info: Info;
}

/**
 * Reads a spreadsheet as Excel and LibreOffice export it: `,`, `;` or tab between the fields, quoted fields with
 * line breaks, a byte order mark, empty rows. The first row names the columns in any order and case.
 * @param bytes UTF-8, UTF-16 with a byte order mark, or Windows-1252, as old programs write
 * @throws {UnreadableSheet}
 */
export function readSites(bytes: Uint8Array): SheetSite[] {
  const text = decoded(bytes);
  const [head, ...rows] = recordsIn(text);
  if (!head) throw new UnreadableSheet(1, 1, 'There is no row that names the columns.');
  const names = head.record.map((name, i) => columnOf(name, head.info.lines, i + 1));
  if (!names.includes('postcode')) {
    throw new UnreadableSheet(head.info.lines, 1, 'No column is named postcode.');
  }
  return rows.map(({ record, info }) => {
    if (record.length > names.length) {
      const reason = `The row has ${record.length} fields, but the first row has ${names.length}. Put a field with a separator in quotes.`;
      throw new UnreadableSheet(info.lines, names.length + 1, reason);
    }
    const nul = record.findIndex((cell) => cell.includes('\0'));
    if (nul >= 0) {
      throw new UnreadableSheet(info.lines, nul + 1, 'The field has a NUL character. Remove it.');
    }
    const cells = record.flatMap((cell, i) => {
      const name = names[i];
      return name === undefined || cell === '' ? [] : [[name, cell] as const];
    });
    return siteOf(Object.fromEntries(cells));
  });
}

function recordsIn(text: string): SheetRecord[] {
  try {
    return parse(text, {
      bom: true,
      delimiter: separatorOf(text),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
    }) as unknown as SheetRecord[];
  } catch (error) {
    const { code, lines, column } = error as CsvError & { lines: number; column: number };
    const reason =
      code === 'CSV_QUOTE_NOT_CLOSED'
        ? 'A quote is not closed. Close it, or write "" for a quote inside a field.'
        : 'There is a quote inside a field. Put the whole field in quotes, and write "" for each quote in it.';
    throw new UnreadableSheet(lines, column + 1, reason);
  }
}

/** That of the first row: most spreadsheets outside the UK write `;`. */
function separatorOf(text: string): string {
  const [line = ''] = /^.*\S.*$/m.exec(text) ?? [];
  const counts = SEPARATORS.map((separator) => line.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}

/** Undefined for a column without a name, which is left out. */
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

/** Gbit/s: `1`, `1G`, `100M`, `10,000 Mbit/s`, `2,5 Gbps`. A text that is none of these stays as it is. */
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

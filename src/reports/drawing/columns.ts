/** A column of a report is declared once: a property of the JSON, a column of the CSV file and of the table. */
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { csvLine } from '../../platform/kernel/text.js';
import { decimalsOf, formatOf } from '../../platform/kernel/money.js';
import { areaWords } from '../sector-places.js';
import { ReportAmount } from '../report-query.dto.js';
import { minutes, percent } from './chart-scale.js';
import { dayName } from './period.js';

/** `value` is what an export has instead of the text. */
export interface PrintedCell {
  readonly text: string;
  readonly href?: string;
  readonly value?: string | number;
}

/** Null is empty. */
export type Cell = string | number | null | PrintedCell;

/** A column of the table and of the export, whose heading may name a unit. */
export interface PrintedColumn {
  readonly name: string;
  readonly csv?: string;
  /** One for each row. */
  readonly cells: readonly Cell[];
}

export interface ReportColumn<Value> {
  /** Of the property; its description may have the tags of a doc comment. */
  readonly schema: ApiPropertyOptions;
  /** What people read: several columns for amounts in several currencies, none for an id. */
  print(this: void, values: readonly Value[]): readonly PrintedColumn[];
}

export type ReportColumns = Readonly<Record<string, ReportColumn<unknown>>>;

export type RowOf<Columns> = {
  readonly [Name in keyof Columns]: Columns[Name] extends ReportColumn<infer Value> ? Value : never;
};

/** @param cellOf what people read; without it, the value */
function column<Value extends string | number>(
  name: string,
  schema: ApiPropertyOptions,
  cellOf: (value: Value) => Cell = (value) => value,
  csv?: string,
): ReportColumn<Value> {
  return { schema, print: (values) => [{ name, csv, cells: values.map(cellOf) }] };
}

/** A number of orders, checks or charges. */
export function count(name: string, words: string): ReportColumn<number> {
  return column(name, { type: 'number', description: `${words} @kind count` });
}

export function text(
  name: string,
  words: string,
  cellOf?: (value: string) => Cell,
): ReportColumn<string> {
  return column(name, { type: 'string', description: words }, cellOf);
}

/** A code, for which people read a name. The words explain each code. */
export function code<Code extends string>(
  name: string,
  words: string,
  names: Readonly<Record<Code, string>>,
): ReportColumn<Code> {
  const schema: ApiPropertyOptions = { type: 'string', enum: Object.keys(names) };
  return column(name, { ...schema, description: words }, (value) => names[value]);
}

export function day(name: string, words: string): ReportColumn<string> {
  return text(name, `${words} @format date`, (value) => ({ text: dayName(value), value }));
}

/** A share as 0.46, which people read as "46%". @param csv the heading in an export */
export function share(name: string, words: string, csv?: string): ReportColumn<number | null> {
  const cellOf = (value: number): Cell => ({ text: percent(value), value });
  return orNull(column(name, { type: 'number', description: words }, cellOf, csv));
}

/** Working minutes as 65, which people read as "1 h 5 min". */
export function workingMinutes(name: string, words: string): ReportColumn<number | null> {
  const cellOf = (value: number): Cell => ({ text: minutes(value), value });
  const schema: ApiPropertyOptions = { type: 'number', description: words };
  return orNull(column(name, schema, cellOf, `${name} (minutes)`));
}

/** Amounts by currency, with a printed column for each. @param name what they are, such as "per month" */
export function amounts(name: string, words: string): ReportColumn<readonly ReportAmount[]> {
  return {
    schema: { type: ReportAmount, isArray: true, maxItems: 200, description: words },
    print: (values) => {
      const currencies = new Set(values.flat().map(({ currency }) => currency));
      return [...currencies].sort().map((currency) => ({
        name: `${symbolOf(currency)} ${name}`,
        csv: `${currency} ${name}`,
        cells: values.map((all) => {
          const value = all.find((one) => one.currency === currency)?.amount ?? 0;
          return { text: amountText(value, currency), value };
        }),
      }));
    },
  };
}

/** A postcode area, which people read with its town. */
export function area(): ReportColumn<string> {
  const words = 'The postcode area. @pattern ^[A-Z]{1,2}$ @maxLength 2 @example "EC"';
  return text('Area', words, (value) => ({ text: areaWords(value), value }));
}

/** A column that some rows have no value of. @param empty what people read there */
export function orNull<Value>(
  { schema, print }: ReportColumn<Value>,
  empty: Cell = null,
): ReportColumn<Value | null> {
  return {
    schema: { ...schema, nullable: true },
    print: (values) => {
      const printed = print(values.filter((value) => value !== null));
      return printed.map(({ cells, ...heading }) => {
        const left = cells[Symbol.iterator]();
        const all = values.map((value) => (value === null ? empty : (left.next().value ?? null)));
        return { ...heading, cells: all };
      });
    },
  };
}

/** A column of the JSON alone, such as an id. */
export function unprinted<Value>({ schema }: ReportColumn<Value>): ReportColumn<Value> {
  return { schema, print: () => [] };
}

/** What people read of the rows. The first column names them; the others are numbers. */
export function printed<Columns extends ReportColumns>(
  columns: Columns,
  rows: readonly RowOf<Columns>[],
): PrintedColumn[] {
  return Object.entries(columns).flatMap(([name, { print }]) =>
    print(rows.map((row) => row[name])),
  );
}

export function csvOf(columns: readonly PrintedColumn[]): string {
  const plain = (cell: Cell | undefined) =>
    typeof cell === 'object' && cell !== null ? (cell.value ?? cell.text) : cell;
  const rows = (columns[0]?.cells ?? []).map((_, i) => columns.map(({ cells }) => plain(cells[i])));
  return [columns.map(({ name, csv = name }) => csv), ...rows].map(csvLine).join('');
}

/** "1,234.50", with the decimals of the currency. */
function amountText(amount: number, currency: string): string {
  const parts = formatOf(currency, decimalsOf(currency)).formatToParts(amount);
  return parts.map(({ type, value }) => (type === 'currency' ? '' : value)).join('');
}

/** "£" for GBP. */
function symbolOf(currency: string): string {
  const parts = new Intl.NumberFormat('en-GB', { style: 'currency', currency }).formatToParts(0);
  return parts.find(({ type }) => type === 'currency')?.value ?? currency;
}

/** "£12,346" in whole units, and "£12,346 + €90" of several currencies; "–" without any. */
export function amountsInWords(all: readonly ReportAmount[]): string {
  const texts = all.map(({ amount, currency }) => formatOf(currency, 0).format(amount));
  return texts.join(' + ') || '–';
}

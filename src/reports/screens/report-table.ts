import { csvLine } from '../../platform/kernel/text.js';
import type { MonthlyAmount } from '../reports.dto.js';
import { decimalsOf } from '../../platform/kernel/money.js';
import { minutes, percent } from './chart-scale.js';

/** `value` is what an export has instead of the text. */
export interface LinkedCell {
  readonly text: string;
  readonly href?: string;
  readonly value?: string | number;
}

/** Null is empty. */
export type Cell = string | number | null | LinkedCell;

export interface ReportTable {
  /** The first column names the rows; the others are numbers. */
  readonly columns: readonly { readonly name: string; readonly csv: string }[];
  readonly rows: readonly (readonly Cell[])[];
}

type CellOf<Item> = (item: Item) => Cell;

/** The cells of a column by its heading, which in an export may name a unit. */
export type ReportColumns<Item> = Readonly<
  Record<string, CellOf<Item> | { readonly csv: string; readonly of: CellOf<Item> }>
>;

/** A table with a row for each item. */
export function tableOf<Item>(items: readonly Item[], columns: ReportColumns<Item>): ReportTable {
  const all = Object.entries(columns).map(([name, column]) =>
    typeof column === 'function' ? { name, csv: name, of: column } : { name, ...column },
  );
  return {
    columns: all.map(({ name, csv }) => ({ name, csv })),
    rows: items.map((item) => all.map(({ of }) => of(item))),
  };
}

export function csvOf({ columns, rows }: ReportTable): string {
  const plain = (cell: Cell) =>
    typeof cell === 'object' && cell !== null ? (cell.value ?? cell.text) : cell;
  return [columns.map(({ csv }) => csv), ...rows.map((cells) => cells.map(plain))]
    .map(csvLine)
    .join('');
}

/** A share as "46%", and 0.46 in an export. */
export function shareCell(share: number | null): Cell {
  return share === null ? null : { text: percent(share), value: share };
}

/** A column of working minutes as "1 h 5 min", and 65 in an export. */
export function minutesColumn<Item>(name: string, of: (item: Item) => number | null) {
  const cellOf = (value: number | null): Cell =>
    value === null ? null : { text: minutes(value), value };
  return { [name]: { csv: `${name} (minutes)`, of: (item: Item) => cellOf(of(item)) } };
}

/**
 * A column for each currency.
 * @param name what the amounts are, such as "per month"
 * @param of null for a row that has no amounts
 */
export function amountColumns<Item>(
  items: readonly Item[],
  name: string,
  of: (item: Item) => readonly MonthlyAmount[] | null,
): ReportColumns<Item> {
  const currencies = new Set(
    items.flatMap((item) => of(item) ?? []).map(({ currency }) => currency),
  );
  return Object.fromEntries(
    [...currencies].sort().map((currency) => {
      const cellOf = (item: Item): Cell => {
        const amounts = of(item);
        if (amounts === null) return null;
        const amount = amounts.find((one) => one.currency === currency)?.amount ?? 0;
        return { text: amountText(amount, currency), value: amount };
      };
      return [`${symbolOf(currency)} ${name}`, { csv: `${currency} ${name}`, of: cellOf }];
    }),
  );
}

/** "1,234.50", with the decimals of the currency. */
function amountText(amount: number, currency: string): string {
  const digits = decimalsOf(currency);
  return amount.toLocaleString('en-GB', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** "£" for GBP. */
function symbolOf(currency: string): string {
  const parts = new Intl.NumberFormat('en-GB', { style: 'currency', currency }).formatToParts(0);
  return parts.find(({ type }) => type === 'currency')?.value ?? currency;
}

/** "£12,346" in whole units, and "£12,346 + €90" of several currencies; "–" without any. */
export function amountsInWords(amounts: readonly MonthlyAmount[]): string {
  const texts = amounts.map(({ amount, currency }) =>
    new Intl.NumberFormat('en-GB', {
      style: 'currency',
      currency,
      maximumFractionDigits: 0,
    }).format(amount),
  );
  return texts.join(' + ') || '–';
}

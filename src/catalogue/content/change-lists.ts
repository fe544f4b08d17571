import { type ComparedFile, comparedFiles, fieldsOf, fileInfo } from './catalogue-files.js';
import { type CatalogueDiff, isNoChange, postcodeChanges, type RowChange } from './diff.js';
import { type DatedSummary, listedFields, type PriceSummary } from './price-changes.js';
import { datesInWords } from './dates.js';
import { productFields, type ProductRow, type PublishedField } from './offer-fields.js';
import {
  type AnyRow,
  cellOf,
  cellsInWords,
  entriesOf,
  type FieldsOfRows,
  inBrief,
  inWords,
  keyOfRow,
  plain,
  publishPrice,
  publishProduct,
} from './offers.js';
import { BORDER_METRES } from '../polygons/placement.js';
import { premisesChanges } from './premises-diff.js';
import { counted, whole } from '../../platform/kernel/counts.js';
import { withoutFormula } from '../../platform/kernel/text.js';
import { csvChunks } from '../../platform/tables/csv.js';

/** One change, in the columns of the CSV file. */
export interface ListedChange {
  readonly what: string;
  /** `gained`, `added`, `changed`. */
  readonly change: string;
  readonly subject: string;
  /** Of prices; otherwise empty, like the price list. */
  readonly zone: string;
  readonly priceList: string;
  /** On which a price changes: `2027-01-01 to 2027-01-31`; empty for all days. */
  readonly dates: string;
  readonly before: string | number;
  readonly after: string | number;
  /** Of amounts; null if one of them is missing, 0, or in another currency. */
  readonly percent?: number | null;
}

export interface KindCount {
  /** `gained`, `added`. */
  readonly change: string;
  readonly count: number;
}

/** A list of changes of one kind, biggest first where they are amounts. */
export interface ChangeSection {
  /** In addresses and JSON: `prices`. */
  readonly name: string;
  readonly heading: string;
  readonly count: number;
  /** Of each kind that occurs. */
  readonly kinds: readonly KindCount[];
  /** The same by days, if they have dates. */
  readonly periods?: readonly DatedSummary[];
  /** The changes from one position up to another. @param print for amounts and other terms */
  readonly slice: (from: number, to: number, print?: typeof inBrief) => Iterable<ListedChange>;
}

/**
 * Everything that changes for clients. Words, JSON, CSV and pages are made from these lists, in this order; a
 * new kind of change is added here alone, and a new file of rows in `catalogueFiles`.
 */
export function changeLists(diff: CatalogueDiff): ChangeSection[] {
  const postcodes = diff.postcodes.changes;
  const premises = diff.premises.changes;
  return [
    {
      name: 'postcodes',
      heading: 'Postcodes',
      count: postcodes.keys.length,
      kinds: kindsOf(diff.postcodes.counts),
      slice: (from, to) =>
        postcodeChanges({
          ...postcodes,
          keys: postcodes.keys.subarray(from, to),
          from: postcodes.from.subarray(from, to),
          to: postcodes.to.subarray(from, to),
        }).map((row) => listed('postcode', { ...row, subject: row.place })),
    },
    {
      name: 'places',
      heading: 'Places (sectors to areas)',
      count: diff.places.changes.length,
      kinds: kindsOf(diff.places.counts),
      slice: (from, to) =>
        diff.places.changes
          .slice(from, to)
          .map((row) => listed(row.level, { ...row, subject: row.place })),
    },
    {
      name: 'premises',
      heading: 'Listed premises',
      count: premises.uprns.length,
      kinds: kindsOf(diff.premises.counts),
      slice: (from, to) =>
        premisesChanges({
          zones: premises.zones,
          uprns: premises.uprns.subarray(from, to),
          postcodes: premises.postcodes.subarray(from, to),
          kinds: premises.kinds.subarray(from, to),
          from: premises.from.subarray(from, to),
          to: premises.to.subarray(from, to),
        }).map((row) => listed('premises', { ...row, subject: `${row.uprn} ${row.postcode}` })),
    },
    ...comparedFiles.map((file) => rowSection(file, diff.rows[file])),
    ...listedFields().map(({ list, heading, field, column }) => ({
      name: list,
      heading,
      count: diff[list].length,
      kinds: kindsOf(kindCounts(diff.summaries[list])),
      periods: diff.summaries[list].filter(({ days }) => days !== ''),
      slice: (from: number, to: number, print: typeof plain | typeof inBrief = plain) =>
        diff[list].slice(from, to).map(({ productCode, before, after, percent, ...key }) => {
          const [cell, later] = [before, after].map((row) =>
            row ? print(field, publishPrice(row)) : '',
          );
          const change = kindOf(before, after);
          const cells = listed(column, { change, subject: productCode, from: cell!, to: later! });
          return { ...cells, ...key, ...(field.isMoney && { percent }) };
        }),
    })),
  ];
}

/** How many rows two comparisons both change, on any days and in any way. */
export function changedByBoth(one: CatalogueDiff, other: CatalogueDiff): number {
  const lists = changeLists(other);
  return changeLists(one).reduce((sum, list, i) => {
    const [few, many] = [list, lists[i]!].toSorted((a, b) => a.count - b.count);
    const rows = new Set(rowsOf(few!));
    return sum + new Set(rowsOf(many!).filter((row) => rows.has(row))).size;
  }, 0);
}

type SidesInWords = readonly [before: string, after: string];

/** Rows of a file that are shown cell by cell; cells that both sides share are left out. */
function rowSection(file: ComparedFile, changes: readonly RowChange[]): ChangeSection {
  const { heading, what } = fileInfo(file).changes!;
  const fields = fieldsOf(file);
  return {
    name: file,
    heading,
    count: changes.length,
    kinds: rowKinds(changes),
    slice: (start, end) =>
      changes.slice(start, end).map(({ before, after }) => {
        const subject = keyOfRow(fields, (after ?? before)!);
        const [from, to] =
          file === 'products'
            ? productCells(before as ProductRow | null, after as ProductRow | null)
            : rowCells(fields, before, after);
        return listed(what, { change: kindOf(before, after), subject, from, to });
      }),
  };
}

function rowCells(fields: FieldsOfRows, ...sides: readonly (object | null)[]): SidesInWords {
  const rows = sides as readonly (AnyRow | null)[];
  const isShared = (property: string) => {
    const entry = entriesOf(fields).find(([name]) => name === property)!;
    const [before, after] = rows.map((row) => row && cellOf(entry, row));
    return before === after;
  };
  const [before, after] = rows.map((row) => (row ? cellsInWords(fields, row, isShared) : ''));
  return [before!, after!];
}

/** `1G Internet; 1 Gbit/s on a 10 Gbit/s bearer; 12 months`. */
function productCells(before: ProductRow | null, after: ProductRow | null): SidesInWords {
  const [old, fresh] = [before, after].map((row) => (row ? productParts(row) : []));
  const onlyIn = (parts: string[], others: string[]) =>
    parts.filter((part, i) => part !== others[i]).join('; ');
  return [onlyIn(old!, fresh!), onlyIn(fresh!, old!)];
}

function productParts(row: ProductRow): string[] {
  const product = publishProduct(row);
  const shown = entriesOf(productFields).flatMap(([, field]) =>
    field.label === undefined ? [] : inWords(field as PublishedField, product),
  );
  const dates = datesInWords({ validFrom: row.soldFrom, validUntil: row.soldUntil });
  return [product.name, ...shown, dates ? `sold ${dates}` : []].flat();
}

function listed(
  what: string,
  row: {
    readonly change: string;
    readonly subject: string;
    readonly from: string | number | null;
    readonly to: string | number | null;
  },
): ListedChange {
  const { change, subject, from, to } = row;
  const [before, after] = [from ?? '', to ?? ''];
  return { what, change, subject, zone: '', priceList: '', dates: '', before, after };
}

function kindOf(before: object | null, after: object | null): 'added' | 'removed' | 'changed' {
  return !before ? 'added' : !after ? 'removed' : 'changed';
}

function rowKinds(changes: readonly RowChange[]): KindCount[] {
  const counts = { added: 0, removed: 0, changed: 0 };
  for (const { before, after } of changes) counts[kindOf(before, after)] += 1;
  return kindsOf(counts);
}

function kindCounts(summaries: readonly DatedSummary[]) {
  const sums = { added: 0, removed: 0, changed: 0 };
  for (const { count, added, removed } of summaries) {
    sums.added += added;
    sums.removed += removed;
    sums.changed += count - added - removed;
  }
  return sums;
}

function kindsOf(counts: Readonly<Record<string, number>>): KindCount[] {
  return Object.entries(counts)
    .map(([change, count]) => ({ change, count }))
    .filter(({ count }) => count > 0);
}

/** Of each list in JSON. */
const MOST_LISTED = 1_000;
/** Lists of which only those who may see margins get the rows. */
const listsOfCosts: readonly string[] = ['costs', 'margins'] satisfies ComparedFile[];

/** The diff for JSON, with the first rows of each list and the full counts. */
export function diffAsJson(diff: CatalogueDiff, seesCosts: boolean) {
  const mostOf = (name: string) => (seesCosts || !listsOfCosts.includes(name) ? MOST_LISTED : 0);
  const { covered, coveredAfter, byArea } = diff.postcodes;
  return {
    noChange: isNoChange(diff),
    register: diff.register,
    coveredBefore: covered,
    coveredAfter,
    byDistanceBefore: diff.byDistance.before,
    byDistanceAfter: diff.byDistance.after,
    borderPostcodes: diff.border,
    byArea: [...byArea],
    lists: changeLists(diff).map(({ name, heading, count, kinds, periods = [], slice }) => ({
      name,
      heading,
      count,
      kinds: [...kinds],
      periods: [...periods],
      changes: Array.from(
        slice(0, mostOf(name)),
        ({ before, after, percent = null, ...change }) => ({
          ...change,
          before: String(before),
          after: String(after),
          percent: percent === null ? null : Math.round(percent * 10) / 10,
        }),
      ),
    })),
  };
}

/** The diff as text, with at most `most` lines of each list. */
export function diffInWords(diff: CatalogueDiff, most = 20): string {
  if (isNoChange(diff)) return 'No change: every answer stays the same.\n';
  const lines: string[] = [];
  const list = (rows: Iterable<string>, count: number) => {
    for (const row of Iterator.from(rows).take(most)) lines.push(`  ${row}`);
    if (count > most) lines.push(`  … and ${whole(count - most)} more`);
  };
  for (const { name, heading, count, kinds, periods = [], slice } of changeLists(diff)) {
    if (count === 0) continue;
    const isWhole = name === 'places' && !diff.register;
    const within = isWhole ? ', with every postcode in them that has no row itself' : '';
    lines.push(`${heading}: ${kindsInWords(kinds)}${within}.`);
    if (name === 'postcodes') {
      const { byArea } = diff.postcodes;
      list(
        byArea.map(({ area, ...ofArea }) => `area ${area}: ${kindsInWords(kindsOf(ofArea))}`),
        byArea.length,
      );
    }
    for (const period of periods) lines.push(`  ${periodInWords(period)}`);
    list(Iterator.from(slice(0, most, inBrief)).map(changeInWords), count);
  }
  const { before, after } = diff.byDistance;
  if (before + after > 0) lines.push(byDistanceInWords(diff.byDistance));
  if (diff.border > 0) lines.push(borderInWords(diff.border));
  return `${lines.join('\n')}\n`;
}

/** `2,140 postcodes get a price by distance, 1,900 before.` */
export function byDistanceInWords({ before, after }: CatalogueDiff['byDistance']): string {
  const now = counted(after, 'postcode gets', 'postcodes get');
  return `${now} a price by distance, ${whole(before)} before.`;
}

/** `12 postcodes are within 25 m of a border of the map: their buildings may be on the other side.` */
export function borderInWords(count: number): string {
  const near = counted(count, 'postcode is', 'postcodes are');
  return `${near} within ${BORDER_METRES} m of a border of the map: their buildings may be on the other side.`;
}

/** `2 gained, 1 lost`. */
function kindsInWords(kinds: readonly KindCount[]): string {
  return kinds.map(({ change, count }) => `${whole(count)} ${change}`).join(', ');
}

/** `1 to 31 October 2027, then back: 196 changed, -20.0 %`. */
function periodInWords(period: DatedSummary): string {
  const kinds = kindsInWords(kindsOf(kindCounts([period])));
  return `${period.days}: ${[kinds, percentsInWords(period)].filter(Boolean).join(', ')}`;
}

/** `INT-1G-12 in LONDON-ONNET (standard): 550.00 GBP → 560.00 GBP, +1.8 %`. */
function changeInWords(row: ListedChange): string {
  const { what, change, subject, zone, priceList, dates, before, after, percent = null } = row;
  const name = zone
    ? `${subject} in ${zone} (${priceList})${dates && ` ${dates}`}`
    : `${what.replaceAll('_', ' ')} ${subject}`;
  const hasBoth = change === 'changed' || change === 'moved';
  const value = hasBoth
    ? `${before || 'none'} → ${after || 'none'}`
    : [change, after || before].filter((part) => part !== '').join(', ');
  return `${name}: ${value}${percent === null ? '' : `, ${percentInWords(percent)}`}`;
}

/** `+2.8 % to +3.2 %`, once where both read the same; empty without amounts. */
export function percentsInWords({ least, most }: PriceSummary): string {
  const both = [least, most].flatMap((one) => (one === null ? [] : percentInWords(one)));
  return [...new Set(both)].join(' to ');
}

export function percentInWords(percent: number): string {
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`;
}

/** Names the rows that change, without their days. */
function* rowsOf({ count, slice }: ChangeSection): Generator<string> {
  for (const { what, subject, zone, priceList } of slice(0, count)) {
    yield [what, subject, zone, priceList].join(' ');
  }
}

const DIFF_COLUMNS = [
  'what',
  'change',
  'subject',
  'zone',
  'price_list',
  'before',
  'after',
  'dates',
];

/** Every change as CSV, in chunks, for spreadsheets. */
export function printDiffCsv(diff: CatalogueDiff): Generator<string> {
  return csvChunks(diffRecords(diff));
}

/** Rows that exist as objects at the same time. */
const STEP = 1_000;

function* diffRecords(diff: CatalogueDiff): Generator<readonly (string | number)[]> {
  yield DIFF_COLUMNS;
  for (const { count, slice } of changeLists(diff)) {
    for (let from = 0; from < count; from += STEP) {
      for (const row of slice(from, from + STEP)) {
        const { what, change, subject, zone, priceList, before, after, dates } = row;
        yield [what, change, subject, zone, priceList, before, after, dates].map((cell) =>
          typeof cell === 'string' ? withoutFormula(cell) : cell,
        );
      }
    }
  }
}

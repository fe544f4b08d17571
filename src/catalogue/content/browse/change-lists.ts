import { withoutFormula } from '../../../kernel/csv-cell.js';
import { csvChunks } from '../csv.js';
import {
  type CatalogueDiff,
  listedFields,
  postcodeChanges,
  type ProductChange,
  type RowChange,
} from '../diff.js';
import { premisesChanges } from '../premises-diff.js';
import { productFields, type PublishedField } from '../offer-fields.js';
import {
  type AnyRow,
  cellOf,
  cellsInWords,
  entriesOf,
  type FieldsOfRows,
  inWords,
  plain,
  publishPrice,
  publishProduct,
} from '../offers.js';
import { priceListFields } from '../price-list-fields.js';
import { zoneFields } from '../zone-fields.js';

/** Changed rows of a file that are shown cell by cell. */
interface RowChangeList {
  readonly heading: string;
  /** In the column `what` of the CSV file. */
  readonly what: string;
  readonly fields: FieldsOfRows;
  readonly changes: readonly RowChange<object>[];
}

export function rowLists({ zones, priceLists }: CatalogueDiff): RowChangeList[] {
  return [
    { heading: 'Zones', what: 'zone', fields: zoneFields, changes: zones },
    {
      heading: 'Derived price lists',
      what: 'price_list',
      fields: priceListFields,
      changes: priceLists,
    },
  ];
}

/** One change, in the columns of DIFF_COLUMNS without `what`. */
export interface ListedChange {
  readonly what: string;
  /** `gained`, `added`, `changed`. */
  readonly change: string;
  readonly subject: string;
  readonly zone: string;
  readonly priceList: string;
  readonly before: string | number;
  readonly after: string | number;
  /** Of amounts; null if one of them is missing, 0, or in another currency. */
  readonly percent?: number | null;
}

/** A list of changes of one kind, biggest first where they are amounts. */
export interface ChangeSection {
  /** In addresses: `prices`. */
  readonly name: string;
  readonly heading: string;
  readonly count: number;
  /** The changes from one position up to another. @param print for amounts and other terms */
  readonly slice: (from: number, to: number, print?: typeof plain) => Iterable<ListedChange>;
}

/** All changes in the order of the CSV file. */
export function changeLists(diff: CatalogueDiff): ChangeSection[] {
  const postcodes = diff.postcodes.changes;
  const premises = diff.premises.changes;
  const products = Object.entries(diff.products).flatMap(([change, rows]) =>
    rows.map((row) => ({ ...row, change })),
  );
  return [
    {
      name: 'postcodes',
      heading: 'Postcodes',
      count: postcodes.keys.length,
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
      slice: (from, to) =>
        diff.places.changes
          .slice(from, to)
          .map((row) => listed(row.level, { ...row, subject: row.place })),
    },
    {
      name: 'premises',
      heading: 'Listed premises',
      count: premises.uprns.length,
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
    {
      name: 'products',
      heading: 'Products',
      count: products.length,
      slice: (from, to) =>
        products.slice(from, to).map(({ change, code, before, after }) =>
          listed('product', {
            change,
            subject: code,
            from: productCell(before),
            to: productCell(after),
          }),
        ),
    },
    ...rowLists(diff).map(({ what, heading, fields, changes }) => ({
      name: what === 'zone' ? 'zones' : 'priceLists',
      heading,
      count: changes.length,
      slice: (from: number, to: number) =>
        changes.slice(from, to).map(({ before, after }) => {
          const [cells, later] = [before, after].map((row) =>
            row ? cellsInWords(fields, row as AnyRow) : '',
          );
          const subject = cellOf(entriesOf(fields)[0]!, (after ?? before) as AnyRow);
          const change = wordFor(before, after);
          return listed(what, { change, subject, from: cells!, to: later! });
        }),
    })),
    ...listedFields().map(({ list, heading, field, column }) => ({
      name: list,
      heading,
      count: diff[list].length,
      slice: (from: number, to: number, print = plain) =>
        diff[list].slice(from, to).map(({ productCode, before, after, percent, ...key }) => {
          const [cell, later] = [before, after].map((row) =>
            row ? print(field, publishPrice(row)) : '',
          );
          const change = wordFor(before, after);
          const cells = listed(column, { change, subject: productCode, from: cell!, to: later! });
          return { ...cells, ...key, ...(field.isMoney && { percent }) };
        }),
    })),
  ];
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
  return { what, change, subject, zone: '', priceList: '', before: from ?? '', after: to ?? '' };
}

function wordFor(before: object | null, after: object | null): string {
  return !before ? 'added' : !after ? 'removed' : 'changed';
}

const DIFF_COLUMNS = ['what', 'change', 'subject', 'zone', 'price_list', 'before', 'after'];

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
        const { what, change, subject, zone, priceList, before, after } = row;
        yield [what, change, subject, zone, priceList, before, after].map((cell) =>
          typeof cell === 'string' ? withoutFormula(cell) : cell,
        );
      }
    }
  }
}

function productCell(row: ProductChange['before']): string {
  if (!row) return '';
  const product = publishProduct(row);
  const shown = entriesOf(productFields).flatMap(([, field]) =>
    field.label === undefined ? [] : inWords(field as PublishedField, product),
  );
  return [product.name, ...shown].join('; ');
}

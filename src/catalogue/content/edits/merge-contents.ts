import { parsePlace, PostcodeRefusal, printPlace } from '../../../platform/kernel/postcode.js';
import {
  fieldsOf,
  fileInfo,
  type RowFile,
  rowFiles,
  supplierFileNames,
} from '../catalogue-files.js';
import { type Position, positionOf } from '../../../near-net/positions.js';
import { bandFaults, buildBandFields } from '../band-fields.js';
import { bookFaults } from '../cost-books.js';
import type { CatalogueContent } from '../catalogue.js';
import { EXCLUDED_NUMBER, FIRST_ZONE_NUMBER, LEVELS, NO_ROW } from '../coverage-codec.js';
import { CoverageBuilder, EXCLUDED } from '../coverage-index.js';
import { overlappingPrices } from '../dates.js';
import { derivedLists, priceListFaults } from '../effective-prices.js';
import { priceFields } from '../offer-fields.js';
import { type AnyRow, cellsInWords, type FieldsOfRows, keyOfRow, sortedRows } from '../offers.js';
import { PremisesBuilder } from '../premises-index.js';

/** A row that both sides changed, and not in the same way. Null where there is no row. */
export interface MergeConflict {
  /** Its name, e.g. `prices.csv`. */
  readonly file: string;
  /** The row's key: `INT-1G-12 LONDON-ONNET standard`. */
  readonly row: string;
  /** Its cells, without those that are the same on all sides. */
  readonly before: string | null;
  readonly mine: string | null;
  readonly theirs: string | null;
}

export interface MergeResult {
  /** Null if there is a conflict. */
  readonly content: CatalogueContent | null;
  /** The first 1,000. */
  readonly conflicts: readonly MergeConflict[];
  readonly conflictCount: number;
  /** Rows that only one side changed. */
  readonly mine: number;
  readonly theirs: number;
}

const MOST_CONFLICTS = 1_000;

/** What a merge found, over all files. */
class Merge {
  readonly conflicts: MergeConflict[] = [];
  conflictCount = 0;
  mine = 0;
  theirs = 0;

  /** The value of one row after the merge. @param conflict is called if both sides changed it */
  pick<T>(before: T, mine: T, theirs: T, conflict: () => MergeConflict): T {
    if (mine === theirs) return mine;
    if (theirs === before) {
      this.mine += 1;
      return mine;
    }
    if (mine === before) {
      this.theirs += 1;
      return theirs;
    }
    this.refuse(conflict);
    return theirs;
  }

  refuse(conflict: () => MergeConflict): void {
    this.conflictCount += 1;
    if (this.conflicts.length < MOST_CONFLICTS) this.conflicts.push(conflict());
  }
}

/**
 * Applies the changes from `before` to `mine` and those from `before` to `theirs`, row by row of the
 * files, matched by their keys.
 */
export function mergeContents(
  before: CatalogueContent,
  mine: CatalogueContent,
  theirs: CatalogueContent,
): MergeResult {
  const merge = new Merge();
  const tables = Object.fromEntries(
    rowFiles.map((file) => [file, mergedRows(merge, file, before[file], mine[file], theirs[file])]),
  ) as unknown as Pick<CatalogueContent, RowFile>;
  const builder = new CoverageBuilder();
  const numberOf = (zone: string) => (zone === EXCLUDED ? EXCLUDED_NUMBER : builder.addZone(zone));
  mergeCoverage(merge, before, mine, theirs, builder);
  const premises = new PremisesBuilder();
  for (const { uprn, packed, name, zone, position } of mergedPremises(
    merge,
    before,
    mine,
    theirs,
  )) {
    const zoneNumber = zone === '' ? NO_ROW : numberOf(zone);
    premises.add({ packed, uprn, zoneNumber }, name, position, 0);
  }
  checkTogether(merge, tables, new Set(builder.zones()), before, mine, theirs);
  const { conflicts, conflictCount, mine: ours, theirs: others } = merge;
  const content =
    conflictCount > 0
      ? null
      : {
          ...tables,
          coverage: builder.build(() => undefined),
          premises: premises.build(builder.renumbering().renumbered),
        };
  return { content, conflicts, conflictCount, mine: ours, theirs: others };
}

function mergedRows(
  merge: Merge,
  file: RowFile,
  ...sides: readonly (readonly object[])[]
): object[] {
  const fields = fieldsOf(file);
  // Equal rows get the same text, so that the texts can be compared.
  const rowsOf = new Map<string, object>();
  const maps = sides.map(
    (rows) =>
      new Map(
        rows.map((row) => {
          const text = JSON.stringify(Object.keys(fields).map((name) => (row as AnyRow)[name]));
          rowsOf.set(text, row);
          return [keyOfRow(fields, row), text] as const;
        }),
      ),
  );
  const merged: object[] = [];
  for (const key of new Set(maps.flatMap((map) => [...map.keys()]))) {
    const [before, mine, theirs] = maps.map((map) => map.get(key));
    const text = merge.pick(before, mine, theirs, () => ({
      file: fileInfo(file).fileName,
      row: key,
      ...sidesInWords(
        fields,
        [before, mine, theirs].map((one) =>
          one === undefined ? null : (rowsOf.get(one) as AnyRow),
        ),
      ),
    }));
    if (text !== undefined) merged.push(rowsOf.get(text)!);
  }
  return sortedRows(fields, merged);
}

/** The cells of a row on each side; those that all sides share are left out. */
function sidesInWords(fields: FieldsOfRows, sides: readonly (AnyRow | null)[]) {
  const isShared = (property: string) =>
    sides.every((row) => row !== null && row[property] === sides[0]![property]);
  const [before, mine, theirs] = sides.map((row) => row && cellsInWords(fields, row, isShared)) as [
    string | null,
    string | null,
    string | null,
  ];
  return { before, mine, theirs };
}

function mergeCoverage(
  merge: Merge,
  before: CatalogueContent,
  mine: CatalogueContent,
  theirs: CatalogueContent,
  builder: CoverageBuilder,
): void {
  const indexes = [before, mine, theirs].map(({ coverage }) => coverage);
  const zones = [...new Set(indexes.flatMap((index) => index.zones))];
  const places = new Map(zones.map((zone, i) => [zone, FIRST_ZONE_NUMBER + i]));
  const nameOf = (number: number) =>
    number === NO_ROW
      ? null
      : number === EXCLUDED_NUMBER
        ? EXCLUDED
        : zones[number - FIRST_ZONE_NUMBER]!;
  const joint = indexes.map((index) =>
    Uint32Array.from([NO_ROW, EXCLUDED_NUMBER, ...index.zones.map((zone) => places.get(zone)!)]),
  );
  const added = new Uint16Array(FIRST_ZONE_NUMBER + zones.length);
  added[EXCLUDED_NUMBER] = EXCLUDED_NUMBER;
  for (const level of LEVELS) {
    const rows = indexes.map((index) => index.coverage.levels[level]);
    const at = [0, 0, 0];
    for (;;) {
      const key = Math.min(...rows.map(({ keys }, i) => keys[at[i]!] ?? Infinity));
      if (key === Infinity) break;
      const [old, ours, others] = rows.map(({ keys, zoneNumbers }, i) =>
        keys[at[i]!] === key ? joint[i]![zoneNumbers[at[i]!++]!]! : NO_ROW,
      ) as [number, number, number];
      const number = merge.pick(old, ours, others, () => ({
        file: fileInfo('coverage').fileName,
        row: printPlace(level, key),
        before: nameOf(old),
        mine: nameOf(ours),
        theirs: nameOf(others),
      }));
      if (number === NO_ROW) continue;
      added[number] ||= builder.addZone(nameOf(number)!);
      builder.add({ level, key, name: '' }, added[number], 0);
    }
  }
}

interface NamedPremises {
  readonly uprn: number;
  readonly packed: number;
  readonly name: string;
  /** Empty for that of the postcode. */
  readonly zone: string;
  readonly position: Position | null;
}

function* premisesOf({ coverage, premises }: CatalogueContent): Generator<NamedPremises> {
  for (const { uprn, packed, zoneNumber, name, position } of premises.listed()) {
    const zone = coverage.zoneName(zoneNumber) ?? '';
    yield { uprn, packed, name: name ?? '', zone, position };
  }
}

function mergedPremises(
  merge: Merge,
  ...sides: [CatalogueContent, CatalogueContent, CatalogueContent]
): Iterable<NamedPremises> {
  const texts = sides.map((content) => premisesTexts(content));
  const merged: NamedPremises[] = [];
  const uprns = new Set(texts.flatMap((map) => [...map.keys()]));
  for (const uprn of uprns) {
    const [before, mine, theirs] = texts.map((map) => map.get(uprn) ?? null);
    const picked = merge.pick(before!, mine!, theirs!, () => ({
      file: fileInfo('premises').fileName,
      row: String(uprn),
      before: before!,
      mine: mine!,
      theirs: theirs!,
    }));
    if (picked !== null) merged.push(readPremises(uprn, picked));
  }
  return merged;
}

/** The rest of each row by its UPRN, as `EC2A 2BS (532600, 182300); LONDON-ONNET; name`. */
function premisesTexts(content: CatalogueContent): Map<number, string> {
  const texts = new Map<number, string>();
  for (const { uprn, packed, zone, position, name } of premisesOf(content)) {
    const placed = position ? ` (${position.easting}, ${position.northing})` : '';
    texts.set(uprn, [printPlace('unit', packed) + placed, zone, name].join(SEPARATOR));
  }
  return texts;
}

const SEPARATOR = '; ';

/** The inverse of `premisesTexts`. */
function readPremises(uprn: number, text: string): NamedPremises {
  const [located = '', zone = '', ...name] = text.split(SEPARATOR);
  const [postcode = '', easting = '', northing = ''] = located.split(/ \(|, |\)/);
  const place = parsePlace(postcode);
  if (place instanceof PostcodeRefusal) throw new Error(`No postcode: ${postcode}.`);
  const position = positionOf(easting, northing);
  return { uprn, packed: place.key, zone, position, name: name.join(SEPARATOR) };
}

/** Refuses what breaks a rule between rows: prices of removed products, overlapping dates, faulty derived price lists and bands. */
function checkTogether(
  merge: Merge,
  tables: Pick<CatalogueContent, RowFile>,
  zones: ReadonlySet<string>,
  ...sides: [CatalogueContent, CatalogueContent, CatalogueContent]
): void {
  const { products, prices, priceLists, buildBands, networkPoints } = tables;
  const codes = new Set(products.map(({ code }) => code));
  const refuse = (file: RowFile, row: string) => {
    const fields = fieldsOf(file);
    const [before, mine, theirs] = sides.map((content) => {
      const found = content[file].find((one) => keyOfRow(fields, one) === row);
      return found ? cellsInWords(fields, found as object as AnyRow) : null;
    });
    const { fileName } = fileInfo(file);
    merge.refuse(() => ({ file: fileName, row, before: before!, mine: mine!, theirs: theirs! }));
  };
  for (const price of prices) {
    if (!codes.has(price.productCode)) refuse('prices', keyOfRow(priceFields, price));
  }
  for (const [, second] of overlappingPrices(prices)) {
    refuse('prices', keyOfRow(priceFields, second));
  }
  for (const { priceList } of priceListFaults(
    { prices, priceLists },
    derivedLists(priceLists).keys(),
  )) {
    refuse('priceLists', priceList);
  }
  for (const { row } of bandFaults(buildBands, zones)) {
    refuse('buildBands', keyOfRow(buildBandFields, row));
  }
  for (const point of networkPoints) {
    if (!zones.has(point.zone)) refuse('networkPoints', point.point);
  }
  for (const { file, row } of bookFaults(tables)) refuse(file, keyOfRow(fieldsOf(file), row));
  const books = new Set(tables.suppliers.map(({ supplier }) => supplier));
  for (const file of supplierFileNames) {
    const orphan = tables[file].find(({ supplier }) => !books.has(supplier));
    if (orphan) refuse(file, keyOfRow(fieldsOf(file), orphan));
  }
}

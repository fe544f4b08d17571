import { rowLists } from './browse/change-lists.js';
import {
  type CatalogueDiff,
  type ChangeCounts,
  isNoChange,
  listedFields,
  type PlaceChange,
  postcodeChanges,
  type PriceChange,
  type ProductChange,
  type RowChange,
} from './diff.js';
import {
  type PremisesChange,
  premisesChangeKinds,
  premisesChanges,
  type PremisesDiff,
} from './premises-diff.js';
import { type ChangeList, productFields, type PublishedField } from './offer-fields.js';
import {
  type AnyRow,
  cellOf,
  entriesOf,
  type FieldsOfRows,
  inBrief,
  plain,
  publishPrice,
} from './offers.js';

/** The diff as text, with at most `most` lines of each list. */
export function diffInWords(diff: CatalogueDiff, most = 20): string {
  if (isNoChange(diff)) return 'No change: every answer stays the same.\n';
  const { postcodes, places, products } = diff;
  const lines: string[] = [];
  const list = <T>(rows: Iterable<T>, count: number, print: (row: T) => string) => {
    for (const row of Iterator.from(rows).take(most)) lines.push(`  ${print(row)}`);
    if (count > most) lines.push(`  … and ${(count - most).toLocaleString('en-GB')} more`);
  };
  if (postcodes.changes.keys.length > 0) {
    lines.push(`Postcodes: ${countsInWords(postcodes.counts)}.`);
    list(
      postcodes.byArea,
      postcodes.byArea.length,
      (row) => `area ${row.area}: ${countsInWords(row)}`,
    );
    list(postcodeChanges(postcodes.changes), postcodes.changes.keys.length, placeInWords);
  }
  if (places.changes.length > 0) {
    const within = diff.register ? '' : ', with every postcode in them that has no row itself';
    lines.push(`Whole places: ${countsInWords(places.counts)}${within}.`);
    list(places.changes, places.changes.length, placeInWords);
  }
  const { premises } = diff;
  if (premises.changes.uprns.length > 0) {
    lines.push(`Premises: ${premisesCountsInWords(premises.counts)}.`);
    list(premisesChanges(premises.changes), premises.changes.uprns.length, premisesInWords);
  }
  const { added, removed, changed } = products;
  if (added.length + removed.length + changed.length > 0) {
    lines.push(
      `Products: ${added.length} added, ${removed.length} removed, ${changed.length} changed.`,
    );
    list(added, added.length, ({ after }) => `+ ${after!.code}  ${after!.name}`);
    list(removed, removed.length, ({ before }) => `- ${before!.code}  ${before!.name}`);
    list(changed, changed.length, productInWords);
  }
  for (const { heading, fields, changes } of rowLists(diff)) {
    if (changes.length === 0) continue;
    lines.push(`${heading}: ${changes.length.toLocaleString('en-GB')} changed.`);
    list(changes, changes.length, (change) => rowInWords(change, fields));
  }
  for (const { list: name, heading, field } of listedFields()) {
    const changes = diff[name];
    if (changes.length === 0) continue;
    const order = field.isMoney ? ', biggest changes first' : '';
    lines.push(`${heading}: ${changes.length.toLocaleString('en-GB')} changed${order}.`);
    list(changes, changes.length, (change) => changeInWords(change, field));
  }
  return `${lines.join('\n')}\n`;
}

export function countsInWords({ gained, lost, moved }: ChangeCounts): string {
  const say = (count: number, word: string) => `${count.toLocaleString('en-GB')} ${word}`;
  return [say(gained, 'gained'), say(lost, 'lost'), say(moved, 'moved to another zone')].join(', ');
}

/** Only counts above 0. */
function premisesCountsInWords(counts: PremisesDiff['counts']): string {
  const present = premisesChangeKinds.filter((kind) => counts[kind] > 0);
  return present.map((kind) => `${counts[kind].toLocaleString('en-GB')} ${kind}`).join(', ');
}

function premisesInWords({ uprn, postcode, change, from, to }: PremisesChange): string {
  const zones = change === 'moved' ? `${from} → ${to}` : (to ?? from ?? 'nothing sold');
  return `${uprn} at ${postcode}: ${change}, ${zones}`;
}

function placeInWords({ level, place, change, from, to }: PlaceChange): string {
  const zones = change === 'moved' ? `${from} → ${to}` : (to ?? from)!;
  return `${level === 'unit' ? '' : `${level} `}${place}: ${change}, ${zones}`;
}

function changeInWords({ percent, ...change }: PriceChange, field: PublishedField): string {
  const { productCode, zone, priceList, before, after } = change;
  const key = `${productCode} in ${zone} (${priceList})`;
  if (!before) return `${key}: new, ${inBrief(field, publishPrice(after!))}`;
  if (!after) return `${key}: removed, was ${inBrief(field, publishPrice(before))}`;
  const move = field.isMoney && percent !== null ? `, ${percentInWords(percent)}` : '';
  return `${key}: ${plain(field, publishPrice(before))} → ${inBrief(field, publishPrice(after))}${move}`;
}

export function percentInWords(percent: number): string {
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`;
}

function productInWords({ code, before, after }: ProductChange): string {
  const [old, fresh] = [before, after] as unknown as AnyRow[];
  const fields = entriesOf(productFields)
    .filter(([name]) => old![name] !== fresh![name])
    .map(([name]) => `${name} ${String(old![name])} → ${String(fresh![name])}`);
  return `~ ${code}  ${fields.join(', ')}`;
}

/** `NORTH: new, ready_date 2026-12-01` or `NORTH: ready_date 2026-12-01 → 2027-01-15`. */
function rowInWords({ before, after }: RowChange<object>, fields: FieldsOfRows): string {
  const [key, ...rest] = entriesOf(fields) as [FieldEntry, ...FieldEntry[]];
  const [was, row] = [before, after] as (AnyRow | null)[];
  const name = cellOf(key, (row ?? was)!);
  const changed = rest.flatMap((field) => {
    const [old = '', fresh = ''] = [was, row].map((one) => (one ? cellOf(field, one) : ''));
    const [, { column }] = field;
    if (old === fresh) return [];
    return was && row
      ? `${column} ${old || 'none'} → ${fresh || 'none'}`
      : `${column} ${old || fresh}`;
  });
  return `${name}: ${[!was && 'new', !row && 'removed', ...changed].filter(Boolean).join(', ')}`;
}

type FieldEntry = ReturnType<typeof entriesOf>[number];

/** The diff for JSON, with at most `most` rows of each list and the full counts. */
export function diffAsJson(diff: CatalogueDiff, most = 1_000) {
  const { postcodes, places, products } = diff;
  const lists = listedFields().map(({ list }) => [
    list,
    { count: diff[list].length, list: diff[list].slice(0, most).map(priceAsJson) },
  ]);
  return {
    noChange: isNoChange(diff),
    register: diff.register,
    postcodes: {
      ...postcodes.counts,
      coveredBefore: postcodes.covered,
      coveredAfter: postcodes.coveredAfter,
      byArea: [...postcodes.byArea],
      list: postcodeChanges(postcodes.changes).take(most).toArray(),
    },
    places: { ...places.counts, list: places.changes.slice(0, most) },
    premises: {
      ...diff.premises.counts,
      list: premisesChanges(diff.premises.changes).take(most).toArray(),
    },
    products: {
      added: products.added.map(({ code }) => code),
      removed: products.removed.map(({ code }) => code),
      changed: products.changed.map(({ code }) => code),
    },
    zones: { count: diff.zones.length, list: diff.zones.slice(0, most) },
    priceLists: { count: diff.priceLists.length, list: diff.priceLists.slice(0, most) },
    ...(Object.fromEntries(lists) as Record<ChangeList, ChangesJson>),
  };
}

interface ChangesJson {
  readonly count: number;
  readonly list: ReturnType<typeof priceAsJson>[];
}

function priceAsJson({ productCode, zone, priceList, before, after, percent }: PriceChange) {
  return {
    productCode,
    zone,
    priceList,
    before: before && publishPrice(before),
    after: after && publishPrice(after),
    percent: percent === null ? null : Math.round(percent * 10) / 10,
  };
}

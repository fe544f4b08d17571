import {
  type CatalogueDiff,
  type ChangeCounts,
  isNoChange,
  type PlaceChange,
  postcodeChanges,
  type PriceChange,
  type ProductChange,
} from './diff.js';
import { csvRecord } from './csv.js';
import { majorUnits, printAmount } from './money.js';

const LONGEST_CHUNK = 65_536;

/** The diff in words; of each list at most `most` lines, and how many more there are. */
export function diffInWords(diff: CatalogueDiff, most = 20): string {
  if (isNoChange(diff)) return 'No change: every answer stays as it is.\n';
  const { postcodes, places, products, prices, leadTimes } = diff;
  const lines: string[] = [];
  const list = <T>(rows: Iterable<T>, count: number, print: (row: T) => string) => {
    let left = most;
    for (const row of rows) {
      if (left-- === 0) break;
      lines.push(`  ${print(row)}`);
    }
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
    const within = diff.register ? '' : ', with every postcode in them that has no row of its own';
    lines.push(`Whole places: ${countsInWords(places.counts)}${within}.`);
    list(places.changes, places.changes.length, placeInWords);
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
  if (prices.length > 0) {
    lines.push(`Prices: ${prices.length.toLocaleString('en-GB')} changed, biggest moves first.`);
    list(prices, prices.length, priceInWords);
  }
  if (leadTimes.length > 0) {
    lines.push(`Lead times: ${leadTimes.length.toLocaleString('en-GB')} changed.`);
    list(leadTimes, leadTimes.length, leadTimeInWords);
  }
  return `${lines.join('\n')}\n`;
}

export function countsInWords({ gained, lost, moved }: ChangeCounts): string {
  const say = (count: number, word: string) => `${count.toLocaleString('en-GB')} ${word}`;
  return [say(gained, 'gained'), say(lost, 'lost'), say(moved, 'moved to another zone')].join(', ');
}

function placeInWords({ level, place, change, from, to }: PlaceChange): string {
  const zones = change === 'moved' ? `${from} → ${to}` : (to ?? from)!;
  return `${level === 'unit' ? '' : `${level} `}${place}: ${change}, ${zones}`;
}

function keyInWords({ productCode, zone, priceList }: PriceChange): string {
  return `${productCode} in ${zone} (${priceList})`;
}

function priceInWords(change: PriceChange): string {
  const { before, after, percent } = change;
  const sum = (row: typeof before) =>
    row ? `${printAmount(row.amountMinor, row.currency)} ${row.currency}` : '';
  if (!before) return `${keyInWords(change)}: new, ${sum(after)}`;
  if (!after) return `${keyInWords(change)}: removed, was ${sum(before)}`;
  return `${keyInWords(change)}: ${sum(before)} → ${sum(after)}${percent === null ? '' : `, ${percentInWords(percent)}`}`;
}

export function percentInWords(percent: number): string {
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`;
}

function leadTimeInWords(change: PriceChange): string {
  return `${keyInWords(change)}: ${change.before!.leadTimeDays} → ${change.after!.leadTimeDays} days`;
}

function productInWords({ code, before, after }: ProductChange): string {
  const fields = (
    ['name', 'bandwidthProvisionedMbps', 'bandwidthCapacityMbps', 'termMonths'] as const
  )
    .filter((field) => before![field] !== after![field])
    .map((field) => `${field} ${before![field]} → ${after![field]}`);
  return `~ ${code}  ${fields.join(', ')}`;
}

export const DIFF_COLUMNS = ['what', 'change', 'subject', 'zone', 'price_list', 'before', 'after'];

/** Every change as CSV, in chunks of some tens of kilobytes. */
export function* printDiffCsv(diff: CatalogueDiff): Generator<string> {
  let chunk = csvRecord(DIFF_COLUMNS);
  for (const record of diffRecords(diff)) {
    if (chunk.length > LONGEST_CHUNK) {
      yield chunk;
      chunk = '';
    }
    chunk += csvRecord(record);
  }
  yield chunk;
}

function* diffRecords(diff: CatalogueDiff): Generator<(string | number)[]> {
  for (const { change, place, from, to } of postcodeChanges(diff.postcodes.changes)) {
    yield ['postcode', change, place, '', '', from ?? '', to ?? ''];
  }
  for (const { level, change, place, from, to } of diff.places.changes) {
    yield [level, change, place, '', '', from ?? '', to ?? ''];
  }
  const { added, removed, changed } = diff.products;
  for (const [word, rows] of Object.entries({ added, removed, changed })) {
    for (const { code, before, after } of rows) {
      yield ['product', word, code, '', '', productCell(before), productCell(after)];
    }
  }
  for (const row of diff.prices) {
    const { productCode, zone, priceList, before, after } = row;
    const word = !before ? 'added' : !after ? 'removed' : 'changed';
    yield ['price', word, productCode, zone, priceList, priceCell(before), priceCell(after)];
  }
  for (const { productCode, zone, priceList, before, after } of diff.leadTimes) {
    const days = [before!.leadTimeDays, after!.leadTimeDays];
    yield ['lead_time_days', 'changed', productCode, zone, priceList, ...days];
  }
}

function priceCell(row: PriceChange['before']): string {
  return row ? `${printAmount(row.amountMinor, row.currency)} ${row.currency}` : '';
}

function productCell(row: ProductChange['before']): string {
  if (!row) return '';
  const { name, bandwidthProvisionedMbps, bandwidthCapacityMbps, termMonths } = row;
  return `${name}; ${bandwidthProvisionedMbps / 1000}/${bandwidthCapacityMbps / 1000} Gbit/s; ${termMonths} months`;
}

/** The diff as plain objects for JSON; of each list at most `most` rows, with the true counts. */
export function diffAsJson(diff: CatalogueDiff, most = 1_000) {
  const { postcodes, places, products, prices, leadTimes } = diff;
  const units: PlaceChange[] = [];
  for (const change of postcodeChanges(postcodes.changes)) {
    if (units.length === most) break;
    units.push(change);
  }
  return {
    noChange: isNoChange(diff),
    register: diff.register,
    postcodes: {
      ...postcodes.counts,
      coveredBefore: postcodes.covered,
      coveredAfter: postcodes.coveredAfter,
      byArea: [...postcodes.byArea],
      list: units,
    },
    places: { ...places.counts, list: places.changes.slice(0, most) },
    products: {
      added: products.added.map(({ code }) => code),
      removed: products.removed.map(({ code }) => code),
      changed: products.changed.map(({ code }) => code),
    },
    prices: { count: prices.length, list: prices.slice(0, most).map(priceAsJson) },
    leadTimes: { count: leadTimes.length, list: leadTimes.slice(0, most).map(priceAsJson) },
  };
}

export type DiffJson = ReturnType<typeof diffAsJson>;

function priceAsJson({ productCode, zone, priceList, before, after, percent }: PriceChange) {
  const terms = (row: PriceChange['before']) =>
    row && {
      price: majorUnits(row.amountMinor, row.currency),
      currency: row.currency,
      leadTimeDays: row.leadTimeDays,
    };
  return {
    productCode,
    zone,
    priceList,
    before: terms(before),
    after: terms(after),
    percent: percent === null ? null : Math.round(percent * 10) / 10,
  };
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repeatableRandom } from './options.js';

/** The approximate number of units in Great Britain. */
export const NATIONAL = 1_750_000;
const REQUESTS = 20_000;
/** Three in ten requests are for a postcode without products. */
const HITS_IN_TEN = 7;

/** A made-up product: code, name, Gbit/s provisioned and of the bearer, months. */
const products = [
  ['INT-100M-12', '100M Internet on a 1G bearer', 0.1, 1, 12],
  ['INT-1G-12', '1G Internet on a 10G bearer', 1, 10, 12],
  ['INT-1G-36', '1G Internet on a 10G bearer', 1, 10, 36],
  ['INT-10G-36', '10G Internet on a 10G bearer', 10, 10, 36],
] as const;

/** The products of each zone: code, price, days; in the order of the response. */
const zones: Readonly<Record<string, readonly (readonly [string, number, number])[]>> = {
  'BENCH-A': [['INT-100M-12', 199.5, 45]],
  'BENCH-B': [
    ['INT-100M-12', 181, 30],
    ['INT-1G-12', 550, 84],
    ['INT-1G-36', 480.25, 84],
  ],
  'BENCH-C': [
    ['INT-1G-12', 610, 90],
    ['INT-10G-36', 1450, 120],
  ],
};
const zoneNames = Object.keys(zones);
const atUncovered = { code: 'notCovered', detail: 'We do not cover this place.' };
const atExcluded = { code: 'excluded', detail: 'We do not serve this place.' };

/** A check request and the expected body. */
export interface Asked {
  readonly postcode: string;
  readonly products: readonly string[];
  /** After the id and before the instant of `validUntil`; after that. */
  readonly answer: readonly [before: string, after: string];
}

export interface CatalogueFixture {
  readonly folder: string;
  readonly units: number;
  readonly asked: readonly Asked[];
}

/** Writes the files of a catalogue with a number of units and of premises, and creates 20,000 requests. */
export function makeCatalogue(
  folder: string,
  units: number,
  postcodes: readonly string[],
  premises = 0,
  constrained = false,
): CatalogueFixture {
  const random = repeatableRandom(7);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const known = unitsFrom(postcodes, NATIONAL);
  const isHit = known.map(() => random() * 10 < HITS_IN_TEN);
  const covered: string[] = [];
  const small = units < known.length;
  // A small catalogue has rows for hits only; the national one excludes the other units.
  const step = small ? Math.floor(known.length / units) : 1;
  const hits: string[] = [];
  const zoneOf = new Map<string, string>();
  const excluded = new Set<string>();
  for (let i = 0; i < known.length && covered.length < units; i += step) {
    const unit = known[i]!;
    const sells = small || isHit[i]!;
    const zone = sells ? pick(zoneNames) : '-';
    if (sells) {
      hits.push(unit);
      zoneOf.set(unit, zone);
    } else excluded.add(unit);
    covered.push(`${unit},${zone}`);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'coverage.csv'), `place,zone\n${covered.join('\n')}\n`);
  writeFileSync(join(folder, 'products.csv'), productsCsv());
  writeFileSync(join(folder, 'prices.csv'), pricesCsv());
  if (premises > 0)
    writeFileSync(join(folder, 'premises.csv'), premisesCsv(hits, premises, constrained));

  const real = postcodes.length >= REQUESTS ? postcodes : known;
  const misses = real.filter((unit) => !zoneOf.has(unit));
  const asked = Array.from({ length: REQUESTS }, (_, i) =>
    askFor(i % 10 < HITS_IN_TEN ? pick(hits) : pick(misses), zoneOf, excluded),
  );
  return { folder, units: covered.length, asked: shuffled(asked, random) };
}

/** The postcodes, with made-up ones of the same outward codes if there are too few. */
function unitsFrom(postcodes: readonly string[], wanted: number): string[] {
  if (postcodes.length >= wanted * 0.99) return postcodes.slice(0, wanted);
  const letters = 'ABDEFGHJLNPQRSTUWXYZ';
  const outwards = [...new Set(postcodes.map((postcode) => postcode.split(' ')[0]!))];
  const each = Math.ceil(wanted / outwards.length);
  const units = new Set(postcodes);
  // 1,117 and the 4,000 inward codes have no common factor, so that none repeats.
  for (const outward of outwards) {
    for (let i = 0; i < each && units.size < wanted; i += 1) {
      const inward = (i * 1_117) % 4_000;
      const digit = Math.floor(inward / 400);
      units.add(
        `${outward} ${digit}${letters[Math.floor(inward / 20) % 20]}${letters[inward % 20]}`,
      );
    }
  }
  return [...units];
}

function askFor(
  postcode: string,
  zoneOf: ReadonlyMap<string, string>,
  excluded: ReadonlySet<string>,
): Asked {
  const sold = zones[zoneOf.get(postcode) ?? ''] ?? [];
  const count = sold.length;
  const message =
    count === 0
      ? `No products are available at ${postcode}. To be notified when there are, watch the place. To ask what could be built, send an enquiry or contact sales@example.net.`
      : `${count === 1 ? '1 product is' : `${count} products are`} available at ${postcode}. To order, place an order request or contact sales@example.net.`;
  const body = JSON.stringify({
    message,
    postcode,
    availableProducts: sold.map(([code, price, leadTimeDays]) => {
      const [, name, bandwidthProvisioned, bandwidthCapacity, term] = products.find(
        ([known]) => known === code,
      )!;
      return {
        productCode: code,
        name,
        bandwidthProvisioned,
        bandwidthCapacity,
        term,
        price,
        currency: 'GBP',
        leadTimeDays,
        setupPrice: null,
        basis: 'firm',
        extraChargesPossible: false,
        network: null,
        service: null,
        needsInterconnect: false,
        priceUntil: null,
      };
    }),
    granularity: 'postcode',
    validUntil: '|',
    reasons: count > 0 ? [] : [excluded.has(postcode) ? atExcluded : atUncovered],
    nearest: null,
    constraints: [],
  });
  const [before = '', after = ''] = body.slice(1).split('|');
  return { postcode, products: sold.map(([code]) => code), answer: [`",${before}`, after] };
}

function productsCsv(): string {
  const rows = products.map((row) => row.join(','));
  return `code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months\n${rows.join('\n')}\n`;
}

function pricesCsv(): string {
  const rows = Object.entries(zones).flatMap(([zone, sold]) =>
    sold.map(([code, price, days]) => `${code},${zone},standard,${price.toFixed(2)},GBP,${days}`),
  );
  return `product,zone,price_list,price,currency,lead_time_days\n${rows.join('\n')}\n`;
}

/** In buildings of up to 20 units, at postcodes where products are sold. @param constrained one building in three */
function premisesCsv(postcodes: readonly string[], count: number, constrained: boolean): string {
  const random = repeatableRandom(13);
  const whole = (below: number) => Math.floor(random() * below);
  const rows: string[] = [];
  for (let uprn = 10_000_000; rows.length < count;) {
    const postcode = postcodes[whole(postcodes.length)]!;
    const zone = zoneNames[whole(zoneNames.length)]!;
    const street = `${1 + whole(200)} Finsbury Street`;
    const more = constrained ? (whole(3) === 0 ? ',surveyRequired|wayleaveOwner' : ',') : '';
    for (let unit = whole(20); unit >= 0 && rows.length < count; unit -= 1) {
      const name = `"Unit ${unit + 1}, ${street}"`;
      rows.push(`${(uprn += 1 + whole(40))},${postcode},${name},${zone}${more}`);
    }
  }
  return `uprn,postcode,name,zone${constrained ? ',constraints' : ''}\n${rows.join('\n')}\n`;
}

function shuffled<T>(items: T[], random: () => number): T[] {
  for (let i = items.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
  return items;
}

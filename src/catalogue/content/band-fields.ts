import { isOnGrid, GRID } from '../../near-net/positions.js';
import { MOST_METRES } from '../../near-net/network.js';
import { BadCell, priceBases, type PriceBasis, priceBasis, zoneName } from './cells.js';
import type { Offer, OfferFields } from './offer-fields.js';
import {
  decimalsOf,
  LARGEST_AMOUNT,
  parseAmount,
  printAmount,
} from '../../platform/kernel/money.js';

/** A row of build_bands.csv: what it costs to build to a place, up to a distance from the network. */
export interface BuildBandRow {
  /** `*` is every zone without rows. */
  readonly zone: string;
  /** The last metre of the route that is in the band. */
  readonly toMetres: number;
  /** Product codes: one, those with a prefix (`ETH-*`), or all (`*`). */
  readonly products: string;
  /** Hundredths of the currency of each price; null is not stated. */
  readonly addSetup: number | null;
  readonly addLeadTimeDays: number;
  readonly basis: PriceBasis;
}

/** A row of network_points.csv. Clients never see a point. */
export interface NetworkPointRow {
  readonly point: string;
  readonly easting: number;
  readonly northing: number;
  readonly zone: string;
}

/** Of zones, of products and of suppliers. */
export const EVERY = '*';
const LONGEST_POINT = 60;
/** Ten years, as in prices.csv. */
const MOST_DAYS = 3_650;

/** In the order of build_bands.csv. */
export const buildBandFields: OfferFields<BuildBandRow> = {
  zone: {
    column: 'zone',
    isKey: true,
    parse: (text) => (text === EVERY ? EVERY : zoneName(text)),
  },
  toMetres: {
    column: 'to_metres',
    isKey: true,
    parse: (text) => numberIn(text, 1, MOST_METRES, 'A band reaches', 'metres', '500'),
  },
  addSetup: {
    column: 'add_setup',
    absent: null,
    parse(text) {
      const amount = parseAmount(text, 'GBP');
      if (amount !== null) return amount;
      return new BadCell(
        'The addition to the set-up price is a decimal number from 0, with up to 2 decimals.',
        'Write e.g. 950, or leave it empty if it is not stated.',
      );
    },
    print: (amount) => (amount === null ? '' : printAmount(amount, 'GBP')),
  },
  addLeadTimeDays: {
    column: 'add_lead_time_days',
    parse: (text) => numberIn(text, 0, MOST_DAYS, 'An addition is', 'days', '45'),
  },
  basis: {
    column: 'basis',
    parse(text) {
      const basis = priceBasis(text);
      if (basis !== 'firm') return basis;
      return new BadCell(
        'A price by distance is not firm: nobody has surveyed the route.',
        `Write ${priceBases.slice(1).join(' or ')}.`,
      );
    },
  },
  products: {
    column: 'products',
    isKey: true,
    parse: productPattern,
  },
};

/** In the order of network_points.csv. */
export const networkPointFields: OfferFields<NetworkPointRow> = {
  point: { column: 'point', isKey: true, parse: pointName },
  easting: {
    column: 'easting',
    parse: (text) => numberIn(text, 1, GRID.easting - 1, 'An easting is', 'metres', '532600'),
  },
  northing: {
    column: 'northing',
    reads: 'easting',
    parse: (text) => numberIn(text, 1, GRID.northing - 1, 'A northing is', 'metres', '182300'),
    check(northing, { easting = 1 }) {
      if (isOnGrid({ easting, northing })) return null;
      return new BadCell('The point is outside the National Grid.', 'Correct its position.');
    },
  },
  zone: { column: 'zone', parse: zoneName },
};

function pointName(text: string): string | BadCell {
  if (text !== '' && [...text].length <= LONGEST_POINT && !/[\p{Cc}\ufffd]/u.test(text)) {
    return text;
  }
  return new BadCell(
    `A point has a name of 1 to ${LONGEST_POINT} characters.`,
    'Write e.g. CH-0417.',
  );
}

function numberIn(
  text: string,
  least: number,
  most: number,
  what: string,
  unit: string,
  example: string,
): number | BadCell {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  const factor = /km$/i.test(text) ? 1_000 : 1;
  const meant = Math.round(Number(text.replace(/[,\s]|k?m(etres)?$/gi, '')) * factor);
  return new BadCell(
    `${what} a whole number of ${unit}, ${least} to ${most}.`,
    meant >= least && meant <= most && text !== '' ? `Write ${meant}.` : `Write e.g. ${example}.`,
  );
}

/** A product code, the start of codes (`ETH-*`), or `*`. */
export function productPattern(text: string): string | BadCell {
  if (/^([A-Z0-9][A-Z0-9-]{0,31}\*?|\*)$/.test(text)) return text;
  return new BadCell(
    'The products are a code, the start of codes with *, or * for all.',
    'Write e.g. ETH-* or *.',
  );
}

/** Whether a pattern of products names a code. */
export function namesProduct(pattern: string, code: string): boolean {
  return pattern.endsWith(EVERY) ? code.startsWith(pattern.slice(0, -1)) : code === pattern;
}

/** Whether a product can match both patterns. */
function overlap(a: string, b: string): boolean {
  return namesProduct(a, b.replace(/\*$/, '')) || namesProduct(b, a.replace(/\*$/, ''));
}

/** The bands by zone, the nearest first; a zone without rows has those of `*`. */
export class BuildBands {
  private readonly byZone: ReadonlyMap<string, readonly BuildBandRow[]>;

  constructor(rows: readonly BuildBandRow[]) {
    const sorted = rows.toSorted((a, b) => a.toMetres - b.toMetres);
    this.byZone = Map.groupBy(sorted, ({ zone }) => zone);
  }

  get isEmpty(): boolean {
    return this.byZone.size === 0;
  }

  /** The last metre of any band. */
  get reach(): number {
    return Math.max(0, ...[...this.byZone.values()].map((rows) => rows.at(-1)!.toMetres));
  }

  /** Where the bands of a zone end, in metres, the nearest first. */
  endsOf(zone: string): readonly number[] {
    const rows = this.byZone.get(zone) ?? this.byZone.get(EVERY) ?? [];
    return [...new Set(rows.map(({ toMetres }) => toMetres))];
  }

  /** The rows of the band that a distance from a zone is in; empty beyond the last one. */
  at(zone: string, metres: number): readonly BuildBandRow[] {
    const rows = this.byZone.get(zone) ?? this.byZone.get(EVERY) ?? [];
    const first = rows.find(({ toMetres }) => metres <= toMetres);
    return first ? rows.filter(({ toMetres }) => toMetres === first.toMetres) : [];
  }
}

export interface BandFault {
  readonly row: BuildBandRow;
  readonly column: string;
  readonly reason: string;
  readonly suggestion: string;
}

/** What is wrong between rows, in the order of the file: bands that overlap, or do not ascend. */
export function bandFaults(rows: readonly BuildBandRow[], zones: ReadonlySet<string>): BandFault[] {
  const faults: BandFault[] = [];
  const before = new Map<string, BuildBandRow[]>();
  for (const row of rows) {
    const { zone, toMetres, products } = row;
    const others = before.get(zone) ?? [];
    before.set(zone, [...others, row]);
    const last = others.at(-1);
    const twin = others.find((other) => other.toMetres === toMetres);
    if (zone !== EVERY && !zones.has(zone)) {
      faults.push({
        row,
        column: 'zone',
        reason: 'coverage.csv has no place in this zone.',
        suggestion: 'Name a zone of coverage.csv, or write * for all.',
      });
    } else if (last && toMetres < last.toMetres) {
      faults.push({
        row,
        column: 'to_metres',
        reason: `The bands of ${zone} overlap: the row above reaches ${last.toMetres} m already.`,
        suggestion:
          'Sort the bands of each zone by to_metres: each starts where the last one ends.',
      });
    } else if (
      twin &&
      others.some((one) => one.toMetres === toMetres && overlap(one.products, products))
    ) {
      faults.push({
        row,
        column: 'products',
        reason: `The bands of ${zone} to ${toMetres} m overlap: ${twin.products} and ${products} can be the same product.`,
        suggestion: 'Remove one of the two.',
      });
    }
  }
  return faults;
}

/** The offer of the nearest zone with what building adds; null if the band does not have the product. */
export function offerByBand(offer: Offer, rows: readonly BuildBandRow[]): Offer | null {
  const row = rows.find(({ products }) => namesProduct(products, offer.productCode));
  if (!row) return null;
  const { setupPrice, currency, leadTimeDays, basis } = offer;
  const scale = 10 ** decimalsOf(currency);
  const isStated = setupPrice !== null && row.addSetup !== null;
  const minor = isStated ? Math.round(setupPrice * scale + (row.addSetup * scale) / 100) : null;
  return {
    ...offer,
    setupPrice: minor === null || minor > LARGEST_AMOUNT ? null : minor / scale,
    leadTimeDays: Math.min(leadTimeDays + row.addLeadTimeDays, MOST_DAYS),
    // A price that is less sure than the band's stays so.
    basis: priceBases[Math.max(priceBases.indexOf(basis), priceBases.indexOf(row.basis))]!,
    extraChargesPossible: true,
    network: 'onNetWithBuild',
  };
}

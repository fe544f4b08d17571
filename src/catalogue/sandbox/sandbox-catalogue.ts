import { BuildNetwork } from '../../near-net/network.js';
import { PositionsBuilder } from '../../near-net/positions.js';
import type { BuildBandRow } from '../content/band-fields.js';
import { parseCatalogueFiles } from '../content/files/csv-reader.js';
import type { PriceBasis } from '../content/cells.js';
import { Catalogue } from '../content/catalogue.js';
import { constraintBits } from '../content/zone-fields.js';
import { CoverageBuilder, EXCLUDED } from '../content/coverage-index.js';
import { PremisesBuilder } from '../content/premises-index.js';
import { networkOf } from '../network/build-network.js';
import { parseSandboxPostcode } from '../../platform/kernel/postcode.js';
import {
  SANDBOX_READY_DATE,
  SANDBOX_UPRNS,
  type SandboxCase,
  sandboxPostcodes,
} from '../../platform/kernel/sandbox-postcodes.js';

/** The version number in sandbox checks and orders; catalogue versions start at 1. */
export const SANDBOX_VERSION = 0;

const ZONE = 'SANDBOX';
const CHANGING_ZONE = 'SANDBOX-CHANGING';
const SURVEY_ZONE = 'SANDBOX-SURVEY';
const INDICATIVE_ZONE = 'SANDBOX-INDICATIVE';
const PLANNED_ZONE = 'SANDBOX-PLANNED';
const LIT_ZONE = 'SANDBOX-LIT';

// The last one is sold nowhere, so that integrators can test an order of it.
const products = `code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months,service
TEST-100M-12,100M Internet on a 1G bearer,0.1,1,12,Internet
TEST-1G-12,1G Internet on a 10G bearer,1,10,12,Internet
TEST-1G-36,1G Internet on a 10G bearer,1,10,36,Internet
TEST-100G-60,100G Internet,100,100,60,Internet
`;

interface SandboxTerms {
  /** For 100 Mbit/s, 1 Gbit/s for a year, 1 Gbit/s for three years. */
  readonly prices: readonly [string, string, string];
  /** For 100 Mbit/s and 1 Gbit/s. */
  readonly days: readonly [number, number];
  /** For 100 Mbit/s and 1 Gbit/s; empty means not stated. */
  readonly setUp?: readonly [string, string];
  readonly basis?: PriceBasis;
}

/** Prices are on the standard list, the fallback of every client's list. */
function pricesIn(
  zone: string,
  { prices: [price100M, price1G, price36], days, setUp = ['', ''], basis = 'firm' }: SandboxTerms,
): string {
  const [small, large] = [0, 1].map((i) => `GBP,${days[i]},${setUp[i]},${basis}`);
  return `TEST-100M-12,${zone},,${price100M},${small}
TEST-1G-12,${zone},,${price1G},${large}
TEST-1G-36,${zone},,${price36},${large}
`;
}

const usual: SandboxTerms = { prices: ['208.00', '550.00', '450.00'], days: [10, 84] };
const prices = [
  'product,zone,price_list,price,currency,lead_time_days,setup_price,basis\n',
  pricesIn(ZONE, usual),
  pricesIn(SURVEY_ZONE, { ...usual, setUp: ['0', '250.00'], basis: 'subjectToSurvey' }),
  pricesIn(INDICATIVE_ZONE, { ...usual, basis: 'indicative' }),
  pricesIn(PLANNED_ZONE, usual),
  pricesIn(LIT_ZONE, { ...usual, setUp: ['0', '0'] }),
].join('');
const changing = pricesIn(CHANGING_ZONE, usual);
/** By the time of the order: 5 % more, two weeks later. */
const changed = pricesIn(CHANGING_ZONE, {
  prices: ['218.40', '577.50', '472.50'],
  days: [24, 98],
});

const zones = `zone,network,ready_date,constraints
${SURVEY_ZONE},onNetWithBuild,,surveyRequired|wayleaveOwner
${INDICATIVE_ZONE},offNetWithBuild,,
${PLANNED_ZONE},,${SANDBOX_READY_DATE},
${LIT_ZONE},onNetWithoutBuild,,
`;

const cancellation = `products,after,months
TEST-*,accepted,1
TEST-*,surveyed,3
`;

const volume = 'price_list,products,from_lines,percent\n*,TEST-*,10,5\n';

const zoneOf: Readonly<Record<SandboxCase, string | null>> = {
  products: ZONE,
  slow: ZONE,
  'price-change': CHANGING_ZONE,
  survey: SURVEY_ZONE,
  indicative: INDICATIVE_ZONE,
  planned: PLANNED_ZONE,
  premises: SURVEY_ZONE,
  charge: SURVEY_ZONE,
  offered: null,
  'offer-expired': null,
  excluded: EXCLUDED,
  nothing: null,
  unable: null,
  unavailable: null,
  limited: null,
  'first-band': null,
  'second-band': null,
  'last-band': null,
  'beyond-bands': null,
};

const band = { zone: '*', products: '*', basis: 'subjectToSurvey' } as const;
const buildBands: readonly BuildBandRow[] = [
  { ...band, toMetres: 100, addSetup: 950_00, addLeadTimeDays: 14 },
  { ...band, toMetres: 500, addSetup: 4_500_00, addLeadTimeDays: 45 },
  { ...band, toMetres: 2_000, addSetup: null, addLeadTimeDays: 90, basis: 'indicative' },
];
const NETWORK = { easting: 533_000, northing: 182_000 };
const networkPoints = [{ point: 'SANDBOX-1', ...NETWORK, zone: LIT_ZONE }];
const ROUTE_FACTOR = 1.3;

/** Metres as the crow flies to the network of the sandbox. */
const distances: Readonly<Partial<Record<SandboxCase, number>>> = {
  'first-band': 38,
  'second-band': 269,
  'last-band': 1_000,
  'beyond-bands': 5_000,
};

/** The built-in catalogue of the sandbox: for checks, and for orders. */
export const sandboxCatalogue = catalogueWith(prices + changing);
export const sandboxCatalogueAtOrder = catalogueWith(prices + changed);

function catalogueWith(rows: string): Catalogue {
  const texts = { products, prices: rows, coverage: 'place,zone\n', zones, volume, cancellation };
  const { content } = parseCatalogueFiles(texts);
  const whole = { ...content!, ...places(), buildBands, networkPoints };
  const catalogue = new Catalogue(SANDBOX_VERSION, whole);
  catalogue.network = new BuildNetwork(networkOf(whole, positions(), ROUTE_FACTOR));
  return catalogue;
}

function positions() {
  const builder = new PositionsBuilder();
  for (const { postcode, plays } of sandboxPostcodes) {
    const [key, distance] = [parseSandboxPostcode(postcode)?.packed, distances[plays]];
    if (key === undefined || distance === undefined) continue;
    builder.add(key, { ...NETWORK, easting: NETWORK.easting + distance });
  }
  return builder.build();
}

function places() {
  const coverage = new CoverageBuilder();
  const premises = new PremisesBuilder();
  const numberOf = (zone: string) => coverage.knownZone(zone) ?? coverage.addZone(zone);
  for (const { postcode, plays } of sandboxPostcodes) {
    const zone = zoneOf[plays];
    const key = parseSandboxPostcode(postcode)?.packed;
    if (zone === null || key === undefined) continue;
    coverage.add({ level: 'unit', name: postcode, key }, numberOf(zone), 0);
    if (plays !== 'premises') continue;
    const { firm, excluded } = SANDBOX_UPRNS;
    const place = { packed: key };
    const lit = { zoneNumber: numberOf(LIT_ZONE), name: 'Lit House' };
    const dark = { zoneNumber: numberOf(EXCLUDED), name: 'Dark House' };
    const refused = constraintBits('wayleaveRefused');
    premises.add({ ...place, ...lit, uprn: firm });
    premises.add({ ...place, ...dark, uprn: excluded, constraints: refused });
  }
  return {
    coverage: coverage.build(() => undefined),
    premises: premises.build(coverage.renumbering().renumbered),
  };
}

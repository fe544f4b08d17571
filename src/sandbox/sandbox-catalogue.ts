import { STANDARD } from '../catalogue/content/cells.js';
import type { PriceRow, ProductRow } from '../catalogue/content/offer-fields.js';
import { Catalogue } from '../catalogue/content/catalogue.js';
import { CoverageBuilder, EXCLUDED } from '../catalogue/content/coverage-index.js';
import { parseSandboxPostcode } from '../kernel/postcode.js';
import { type SandboxCase, sandboxPostcodes } from '../kernel/sandbox-postcodes.js';

/** In the records of checks and orders: no catalogue version has this number. */
export const SANDBOX_VERSION = 0;

const products: readonly ProductRow[] = [
  product('TEST-100M-12', '100M Internet on a 1G bearer', 100, 1_000, 12),
  product('TEST-1G-12', '1G Internet on a 10G bearer', 1_000, 10_000, 12),
  product('TEST-1G-36', '1G Internet on a 10G bearer', 1_000, 10_000, 36),
  // Sold nowhere, so that the answer to an order of it can be seen.
  product('TEST-100G-60', '100G Internet', 100_000, 100_000, 60),
];

const ZONE = 'SANDBOX';
const CHANGING_ZONE = 'SANDBOX-CHANGING';

const prices: readonly PriceRow[] = [ZONE, CHANGING_ZONE].flatMap((zone) => [
  price('TEST-100M-12', zone, 208_00, 10),
  price('TEST-1G-12', zone, 550_00, 84),
  price('TEST-1G-36', zone, 450_00, 84),
]);

/** By the time of the order, in the zone whose prices change: 5 % more, two weeks later. */
const changedPrices = prices.map((row) =>
  row.zone === CHANGING_ZONE
    ? {
        ...row,
        amountMinor: Math.round(row.amountMinor * 1.05),
        leadTimeDays: row.leadTimeDays + 14,
      }
    : row,
);

const zones: Readonly<Record<SandboxCase, string | null>> = {
  products: ZONE,
  slow: ZONE,
  'price-change': CHANGING_ZONE,
  excluded: EXCLUDED,
  nothing: null,
  unavailable: null,
  limited: null,
};

/** What the sandbox sells, built in: as checks see it, and as it stands when an order comes. */
export const sandboxCatalogue = catalogueWith(prices);
export const sandboxCatalogueAtOrder = catalogueWith(changedPrices);

function catalogueWith(rows: readonly PriceRow[]): Catalogue {
  return new Catalogue(SANDBOX_VERSION, {
    products,
    prices: rows,
    coverage: coverage(),
  });
}

function coverage() {
  const builder = new CoverageBuilder();
  for (const { postcode, plays } of sandboxPostcodes) {
    const zone = zones[plays];
    const key = parseSandboxPostcode(postcode)?.packed;
    if (zone === null || key === undefined) continue;
    const number = zone === EXCLUDED ? builder.knownZone(EXCLUDED)! : builder.addZone(zone);
    builder.add({ level: 'unit', name: postcode, key }, number, 0);
  }
  return builder.build(() => undefined);
}

function product(
  code: string,
  name: string,
  bandwidthProvisionedMbps: number,
  bandwidthCapacityMbps: number,
  termMonths: number,
): ProductRow {
  return { code, name, bandwidthProvisionedMbps, bandwidthCapacityMbps, termMonths };
}

/** Prices are on the standard list, from which every client gets what its own list lacks. */
function price(code: string, zone: string, amountMinor: number, leadTimeDays: number): PriceRow {
  return {
    productCode: code,
    zone,
    priceList: STANDARD,
    amountMinor,
    currency: 'GBP',
    leadTimeDays,
  };
}

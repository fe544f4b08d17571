import { parseCatalogueFiles } from '../catalogue/content/csv-reader.js';
import { Catalogue } from '../catalogue/content/catalogue.js';
import { CoverageBuilder, EXCLUDED } from '../catalogue/content/coverage-index.js';
import { parseSandboxPostcode } from '../kernel/postcode.js';
import { type SandboxCase, sandboxPostcodes } from '../kernel/sandbox-postcodes.js';

/** In the records of checks and orders: no catalogue version has this number. */
export const SANDBOX_VERSION = 0;

const ZONE = 'SANDBOX';
const CHANGING_ZONE = 'SANDBOX-CHANGING';

// The last one is sold nowhere, so that the answer to an order of it can be seen.
const products = `code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months
TEST-100M-12,100M Internet on a 1G bearer,0.1,1,12
TEST-1G-12,1G Internet on a 10G bearer,1,10,12
TEST-1G-36,1G Internet on a 10G bearer,1,10,36
TEST-100G-60,100G Internet,100,100,60
`;

/** Prices are on the standard list, from which every client gets what its own list lacks. */
const pricesIn = (zone: string, [price100M, price1G, price36]: string[], days: [number, number]) =>
  `TEST-100M-12,${zone},,${price100M},GBP,${days[0]}
TEST-1G-12,${zone},,${price1G},GBP,${days[1]}
TEST-1G-36,${zone},,${price36},GBP,${days[1]}
`;
const header = 'product,zone,price_list,price,currency,lead_time_days\n';
const usual = ['208.00', '550.00', '450.00'];
const prices = header + pricesIn(ZONE, usual, [10, 84]);
const changing = pricesIn(CHANGING_ZONE, usual, [10, 84]);
/** By the time of the order: 5 % more, two weeks later. */
const changed = pricesIn(CHANGING_ZONE, ['218.40', '577.50', '472.50'], [24, 98]);

const zones: Readonly<Record<SandboxCase, string | null>> = {
  products: ZONE,
  slow: ZONE,
  'price-change': CHANGING_ZONE,
  excluded: EXCLUDED,
  nothing: null,
  unavailable: null,
  limited: null,
};

/** The built-in catalogue of the sandbox: for checks, and for orders. */
export const sandboxCatalogue = catalogueWith(prices + changing);
export const sandboxCatalogueAtOrder = catalogueWith(prices + changed);

function catalogueWith(rows: string): Catalogue {
  const { content } = parseCatalogueFiles({ products, prices: rows, coverage: 'place,zone\n' });
  return new Catalogue(SANDBOX_VERSION, { ...content!, coverage: coverage() });
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

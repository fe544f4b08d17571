import type { CatalogueContent } from '../../src/catalogue/content/catalogue.js';
import { type CatalogueFile, parseCatalogueFiles } from '../../src/catalogue/content/csv-reader.js';

export const HEADERS: Readonly<Record<CatalogueFile, string>> = {
  products: 'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months',
  prices: 'product,zone,price_list,price,currency,lead_time_days',
  coverage: 'place,zone',
};

const LINES: Readonly<Record<CatalogueFile, readonly string[]>> = {
  products: ['INT-1G-12,1G Internet on a 10G bearer,1,10,12', 'INT-100M-36,100M Internet,0.1,1,36'],
  prices: ['INT-1G-12,LONDON-ONNET,standard,550,GBP,84', 'INT-100M-36,UK,,199.99,GBP,60'],
  coverage: ['EC2A 2BS,LONDON-ONNET', 'EC,UK', 'E14,-'],
};

/** Catalogue files without a fault, for tests: the lines below a header are those given, if any. */
export function givenFiles(
  given: Partial<Record<CatalogueFile, readonly string[]>> = {},
): Record<CatalogueFile, string> {
  const text = (file: CatalogueFile) =>
    [HEADERS[file], ...(given[file] ?? LINES[file]), ''].join('\n');
  return { products: text('products'), prices: text('prices'), coverage: text('coverage') };
}

/** @throws Error that lists the faults, if there are any */
export function contentOf(texts: Record<CatalogueFile, string>): CatalogueContent {
  const { content, faults } = parseCatalogueFiles(texts);
  if (content === null) throw new Error(JSON.stringify(faults, null, 2));
  return content;
}

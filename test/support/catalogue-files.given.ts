import { columnsOf } from '../../src/catalogue/content/offers.js';
import type { Catalogue, CatalogueContent } from '../../src/catalogue/content/catalogue.js';
import { explain, type Explanation } from '../../src/catalogue/content/explain.js';
import type { Postcode } from '../../src/platform/kernel/postcode.js';
import {
  type CatalogueFile,
  type CatalogueTexts,
  fileInfo,
} from '../../src/catalogue/content/catalogue-files.js';
import {
  CONSTRAINTS_COLUMN,
  parseCatalogueFiles,
  POSITION_COLUMNS,
} from '../../src/catalogue/content/files/csv-reader.js';
import { printCatalogue } from '../../src/catalogue/content/files/csv-writer.js';

/** The columns that a file must have, where some are optional. */
export const HEADERS = {
  products: 'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months',
  prices: 'product,zone,price_list,price,currency,lead_time_days',
  coverage: 'place,zone',
  premises: 'uprn,postcode,name,zone',
  zones: 'zone,label,network,ready_date,note',
} satisfies Partial<Record<CatalogueFile, string>>;

const LINES: Readonly<Record<RequiredFile, readonly string[]>> = {
  products: ['INT-1G-12,1G Internet on a 10G bearer,1,10,12', 'INT-100M-36,100M Internet,0.1,1,36'],
  prices: ['INT-1G-12,LONDON-ONNET,standard,550,GBP,84', 'INT-100M-36,UK,,199.99,GBP,60'],
  coverage: ['EC2A 2BS,LONDON-ONNET', 'EC,UK', 'E14,-'],
};

type RequiredFile = 'products' | 'prices' | 'coverage';
export type GivenFiles = Record<RequiredFile, string> & CatalogueTexts;
/** Rows of the files, without their headers. */
export type CatalogueRows = Partial<Record<CatalogueFile, readonly string[]>>;

/** Valid catalogue files. The given lines replace those below a header; longer ones have further columns. */
export function givenFiles(given: CatalogueRows = {}): GivenFiles {
  const text = (file: CatalogueFile, rows: readonly string[]) => {
    const { fields } = fileInfo(file);
    const needed = (HEADERS as CatalogueTexts)[file]?.split(',') ?? columnsOf(fields!);
    const all = file === 'premises' ? [...needed, ...POSITION_COLUMNS, CONSTRAINTS_COLUMN] : needed;
    return csvOf(fields ? columnsOf(fields) : all, needed.length, rows);
  };
  const lines = Object.entries({ ...LINES, ...given }) as [CatalogueFile, readonly string[]][];
  return Object.fromEntries(lines.map(([file, rows]) => [file, text(file, rows)])) as GivenFiles;
}
/** A comma outside quotes. */
const SEPARATOR = /,(?=(?:[^"]*"[^"]*")*[^"]*$)/;

/** Rows may lack cells at their end. The header has the first `needed` columns, and more where a row does. */
function csvOf(columns: readonly string[], needed: number, rows: readonly string[]): string {
  const cells = rows.map((row) => row.split(SEPARATOR).length);
  const width = Math.max(needed, ...cells);
  const lines = rows.map((row, i) => row + ','.repeat(width - cells[i]!));
  return [columns.slice(0, width).join(','), ...lines, ''].join('\n');
}

/** @throws an Error that lists the faults, if any */
export function contentOf(texts: CatalogueTexts): CatalogueContent {
  const { content, faults } = parseCatalogueFiles(texts);
  if (content === null) throw new Error(JSON.stringify(faults, null, 2));
  return content;
}

/** The files that an export writes. */
export function textsOf(content: CatalogueContent): CatalogueTexts {
  const files = printCatalogue(content).map(({ file, chunks }) => [file, [...chunks].join('')]);
  return Object.fromEntries(files) as CatalogueTexts;
}

/** Why a check of a postcode has its answer. @param at milliseconds */
export function explainAt(
  catalogue: Catalogue,
  postcode: Postcode,
  priceList: string,
  at: number,
): Explanation {
  const offers = catalogue.offersAt(postcode, priceList, at);
  return explain({ catalogue, postcode, key: postcode, priceList, at, offers });
}

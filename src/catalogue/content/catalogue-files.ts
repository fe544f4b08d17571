import { buildBandFields, networkPointFields } from './band-fields.js';
import { priceFields, productFields } from './offer-fields.js';
import type { FieldsOfRows } from './offers.js';
import { priceListFields } from './price-list-fields.js';
import { zoneFields } from './zone-fields.js';

interface CatalogueFileInfo {
  readonly fileName: string;
  /** A catalogue without this file, or with an empty one, has no such rows. */
  readonly isOptional?: true;
  /** Of a file whose rows are stored as they are. */
  readonly fields?: FieldsOfRows;
}

/** By their names in `CatalogueContent` and in the upload form, in the order of reports. */
export const catalogueFiles = {
  products: { fileName: 'products.csv', fields: productFields },
  prices: { fileName: 'prices.csv', fields: priceFields },
  coverage: { fileName: 'coverage.csv' },
  premises: { fileName: 'premises.csv', isOptional: true },
  zones: { fileName: 'zones.csv', isOptional: true, fields: zoneFields },
  priceLists: { fileName: 'price_lists.csv', isOptional: true, fields: priceListFields },
  buildBands: { fileName: 'build_bands.csv', isOptional: true, fields: buildBandFields },
  networkPoints: { fileName: 'network_points.csv', isOptional: true, fields: networkPointFields },
} as const satisfies Record<string, CatalogueFileInfo>;

export type CatalogueFile = keyof typeof catalogueFiles;

type FileWithFields<F extends CatalogueFile = CatalogueFile> = F extends unknown
  ? (typeof catalogueFiles)[F] extends { fields: FieldsOfRows }
    ? F
    : never
  : never;

/** The files whose rows are stored as they are. */
export type RowFile = FileWithFields;

/** The texts of the files; an optional one may be missing. */
export type CatalogueTexts = Readonly<Partial<Record<CatalogueFile, string>>>;

export const catalogueFileNames = Object.keys(catalogueFiles) as CatalogueFile[];

export const rowFiles = catalogueFileNames.filter(
  (file): file is RowFile => fileInfo(file).fields !== undefined,
);

export const requiredFiles = catalogueFileNames.filter((file) => !fileInfo(file).isOptional);

export function fileInfo(file: CatalogueFile): CatalogueFileInfo {
  return catalogueFiles[file];
}

import {
  costFields,
  marginFields,
  supplierFields,
  supplierPlaceFields,
  supplierPremisesFields,
} from './cost-fields.js';
import { buildBandFields, networkPointFields } from './band-fields.js';
import { priceFields, productFields } from './offer-fields.js';
import type { FieldsOfRows } from './offers.js';
import { priceListFields, volumeFields } from './price-list-fields.js';
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
  margins: { fileName: 'margins.csv', isOptional: true, fields: marginFields },
  volume: { fileName: 'volume.csv', isOptional: true, fields: volumeFields },
} as const satisfies Record<string, CatalogueFileInfo>;

/** The files of a cost book, in the folder `suppliers/<code>`. */
export const supplierFiles = {
  suppliers: { fileName: 'supplier.csv', fields: supplierFields },
  costs: { fileName: 'costs.csv', fields: costFields },
  supplierPlaces: { fileName: 'coverage.csv', isOptional: true, fields: supplierPlaceFields },
  supplierPremises: { fileName: 'premises.csv', isOptional: true, fields: supplierPremisesFields },
} as const satisfies Record<string, CatalogueFileInfo>;

const allFiles = { ...catalogueFiles, ...supplierFiles };

export type CatalogueFile = keyof typeof catalogueFiles;
export type SupplierFile = keyof typeof supplierFiles;

type FileWithFields<F extends CatalogueFile = CatalogueFile> = F extends unknown
  ? (typeof catalogueFiles)[F] extends { fields: FieldsOfRows }
    ? F
    : never
  : never;

/** The files whose rows are stored as they are. */
export type RowFile = FileWithFields | SupplierFile;

/** The texts of the files; an optional one may be missing. */
export type CatalogueTexts = Readonly<Partial<Record<CatalogueFile, string>>>;

export const catalogueFileNames = Object.keys(catalogueFiles) as CatalogueFile[];

export const supplierFileNames = Object.keys(supplierFiles) as SupplierFile[];

export const rowFiles: readonly RowFile[] = [
  ...catalogueFileNames.filter((file): file is FileWithFields => 'fields' in catalogueFiles[file]),
  ...supplierFileNames,
];

export function fieldsOf(file: RowFile): FieldsOfRows {
  return allFiles[file].fields;
}

/** In a folder or a zip: `suppliers/pxc/costs.csv`. */
export function supplierPath(supplier: string, file: SupplierFile): string {
  return `suppliers/${supplier}/${supplierFiles[file].fileName}`;
}

export const requiredFiles = catalogueFileNames.filter((file) => !fileInfo(file).isOptional);

export function fileInfo(file: CatalogueFile | SupplierFile): CatalogueFileInfo {
  return allFiles[file];
}

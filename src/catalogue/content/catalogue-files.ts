import {
  costFields,
  marginFields,
  supplierFields,
  supplierPlaceFields,
  supplierPremisesFields,
} from './cost-fields.js';
import { cancellationFields } from './cancellation.js';
import { constraintTextFields, polygonFields, zoneFields } from './zone-fields.js';
import { buildBandFields, networkPointFields } from './band-fields.js';
import { priceFields, productFields, type OfferFields } from './offer-fields.js';
import type { FieldsOfRows } from './offers.js';
import { priceListFields, volumeFields } from './price-list-fields.js';

interface CatalogueFileInfo {
  readonly fileName: string;
  /** A catalogue without this file, or with an empty one, has no such rows. */
  readonly isOptional?: true;
  /** Of a file whose rows are stored as they are. */
  readonly fields?: FieldsOfRows;
  /** Names the key fields in messages. */
  readonly keyName?: string;
  /** Of a file that reports of changes compare row by row: the heading of its changes, and one row in their CSV. */
  readonly changes?: { readonly heading: string; readonly what: string };
}

/** By their names in `CatalogueContent` and in the upload form, in the order of reports. */
export const catalogueFiles = {
  products: {
    fileName: 'products.csv',
    fields: productFields,
    keyName: 'product code',
    changes: { heading: 'Products', what: 'product' },
  },
  prices: {
    fileName: 'prices.csv',
    fields: priceFields,
    keyName: 'product, zone and price list',
  },
  coverage: { fileName: 'coverage.csv' },
  premises: { fileName: 'premises.csv', isOptional: true },
  polygons: {
    fileName: 'coverage.geojson',
    isOptional: true,
    fields: polygonFields,
    keyName: 'label',
    changes: { heading: 'Polygons of the map', what: 'polygon' },
  },
  zones: {
    fileName: 'zones.csv',
    isOptional: true,
    fields: zoneFields,
    keyName: 'zone',
    changes: { heading: 'Zones', what: 'zone' },
  },
  constraintTexts: {
    fileName: 'constraint_texts.csv',
    isOptional: true,
    fields: constraintTextFields,
    keyName: 'code',
    changes: { heading: 'Texts of constraints', what: 'constraint_text' },
  },
  priceLists: {
    fileName: 'price_lists.csv',
    isOptional: true,
    fields: priceListFields,
    keyName: 'price list',
    changes: { heading: 'Derived price lists', what: 'price_list' },
  },
  buildBands: {
    fileName: 'build_bands.csv',
    isOptional: true,
    fields: buildBandFields,
    keyName: 'zone, distance and products',
    changes: { heading: 'Build bands', what: 'build_band' },
  },
  networkPoints: {
    fileName: 'network_points.csv',
    isOptional: true,
    fields: networkPointFields,
    keyName: 'point',
    changes: { heading: 'Network points', what: 'network_point' },
  },
  margins: {
    fileName: 'margins.csv',
    isOptional: true,
    fields: marginFields,
    keyName: 'supplier, products and price list',
    changes: { heading: 'Margins', what: 'margin' },
  },
  volume: {
    fileName: 'volume.csv',
    isOptional: true,
    fields: volumeFields,
    keyName: 'price list, products and lines',
    changes: { heading: 'Volume discounts', what: 'volume' },
  },
  cancellation: {
    fileName: 'cancellation.csv',
    isOptional: true,
    fields: cancellationFields,
    keyName: 'products and phase',
    changes: { heading: 'Costs of cancelling', what: 'cancellation' },
  },
} as const satisfies Record<string, CatalogueFileInfo>;

/** The files of a cost book, in the folder `suppliers/<code>`. */
export const supplierFiles = {
  suppliers: {
    fileName: 'supplier.csv',
    fields: supplierFields,
    keyName: 'supplier',
    changes: { heading: 'Suppliers', what: 'supplier' },
  },
  costs: {
    fileName: 'costs.csv',
    fields: costFields,
    keyName: 'product and zone',
    changes: { heading: 'Costs', what: 'cost' },
  },
  supplierPlaces: {
    fileName: 'coverage.csv',
    isOptional: true,
    fields: supplierPlaceFields,
    keyName: 'place',
    changes: { heading: 'Places of suppliers', what: 'supplier_place' },
  },
  supplierPremises: {
    fileName: 'premises.csv',
    isOptional: true,
    fields: supplierPremisesFields,
    keyName: 'UPRN',
    changes: { heading: 'Premises of suppliers', what: 'supplier_premises' },
  },
} as const satisfies Record<string, CatalogueFileInfo>;

const allFiles = { ...catalogueFiles, ...supplierFiles };

export type CatalogueFile = keyof typeof catalogueFiles;
export type SupplierFile = keyof typeof supplierFiles;

type AnyFile = CatalogueFile | SupplierFile;
type Files = typeof allFiles;
type FilesWith<Info> = { [F in AnyFile]: Files[F] extends Info ? F : never }[AnyFile];

/** The files whose rows are stored as they are. */
export type RowFile = FilesWith<{ fields: unknown }>;
/** Those that reports of changes compare row by row. */
export type ComparedFile = FilesWith<{ changes: unknown }>;

export type RowOfFile<F extends RowFile> =
  Files[F]['fields'] extends OfferFields<infer Row extends object> ? Row : never;

export type FileRows = { readonly [F in RowFile]: readonly RowOfFile<F>[] };

/** The texts of the files; an optional one may be missing. */
export type CatalogueTexts = Readonly<Partial<Record<CatalogueFile, string>>>;

export const catalogueFileNames = Object.keys(catalogueFiles) as CatalogueFile[];

export const supplierFileNames = Object.keys(supplierFiles) as SupplierFile[];

const everyFile = Object.keys(allFiles) as AnyFile[];

export const rowFiles = everyFile.filter((file): file is RowFile => 'fields' in allFiles[file]);

/** The tables of rows outside cost books. */
export type OwnRowFile = Exclude<Extract<RowFile, CatalogueFile>, 'polygons'>;

export const ownRowFiles = catalogueFileNames.filter(
  (file): file is OwnRowFile => 'fields' in catalogueFiles[file] && file !== 'polygons',
);

/** In the order of reports. */
export const comparedFiles = rowFiles.filter(
  (file): file is ComparedFile => 'changes' in allFiles[file],
);

export function fieldsOf(file: RowFile): FieldsOfRows {
  return allFiles[file].fields;
}

/** In a folder or a zip: `suppliers/pxc/costs.csv`. */
export function supplierPath(supplier: string, file: SupplierFile): string {
  return `suppliers/${supplier}/${supplierFiles[file].fileName}`;
}

export const requiredFiles = catalogueFileNames.filter((file) => !fileInfo(file).isOptional);

export function fileInfo(file: AnyFile): CatalogueFileInfo {
  return allFiles[file];
}

import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { CatalogueContent } from './catalogue.js';
import { ContentDamaged, packCoverage, unpackCoverage } from './coverage-codec.js';
import { CoverageIndex } from './coverage-index.js';
import { priceFields, type PriceRow, productFields, type ProductRow } from './offer-fields.js';
import { absentOf, type AnyRow, entriesOf, type FieldsOfRows } from './offers.js';

/** Of the packed form. A stored content names it in its hash. */
const FORMAT = 'v3';

/** Of national coverage: a tenth larger than the default level makes it, in a quarter of the time. */
const DEFLATE_LEVEL = 4;

/** What one step takes on, about a millisecond of work. */
const STEP_ROWS = 1_000;
const STEP_BYTES = 262_144;

const deflateInBackground = promisify(deflate);
const inflateInBackground = promisify(inflate);

/** A content as the database keeps it. */
export interface StoredContent {
  /** `v3:` and the SHA-256 of the packed form in hex: equal content, equal hash. */
  readonly hash: string;
  /** The packed form in zlib's format (RFC 1950). */
  readonly body: Uint8Array;
}

/** A content to be stored, and how many rows it has. */
export type CompiledContent = Awaited<ReturnType<typeof compileContent>>;

export async function compileContent(content: CatalogueContent) {
  const { products, prices, coverage } = content;
  return {
    stored: await encodeContent(content),
    products: products.length,
    prices: prices.length,
    size: coverage.size,
  };
}

/** Rows of a table, at most STEP_ROWS. */
interface Page {
  readonly table: 'products' | 'prices';
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** @param content its rows in canonical order, as CatalogueFilesReader gives them */
export async function encodeContent(content: CatalogueContent): Promise<StoredContent> {
  const packed = pack(content);
  const checksum = createHash('sha256').update(packed).digest('hex');
  const body = await deflateInBackground(packed, { level: DEFLATE_LEVEL });
  return { hash: `${FORMAT}:${checksum}`, body };
}

/**
 * Inflates in the thread pool, and yields to the event loop after every few milliseconds of
 * work.
 * @throws ContentDamaged
 */
export async function decodeContent({ hash, body }: StoredContent): Promise<CatalogueContent> {
  const [format, checksum] = hash.split(':');
  if (format !== FORMAT) {
    throw new ContentDamaged(`it has format ${format}, this program reads ${FORMAT}`);
  }
  const packed = await inflateInBackground(body).catch((error: Error) => {
    throw new ContentDamaged(`it does not decompress (${error.message})`);
  });
  const steps = unpack(packed, checksum!);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}

/**
 * The packed form: pages of products and prices as JSON, each after its length (4 bytes, big endian); a
 * length of 0; and the coverage. A column in which every row has the default is left out, so that a content
 * does not change when the program learns a new field.
 */
function pack({ products, prices, coverage }: CatalogueContent): Buffer {
  const parts: Uint8Array[] = [];
  const put = (bytes: Uint8Array) => parts.push(lengthOf(bytes), bytes);
  for (const page of pagesOf('products', productFields, products)) put(page);
  for (const page of pagesOf('prices', priceFields, prices)) put(page);
  return Buffer.concat([...parts, lengthOf([]), packCoverage(coverage.coverage)]);
}

function lengthOf({ length }: ArrayLike<number>): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

function* pagesOf(table: Page['table'], fields: FieldsOfRows, all: readonly object[]) {
  const absent = absentOf(fields);
  const columns = entriesOf(fields)
    .map(([property]) => property)
    .filter((name) => !(name in absent) || all.some((row) => valueOf(row, name) !== absent[name]))
    .sort();
  for (let at = 0; at < all.length; at += STEP_ROWS) {
    const rows = all
      .slice(at, at + STEP_ROWS)
      .map((row) => columns.map((name) => valueOf(row, name)));
    yield Buffer.from(JSON.stringify({ table, columns, rows } satisfies Page));
  }
}

function valueOf(row: object, name: string): unknown {
  return (row as AnyRow)[name];
}

/** Yields after each step. Checks the checksum and every count. */
function* unpack(packed: Buffer, checksum: string): Generator<void, CatalogueContent> {
  const { length } = packed;
  const hash = createHash('sha256');
  for (let at = 0; at < length; at += STEP_BYTES) {
    hash.update(packed.subarray(at, at + STEP_BYTES));
    yield;
  }
  if (hash.digest('hex') !== checksum) throw new ContentDamaged('its checksum does not match');

  const tables = {
    products: { fields: productFields, rows: [] as ProductRow[] },
    prices: { fields: priceFields, rows: [] as PriceRow[] },
  };
  let at = 0;
  for (;;) {
    const size = at + 4 <= length ? packed.readUInt32BE(at) : 0;
    at += 4;
    if (size === 0) break;
    const { table, columns, rows } = JSON.parse(packed.toString('utf8', at, at + size)) as Page;
    at += size;
    const { fields, rows: known }: { fields: FieldsOfRows; rows: object[] } = tables[table];
    for (const row of rowsOf(fields, columns, rows)) known.push(row);
    yield;
  }
  const coverage = new CoverageIndex(yield* unpackCoverage(packed.subarray(at)));
  return { products: tables.products.rows, prices: tables.prices.rows, coverage };
}

function rowsOf(fields: FieldsOfRows, columns: Page['columns'], rows: Page['rows']): object[] {
  const absent = absentOf(fields);
  const names = entriesOf(fields).map(([property]) => property);
  const unknown = columns.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new ContentDamaged(`it has the field ${unknown}, which this program does not know`);
  }
  const missing = names.find((name) => !columns.includes(name) && !(name in absent));
  if (missing !== undefined) throw new ContentDamaged(`it lacks the field ${missing}`);
  const places = names.map((name) => columns.indexOf(name));
  return rows.map((row) =>
    Object.fromEntries(
      names.map((name, i) => [name, places[i]! < 0 ? absent[name] : row[places[i]!]]),
    ),
  );
}

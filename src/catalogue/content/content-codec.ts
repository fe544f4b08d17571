import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { CatalogueContent } from './catalogue.js';
import { ContentDamaged, packCoverage, unpackCoverage } from './coverage-codec.js';
import { CoverageIndex } from './coverage-index.js';
import { priceFields, type PriceRow, productFields, type ProductRow } from './offer-fields.js';
import { absentOf, type AnyRow, entriesOf, type FieldsOfRows } from './offers.js';

const MAGIC = 'PASC';
const FORMAT_VERSION = 2;
const LENGTH_AT = 5;
const DIGEST_AT = 9;
const BODY_AT = 41;

/** Of national coverage: a tenth larger than the default level makes it, in a quarter of the time. */
const DEFLATE_LEVEL = 4;

/** What one step takes on, about a millisecond of work. */
const STEP_ROWS = 1_000;
const STEP_BYTES = 262_144;

const deflateInBackground = promisify(deflate);
const inflateInBackground = promisify(inflate);

/** A content as the database keeps it. */
export interface StoredContent {
  /** The format version and SHA-256 of the packed form: equal content, equal hash. */
  readonly hash: string;
  readonly body: Uint8Array;
}

/** Rows of a table, at most STEP_ROWS. */
interface Page {
  readonly table: 'products' | 'prices';
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

function hashFrom(checksum: string): string {
  return `v${FORMAT_VERSION}:${checksum}`;
}

/**
 * The stored form: `PASC`, the format version (1 byte), the length of the packed form (4 bytes, big
 * endian), its SHA-256 (32 bytes), and the packed form in zlib's format (RFC 1950).
 * @param content its rows in canonical order, as CatalogueFilesReader gives them
 */
export async function encodeContent(content: CatalogueContent): Promise<StoredContent> {
  const packed = pack(content);
  const digest = createHash('sha256').update(packed).digest();
  const header = Buffer.alloc(BODY_AT);
  header.write(MAGIC, 'latin1');
  header.writeUInt8(FORMAT_VERSION, MAGIC.length);
  header.writeUInt32BE(packed.length, LENGTH_AT);
  digest.copy(header, DIGEST_AT);
  const body = await deflateInBackground(packed, { level: DEFLATE_LEVEL });
  return { hash: hashFrom(digest.toString('hex')), body: Buffer.concat([header, body]) };
}

/**
 * Inflates in the thread pool, and gives the event loop a turn after every few milliseconds of its own
 * work.
 * @throws ContentDamaged
 */
export async function decodeContent({ hash, body }: StoredContent): Promise<CatalogueContent> {
  const { compressed, length, checksum } = readHeader(body);
  if (hash !== hashFrom(checksum)) {
    throw new ContentDamaged('its checksum is not the one that it is stored under');
  }
  const packed = await inflateInBackground(compressed, {
    maxOutputLength: Math.max(length, 1),
  }).catch((error: Error) => {
    throw new ContentDamaged(`it does not decompress (${error.message})`);
  });
  const steps = unpack(packed, length, checksum);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}

/**
 * The packed form: pages of products and prices as JSON, each after its length (4 bytes, big endian); a
 * length of 0; and the coverage. A column without a value of its own is left out, so that a content
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

function readHeader(bytes: Uint8Array) {
  const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (stored.length < BODY_AT || stored.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new ContentDamaged('it does not begin as a catalogue does');
  }
  const version = stored.readUInt8(MAGIC.length);
  if (version !== FORMAT_VERSION) {
    throw new ContentDamaged(`it has format ${version}, this program reads ${FORMAT_VERSION}`);
  }
  return {
    length: stored.readUInt32BE(LENGTH_AT),
    checksum: stored.toString('hex', DIGEST_AT, BODY_AT),
    compressed: stored.subarray(BODY_AT),
  };
}

/** Yields after each step; returns the content when the checksum and every count are right. */
function* unpack(
  packed: Buffer,
  length: number,
  checksum: string,
): Generator<void, CatalogueContent> {
  if (packed.length !== length) throw new ContentDamaged('its length is not the one it states');
  const hash = createHash('sha256');
  for (let at = 0; at < length; at += STEP_BYTES) {
    hash.update(packed.subarray(at, at + STEP_BYTES));
    yield;
  }
  if (hash.digest('hex') !== checksum) throw new ContentDamaged('its checksum does not match');

  const tables = {
    products: { fields: productFields, rows: [] as object[] },
    prices: { fields: priceFields, rows: [] as object[] },
  };
  let at = 0;
  for (;;) {
    const size = at + 4 <= length ? packed.readUInt32BE(at) : 0;
    at += 4;
    if (size === 0) break;
    const { table, columns, rows } = JSON.parse(packed.toString('utf8', at, at + size)) as Page;
    at += size;
    const { fields, rows: known } = tables[table];
    for (const row of rowsOf(fields, columns, rows)) known.push(row);
    yield;
  }
  const coverage = new CoverageIndex(yield* unpackCoverage(packed.subarray(at)));
  const [products, prices] = [
    tables.products.rows as ProductRow[],
    tables.prices.rows as PriceRow[],
  ];
  return { products, prices, coverage };
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

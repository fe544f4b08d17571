import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { nextTurn } from '../../platform/kernel/turns.js';
import type { CatalogueContent } from './catalogue.js';
import { effectiveOf } from './cost-books.js';
import { ContentDamaged, packCoverage, unpackCoverage } from './coverage-codec.js';
import { CoverageIndex } from './coverage-index.js';
import { packPremises, unpackPremises } from './premises-codec.js';
import { PremisesIndex } from './premises-index.js';
import { fieldsOf, type RowFile, rowFiles } from './catalogue-files.js';
import { absentOf, type AnyRow, entriesOf, type FieldsOfRows, usedProperties } from './offers.js';

/** Version of the packed form, stored in front of the hash. */
const FORMAT = 'v3';

/** Ten per cent larger than the default level, in a quarter of the time (national coverage). */
const DEFLATE_LEVEL = 4;

/** National coverage with premises is 7 times as large as its compressed form. */
const LARGEST_RATIO = 8;

/** Size of one step: about a millisecond of work. */
const STEP_ROWS = 1_000;
const STEP_BYTES = 262_144;

const deflateInBackground = promisify(deflate);
const inflateInBackground = promisify(inflate);

export interface StoredContent {
  /** `v3:` and the SHA-256 of the packed form in hex. Equal contents have equal hashes. */
  readonly hash: string;
  /** The packed form, compressed (zlib, RFC 1950). */
  readonly body: Uint8Array;
}

export type CompiledContent = Awaited<ReturnType<typeof compileContent>>;

export async function compileContent(content: CatalogueContent) {
  const effective = effectiveOf(content);
  const { products, prices, coverage, premises } = effective;
  return {
    stored: await encodeContent(effective),
    /** The files as they were imported, with costs; null if they are no other than `stored`. */
    source: effective === content ? null : await encodeContent(content),
    products: products.length,
    prices: prices.length,
    size: coverage.size,
    premises: premises.count,
  };
}

/** At most STEP_ROWS rows of a table. */
interface Page {
  readonly table: RowFile;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** @param content with rows in canonical order, as from `CatalogueFilesReader` */
export async function encodeContent(content: CatalogueContent): Promise<StoredContent> {
  const packed = pack(content);
  const checksum = createHash('sha256').update(packed).digest('hex');
  const body = await deflateInBackground(packed, { level: DEFLATE_LEVEL });
  return { hash: `${FORMAT}:${checksum}`, body };
}

/**
 * Inflates in the thread pool, in one part: zlib would keep smaller ones, and copy them all at the end.
 * Yields to the event loop every few milliseconds.
 * @throws {ContentDamaged}
 */
export async function decodeContent({ hash, body }: StoredContent): Promise<CatalogueContent> {
  const [format, checksum] = hash.split(':');
  if (format !== FORMAT) {
    throw new ContentDamaged(`it has format ${format}, this program reads ${FORMAT}`);
  }
  const chunkSize = Math.max(STEP_BYTES, LARGEST_RATIO * body.length);
  const packed = await inflateInBackground(body, { chunkSize }).catch((error: Error) => {
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
 * The packed form: pages of the tables as JSON, each after its length (4 bytes, big endian); a
 * length of 0; the coverage; the premises, if there are any. Omits a column if every row has the default, and a table without rows, so
 * that a new field or table does not change the hash of existing contents.
 */
function pack(content: CatalogueContent): Buffer {
  const parts: Uint8Array[] = [];
  const put = (bytes: Uint8Array) => parts.push(lengthOf(bytes), bytes);
  for (const table of rowFiles) {
    for (const page of pagesOf(table, fieldsOf(table), content[table])) put(page);
  }
  const { coverage, premises } = content;
  const listed = premises.count === 0 ? [] : [packPremises(premises.packed())];
  return Buffer.concat([...parts, lengthOf([]), packCoverage(coverage.coverage), ...listed]);
}

function lengthOf({ length }: ArrayLike<number>): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

function* pagesOf(table: Page['table'], fields: FieldsOfRows, all: readonly object[]) {
  const columns = usedProperties(fields, all).sort();
  for (let at = 0; at < all.length; at += STEP_ROWS) {
    const rows = all
      .slice(at, at + STEP_ROWS)
      .map((row) => columns.map((name) => (row as AnyRow)[name]));
    yield Buffer.from(JSON.stringify({ table, columns, rows } satisfies Page));
  }
}

/** Yields after each step. Verifies the checksum and every count. */
function* unpack(packed: Buffer, checksum: string): Generator<void, CatalogueContent> {
  const { length } = packed;
  const hash = createHash('sha256');
  for (let at = 0; at < length; at += STEP_BYTES) {
    hash.update(packed.subarray(at, at + STEP_BYTES));
    yield;
  }
  if (hash.digest('hex') !== checksum) throw new ContentDamaged('its checksum does not match');

  const tables = Object.fromEntries(rowFiles.map((table) => [table, []])) as unknown as {
    readonly [T in RowFile]: CatalogueContent[T][number][];
  };
  let at = 0;
  for (;;) {
    const size = at + 4 <= length ? packed.readUInt32BE(at) : 0;
    at += 4;
    if (size === 0) break;
    const { table, columns, rows } = JSON.parse(packed.toString('utf8', at, at + size)) as Page;
    at += size;
    if (!rowFiles.includes(table)) {
      throw new ContentDamaged(`it has the table ${table}, which this program does not know`);
    }
    const known: object[] = tables[table];
    for (const row of rowsOf(fieldsOf(table), columns, rows)) known.push(row);
    yield;
  }
  const { rows, end } = yield* unpackCoverage(packed.subarray(at));
  const premises = yield* PremisesIndex.from(unpackPremises(packed.subarray(at + end)));
  return { ...tables, coverage: new CoverageIndex(rows), premises };
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
  return rows.map((row) => {
    const found: Record<string, unknown> = {};
    for (const [i, name] of names.entries()) {
      found[name] = places[i]! < 0 ? absent[name] : row[places[i]!];
    }
    return found;
  });
}

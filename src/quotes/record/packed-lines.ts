import { deflateJson, inflateJson, ofForm, withForm } from '../../platform/kernel/stored-form.js';
import { groupsOf, inTurns } from '../../platform/kernel/turns.js';
import { added, type QuoteSum, sumOf } from './contract-value.js';
import type { Quote, QuoteLine } from './quote.entity.js';

/** Of the stored form: behind its number come the length of the head in four bytes, the head and the blocks. */
const FORM = 1;
/** Bytes of the length. */
const LENGTH = 4;
/** Lines that are compressed together, and read together: part of the form. */
const LINES_IN_BLOCK = 100;

/** What is known of the lines without reading them. */
interface LinesHead {
  /** Of the products of all lines. */
  readonly sums: readonly QuoteSum[];
  /** The bytes of each block. */
  readonly blocks: readonly number[];
}

/** Lines that follow each other. */
interface NumberedPart {
  /** The number of the first, from 1. */
  readonly first: number;
  readonly lines: readonly QuoteLine[];
}

/** Compresses outside the event loop, in blocks, so that a page of lines is read without the others. */
export async function packLines(lines: readonly QuoteLine[]): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for await (const block of inTurns(groupsOf(lines, LINES_IN_BLOCK))) {
    blocks.push(await deflateJson(block));
  }
  const products = lines.flatMap(({ offer, constraints }, i) =>
    offer ? [sumOf({ ...offer.product, constraints }, i + 1)] : [],
  );
  const head: LinesHead = { sums: added(products), blocks: blocks.map(({ length }) => length) };
  const headBytes = await deflateJson(head);
  const length = Buffer.alloc(LENGTH);
  length.writeUInt32BE(headBytes.length);
  return withForm(FORM, length, headBytes, ...blocks);
}

/** The stored lines of a quote. */
export class StoredLines {
  private constructor(
    private readonly body: Uint8Array,
    /** Of the products that the lines had when the quote was made. */
    readonly sums: readonly QuoteSum[],
    private readonly blocks: readonly (readonly [start: number, end: number])[],
  ) {}

  /** @throws {UnknownForm} */
  static async of({ body }: Pick<Quote, 'body'>): Promise<StoredLines> {
    const bytes = ofForm(FORM, body, 'A quote');
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    let end = LENGTH + view.getUint32(0);
    const { sums, blocks } = await inflateJson<LinesHead>(bytes.subarray(LENGTH, end));
    const ranges = blocks.map((length) => [end, (end += length)] as const);
    return new StoredLines(bytes, sums, ranges);
  }

  /** Some of the lines, or all, block by block: the event loop has a turn before each. @param from an index */
  async *parts(from = 0, end = Infinity): AsyncGenerator<NumberedPart> {
    const last = Math.min(this.blocks.length, Math.ceil(end / LINES_IN_BLOCK));
    for (let block = Math.floor(from / LINES_IN_BLOCK); block < last; block += 1) {
      const before = block * LINES_IN_BLOCK;
      const first = Math.max(from, before);
      const lines = await this.block(block);
      yield { first: first + 1, lines: lines.slice(first - before, end - before) };
    }
  }

  /** The lines with these numbers, from 1. */
  async numbered(numbers: readonly number[]): Promise<Map<number, QuoteLine>> {
    const byBlock = Map.groupBy(numbers, (n) => Math.floor((n - 1) / LINES_IN_BLOCK));
    const found = new Map<number, QuoteLine>();
    for (const [block, ofBlock] of byBlock) {
      const lines = await this.block(block);
      for (const n of ofBlock) found.set(n, lines[(n - 1) % LINES_IN_BLOCK]!);
    }
    return found;
  }

  private block(index: number): Promise<QuoteLine[]> {
    return inflateJson<QuoteLine[]>(this.body.subarray(...this.blocks[index]!));
  }
}

export async function linesOf(quote: Pick<Quote, 'body'>): Promise<readonly QuoteLine[]> {
  const all: QuoteLine[] = [];
  for await (const { lines } of (await StoredLines.of(quote)).parts()) all.push(...lines);
  return all;
}

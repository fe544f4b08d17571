import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { linesOf, packLines, StoredLines } from './packed-lines.js';
import type { QuoteLine } from './quote.entity.js';

const linesUpTo = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    site: `Site ${i + 1}`,
    postcode: 'EC2A 2BS',
    problem: null,
    offer:
      i % 3 === 0
        ? null
        : { product: { price: i, setupPrice: 1, term: 12, currency: 'GBP', basis: 'firm' } },
  })) as unknown as QuoteLine[];

/** What `parts` gives, with the numbers. */
async function linesBetween(stored: StoredLines, from: number, end: number) {
  const found: [number: number, line: QuoteLine][] = [];
  for await (const { first, lines } of stored.parts(from, end)) {
    lines.forEach((line, i) => found.push([first + i, line]));
  }
  return found;
}

describe('the stored lines of a quote', () => {
  it('are the lines that were packed', () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 320 }), async (count) => {
        const lines = linesUpTo(count);
        expect(await linesOf({ body: await packLines(lines) })).toEqual(lines);
      }),
      { numRuns: 15 },
    ));

  it('are read in part, with their numbers', async () => {
    const lines = linesUpTo(250);
    const stored = await StoredLines.of({ body: await packLines(lines) });
    const numbered = lines.map((line, i) => [i + 1, line]);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 300 }), fc.nat({ max: 300 }), async (from, count) => {
        const [found, wanted] = [await linesBetween(stored, from, from + count), numbered];
        expect(found).toEqual(wanted.slice(from, from + count));
      }),
      { numRuns: 30 },
    );
    expect(await stored.numbered([250, 1, 101, 100])).toEqual(
      new Map([250, 1, 101, 100].map((n) => [n, lines[n - 1]])),
    );
  });

  it('are read without the blocks of the others', async () => {
    const body = await packLines(linesUpTo(250));
    // The last block has the last 50 lines.
    const cut = await StoredLines.of({ body: body.subarray(0, -20) });
    expect(await linesBetween(cut, 0, 200)).toHaveLength(200);
    expect(cut.sums).toMatchObject([{ first: 2, lines: 166 }]);
    await expect(linesBetween(cut, 200, 201)).rejects.toThrow();
  });

  it('are refused in a form of a later version', async () => {
    const body = await packLines(linesUpTo(1));
    body.writeUInt8(2);
    await expect(StoredLines.of({ body })).rejects.toThrow('A quote has the form 2');
  });
});

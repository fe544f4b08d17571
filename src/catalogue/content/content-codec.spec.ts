import { createHook } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { contentOf, givenFiles } from '../../../test/support/catalogue-files.given.js';
import { parsePlace, type PostcodePlace } from '../../platform/kernel/postcode.js';
import type { CatalogueContent } from './catalogue.js';
import { type FileRows, rowFiles } from './catalogue-files.js';
import { decodeContent, encodeContent } from './content-codec.js';
import { ContentDamaged } from './coverage-codec.js';
import { NO_PREMISES } from './premises-index.js';
import { CoverageBuilder, CoverageIndex } from './coverage-index.js';

function hashOf(packed: Buffer): string {
  return `v3:${createHash('sha256').update(packed).digest('hex')}`;
}

const none = {
  ...(Object.fromEntries(rowFiles.map((file) => [file, []])) as unknown as FileRows),
  premises: NO_PREMISES,
};

function rowsOf({ coverage, ...tables }: CatalogueContent) {
  return [tables, [...coverage.rows()], coverage.zones];
}

function coverageOf(rows: readonly (readonly [place: string, zone: string])[]): CoverageIndex {
  const builder = new CoverageBuilder();
  rows.forEach(([at, zone], i) =>
    builder.add(parsePlace(at) as PostcodePlace, builder.addZone(zone), i),
  );
  return builder.build(() => undefined);
}

/** Many rows, units and zones, so that every length of number and several steps occur. */
function largeContent(): CatalogueContent {
  const builder = new CoverageBuilder();
  for (let i = 0; i < 150_000; i++) {
    const zone = i % 7 === 0 ? '-' : `Z${(i * 7_919) % 20_000}`;
    const key = 5_000_000 + i + (i > 70_000 ? 500 : 0) + (i > 140_000 ? 900_000 : 0);
    builder.add({ level: 'unit', name: '', key }, builder.addZone(zone), i);
  }
  const [price] = contentOf(givenFiles()).prices;
  return {
    ...none,
    prices: Array.from({ length: 2_500 }, (_, i) => ({ ...price!, zone: `Z${i}`, amountMinor: i })),
    coverage: builder.build(() => undefined),
  };
}

const small = contentOf(givenFiles());
const large = largeContent();

describe('a stored content', () => {
  it('decodes to the same rows', async () => {
    const place = fc.constantFrom('E1', 'E1W', 'E14', 'EC2A 2', 'EC2A 2BS', 'N', 'BX9 9ZZ');
    const zone = fc.constantFrom('-', 'ON-NET', 'NEAR-NET', 'UK');
    const rows = fc.uniqueArray(fc.tuple(place, zone), { selector: ([at]) => at });
    await fc.assert(
      fc.asyncProperty(rows, async (rows) => {
        const content = { ...small, coverage: coverageOf(rows) };
        expect(rowsOf(await decodeContent(await encodeContent(content)))).toEqual(rowsOf(content));
      }),
    );
  });

  it('decodes to the same rows if it is large', async () => {
    const stored = await encodeContent(large);
    const decoded = await decodeContent(stored);
    expect(await encodeContent(decoded)).toEqual(stored);
    expect([decoded.prices.length, decoded.prices.at(-1)]).toEqual([2_500, large.prices.at(-1)]);
    expect(decoded.coverage.size).toEqual(large.coverage.size);
  });

  it('has the same hash in each release, in any order of its field definitions', async () => {
    const { hash } = await encodeContent(small);
    expect(hash).toBe('v3:482caa765ec6c57a6005d433260fd40680332993f69df75e7906cad06adaa957');
  });

  it('may be empty', async () => {
    const empty = { ...none, coverage: coverageOf([]) };
    expect(rowsOf(await decodeContent(await encodeContent(empty)))).toEqual([none, [], []]);
  });

  it('is refused if any byte is damaged', async () => {
    const { hash, body } = await encodeContent(small);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(body.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, mask) => {
          const damaged = Buffer.from(body);
          damaged[at]! ^= mask;
          const decoded = await decodeContent({ hash, body: damaged }).catch((e: unknown) => e);
          // The last byte of a deflated block may have bits that mean nothing.
          if (decoded instanceof Error) expect(decoded).toBeInstanceOf(ContentDamaged);
          else expect(rowsOf(decoded as CatalogueContent)).toEqual(rowsOf(small));
        },
      ),
      { numRuns: 250 },
    );
  });

  it('is refused if it is truncated', async () => {
    const { hash, body } = await encodeContent(small);
    for (let length = body.length - 1; length >= 0; length -= 3) {
      const cut = { hash, body: body.subarray(0, length) };
      await expect(decodeContent(cut)).rejects.toThrow(ContentDamaged);
    }
  });

  test.each<[what: string, change: (bytes: Buffer) => void]>([
    ['does not start as zlib does', (bytes) => bytes.write('PK')],
    ['ends in zeros', (bytes) => bytes.fill(0, 41)],
  ])('is refused where it %s', async (_, change) => {
    const { hash, body } = await encodeContent(small);
    const changed = Buffer.from(body);
    change(changed);
    await expect(decodeContent({ hash, body: changed })).rejects.toThrow(/does not decompress/);
  });

  it('is refused if it has a later format', async () => {
    const { hash, body } = await encodeContent(small);
    const later = { hash: hash.replace('v3', 'v9'), body };
    await expect(decodeContent(later)).rejects.toThrow(/has format v9, this program reads v3/);
  });

  it('is refused under the hash of another content', async () => {
    const [{ hash }, { body }] = [await encodeContent(small), await encodeContent(large)];
    await expect(decodeContent({ hash, body })).rejects.toThrow(/checksum does not match/);
  });

  const page = (table: unknown) => {
    const json = Buffer.from(JSON.stringify(table));
    return [0, 0, 0, json.length, ...json];
  };
  const coverage = [0, 0, 0, 0, 0, 0];
  const end = [0, 0, 0, 0];
  test.each<[what: string, packed: number[], message: RegExp]>([
    ['fewer rows than it states', [...end, 0, 9, 1, 1], /fewer unit rows than stated/],
    ['more than its rows', [...end, ...coverage, 1], /more bytes than the rows/],
    [
      'a field of a later version',
      [...page({ table: 'prices', columns: ['colour'], rows: [] }), ...end, ...coverage],
      /the field colour, which this program does not know/,
    ],
    [
      'a field too few',
      [...page({ table: 'products', columns: ['code'], rows: [] }), ...end, ...coverage],
      /lacks the field name/,
    ],
  ])('is refused with a right checksum, but %s', async (_, packed, message) => {
    const bytes = Buffer.from(packed);
    const stored = { hash: hashOf(bytes), body: deflateSync(bytes) };
    await expect(decodeContent(stored)).rejects.toThrow(message);
  });

  it('yields to other work while it is decoded', async () => {
    const stored = await encodeContent(large);
    let turns = 0;
    const hook = createHook({ init: (_id, type) => (turns += type === 'Immediate' ? 1 : 0) });
    hook.enable();
    await decodeContent(stored);
    hook.disable();
    expect(turns).toBeGreaterThanOrEqual(6);
  });
});

import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { CheckCodes } from '../../src/availability/check-numbers.js';
import { decodeContent, encodeContent } from '../../src/catalogue/content/content-codec.js';
import { decodeRegister, encodeRegister } from '../../src/catalogue/register/postcode-register.js';
import { sandboxCatalogue } from '../../src/catalogue/sandbox/sandbox-catalogue.js';
import { hashToken, isTokenShaped } from '../../src/clients/token-format.js';
import {
  decodePositions,
  encodePositions,
  PositionsBuilder,
} from '../../src/near-net/positions.js';
import { fingerprintOf } from '../../src/orders/placing/idempotency.js';
import { parseCursor, printCursor } from '../../src/platform/http/paging.js';
import { open, seal } from '../../src/platform/kernel/sealed-text.js';
import { jsonForm } from '../../src/platform/kernel/stored-form.js';
import { linesOf, packLines, StoredLines } from '../../src/quotes/record/packed-lines.js';
import type { QuoteLine } from '../../src/quotes/record/quote.entity.js';

const FOLDER = 'released/forms';
/** More than are packed together. */
const LINES = 250;

interface StoredForm {
  /** A value in the newest form, for a new file. */
  readonly example: () => unknown;
  /** What the program reads in a stored value. */
  readonly read: (stored: string) => unknown;
  /** The stored value in a form of a later release, where the form is in the value. */
  readonly later?: (stored: string) => string;
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const bytesOf = (stored: string) => new Uint8Array(Buffer.from(stored, 'base64'));
const otherFirstByte = (stored: string) => {
  const bytes = bytesOf(stored);
  bytes[0] = 99;
  return base64(bytes);
};

const line = (n: number) =>
  ({
    ...{ site: `Site ${n}`, postcode: 'EC2A 2BS', uprn: null, notes: null, details: null },
    ...{ wanted: { bandwidth: 1, term: 36, service: null }, alternatives: [], reasons: [] },
    ...{ problem: null, was: null, sameAs: null, offer: null },
  }) as unknown as QuoteLine;

/** Of an order, an undo entry and an idempotency key: as the columns hold them. */
const rows = {
  terms: {
    ...{ productCode: 'INT-1G-12', name: '1G Internet', bandwidthProvisioned: 1 },
    ...{ bandwidthCapacity: 10, term: 12, price: 550, currency: 'GBP', leadTimeDays: 84 },
  },
  before: { state: 'in_progress', closedAt: '2026-11-27T10:30:00.000Z', closeReason: null },
  offers: [{ id: '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90', state: 'open', endedAt: null }],
  answer: { message: 'Received.', orderId: '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90' },
};

/** Every form in which releases have stored something; a form never leaves the list. The name is that of its file. */
const forms: Readonly<Record<string, StoredForm>> = {
  'catalogue-content-v3': {
    example: async () => {
      const { hash, body } = await encodeContent(sandboxCatalogue.content);
      return `${hash} ${base64(body)}`;
    },
    read: async (stored) => {
      const [hash = '', body = ''] = stored.split(' ');
      const { coverage, premises, ...tables } = await decodeContent({ hash, body: bytesOf(body) });
      return { ...tables, coverage: coverage.size, premises: premises.count };
    },
    later: (stored) => stored.replace('v3:', 'v4:'),
  },
  'quote-lines-1': {
    example: async () =>
      base64(await packLines(Array.from({ length: LINES }, (_, i) => line(i + 1)))),
    read: async (stored) => {
      const quote = { body: bytesOf(stored) };
      // A single line is found by the number of lines in a block, which is part of the form.
      const single = await (await StoredLines.of(quote)).numbered([1, 100, 101, LINES]);
      return { single: [...single], sites: (await linesOf(quote)).map(({ site }) => site) };
    },
    later: otherFirstByte,
  },
  'json-column-v1': {
    example: () => JSON.stringify(Object.values(rows).map((value) => jsonForm.to(value))),
    read: (stored) => (JSON.parse(stored) as object[]).map((value) => jsonForm.from(value)),
    later: (stored) => stored.replaceAll('"v1"', '"v2"'),
  },
  'sealed-text-v1': {
    example: () => seal('a secret', Buffer.alloc(32, 7), 'a context'),
    read: (stored) => open(stored, Buffer.alloc(32, 7), 'a context'),
    later: (stored) => stored.replace('v1:', 'v2:'),
  },
  'postcode-register-1': {
    example: () =>
      base64(
        encodeRegister({
          live: Uint32Array.of(5, 9, 1_000_000),
          terminated: Uint32Array.of(7),
          endMonths: Uint16Array.of(1_200),
        }),
      ),
    read: (stored) => {
      const { live, terminated, endMonths } = decodeRegister(bytesOf(stored));
      return { live: [...live], terminated: [...terminated], endMonths: [...endMonths] };
    },
    later: otherFirstByte,
  },
  'positions-1': {
    example: () => {
      const builder = new PositionsBuilder();
      builder.add(9, { easting: 533_000, northing: 182_000 });
      builder.add(5, { easting: 1, northing: 2 });
      return base64(encodePositions(builder.build()));
    },
    read: (stored) => {
      const { keys, eastings, northings } = decodePositions(bytesOf(stored));
      return [[...keys], [...eastings], [...northings]];
    },
    later: otherFirstByte,
  },
  // The database names its key `check-codes`: another form of ids would have another key.
  'check-ids': {
    example: () => new CheckCodes(Buffer.alloc(32, 'a key')).codeOf(2 ** 49 + 12_345),
    read: (stored) => new CheckCodes(Buffer.alloc(32, 'a key')).numberOf(stored),
  },
  // Its first characters name the form.
  'access-token': {
    example: () => 'pas_test_0N0e7dPYr6pF6Ugn6ySWevqBmqflvHncC2kAum3',
    read: (stored) => [isTokenShaped(stored), hashToken(stored)],
  },
  cursor: {
    example: () =>
      printCursor({ at: new Date(1_795_775_400_000), id: '01a222d1-646a-77ee-8112-7a26313678ea' }),
    read: (stored) => parseCursor(stored),
  },
  // Not read: a repeated request has to have the same.
  'idempotency-fingerprint': {
    example: () =>
      '{"productCode":"INT-1G-12","postcode":"EC2A 2BS","notes":null,"sites":[{"b":1,"a":2}]}',
    read: (stored) => fingerprintOf(JSON.parse(stored)),
  },
};

const fileOf = (name: string) => `${FOLDER}/${name}.json`;
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Without the fields and tables that came later: they are empty. */
function asThen(read: unknown, golden: unknown): unknown {
  if (typeof read !== 'object' || typeof golden !== 'object' || !read || !golden) return read;
  const of = (value: unknown, name: string) => asThen(value, golden[name as keyof typeof golden]);
  if (Array.isArray(read)) return read.map((value, i) => of(value, String(i)));
  const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(
    Object.entries(read)
      .filter(([name, value]) => Object.hasOwn(golden, name) || !isEmpty(value))
      .map(([name, value]) => [name, of(value, name)]),
  );
}

describe('what releases have stored', () => {
  it('has a reader for each golden file, and a golden file for each form', async () => {
    for (const [name, { example, read }] of Object.entries(forms)) {
      if (existsSync(fileOf(name)) || process.env.GOLDEN !== 'write') continue;
      const stored = (await example()) as string;
      const golden = { stored, value: plain(await read(stored)) };
      writeFileSync(fileOf(name), `${JSON.stringify(golden)}\n`);
    }
    const files = readdirSync(FOLDER).map((file) => file.replace('.json', ''));
    expect(files.sort()).toEqual(Object.keys(forms).sort());
  });

  it.each(Object.keys(forms))('is read for ever: %s', async (name) => {
    const { stored, value } = JSON.parse(readFileSync(fileOf(name), 'utf8')) as {
      readonly stored: string;
      readonly value: unknown;
    };
    expect(asThen(plain(await forms[name]!.read(stored)), value)).toEqual(value);
  });

  it.each(Object.entries(forms).filter(([, { later }]) => later))(
    'is refused with words in the form of a later release: %s',
    async (name, { read, later }) => {
      const { stored } = JSON.parse(readFileSync(fileOf(name), 'utf8')) as { stored: string };
      const words =
        /has the form \S+, (?:which )?this program cannot read|has format v4, this program reads v3/;
      const reading = Promise.resolve(stored).then((it) => read(later!(it)));
      await expect(reading).rejects.toThrow(words);
    },
  );
});

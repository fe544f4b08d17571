import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MalformedRequest } from '../../platform/problems/problem.js';
import { fingerprintOf, readIdempotencyKey } from './idempotency.js';

describe('an Idempotency-Key', () => {
  const longest = 'k'.repeat(255);

  it.each([
    [undefined, undefined],
    ['a', 'a'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['"8e03978e-40d5"', '8e03978e-40d5'],
    ['order:4711_a.b', 'order:4711_a.b'],
    ['  "padded"\t', 'padded'],
    [longest, longest],
    [`"${longest}"`, longest],
  ])('%j is the key %j', (header, key) => {
    expect(readIdempotencyKey(header)).toBe(key);
  });

  it.each([
    '',
    ' ',
    '""',
    '"',
    '"a',
    'a"',
    'a b',
    'a, b', // how Node joins two headers
    '"a", "b"',
    'a;b=1',
    'schlüssel',
    `${longest}k`,
    `"${longest}k"`,
  ])('%j is refused', (header) => {
    expect(() => readIdempotencyKey(header)).toThrow(MalformedRequest);
  });

  it('is the same, quoted or bare', () => {
    const keys = fc.stringMatching(/^[A-Za-z0-9._:-]{1,255}$/);
    fc.assert(
      fc.property(keys, (key) => {
        expect([readIdempotencyKey(key), readIdempotencyKey(`"${key}"`)]).toEqual([key, key]);
      }),
    );
  });
});

/** The same JSON value with the keys of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  const entries = Object.entries(value).map(([key, child]) => [key, reversed(child)] as const);
  return Object.fromEntries(entries.reverse());
}

describe('the fingerprint of a body', () => {
  it('is a SHA-256 in hexadecimal', () => {
    expect(fingerprintOf({ postcode: 'EC2A 2BS' })).toMatch(/^[0-9a-f]{64}$/);
  });

  it('does not depend on the order of keys at any depth', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(fingerprintOf(reversed(body))).toBe(fingerprintOf(body));
      }),
    );
  });

  it('treats null and undefined as missing', () => {
    const order = { postcode: 'EC2A 2BS', contact: { name: 'Ada' } };
    const same = {
      ...order,
      notes: null,
      checkId: undefined,
      contact: { name: 'Ada', email: null },
    };
    expect(fingerprintOf(same)).toBe(fingerprintOf(order));
  });

  it.each([
    ['another value', { a: 2 }],
    ['another type', { a: '1' }],
    ['another key', { b: 1 }],
    ['more keys', { a: 1, b: 1 }],
    ['a level more', { a: { a: 1 } }],
    ['nothing', {}],
  ])('tells %s apart', (_, other) => {
    expect(fingerprintOf(other)).not.toBe(fingerprintOf({ a: 1 }));
  });

  it('depends on the order of a list', () => {
    expect(fingerprintOf([1, 2])).not.toBe(fingerprintOf([2, 1]));
  });
});

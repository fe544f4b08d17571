import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parsePostcode, parseSandboxPostcode, Postcode, unpackPostcode } from './postcode.js';
import {
  isSandboxPostcode,
  sandboxCaseAt,
  sandboxPostcodes,
  sandboxTable,
} from './sandbox-postcodes.js';

describe('a postcode of the sandbox', () => {
  it.each(sandboxPostcodes)('$postcode is not real, and is read in any spelling', (one) => {
    expect(parsePostcode(one.postcode)).not.toBeInstanceOf(Postcode);
    for (const text of [
      one.postcode,
      one.postcode.toLowerCase(),
      ` ${one.postcode.replace(' ', '')}\t`,
    ]) {
      const postcode = parseSandboxPostcode(text);
      expect([postcode?.unit, postcode?.area, isSandboxPostcode(text)]).toEqual([
        one.postcode,
        'ZZ',
        true,
      ]);
      expect(sandboxCaseAt(postcode!)).toBe(one.plays);
      expect(() => unpackPostcode(postcode!.packed)).toThrow(RangeError);
    }
    expect(sandboxTable).toContain(`| \`${one.postcode}\` |`);
  });

  it('simulates a separate case', () => {
    expect(new Set(sandboxPostcodes.map(({ plays }) => plays)).size).toBe(sandboxPostcodes.length);
  });

  it.each([
    '',
    'Z',
    'ZZ',
    'ZZ9',
    'ZZ99',
    'ZZ99 1A',
    'ZZ99 1CC',
    'ZZ99 1AA!',
    'ZZZ9 1AA',
    'ZE1 1AA',
    'Z9 1AA',
  ])('is not %j', (text) => {
    expect(parseSandboxPostcode(text)).toBeNull();
  });

  it('is never a real postcode', () => {
    const found = { real: 0, sandbox: 0, neither: 0 };
    const outward = fc.stringMatching(/^(EC|N|ZE|ZZ|Z)[0-9][0-9A-Z]?$/);
    const inward = fc.stringMatching(/^[0-9][A-Z]{2}$/);
    fc.assert(
      fc.property(outward, fc.constantFrom('', ' ', '  '), inward, (start, gap, end) => {
        const text = `${start}${gap}${end}`;
        const real = parsePostcode(text) instanceof Postcode;
        const sandbox = parseSandboxPostcode(text) !== null;
        found[real ? 'real' : sandbox ? 'sandbox' : 'neither'] += 1;
        expect([text, real && sandbox]).toEqual([text, false]);
      }),
      { numRuns: 1_000 },
    );
    expect(Math.min(...Object.values(found))).toBeGreaterThan(50);
  });
});

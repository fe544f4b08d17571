import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  parsePlace,
  parsePostcode,
  PostcodePlace,
  placeKeyOf,
  PlaceLevel,
  Postcode,
  PostcodeRefusal,
  printPlace,
  unpackPostcode,
} from './postcode.js';

const SAMPLE = readFileSync('test/fixtures/postcodes-sample.txt', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const AREAS = [
  ...new Set(SAMPLE.map((unit) => /^[A-Z]+/.exec(unit)![0])),
  ...['BT', 'JE', 'GY', 'IM', 'BF', 'BX'],
];

const digit = fc.constantFrom(...'0123456789');
const inwardLetter = fc.constantFrom(...'ABDEFGHJLNPQRSTUWXYZ');
const area = fc.constantFrom(...AREAS);
const outward = fc
  .tuple(area, digit, fc.constantFrom('', ...'0123456789', ...LETTERS))
  .map((parts) => parts.join(''));
const unit = fc
  .tuple(outward, fc.constant(' '), digit, inwardLetter, inwardLetter)
  .map((parts) => parts.join(''));
const blank = fc.constantFrom(
  ...' \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2009\u200b\u2028\u2029\u202f\u205f\u3000\ufeff',
);
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes)),
  fc.string({ unit: fc.constantFrom(...'EC2AecSWLGXIQ0O1l58BZz -\u00a0'), maxLength: 10 }),
);

function accepted(text: string): Postcode {
  const result = parsePostcode(text);
  if (result instanceof Postcode) return result;
  throw new Error(`${JSON.stringify(text)} was refused: ${result.detail}`);
}

function refused(text: string): PostcodeRefusal {
  const result = parsePostcode(text);
  if (result instanceof PostcodeRefusal) return result;
  throw new Error(`${JSON.stringify(text)} was read as ${result.unit}`);
}

function placed(text: string): PostcodePlace {
  const result = parsePlace(text);
  if (!(result instanceof PostcodeRefusal)) return result;
  throw new Error(`${JSON.stringify(text)} was refused: ${result.detail}`);
}

function misplaced(text: string): PostcodeRefusal {
  const result = parsePlace(text);
  if (result instanceof PostcodeRefusal) return result;
  throw new Error(`${JSON.stringify(text)} was read as ${result.level} ${result.name}`);
}

describe('parsePostcode', () => {
  it('reads each postcode of the sample as itself', () => {
    expect(SAMPLE.length).toBeGreaterThan(2_000);
    expect(SAMPLE.filter((text) => accepted(text).unit !== text)).toEqual([]);
  });

  it.each([
    ...['M1 1AE', 'B33 8TH', 'W1A 0AX', 'CR2 6XH', 'DN55 1PT', 'EC2A 2BS'],
    ...['N1P 1AA', 'SE1P 4AB', 'BT1 5GS', 'JE2 3NN', 'GY1 1FH', 'IM1 1AA', 'BF1 0AX', 'BX1 1LT'],
    ...['N0 1AA', 'S01 1AA', 'CR0 2YR'],
  ])('accepts %s', (text) => {
    expect(accepted(text).unit).toBe(text);
  });

  it('accepts the areas of the official list and no other', () => {
    const candidates = LETTERS.flatMap((first) => ['', ...LETTERS].map((second) => first + second));
    const known = candidates.filter((name) => parsePostcode(`${name}1 1AA`) instanceof Postcode);
    expect(AREAS).toHaveLength(126);
    expect(known).toEqual([...AREAS].sort());
  });

  it('accepts the inward letters and no other', () => {
    const known = LETTERS.filter((letter) => parsePostcode(`E1 1A${letter}`) instanceof Postcode);
    expect(known.join('')).toBe('ABDEFGHJLNPQRSTUWXYZ');
    expect(LETTERS.filter((letter) => parsePostcode(`E1 1${letter}A`) instanceof Postcode)).toEqual(
      known,
    );
  });

  it('is insensitive to case and to white space around and inside', () => {
    const noise = fc.array(fc.tuple(blank, fc.nat(7), fc.boolean()), { maxLength: 40 });
    fc.assert(
      fc.property(unit, noise, (text, changes) => {
        const chars = [...text.replace(' ', '')];
        for (const [white, at, lower] of changes) {
          const char = chars[at] ?? '';
          chars[at] = white + (lower ? char.toLowerCase() : char);
        }
        expect(accepted(chars.join('')).unit).toBe(text);
      }),
    );
  });

  it.each([
    ['', 'empty'],
    [' \t\u00a0', 'empty'],
    ['EC2A 2BS EC2A 2BS', 'too-long'],
    ['EC2A 2BSS', 'too-long'],
    ['x'.repeat(65_536), 'too-long'],
    [' '.repeat(65_536), 'too-long'],
    ['\u{1f600}', 'stray-character'],
    ['EC2A/2B?', 'stray-character'],
    ['ＥＣ２Ａ ２ＢＳ', 'stray-character'],
    ['E1 1Aſ', 'stray-character'],
    ['E', 'incomplete'],
    ['SW1A', 'incomplete'],
    ['EC2A 2', 'incomplete'],
    ['EC2A 2B', 'incomplete'],
    ['E14 4A', 'incomplete'],
    ['LONDON', 'unknown-area'],
    ['QQ1 1AA', 'unknown-area'],
    ['Q1 1AA', 'unknown-area'],
    ['12345', 'outward-shape'],
    ['ABC 1AA', 'outward-shape'],
    ['EC22A 2BS', 'too-long'],
    ['E111 2BS', 'outward-shape'],
    ['EC 2BS', 'outward-shape'],
    ['EC2A 2CS', 'inward-shape'],
    ['EC2A 2BV', 'inward-shape'],
    ['EC2A ABS', 'inward-shape'],
    ['ZZ99 1AA', 'sandbox'],
    ['zz999zz', 'sandbox'],
    ['ZZ99 1A', 'unknown-area'],
    ['GIR 0AA', 'girobank'],
    ['gir0aa', 'girobank'],
    ...['ASCN', 'STHL', 'TDCU', 'BBND', 'BIQQ', 'FIQQ', 'PCRN', 'SIQQ', 'TKCA'].map(
      (place) => [`${place} 1ZZ`, 'overseas'] as const,
    ),
    ['GX11 1AA', 'overseas'],
  ] as const)('refuses %j as %s, with nothing to suggest', (text, reason) => {
    expect(refused(text)).toMatchObject({ reason, suggestion: undefined });
  });

  it.each([
    ['GIR 0AA', 'Girobank'],
    ['GX11 1AA', 'Gibraltar'],
    ['ZZ99 1AA', 'Only test tokens can use'],
    ['FIQQ 1ZZ', 'the Falkland Islands'],
    ['EC2A 20S', 'Did you mean EC2A 2DS?'],
    ['SW1A', 'enter a full postcode, such as EC2A 2BS.'],
  ])('says of %s: %s', (text, words) => {
    expect(refused(text).detail).toContain(words);
  });

  it('does not repeat the input', () => {
    const { detail, suggestion } = refused('<b>ec2a 2bs');
    expect([detail, suggestion]).toEqual([expect.not.stringContaining('<b>'), undefined]);
    expect(refused('<ec2a2bs>').detail).not.toMatch(/[<>]|ec2a/);
  });

  it.each([
    ['SWIA 1AA', 'SW1A 1AA', 'I for 1'],
    ['SWlA 1AA', 'SW1A 1AA', 'a small L for 1'],
    ['ECZA 2BS', 'EC2A 2BS', 'Z for 2'],
    ['EC2A ZBS', 'EC2A 2BS', 'Z for 2'],
    ['EC2A 2B5', 'EC2A 2BS', '5 for S'],
    ['EC2A 28S', 'EC2A 2BS', '8 for B'],
    ['5W1A 1AA', 'SW1A 1AA', '5 for S'],
    ['W1A OAX', 'W1A 0AX', 'O for 0'],
    ['S014 3AB', 'SO14 3AB', '0 for O'],
    ['C05 1AA', 'CO5 1AA', '0 for O'],
    ['GIR 4AB', 'G1R 4AB', 'I for 1'],
    ['88 1AA', 'B8 1AA', '8 for B'],
    ['EC2A 20S', 'EC2A 2DS', '0 where O is never used: D, which is commoner than Q'],
    ['EC2A 2OS', 'EC2A 2DS', 'O likewise'],
    ['EC2A 21S', 'EC2A 2LS', '1 where I is never used: L'],
    ['1E1 1AA', 'LE1 1AA', '1 where I would make no area'],
    ['SI1 1AA', 'S11 1AA', 'a twin before a letter that passes for it (SL1)'],
    ['LLL 1AA', 'LL1 1AA', 'the rightmost of equals (L1L)'],
    ['BO1 1AA', 'BD1 1AA', 'anything before a district with a leading 0 (B01)'],
    ['EO1 1AA', 'E01 1AA', 'nothing else makes it valid'],
    ['L15 5A', 'L1 5SA', 'one exchange before a missing character'],
    ['EC2A+2BS', 'EC2A 2BS', 'a stray character left out'],
    ['"EC2A 2BS"', 'EC2A 2BS', 'stray characters left out'],
  ])('for %s suggests %s: %s', (text, suggestion) => {
    expect(refused(text).suggestion).toBe(suggestion);
  });

  it('suggests a postcode if replacing one look-alike makes one', () => {
    const twins = new Map([...'0O1I5S2Z8BO0I1S5Z2B8'].map((char, i, all) => [char, all[i ^ 1]!]));
    fc.assert(
      fc.property(unit, fc.nat(7), (text, at) => {
        const twin = twins.get(text.charAt(at));
        fc.pre(twin !== undefined);
        const result = parsePostcode(text.slice(0, at) + twin + text.slice(at + 1));
        if (result instanceof PostcodeRefusal) accepted(result.suggestion ?? '');
      }),
      { numRuns: 1_000 },
    );
  });

  it('never throws, and explains each refusal', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const result = parsePostcode(text);
        if (result instanceof Postcode) return;
        expect(result.detail).toMatch(/^[A-Z].*[.?]$/);
        if (result.suggestion) expect(accepted(result.suggestion).unit).toBe(result.suggestion);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['x', ' ', '\u3000', '0', '\ud800', 'EC2A 2BS', '\u{1f600}', '\0'])(
    'refuses 64 KB of %j',
    (text) => {
      const hostile = text.repeat(65_536 / text.length);
      expect(refused(hostile).reason).toBe('too-long');
      expect(misplaced(hostile).reason).toBe('too-long');
    },
  );
});

describe('Postcode', () => {
  it.each([
    ['EC2A 2BS', 'EC2A 2', 'EC2A', 'EC2', 'EC', 'EC2A'],
    ['E14 9GG', 'E14 9', null, 'E14', 'E', 'E14'],
    ['E1 4AA', 'E1 4', null, 'E1', 'E', 'E1'],
    ['W1A 0AX', 'W1A 0', 'W1A', 'W1', 'W', 'W1A'],
    ['CR0 2YR', 'CR0 2', null, 'CR0', 'CR', 'CR0'],
  ])('knows the parts of %s', (text, sector, subdistrict, district, areaName, outwardCode) => {
    const postcode = accepted(text);
    expect(postcode).toMatchObject({ unit: text, sector, subdistrict, district });
    expect([postcode.area, postcode.outward, String(postcode)]).toEqual([
      areaName,
      outwardCode,
      text,
    ]);
  });

  it('packs into 30 bits and unpacks to the same postcode', () => {
    fc.assert(
      fc.property(unit, (text) => {
        const { packed } = accepted(text);
        expect(packed).toBeLessThan(2 ** 30);
        expect(unpackPostcode(packed).unit).toBe(text);
      }),
    );
  });

  it('sorts by packed number as by string', () => {
    fc.assert(
      fc.property(unit, unit, (a, b) => {
        const difference = accepted(a).packed - accepted(b).packed;
        expect(Math.sign(difference)).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
      { numRuns: 1_000 },
    );
    const packed = SAMPLE.map((text) => accepted(text).packed);
    expect(packed).toEqual([...packed].sort((a, b) => a - b));
  });

  it.each([-1, 0, 0.5, accepted('EC2A 2BS').packed + 0.5, 2 ** 30, 2 ** 32, NaN, Infinity])(
    'is not made from %d',
    (packed) => {
      expect(() => unpackPostcode(packed)).toThrow(RangeError);
    },
  );

  it('is created from every number that prints as a postcode, and from no other', () => {
    fc.assert(
      fc.property(fc.nat(26 * 27 * 370 * 4_000), (packed) => {
        try {
          expect(accepted(unpackPostcode(packed).unit).packed).toBe(packed);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('parsePlace', () => {
  it.each([
    ['EC2A 2BS', 'unit', 'EC2A 2BS'],
    ['ec2a2bs', 'unit', 'EC2A 2BS'],
    ['E14AA', 'unit', 'E1 4AA'],
    ['EC2A 2', 'sector', 'EC2A 2'],
    ['E1 4', 'sector', 'E1 4'],
    [' e14 \t 9 ', 'sector', 'E14 9'],
    ['EC2A', 'subdistrict', 'EC2A'],
    ['EC2', 'district', 'EC2'],
    ['E14', 'district', 'E14'],
    ['ec', 'area', 'EC'],
    ['\u00a0E ', 'area', 'E'],
  ])('reads %j as the %s %s', (text, level, name) => {
    expect(placed(text)).toMatchObject({ level, name });
  });

  it.each([
    ['', 'empty', undefined],
    ['EC2A 2BS 1', 'too-long', undefined],
    ['EC2A2', 'misplaced-space', 'EC2A 2'],
    ['E142', 'misplaced-space', 'E14 2'],
    ['EC 2', 'misplaced-space', 'EC2'],
    ['E 14', 'misplaced-space', 'E14'],
    ['E 1 4', 'misplaced-space', 'E14'],
    ['EC 2A 2', 'misplaced-space', 'EC2A 2'],
    ['B X', 'misplaced-space', 'BX'],
    ['E1-4', 'stray-character', 'E1 4'],
    ['EC2A*', 'stray-character', 'EC2A'],
    ['EC2A-2', 'stray-character', 'EC2A 2'],
    ['-', 'stray-character', undefined],
    ['ECZA', 'outward-shape', 'EC2A'],
    ['ECZA 2', 'outward-shape', 'EC2A 2'],
    ['EC2A Z', 'outward-shape', 'EC2A 2'],
    ['8', 'outward-shape', 'B'],
    ['9', 'outward-shape', undefined],
    ['ABC', 'outward-shape', undefined],
    ['QQ', 'unknown-area', undefined],
    ['QQ1 2', 'unknown-area', undefined],
    ['EC2A 2B', 'incomplete', undefined],
    ['EC2A 2C5', 'inward-shape', undefined],
    ['EC2A 20S', 'inward-shape', 'EC2A 2DS'],
    ['GIR', 'girobank', undefined],
    ['GX11', 'overseas', undefined],
    ['ASCN', 'overseas', undefined],
  ])('refuses %j as %s and suggests %s', (text, reason, suggestion) => {
    expect(misplaced(text)).toMatchObject({ reason, suggestion });
  });

  it('explains how to write a place of each level', () => {
    expect(misplaced('QQ').detail).toMatch(
      /: write a unit \(EC2A 2BS\), sector \(EC2A 2\), subdistrict \(EC2A\), district \(EC2\) or area \(EC\)\.$/,
    );
  });

  it('reads a whole postcode as parsePostcode does', () => {
    fc.assert(
      fc.property(unit, (text) => {
        const place = placed(text.replace(' ', ''));
        expect(place).toEqual({ level: 'unit', name: text, key: accepted(text).packed });
      }),
    );
  });

  it('never throws, and explains each refusal', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const result = parsePlace(text);
        if (!(result instanceof PostcodeRefusal)) {
          expect(printPlace(result.level, result.key)).toBe(result.name);
          return;
        }
        expect(result.detail).toMatch(/^[A-Z].*[.?]$/);
        if (result.suggestion) expect(placed(result.suggestion).name).toBe(result.suggestion);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('printPlace', () => {
  const names: Record<PlaceLevel, fc.Arbitrary<string>> = {
    unit,
    sector: fc.tuple(outward, digit).map((parts) => parts.join(' ')),
    subdistrict: outward.filter((code) => /[A-Z]$/.test(code)),
    district: outward.filter((code) => /\d$/.test(code)),
    area,
  };

  it.each(Object.entries(names) as [PlaceLevel, fc.Arbitrary<string>][])(
    'undoes parsePlace: %s',
    (level, name) => {
      fc.assert(
        fc.property(name, (text) => {
          const place = placed(text);
          expect(place).toEqual({ level, name: text, key: place.key });
          expect(printPlace(level, place.key)).toBe(text);
        }),
      );
    },
  );

  it('prints the places of a postcode from its keys', () => {
    fc.assert(
      fc.property(unit, (text) => {
        const postcode = accepted(text);
        const { sector, outward, district, area } = placeKeyOf;
        expect(printPlace('unit', postcode.packed)).toBe(postcode.unit);
        expect(printPlace('sector', sector(postcode.packed))).toBe(postcode.sector);
        expect(
          printPlace(
            postcode.subdistrict === null ? 'district' : 'subdistrict',
            outward(postcode.packed),
          ),
        ).toBe(postcode.outward);
        expect(printPlace('district', district(postcode.packed))).toBe(postcode.district);
        expect(printPlace('area', area(postcode.packed))).toBe(postcode.area);
      }),
    );
  });

  it.each<[PlaceLevel, number]>([
    ['unit', -1],
    ['unit', placed('EC2A 2BS').key + 0.5],
    ['sector', 2 ** 32],
    ['subdistrict', placed('EC2').key],
    ['district', placed('EC2A').key],
    ['area', 0],
    ['area', NaN],
  ])('has no %s of key %d', (level, key) => {
    expect(() => printPlace(level, key)).toThrow(RangeError);
  });
});

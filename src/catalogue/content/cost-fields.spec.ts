import { describe, expect, it } from '@jest/globals';
import { BadCell } from './cells.js';
import {
  costFields,
  type CostRow,
  marginFields,
  minorOf,
  supplierCode,
  supplierPlaceFields,
  supplierPremisesFields,
} from './cost-fields.js';

/** What a cell is read as, or what to write instead. */
const read = (cell: unknown) => (cell instanceof BadCell ? cell.suggestion : cell);

describe('the code of a supplier', () => {
  it.each(['p', 'pxc-2', '2degrees', 'twelve-chars'])('may be %s', (code) => {
    expect(supplierCode(code)).toBe(code);
  });

  it.each([
    ['PXC', 'Write pxc.'],
    ['PXC Wholesale Ltd', 'Write pxc-wholesal.'],
    ['-pxc-', 'Write pxc.'],
    ['thirteen-char', 'Write thirteen-cha.'],
    ['', 'Write e.g. pxc.'],
    ['&', 'Write e.g. pxc.'],
  ])('is not %j', (text, suggestion) => {
    expect(read(supplierCode(text))).toBe(suggestion);
  });
});

describe('a rule of margins.csv', () => {
  const { supplier, minimum, percent, floorPercent } = marginFields;

  it('is of one supplier or of all', () => {
    expect(['pxc', '*', '**'].map((text) => read(supplier.parse(text, {})))).toEqual([
      ...['pxc', '*', 'Write e.g. pxc.'],
    ]);
  });

  it.each([
    ['0', 0],
    ['25.1234', 25.1234],
    ['1000000', 1_000_000],
  ])('may have the least margin %s', (text, value) => {
    expect(minimum.parse(text, {})).toBe(value);
  });

  it.each(['1000000.01', '1000001', '-1', '25.12345', '£25'])(
    'does not have the least margin %s',
    (text) => {
      expect(read(minimum.parse(text, {}))).toContain('Write e.g. 25');
    },
  );

  it('has percentages of the cost', () => {
    expect(percent.parse('33.333', {})).toBe(33.333);
    expect(percent.parse('a quarter', {})).toBeInstanceOf(BadCell);
  });

  it('has no floor above its margin', () => {
    const check = (floor: number | null, margin?: number) =>
      read(floorPercent.check!(floor, margin === undefined ? {} : { percent: margin }));
    expect([check(24, 25), check(25, 25), check(null, 25), check(900)]).toEqual(
      Array(4).fill(null),
    );
    expect(check(25.001, 25)).toBe('Lower it, or raise percent.');
  });
});

it('prints a cost in the decimals of its currency, and no set-up cost as an empty cell', () => {
  const row = { currency: 'GBP', costMinor: 8_000, setupMinor: null } as CostRow;
  const yen = { ...row, currency: 'JPY', setupMinor: 0 };
  const { costMinor, setupMinor } = costFields;
  expect([row, yen].map((one) => costMinor.print!(one.costMinor, one))).toEqual(['80.00', '8000']);
  expect([row, yen].map((one) => setupMinor.print!(one.setupMinor, one))).toEqual(['', '0']);
});

it('reads places and premises of a supplier, which it may exclude', () => {
  const { place, zone } = supplierPlaceFields;
  expect(place.parse('ec2a2bs', {})).toBe('EC2A 2BS');
  expect(read(place.parse('EC2A 2B', {}))).toMatch(/^(Write|Did you mean) .*EC2A 2/);
  expect(read(place.parse('?', {}))).toBe('Write e.g. EC2A 2BS.');
  expect(zone.parse('-', {})).toBe('-');
  expect(zone.parse('CITY', {})).toBe('CITY');
  expect(zone.parse('in the city', {})).toBeInstanceOf(BadCell);
  const { postcode } = supplierPremisesFields;
  expect(postcode.parse('ec2a2bs', {})).toBe('EC2A 2BS');
  expect(postcode.parse('EC2A', {})).toBeInstanceOf(BadCell);
});

it.each([
  [25, 'GBP', 2_500],
  [1.1, 'GBP', 110],
  [0.0001, 'GBP', 1],
  [25, 'JPY', 25],
  [1.5, 'KWD', 1_500],
])('%d in minor units of %s, rounded up, is %d', (major, currency, minor) => {
  expect(minorOf(major, currency)).toBe(minor);
});

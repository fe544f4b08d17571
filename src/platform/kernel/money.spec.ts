import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { decimalsOf, isCurrency, majorUnits, parseAmount, printAmount } from './money.js';

describe('amounts', () => {
  test.each<[text: string, currency: string, minor: number | null]>([
    ['550', 'GBP', 55_000],
    ['549.99', 'GBP', 54_999],
    ['549.9', 'GBP', 54_990],
    ['0', 'GBP', 0],
    ['007.10', 'GBP', 710],
    ['1.1', 'GBP', 110],
    ['4.35', 'GBP', 435],
    ['1.005', 'GBP', null],
    ['21474836.47', 'GBP', 2_147_483_647],
    ['21474836.48', 'GBP', null],
    ['90000', 'JPY', 90_000],
    ['90000.5', 'JPY', null],
    ['1.234', 'OMR', 1_234],
    ['1.2345', 'CLF', 12_345],
    ['', 'GBP', null],
    ['.5', 'GBP', null],
    ['5.', 'GBP', null],
    ['-5', 'GBP', null],
    ['5e3', 'GBP', null],
    ['٣', 'GBP', null],
  ])('%s %s is %s in minor units', (text, currency, minor) => {
    expect(parseAmount(text, currency)).toBe(minor);
  });

  it('are exact, unlike sums of decimals', () => {
    expect([majorUnits(54_999, 'GBP'), majorUnits(10 + 20, 'GBP'), majorUnits(550, 'JPY')]).toEqual(
      [549.99, 0.3, 550],
    );
  });

  it('are printed with all decimals', () => {
    const printed = [printAmount(55_000, 'GBP'), printAmount(5, 'GBP'), printAmount(7, 'JPY')];
    expect(printed).toEqual(['550.00', '0.05', '7']);
  });

  it('are read as they were printed', () => {
    const currency = fc.constantFrom('GBP', 'JPY', 'KWD', 'CLF');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), currency, (minor, currency) => {
        expect(parseAmount(printAmount(minor, currency), currency)).toBe(minor);
        expect(JSON.stringify(majorUnits(minor, currency))).toMatch(/^\d+(\.\d{1,4})?$/);
      }),
    );
  });
});

describe('currencies', () => {
  test.each([
    ['GBP', true],
    ['EUR', true],
    ['gbp', false],
    ['GPB', false],
    ['', false],
  ])(
    // prettier-ignore
    '%s: %s',
    (code, known) => expect(isCurrency(code)).toBe(known),
  );

  it('have the decimals of ISO 4217, not of the runtime', () => {
    const decimals = ['GBP', 'HUF', 'IQD', 'ISK'].map(decimalsOf);
    expect(decimals).toEqual([2, 2, 3, 0]);
  });
});

import { describe, expect, it, test } from '@jest/globals';
import type { OfferedProduct, PriceRow, ProductRow } from './offer-fields.js';
import type { PriceBasis } from './cells.js';
import {
  allOnLine,
  familiesOf,
  headingOf,
  inBrief,
  inWords,
  labelledFields,
  offerOf,
  sameTerms,
  shortName,
  shownTerms,
  termsOf,
  termsOnLine,
} from './offers.js';

const product: ProductRow = {
  code: 'INT-1G-12',
  name: '1G Internet',
  bandwidthProvisionedMbps: 100,
  bandwidthCapacityMbps: 2_500,
  termMonths: 12,
  service: null,
  needsInterconnect: false,
  soldFrom: null,
  soldUntil: null,
};
const price: PriceRow = {
  productCode: 'INT-1G-12',
  zone: 'ONNET',
  priceList: 'standard',
  amountMinor: 55_000,
  currency: 'GBP',
  leadTimeDays: 84,
  setupMinor: null,
  basis: 'firm',
  extraCharges: null,
  validFrom: null,
  validUntil: null,
};

function printed(about: Partial<ProductRow & PriceRow>) {
  const offer = offerOf({ ...product, ...about }, { ...price, ...about });
  return labelledFields().map((field) => [
    headingOf(field),
    inWords(field, offer),
    inBrief(field, offer),
  ]);
}

describe('an offer', () => {
  it('is printed field by field, in words and in brief', () => {
    expect(printed({})).toEqual([
      ['Bandwidth', '100 Mbit/s on a 2.5 Gbit/s bearer', '0.1/2.5 Gbit/s'],
      ['Term', '12 months', '12 months'],
      ['Monthly price (excl. VAT)', '£550.00', '550.00 GBP'],
      ['Lead time', '84 days', '84 days'],
      ['Set-up price (excl. VAT)', 'not stated', 'not stated'],
      ['Basis', 'firm', 'firm'],
    ]);
  });

  test.each([
    [25_050, '£250.50', '250.50 GBP', '£550.00, 84 days, £250.50 set-up'],
    [0, 'free', '0.00 GBP', '£550.00, 84 days, free set-up'],
    [null, 'not stated', 'not stated', '£550.00, 84 days'],
  ])(
    'with a set-up price of %j pence prints %s, in brief %s, on a line %s',
    (setupMinor, ...expected) => {
      const [, words, brief] = printed({ setupMinor }).at(-2)!;
      expect([words, brief, termsOnLine(offerOf(product, { ...price, setupMinor }))]).toEqual(
        expected,
      );
    },
  );

  test.each<[basis: PriceBasis, extraCharges: boolean | null, possible: boolean, line: string]>([
    ['firm', null, false, '£550.00, 84 days'],
    ['firm', false, false, '£550.00, 84 days'],
    ['subjectToSurvey', null, true, '£550.00, 84 days, subject to survey'],
    ['subjectToSurvey', true, true, '£550.00, 84 days, subject to survey'],
    ['subjectToSurvey', false, false, '£550.00, 84 days, subject to survey, no extra charges'],
    ['indicative', null, true, '£550.00, 84 days, indicative'],
  ])(
    'on the basis "%s" with extra charges %j: possible %j, on a line %s',
    (basis, extraCharges, possible, line) => {
      const offer = offerOf(product, { ...price, basis, extraCharges });
      expect([offer.extraChargesPossible, termsOnLine(offer)]).toEqual([possible, line]);
    },
  );

  test.each<[change: Partial<PriceRow>, line: string]>([
    [{}, '£550.00, 84 days, set-up price not stated, firm'],
    [{ setupMinor: 0, basis: 'indicative' }, '£550.00, 84 days, free set-up, indicative'],
    [
      { setupMinor: 25_000, basis: 'subjectToSurvey' },
      '£550.00, 84 days, £250.00 set-up, subject to survey',
    ],
  ])('with %j says all terms on a line: %s', (change, line) => {
    expect(allOnLine(shownTerms(), offerOf(product, { ...price, ...change }))).toBe(line);
  });

  it('uses the singular for one month or day', () => {
    const words = printed({ termMonths: 1, leadTimeDays: 1 }).map(([, text]) => text);
    expect(words.slice(0, 4)).toEqual([
      '100 Mbit/s on a 2.5 Gbit/s bearer',
      '1 month',
      '£550.00',
      '1 day',
    ]);
  });

  it('prints a bandwidth from 1 Gbit/s on in Gbit/s', () => {
    const [[, words] = []] = printed({
      bandwidthProvisionedMbps: 1_000,
      bandwidthCapacityMbps: 10_000,
    });
    expect(words).toBe('1 Gbit/s on a 10 Gbit/s bearer');
  });

  test.each([
    [54_999, 'GBP', '£549.99', '549.99 GBP'],
    [5_000, 'JPY', 'JP¥5,000', '5000 JPY'],
    [12_345, 'KWD', 'KWD\u00a012.345', '12.345 KWD'],
    [12_000, 'KWD', 'KWD\u00a012.000', '12.000 KWD'],
  ])('of %i minor units of %s costs %s, in brief %s', (amountMinor, currency, ...expected) => {
    const [, , [, words, brief] = []] = printed({ amountMinor, currency });
    expect([words, brief]).toEqual(expected);
  });
});

describe('terms', () => {
  const offer = offerOf(product, price);

  it('are price, currency, lead time, set-up price and basis', () => {
    expect(termsOf(offer)).toEqual({
      price: 550,
      currency: 'GBP',
      leadTimeDays: 84,
      setupPrice: null,
      basis: 'firm',
      extraChargesPossible: false,
      network: null,
    });
  });

  test.each<[change: Partial<OfferedProduct>, isSame: boolean]>([
    [{ price: 550.01 }, false],
    [{ currency: 'EUR' }, false],
    [{ leadTimeDays: 85 }, false],
    [{ setupPrice: 0 }, false],
    [{ basis: 'indicative', extraChargesPossible: true }, false],
    [{ extraChargesPossible: true }, true],
    [{ price: 1, extraChargesPossible: true }, false],
    [{ name: 'Another name', bandwidthCapacity: 1 }, true],
  ])('with %j are the same: %p', (change, isSame) => {
    expect(sameTerms(offer, { ...offer, ...change })).toBe(isSame);
  });
});

describe('the family of a product', () => {
  const named = (...rows: [code: string, name: string][]) =>
    familiesOf(rows.map(([code, name]) => ({ code, name }))).map(({ code, name }) => [code, name]);

  it('is its code up to the first hyphen, named by the words that only all its products share', () => {
    expect(
      named(
        ['INT-1G-12', '1G Internet on a 10G bearer'],
        ['INT-2G-36', '2G Internet on a 10G bearer'],
        ['ETH-100M-12', '100M Ethernet on a 1G bearer'],
        ['X', 'Dark fibre on a pair'],
      ),
    ).toEqual([
      ['ETH', 'Ethernet'],
      ['INT', 'Internet'],
      ['X', 'Dark fibre'],
    ]);
  });

  it('is named by its code where the names have no such word', () => {
    expect(named(['INT-1', 'Fast'], ['INT-2', 'Slow'], ['ETH-1', '1G'])).toEqual([
      ['ETH', 'ETH'],
      ['INT', 'INT'],
    ]);
    expect(named()).toEqual([]);
  });

  it.each([
    ['INT-1G-FULL-12', 1, 'INT 1G'],
    ['ETH-100M-36', 0.1, 'ETH 100M'],
    ['FIBRE', 2.5, 'FIBRE 2.5G'],
  ])('%s at %s Gbit/s is short for %s', (productCode, bandwidthProvisioned, short) => {
    expect(shortName({ productCode, bandwidthProvisioned })).toBe(short);
  });
});

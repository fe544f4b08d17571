import { describe, expect, it } from '@jest/globals';
import { Catalogue } from '../../catalogue/content/catalogue.js';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import { contentOf } from '../../../test/support/catalogue-files.given.js';
import { placeOfOrder } from '../../catalogue/shown/shown.service.js';
import { catalogueFiles } from '../../../test/support/given.js';
import { approvalReasons, comparableOffer, wantedOffer } from './approval.service.js';
import { bespokeProduct, type BespokeLine } from '../record/bespoke-terms.js';

const catalogue = new Catalogue(
  1,
  contentOf(
    catalogueFiles({
      prices: [
        'INT-100M-12,NEAR,,200,GBP,60,100',
        'INT-1G-12,NEAR,,600,GBP,60,250',
        'INT-1G-36,NEAR,,500,GBP,60,250',
        'INT-1G-12,FAR,,900,GBP,90,',
        'INT-1G-36,FAR,,800,GBP,90,',
      ],
      coverage: ['N1 1AA,NEAR', 'N2 1AA,FAR'],
    }),
  ),
);
const at = Date.UTC(2026, 2, 2);

const listedFor = (postcode: string, wanted: Partial<BespokeLine>) => {
  const place = { postcode, uprn: null, priceList: 'standard', nearest: null };
  return comparableOffer(placeOfOrder(place, catalogue, at), productOf(wanted));
};

function productOf(about: Partial<BespokeLine> = {}) {
  const line = { name: 'A', bandwidthProvisioned: 1, term: 24, price: 500, currency: 'GBP' };
  const more = { leadTimeDays: 60, basis: 'firm' as const };
  return bespokeProduct({ ...line, ...more, ...about }, 'A');
}

describe('the list price of an offer', () => {
  it.each<[string, string, Partial<BespokeLine>, string | undefined]>([
    ['that of the place', 'N2 1AA', { term: 12 }, 'INT-1G-12 FAR 900'],
    ['that of the nearest term', 'N1 1AA', { term: 30 }, 'INT-1G-36 NEAR 500'],
    ['that of the cheaper of two terms as near', 'N1 1AA', { term: 24 }, 'INT-1G-36 NEAR 500'],
    ['the cheapest anywhere, where nothing is sold', 'N9 9AA', { term: 12 }, 'INT-1G-12 NEAR 600'],
    [
      'that of the same bandwidth elsewhere, before another one here',
      'N2 1AA',
      { bandwidthProvisioned: 0.1 },
      'INT-100M-12 NEAR 200',
    ],
    [
      'that of the fastest slower product',
      'N2 1AA',
      { bandwidthProvisioned: 10, term: 36 },
      'INT-1G-36 NEAR 500',
    ],
    [
      'that of the slowest faster product, if none is slower',
      'N2 1AA',
      { bandwidthProvisioned: 0.05 },
      'INT-100M-12 NEAR 200',
    ],
    ['none in another currency', 'N1 1AA', { currency: 'EUR' }, undefined],
  ])('is %s', (_which, postcode, wanted, expected) => {
    const found = listedFor(postcode, wanted);
    expect(found && `${found.productCode} ${found.zone} ${found.price}`).toBe(expected);
  });

  it('fills in a form only for exactly what is wanted', () => {
    const { packed } = parsePostcode('N1 1AA') as Postcode;
    const { list } = catalogue.offersAt({ packed, uprn: null }, 'standard', at);
    const codes = [
      [1, 36],
      [1, null],
      [1, 24],
      [0.5, 12],
      [null, 12],
    ].map(([bandwidth, term]) => wantedOffer(list, bandwidth!, term!)?.productCode);
    expect(codes).toEqual(['INT-1G-36', 'INT-1G-12', undefined, undefined, undefined]);
  });
});

describe('an offer needs approval', () => {
  const none = { over: null, belowPercent: 50 };
  const limit = { amount: 12_000, currency: 'GBP' };
  const list = '(INT-1G-36, NEAR)';

  it.each<[string, Partial<BespokeLine>, object, readonly string[]]>([
    ['not within both limits', { price: 500 }, { over: limit }, []],
    ['above the limit', { price: 500.01 }, { over: limit }, ['above the limit of £12,000.00']],
    [
      'with its set-up price',
      { setupPrice: 1 },
      { over: limit },
      ['above the limit of £12,000.00'],
    ],
    [
      'in a currency that cannot be compared',
      { currency: 'EUR' },
      { over: limit },
      [
        'not in the currency of the limit of £12,000.00',
        'without a list price in EUR to compare it with',
      ],
    ],
    // The list price over 24 months: 24 × 500 + 250.
    ['not at half the list price', { price: 255.21 }, {}, []],
    ['not at exactly half the list price', { price: 250, setupPrice: 125 }, {}, []],
    [
      'below half the list price',
      { price: 255.2 },
      {},
      [`50 % below the list price of £12,250.00 ${list}`],
    ],
    [
      'below a smaller share',
      { price: 400 },
      { belowPercent: 20 },
      [`22 % below the list price of £12,250.00 ${list}`],
    ],
    ['not where the set-up price makes up for it', { price: 200, setupPrice: 2_000 }, {}, []],
    [
      'without a monthly price',
      { price: 0, setupPrice: 12_000 },
      { belowPercent: 100 },
      ['without a monthly price'],
    ],
    ['not far below, if only free offers do', { price: 0.01 }, { belowPercent: 100 }, []],
  ])('%s', (_when, about, rules, reasons) => {
    const product = productOf(about);
    const listed = listedFor('N1 1AA', about);
    expect(approvalReasons(product, listed, { ...none, ...rules })).toEqual(reasons);
  });
});

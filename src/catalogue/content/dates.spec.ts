import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  contentOf,
  explainAt,
  givenFiles,
  textsOf,
} from '../../../test/support/catalogue-files.given.js';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import { addDays } from '../../platform/kernel/time.js';
import { Catalogue } from './catalogue.js';
import type { CatalogueFile } from './catalogue-files.js';
import { diffInWords, printDiffCsv } from './change-lists.js';
import { changeDays, datesInWords, daysInWords, onDay } from './dates.js';
import { encodeContent } from './content-codec.js';
import { parseCatalogueFiles } from './files/csv-reader.js';
import { diffCatalogues } from './diff.js';

type Rows = Partial<Record<CatalogueFile, string[]>>;

const HERE = parsePostcode('EC2A 2BS') as Postcode;
const PRICE = 'INT-1G-12,LONDON-ONNET,standard,550,GBP,84,,,';
const PROMOTION = 'INT-1G-12,LONDON-ONNET,standard,495,GBP,84,,,,2027-01-01,2027-01-31';
const RISE = 'INT-1G-12,LONDON-ONNET,standard,566.50,GBP,84,,,,2027-03-01,';
const [GIG, SLOW] = ['INT-1G-12,1G,1,10,12', 'INT-100M-36,100M,0.1,1,36'];

const givenContent = (rows: Rows) =>
  contentOf(givenFiles({ prices: [PRICE], coverage: ['EC2A 2BS,LONDON-ONNET'], ...rows }));
const given = (rows: Rows) => new Catalogue(1, givenContent(rows));

/** The price at the place on a day and until when it stays, at noon in London. */
function priceOn(catalogue: Catalogue, day: string, priceList = 'standard') {
  const at = Date.parse(`${day}T12:00:00Z`);
  const [offer] = catalogue.offersAt(HERE, priceList, at).list;
  return offer && [offer.price, offer.priceUntil];
}

describe('a price with dates', () => {
  const catalogue = given({ prices: [PRICE, PROMOTION, RISE] });

  test.each([
    ['2026-12-31', 550, '2026-12-31'],
    ['2027-01-01', 495, '2027-01-31'],
    ['2027-01-31', 495, '2027-01-31'],
    ['2027-02-01', 550, '2027-02-28'],
    ['2027-03-01', 566.5, null],
    ['2050-01-01', 566.5, null],
  ])('on %s is %d, until %s', (day, price, until) => {
    expect(priceOn(catalogue, day)).toEqual([price, until]);
  });

  test.each([
    ['in winter', '2027-01-01', '2027-01-01T00:00:00.000Z'],
    ['in summer', '2027-07-01', '2027-06-30T23:00:00.000Z'],
    ['on the day on which summer time starts', '2027-03-28', '2027-03-28T00:00:00.000Z'],
    ['on the day after', '2027-03-29', '2027-03-28T23:00:00.000Z'],
    ['on the day on which summer time ends', '2027-10-31', '2027-10-30T23:00:00.000Z'],
    ['on the day after that', '2027-11-01', '2027-11-01T00:00:00.000Z'],
  ])('starts at midnight in London %s', (_, day, instant) => {
    const dated = given({ prices: [PRICE, RISE.replace('2027-03-01', day)] });
    const at = Date.parse(instant);
    const prices = [at - 1, at].map((when) => dated.offersAt(HERE, 'standard', when).list[0]!);
    expect(prices.map(({ price }) => price)).toEqual([550, 566.5]);
    expect(prices[0]).toMatchObject({ priceUntil: addDays(day, -1), next: { price: 566.5 } });
    expect(dated.changeInstants).toEqual([at]);
  });

  it('says in each answer until when the terms stay, whichever row states them', () => {
    const [same, other] = ['550,GBP,84', '550,GBP,90'].map((terms) =>
      given({ prices: [PRICE, `INT-1G-12,LONDON-ONNET,standard,${terms},,,,2027-01-01,`] }),
    );
    expect([priceOn(same!, '2026-12-01'), priceOn(other!, '2026-12-01')]).toEqual([
      [550, null],
      [550, '2026-12-31'],
    ]);
    expect(JSON.parse(other!.offersAt(HERE, 'standard', 0).json.text)).toMatchObject([
      { price: 550, priceUntil: '2026-12-31' },
    ]);
  });

  it('is followed by derived lists and by lists without the price, but not by a price of their own', () => {
    const prices = [
      PRICE,
      PROMOTION,
      'INT-1G-12,LONDON-ONNET,own,400,GBP,84',
      'INT-100M-36,LONDON-ONNET,own,99,GBP,84',
      'INT-100M-36,LONDON-ONNET,standard,100,GBP,84',
    ];
    const lists = given({ prices, priceLists: ['gold,standard,-10,', 'ownest,own,-50,'] });
    const on = (list: string) => {
      const { list: offers } = lists.offersAt(HERE, list, Date.parse('2027-01-15T12:00:00Z'));
      return offers.find(({ productCode }) => productCode === 'INT-1G-12')?.price;
    };
    expect(['gold', 'partner', 'own', 'ownest'].map(on)).toEqual([445.5, 495, 400, 200]);
  });

  it('needs no undated row: the product is not sold on other days', () => {
    const only = given({ prices: [PROMOTION] });
    expect(['2026-12-31', '2027-01-15', '2027-02-01'].map((day) => priceOn(only, day))).toEqual([
      undefined,
      [495, '2027-01-31'],
      undefined,
    ]);
  });

  it('is what the rows say on every day, whatever they are', () => {
    const days = fc.integer({ min: 0, max: 12 });
    const spans = fc.array(fc.tuple(days, days, fc.integer({ min: 1, max: 9 })), { maxLength: 6 });
    const dayOf = (n: number) => addDays('2027-03-25', n);
    fc.assert(
      fc.property(spans, fc.boolean(), (wanted, hasBase) => {
        const taken = new Set<number>();
        const rows = wanted.flatMap(([a, b, price]) => {
          const [first, last] = [Math.min(a, b), Math.max(a, b)];
          const span = Array.from({ length: last - first + 1 }, (_, i) => first + i);
          if (span.some((day) => taken.has(day))) return [];
          for (const day of span) taken.add(day);
          return { first, last, price };
        });
        const prices = rows.map(
          ({ first, last, price }) =>
            `INT-1G-12,LONDON-ONNET,,${price},GBP,84,,,,${dayOf(first)},${dayOf(last)}`,
        );
        const dated = given({
          prices: [...prices, ...(hasBase ? [PRICE] : []), 'INT-1G-12,UK,,1,GBP,1'],
        });
        const truth = (n: number) =>
          rows.find(({ first, last }) => first <= n && n <= last)?.price ??
          (hasBase ? 550 : undefined);
        for (let n = -1; n <= 13; n += 1) {
          let until: string | null = null;
          for (let later = n + 1; until === null && later <= 14; later += 1) {
            if (truth(later) !== truth(n)) until = dayOf(later - 1);
          }
          const expected = truth(n) === undefined ? undefined : [truth(n), until];
          expect(priceOn(dated, dayOf(n))).toEqual(expected);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('a product with dates', () => {
  const products = [`${GIG},2027-01-01,2027-03-31`, SLOW];
  const prices = [PRICE, 'INT-100M-36,LONDON-ONNET,,199,GBP,60'];
  const catalogue = given({ products, prices });
  const soldOn = (day: string) =>
    catalogue
      .offersAt(HERE, 'standard', Date.parse(`${day}T12:00:00Z`))
      .list.map(({ productCode, priceUntil }) => [productCode, priceUntil]);

  it('is sold from its first day to its last one', () => {
    const slow = ['INT-100M-36', null];
    expect(soldOn('2026-12-31')).toEqual([slow]);
    expect(soldOn('2027-01-01')).toEqual([slow, ['INT-1G-12', '2027-03-31']]);
    expect(soldOn('2027-04-01')).toEqual([slow]);
  });

  it('is explained before, while and after it is sold', () => {
    const reasonOn = (day: string) =>
      explainAt(catalogue, HERE, 'standard', Date.parse(`${day}T12:00:00Z`)).products.find(
        ({ productCode }) => productCode === 'INT-1G-12',
      );
    expect(['2026-12-31', '2027-02-01', '2027-04-01'].map((day) => reasonOn(day)?.reason)).toEqual([
      'It is sold from 1 January 2027.',
      'The standard price in LONDON-ONNET applies.',
      'It was sold until 31 March 2027.',
    ]);
    expect(reasonOn('2027-02-01')?.priceUntil).toBe('2027-03-31');
  });
});

describe('a zone with an end date', () => {
  const catalogue = given({ zones: ['LONDON-ONNET,,,2027-01-01,,2027-06-30'] });
  const at = (instant: string) => catalogue.offersAt(HERE, 'standard', Date.parse(instant));

  it('sells until midnight in London of that day', () => {
    expect(at('2026-12-31T12:00:00Z').reasons[0]?.code).toBe('planned');
    expect(at('2027-06-30T22:59:59.999Z').list[0]).toMatchObject({
      price: 550,
      priceUntil: '2027-06-30',
      next: null,
    });
    const after = at('2027-06-30T23:00:00Z');
    expect([after.count, after.reasons[0]?.code, after.readyDate]).toEqual([0, 'excluded', null]);
  });

  it('is explained afterwards', () => {
    const { reason, products } = explainAt(catalogue, HERE, 'standard', Date.parse('2027-07-01'));
    expect([reason, products[0]?.reason]).toEqual([
      'The zone LONDON-ONNET sold until 30 June 2027.',
      'Its zone sold until 30 June 2027.',
    ]);
  });
});

it('explains a price with its dates', () => {
  const catalogue = given({ prices: [PRICE, PROMOTION] });
  const { products } = explainAt(catalogue, HERE, 'standard', Date.parse('2027-01-15'));
  expect(products.find(({ offered }) => offered)).toMatchObject({
    priceUntil: '2027-01-31',
    prices: [{ price: 495, validFrom: '2027-01-01', validUntil: '2027-01-31', decides: true }],
  });
});

it('ends nothing on the last day of the calendar', () => {
  const catalogue = given({ prices: [`${PRICE},,9999-12-31`] });
  expect(priceOn(catalogue, '2027-01-01')).toEqual([550, null]);
  expect(catalogue.changeInstants).toEqual([]);
});

it('changes on the first days of rows, and on the days after their last ones, in order', () => {
  const { products, prices, zones } = givenContent({
    products: [`${GIG},2027-05-01,2027-06-30`],
    prices: [PRICE, RISE, PROMOTION],
    zones: ['LONDON-ONNET,,,2026-12-01,,2027-12-31'],
  });
  const suppliers = [{ supplier: 'pxc', label: 'PXC', validUntil: '2027-03-31' }];
  expect(changeDays({ products, prices, zones, suppliers })).toEqual([
    ...['2026-12-01', '2027-01-01', '2027-02-01', '2027-03-01', '2027-04-01', '2027-05-01'],
    ...['2027-07-01', '2028-01-01'],
  ]);
});

it('leaves a content as it is on a day on which all of it applies', () => {
  const content = givenContent({ products: [`${GIG},2027-01-01,2027-03-31`] });
  expect(onDay(content, '2027-01-01')).toBe(content);
  expect(onDay(content, '2027-04-01')).toMatchObject({ products: [], prices: [] });
});

test.each([
  [null, null, '', ''],
  ['2027-01-01', null, 'from 2027-01-01', 'from 1 January 2027'],
  [null, '2027-01-31', 'until 2027-01-31', 'until 31 January 2027'],
  ['2027-01-01', '2027-01-31', '2027-01-01 to 2027-01-31', '1 to 31 January 2027'],
  ['2026-12-31', '2027-01-01', '2026-12-31 to 2027-01-01', '31 December 2026 to 1 January 2027'],
])('the days from %s to %s are %j, in sentences %j', (first, last, dates, days) => {
  expect(datesInWords({ validFrom: first, validUntil: last })).toBe(dates);
  expect(daysInWords(first, last)).toBe(days);
});

describe('dates in files', () => {
  const rows: Rows = {
    products: [`${GIG},2026-01-01,`],
    prices: [PRICE, PROMOTION, RISE],
    zones: ['LONDON-ONNET,,,,,2030-12-31'],
  };

  it('are exported, read again without a change, and part of the hash', async () => {
    const content = givenContent(rows);
    const again = contentOf(textsOf(content));
    const hashes = [content, again, givenContent({})].map((one) => encodeContent(one));
    const [first, second, without] = await Promise.all(hashes);
    expect(second!.hash).toBe(first!.hash);
    expect(without!.hash).not.toBe(first!.hash);
    expect(textsOf(content).prices?.split('\n').slice(0, 3)).toEqual([
      'product,zone,price_list,price,currency,lead_time_days,valid_from,valid_until',
      'INT-1G-12,LONDON-ONNET,standard,550.00,GBP,84,,',
      'INT-1G-12,LONDON-ONNET,standard,495.00,GBP,84,2027-01-01,2027-01-31',
    ]);
  });

  it('leave no trace in a catalogue without them', () => {
    const texts = textsOf(givenContent({ zones: ['LONDON-ONNET,,,,note'] }));
    expect(JSON.stringify(texts)).not.toMatch(/valid_|sold_|end_date/);
  });

  it('are compared: each price on the days on which it differs, and the derived prices that follow it', () => {
    const before = givenContent({ priceLists: ['gold,standard,-10,'] });
    const after = givenContent({
      priceLists: ['gold,standard,-10,'],
      prices: [PRICE, PROMOTION],
      products: [`${GIG},,2027-12-31`],
    });
    const diff = diffCatalogues(before, after, null);
    const words = diffInWords(diff);
    expect(words).toContain(
      'Prices: 2 changed.\n  1 to 31 January 2027, then back: 2 changed, -10.0 %\n',
    );
    expect(words).toContain(
      'INT-1G-12 in LONDON-ONNET (gold) 2027-01-01 to 2027-01-31: 495.00 GBP → 445.50 GBP, -10.0 %',
    );
    expect(words).toContain('sold until 2027-12-31');
    expect([...printDiffCsv(diff)].join('')).toContain(
      'price,changed,INT-1G-12,LONDON-ONNET,standard,550.00 GBP,495.00 GBP,2027-01-01 to 2027-01-31\n',
    );
  });

  test.each<[string, Rows, object[]]>([
    [
      'a day that no calendar has',
      { prices: [`${PRICE},2027-02-30,`] },
      [{ file: 'prices.csv', line: 2, column: 'valid_from', value: '2027-02-30' }],
    ],
    [
      'a day in the order of America',
      { prices: [`${PRICE},,01/31/2027`] },
      [{ column: 'valid_until', suggestion: 'Write e.g. 2026-12-01.' }],
    ],
    [
      'a last day before the first',
      { prices: [`${PRICE},2027-02-01,2027-01-31`] },
      [
        {
          column: 'valid_until',
          value: '2027-01-31',
          reason: 'It is before the valid_from, 2027-02-01.',
          suggestion: 'Swap the two days, or correct one.',
        },
      ],
    ],
    [
      'a sale that ends before it starts',
      { products: [`${GIG},2027-02-01,2027-01-31`] },
      [{ file: 'products.csv', line: 2, column: 'sold_until' }],
    ],
    [
      'a zone that ends before it is ready',
      { zones: ['LONDON-ONNET,,,2027-02-01,,2027-01-31'] },
      [{ file: 'zones.csv', line: 2, column: 'end_date' }],
    ],
    [
      'two rows that overlap on one day',
      { prices: [PRICE, PROMOTION, `${PRICE},2027-01-31,2027-02-28`] },
      [
        {
          file: 'prices.csv',
          line: 4,
          column: 'valid_from',
          value: '2027-01-31',
          reason: 'These dates overlap those of line 3, 2027-01-01 to 2027-01-31.',
          suggestion: 'Let one of the two end on the day before the other starts.',
        },
      ],
    ],
    [
      'open rows that overlap',
      { prices: [RISE, `${PRICE},,2027-03-01`] },
      [{ line: 3, column: 'valid_until', value: '2027-03-01' }],
    ],
    [
      'a row inside a longer one, behind a short one',
      { prices: [`${PRICE},2027-01-01,2027-12-31`, `${PRICE},2027-02-01,2027-02-02`, RISE] },
      [{ line: 3 }, { line: 4 }],
    ],
    [
      'a row inside a longer one, which is behind another',
      {
        prices: ['01-01,2027-01-10', '01-15,2027-12-31', '03-01,2027-03-31'].map(
          (days) => `${PRICE},2027-${days}`,
        ),
      },
      [{ line: 4, reason: 'These dates overlap those of line 3, 2027-01-15 to 2027-12-31.' }],
    ],
    [
      'a row after one that never ends',
      { prices: [RISE, `${PRICE},2027-04-01,2027-04-30`] },
      [{ line: 3, reason: 'These dates overlap those of line 2, from 2027-03-01.' }],
    ],
    ['the same row twice', { prices: [PROMOTION, PROMOTION] }, [{ line: 3, column: 'product' }]],
  ])('with %s are faults, and nothing is read', (_, wrong, expected) => {
    const { content, faults } = parseCatalogueFiles(givenFiles({ prices: [PRICE], ...wrong }));
    expect([content, faults.shown]).toMatchObject([null, expected]);
    expect(faults.total).toBe(expected.length);
  });
});

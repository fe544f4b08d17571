import { expect, it } from '@jest/globals';
import { contentOf, givenFiles } from '../../../../test/support/catalogue-files.given.js';
import { calendarInWords, calendarOf, changesInWords } from './calendar.js';

it('lists each day to come on which something changes, compared with the day before', () => {
  const [price, other] = [
    'INT-1G-12,LONDON-ONNET,,499.99,GBP,84,,,',
    'INT-100M-36,UK,,100,GBP,60,,,',
  ];
  const content = contentOf(
    givenFiles({
      products: ['INT-1G-12,1G,1,10,12', 'INT-100M-36,100M,0.1,1,36,,2027-06-30'],
      prices: [
        price,
        other,
        'INT-1G-12,LONDON-ONNET,,450,GBP,84,,,,2027-01-01,2027-01-31',
        'INT-100M-36,UK,,100,GBP,30,,,,2027-02-15,2027-03-14',
        'INT-100M-36,UK,,100,GBP,30,,indicative,,2027-03-15,',
        // Changes nothing.
        'INT-1G-12,LONDON-ONNET,,499.99,GBP,84,,,,2027-05-01,2027-05-31',
        // Is over.
        'INT-1G-12,LONDON-ONNET,,1,GBP,84,,,,2026-01-01,2026-01-31',
      ],
      zones: ['UK,,,2026-12-24,,2027-07-31'],
      priceLists: ['gold,standard,-10,'],
    }),
  );
  const calendar = calendarOf(content, '2026-11-21');
  expect(calendarInWords(calendar)).toBe(`24 December 2026: UK: sales start
1 January 2027: 2 prices −10.0 %
1 February 2027: 2 prices +11.1 %
15 February 2027: 2 lead times or bases
15 March 2027: 2 lead times or bases
1 July 2027: 2 prices end
1 August 2027: UK: sales end
`);
  expect(calendar.map(({ day }) => day)).toContain('2027-01-01');
  expect(calendarOf(content, '2027-08-01')).toEqual([]);
});

const none = { count: 0, added: 0, removed: 0, least: null, median: null, most: null };
const nothing = {
  prices: none,
  setupPrices: none,
  otherTerms: 0,
  zonesOpened: [],
  zonesClosed: [],
};

it.each([
  [{}, ''],
  [
    { prices: { ...none, count: 3, added: 1, removed: 1, least: 5, median: 5, most: 5 } },
    '1 price +5.0 %; 1 price begins; 1 price ends',
  ],
  [
    { prices: { ...none, count: 2_005, added: 1_003, removed: 1_002 } },
    '1,003 prices begin; 1,002 prices end',
  ],
  [{ prices: { ...none, count: 1 } }, '1 price'],
  [
    { setupPrices: { ...none, count: 2, least: -10, median: -7.5, most: -5 } },
    '2 set-up prices −10.0 % to −5.0 %',
  ],
  [{ otherTerms: 1 }, '1 lead time or basis'],
  [{ otherTerms: 2, zonesOpened: ['A', 'B'] }, '2 lead times or bases; A, B: sales start'],
  [{ zonesOpened: ['A'], zonesClosed: ['C', 'D'] }, 'A: sales start; C, D: sales end'],
])('says the changes of a day in words: %j', (changes, words) => {
  expect(changesInWords({ ...nothing, ...changes })).toBe(words);
});

it('lists set-up prices, and lead times beside bases', () => {
  const content = contentOf(
    givenFiles({
      prices: [
        ...['INT-1G-12,UK,,100,GBP,84,50,,', 'INT-100M-36,UK,,100,GBP,60,,firm,'],
        'INT-1G-12,UK,,100,GBP,84,75,,,2027-01-01,',
        'INT-100M-36,UK,,100,GBP,30,,indicative,,2027-01-01,',
      ],
    }),
  );
  expect(calendarOf(content, '2026-12-31')).toMatchObject([
    { day: '2027-01-01', prices: { count: 0 }, setupPrices: { count: 1, most: 50 }, otherTerms: 2 },
  ]);
  expect(calendarOf(content, '2027-01-01')).toEqual([]);
});

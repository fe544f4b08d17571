import { expect, it } from '@jest/globals';
import { contentOf, givenFiles } from '../../../../test/support/catalogue-files.given.js';
import { calendarInWords, calendarOf } from './calendar.js';

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

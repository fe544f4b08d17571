import { describe, expect, it } from '@jest/globals';
import { explainAt, givenFiles } from '../../../test/support/catalogue-files.given.js';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import { Catalogue } from './catalogue.js';
import type { CatalogueFile } from './catalogue-files.js';
import { calendarOf } from './browse/calendar.js';
import { effectiveOf, MarginRules } from './cost-books.js';
import type { CostRow, MarginRow } from './cost-fields.js';
import type { BookTexts } from './files/book-reader.js';
import { diffCatalogues } from './diff.js';
import { parseCatalogueFiles } from './files/csv-reader.js';

/** A book of one product, which costs 100.00 in the zone `CITY`, and 200.00 in `TOWN`. */
function bookOf(supplier: string, places: readonly string[], premises: readonly string[] = []) {
  return {
    suppliers: `supplier,label,valid_until\n${supplier},${supplier},2027-03-31\n`,
    costs: `product,zone,cost,currency,lead_time_days\nINT-1G-12,CITY,100,GBP,1\nINT-1G-12,TOWN,200,GBP,1\n`,
    ...(places.length > 0 && { supplierPlaces: ['place,zone', ...places, ''].join('\n') }),
    ...(premises.length > 0 && {
      supplierPremises: ['uprn,postcode,name,zone', ...premises, ''].join('\n'),
    }),
  };
}

type Rows = Partial<Record<CatalogueFile, string[]>>;

/** The catalogue with books, which sells where an operator's own prices do not. */
function given(books: BookTexts, rows: Rows) {
  const { content, faults } = parseCatalogueFiles(
    givenFiles({ prices: ['INT-1G-12,OWN,,500,GBP,1'], margins: ['*,*,,10'], ...rows }),
    books,
  );
  if (!content) throw new Error(JSON.stringify(faults.shown));
  const catalogue = new Catalogue(1, effectiveOf(content));
  const at = Date.parse('2026-12-01');
  const soldAt = (postcode: string, uprn: number | null = null) => {
    const { packed } = parsePostcode(postcode) as Postcode;
    const { list } = catalogue.offersAt({ packed, uprn }, 'standard', at);
    return list.map(({ zone, price }) => `${zone} ${price}`).join();
  };
  const explained = (postcode: string) =>
    explainAt(catalogue, parsePostcode(postcode) as Postcode, 'standard', at);
  return { content, catalogue, soldAt, explained };
}

describe('the places of one supplier', () => {
  const { soldAt } = given(
    { pxc: bookOf('pxc', ['EC2A 2BS,CITY', 'EC2A 2,TOWN', 'N1,TOWN', 'N1 9GU,-']) },
    {
      coverage: ['EC2A 2BR,OWN', 'EC2A 2BU,BARE', 'N1 9,OWN', 'N1 8,BARE', 'E14,OWN', 'E14 5AB,-'],
    },
  );

  it.each([
    ['a unit', 'EC2A 2BS', 'pxc:CITY 110'],
    ['a larger place', 'EC2A 2BT', 'pxc:TOWN 220'],
    ['a unit of the operator in a larger place of the supplier', 'EC2A 2BR', 'OWN 500'],
    ['a sector of the operator in a district of the supplier', 'N1 9AA', 'OWN 500'],
    ['a unit where the operator has no price', 'EC2A 2BU', 'pxc:TOWN 220'],
    ['a sector where the operator has no price', 'N1 8AA', 'pxc:TOWN 220'],
    ['the rest of that district', 'N1 1AA', 'pxc:TOWN 220'],
    ['a unit that the supplier excludes', 'N1 9GU', 'OWN 500'],
    ['a place of the operator alone', 'E14 1AA', 'OWN 500'],
    ['a unit that the operator excludes', 'E14 5AB', ''],
    ['a place of neither', 'W1A 1AA', ''],
  ])('are joined with those of the operator: %s', (_, postcode, sold) => {
    expect(soldAt(postcode)).toBe(sold);
  });
});

it('a supplier without places follows the zones that it has costs for', () => {
  const { soldAt } = given(
    { pxc: bookOf('pxc', []) },
    { coverage: ['EC2A,CITY', 'EC2A 2BS,OWN', 'E14,-'], premises: ['7,E14 5AB,,TOWN'] },
  );
  expect(soldAt('EC2A 1AA')).toBe('pxc:CITY 110');
  expect([soldAt('EC2A 2BS'), soldAt('E14 5AB'), soldAt('W1A 1AA')]).toEqual(['OWN 500', '', '']);
  expect(soldAt('E14 5AB', 7)).toBe('pxc:TOWN 220');
});

describe('the dates of a zone', () => {
  const ending = 'CITY,,,,,2026-11-30';
  const coming = 'CITY,,,2026-12-02,';

  it.each([
    ['before the first day', coming, 'planned', 'Its zone sells from 2 December 2026.'],
    ['after the last day', ending, 'excluded', 'Its zone sold until 30 November 2026.'],
  ])('hold for a supplier that follows it: %s', (_, zone, code, reason) => {
    const { soldAt, catalogue, explained } = given(
      { pxc: bookOf('pxc', []) },
      { coverage: ['EC2A,CITY'], zones: [zone] },
    );
    expect(soldAt('EC2A 1AA')).toBe('');
    const { packed } = parsePostcode('EC2A 1AA') as Postcode;
    const { reasons } = catalogue.offersAt({ packed }, 'standard', Date.parse('2026-12-01'));
    expect(reasons).toEqual([expect.objectContaining({ code })]);
    const product = explained('EC2A 1AA').products.find((one) => one.productCode === 'INT-1G-12');
    expect(product).toMatchObject({ offered: false, reason });
  });

  it.each([coming, ending])('do not hold for a supplier with its own places: %s', (zone) => {
    const { soldAt, explained } = given(
      { pxc: bookOf('pxc', ['EC2A,CITY']) },
      { coverage: ['EC2A,CITY'], zones: [zone] },
    );
    expect(soldAt('EC2A 1AA')).toBe('pxc:CITY 110');
    const [product] = explained('EC2A 1AA').products;
    expect(product).toMatchObject({
      offered: true,
      reason: 'pxc (pxc:CITY) at 110.00 GBP applies.',
    });
  });

  it('are listed once, as those of the operator', () => {
    const [before, { content }] = [[], [coming]].map((zones) =>
      given({ pxc: bookOf('pxc', []) }, { coverage: ['EC2A,CITY'], zones }),
    ) as [ReturnType<typeof given>, ReturnType<typeof given>];
    const [first] = calendarOf(content, '2026-12-01');
    expect(first).toMatchObject({ day: '2026-12-02', zonesOpened: ['CITY'] });
    expect(diffCatalogues(before.content, content, null).rows.zones).toHaveLength(1);
  });
});

describe('the premises of suppliers', () => {
  const { catalogue, soldAt } = given(
    {
      pxc: bookOf(
        'pxc',
        ['EC2A 2BS,CITY'],
        ['1,EC2A 2BS,Unit 1,TOWN', '2,EC2A 2BS,,-', '5,N1 9GU,Five,CITY'],
      ),
      alt: bookOf('alt', [], ['5,N1 9GU,Other,TOWN', '6,N1 9GU,Six,TOWN', '3,E14 5AB,,CITY']),
    },
    {
      coverage: ['E14,OWN'],
      premises: [
        ...['3,E14 5AB,Three,-', '4,EC2A 2BS,Four,OWN', '8,W1A 1AA,,,529000,181000'],
        '1,EC2A 2BS,Quay House,,533000,182000',
      ],
    },
  );

  it.each([
    ['with a zone of their own', 'EC2A 2BS', 1, 'pxc:TOWN 220'],
    ['that the supplier excludes', 'EC2A 2BS', 2, ''],
    ['that the supplier does not list', 'EC2A 2BS', 9, 'pxc:CITY 110'],
    ['that the operator excludes', 'E14 5AB', 3, ''],
    ['with a price of the operator', 'EC2A 2BS', 4, 'OWN 500'],
    ['that two suppliers list, of which the cheaper sells', 'N1 9GU', 5, 'pxc:CITY 110'],
    ['that the second supplier lists alone', 'N1 9GU', 6, 'alt:TOWN 220'],
    ['that no one sells to', 'W1A 1AA', 8, ''],
  ])('answer for themselves: premises %s', (_, postcode, uprn, sold) => {
    expect(soldAt(postcode, uprn)).toBe(sold);
  });

  it('are not sold where the supplier excludes them, although it covers the postcode', () => {
    const { soldAt } = given(
      { pxc: bookOf('pxc', ['E17,CITY'], ['123,E17 9AA,,-']) },
      { premises: ['123,E17 9AA,Mill,,532600,182300', '124,E17 9AA,Yard,,532600,182300'] },
    );
    expect(soldAt('E17 9AA', 123)).toBe('');
    expect([soldAt('E17 9AA', 124), soldAt('E17 9AA')]).toEqual(['pxc:CITY 110', 'pxc:CITY 110']);
  });

  it('sell nothing at the rest of their postcode, where the supplier lists no place', () => {
    expect(soldAt('N1 9GU')).toBe('');
  });

  it('are listed once, with the name that the operator gives, or else the first supplier', () => {
    const listed = [...catalogue.content.premises.listed()];
    expect(listed.map(({ uprn, name }) => `${uprn} ${name}`).sort()).toEqual([
      ...['1 Quay House', '2 null', '3 Three', '4 Four', '5 Other', '6 Six', '8 null'],
    ]);
  });

  it('keep their position; without any network there, they are priced by distance', () => {
    const numberOf = (uprn: number) => {
      const listed = [...catalogue.content.premises.listed()].find((one) => one.uprn === uprn)!;
      const { coverage } = catalogue.content;
      const zone = coverage.zoneName(coverage.zoneNumberOfPremises(listed));
      return [zone, listed.position?.easting ?? null];
    };
    expect(numberOf(8)).toEqual([null, 529_000]);
    expect(numberOf(1)).toEqual(['pxc:TOWN', 533_000]);
  });
});

describe('the rules of margins', () => {
  const rule = (products: string, percent: number, about: Partial<MarginRow> = {}): MarginRow => ({
    supplier: '*',
    products,
    priceList: 'standard',
    percent,
    minimum: null,
    roundTo: null,
    floorPercent: null,
    ...about,
  });
  const cost = { supplier: 'pxc', productCode: 'INT-1G-12', costMinor: 10_001, currency: 'GBP' };

  it('give way to more specific ones, in any order of the rows', () => {
    const rows = [
      rule('INT-1G-12', 5, { supplier: 'pxc' }),
      rule('INT-1G-*', 4, { supplier: 'pxc' }),
      rule('*', 3, { supplier: 'pxc' }),
      rule('INT-1G-12', 2),
      rule('INT-*', 1),
      rule('*', 0),
    ];
    for (const [i, { percent }] of rows.entries()) {
      const left = rows.slice(i);
      for (const some of [left, left.toReversed()]) {
        expect(new MarginRules(some).of(cost).get('standard')?.percent).toBe(percent);
      }
    }
    expect(new MarginRules(rows).of({ ...cost, supplier: 'neos' }).get('standard')?.percent).toBe(
      2,
    );
    expect(new MarginRules([rule('ETH-*', 9)]).of(cost).size).toBe(0);
  });

  it('have a floor for each price list, or else that of the standard list, rounded up', () => {
    const rules = new MarginRules([
      rule('*', 25, { floorPercent: 10 }),
      rule('*', 20, { priceList: 'trade', floorPercent: 5 }),
      rule('*', 20, { priceList: 'open' }),
    ]);
    const floorOn = (priceList: string) => rules.floorOf(cost as CostRow, priceList);
    expect(['standard', 'gold', 'trade', 'open'].map(floorOn)).toEqual([
      ...[11_002, 11_002, 10_502, null],
    ]);
    expect(new MarginRules([]).floorOf(cost as CostRow, 'standard')).toBeNull();
  });
});

import { describe, expect, it, test } from '@jest/globals';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import { Catalogue } from './catalogue.js';
import { contentOf, givenFiles } from '../../../test/support/catalogue-files.given.js';

function postcode(text: string): Postcode {
  return parsePostcode(text) as Postcode;
}

/** Coverage is `EC,LONDON`, `E,UK` and `E14,-` unless given. */
function givenCatalogue(given: {
  products?: string[];
  prices: string[];
  coverage?: string[];
}): Catalogue {
  const products = ['B-1G,Gig,1,10,12', 'A-100M,Hundred,0.1,1,36', 'C-10G,Ten,10,10,60'];
  const coverage = ['EC,LONDON', 'E,UK', 'E14,-'];
  return new Catalogue(7, contentOf(givenFiles({ products, coverage, ...given })));
}

const EC = postcode('EC2A 2BS');
const E1 = postcode('E1 6AN');

describe('offers', () => {
  it('list the products priced in the zone, in the format of the contract', () => {
    const catalogue = givenCatalogue({
      prices: ['B-1G,LONDON,,550,GBP,84', 'A-100M,LONDON,,199.99,GBP,30', 'C-10G,UK,,1,GBP,1'],
    });
    const offers = catalogue.offersAt(EC, 'standard', 0);
    expect([catalogue.version, offers.count, offers.json.text]).toEqual([
      7,
      2,
      '[{"productCode":"A-100M","name":"Hundred","bandwidthProvisioned":0.1,"bandwidthCapacity":1,' +
        '"term":36,"price":199.99,"currency":"GBP","leadTimeDays":30,"setupPrice":null,"basis":"firm","extraChargesPossible":false,"network":null,"service":null,"needsInterconnect":false,"priceUntil":null},' +
        '{"productCode":"B-1G","name":"Gig","bandwidthProvisioned":1,"bandwidthCapacity":10,' +
        '"term":12,"price":550,"currency":"GBP","leadTimeDays":84,"setupPrice":null,"basis":"firm","extraChargesPossible":false,"network":null,"service":null,"needsInterconnect":false,"priceUntil":null}]',
    ]);
    expect(offers.list[1]).toEqual({
      productCode: 'B-1G',
      name: 'Gig',
      bandwidthProvisioned: 1,
      bandwidthCapacity: 10,
      term: 12,
      price: 550,
      currency: 'GBP',
      leadTimeDays: 84,
      setupPrice: null,
      basis: 'firm',
      extraChargesPossible: false,
      network: null,
      service: null,
      needsInterconnect: false,
      priceUntil: null,
      next: null,
      zone: 'LONDON',
      priceList: 'standard',
      amountMinor: 55_000,
    });
  });

  it('also have the misspelt key for clients of version 0.2', () => {
    const catalogue = givenCatalogue({ prices: ['B-1G,LONDON,,549.99,GBP,84'] });
    expect(catalogue.offersAt(EC, 'standard', 0).shownTo('0.2').json.text).toBe(
      '[{"productCode":"B-1G","name":"Gig","bandwidthProvisioned":1,"bandwidthCapacity":10,' +
        '"bandwidthCapactity":10,"term":12,"price":549.99,"currency":"GBP","leadTimeDays":84,"setupPrice":null,"basis":"firm","extraChargesPossible":false,"network":null,"service":null,"needsInterconnect":false,"priceUntil":null}]',
    );
  });

  it('leave out fractions of Gbit/s for clients of version 0.2', () => {
    const offers = givenCatalogue({
      products: ['A,N,0.1,1,12', 'B,N,1,2.5,12', 'C,N,1,10,12', 'D,N,100000,100000,12'],
      prices: ['A', 'B', 'C', 'D'].map((code) => `${code},LONDON,,1,GBP,1`),
    }).offersAt(EC, 'standard', 0);
    const { count, json } = offers.shownTo('0.2');
    const codes = (JSON.parse(json.text) as { productCode: string }[]).map(
      (one) => one.productCode,
    );
    expect([count, codes, offers.count, offers.shownTo('0.3') === offers]).toEqual([
      2,
      ['C', 'D'],
      4,
      true,
    ]);
  });

  test.each<[price: string, json: string, amountMinor: number]>([
    ['549.99,GBP', '549.99', 54_999],
    ['550.00,GBP', '550', 55_000],
    ['0.30,GBP', '0.3', 30],
    ['1.10,GBP', '1.1', 110],
    ['21474836.47,GBP', '21474836.47', 2_147_483_647],
    ['0,GBP', '0', 0],
    ['90000,JPY', '90000', 90_000],
    ['1.234,KWD', '1.234', 1_234],
  ])('cost %s exactly', (price, json, amountMinor) => {
    const offers = givenCatalogue({ prices: [`B-1G,LONDON,,${price},1`] }).offersAt(
      EC,
      'standard',
      0,
    );
    expect([offers.json.text, offers.list[0]?.amountMinor]).toEqual([
      expect.stringContaining(`"price":${json},`),
      amountMinor,
    ]);
  });

  it('are sorted by bandwidth, term, price and code', () => {
    const products = [
      'A,N,10,10,12',
      'B,N,1,10,36',
      'C,N,1,10,12',
      'D,N,1,10,12',
      'E,N,1,1,12',
      'F,N,0.1,100,60',
    ];
    const prices = ['A,UK,,1,GBP,1', 'B,UK,,2,GBP,1', 'C,UK,,3,GBP,1', 'D,UK,,2.50,GBP,1', 'E,UK,,2.50,GBP,1', 'F,UK,,9,GBP,1']; // prettier-ignore
    const { list } = givenCatalogue({ products, prices }).offersAt(E1, 'standard', 0);
    expect(list.map((offer) => offer.productCode).join('')).toBe('FDECBA');
  });

  it('escape text as JSON, also outside ASCII', () => {
    const products = ['A,"Gig ""é"" \\ €",1,1,12'];
    const { json } = givenCatalogue({ products, prices: ['A,UK,,1,GBP,1'] }).offersAt(E1, 'x', 0);
    expect(JSON.parse(json.text)).toMatchObject([{ name: 'Gig "é" \\ €' }]);
  });
});

describe('a price list', () => {
  const catalogue = givenCatalogue({
    prices: [
      'A-100M,UK,,100,GBP,30',
      'B-1G,UK,,500,GBP,30',
      'B-1G,UK,gold,400,EUR,10',
      'C-10G,UK,gold,900,GBP,30',
      'C-10G,LONDON,gold,800,GBP,30',
    ],
  });
  const pricesAt = (at: Postcode, list: string) =>
    catalogue.offersAt(at, list, 0).list.map((o) => `${o.productCode} ${o.price} ${o.priceList}`);

  test.each<[list: string, at: Postcode, prices: string[]]>([
    ['standard', E1, ['A-100M 100 standard', 'B-1G 500 standard']],
    ['gold', E1, ['A-100M 100 standard', 'B-1G 400 gold', 'C-10G 900 gold']],
    ['unheard-of', E1, ['A-100M 100 standard', 'B-1G 500 standard']],
    ['standard', EC, []],
    ['gold', EC, ['C-10G 800 gold']],
  ])('%s takes what it lacks from the standard one', (list, at, prices) => {
    expect(pricesAt(at, list)).toEqual(prices);
  });

  it('that is unknown counts as the standard one, and is not cached', () => {
    expect(catalogue.offersAt(E1, 'unheard-of', 0)).toBe(catalogue.offersAt(E1, 'standard', 0));
  });
});

describe('places', () => {
  const catalogue = givenCatalogue({
    prices: ['A-100M,UK,,100,GBP,30', 'B-1G,LONDON,,500,GBP,30'],
    coverage: ['EC,LONDON', 'E,UK', 'E14,-', 'E14 5AB,UK', 'N,NEW'],
  });

  test.each([
    ['E1 6AN', 1],
    ['E14 5AA', 0],
    ['E14 5AB', 1],
    ['SW1A 1AA', 0],
    ['N1 1AA', 0],
  ])('%s has %i offers', (at, count) => {
    const offers = catalogue.offersAt(postcode(at), 'standard', 0);
    expect([offers.count, offers.json.text === '[]']).toEqual([count, count === 0]);
  });

  it('share their offers when they are in the same zone', () => {
    const at = (text: string) => catalogue.offersAt(postcode(text), 'standard', 0);
    expect([at('E1 6AN') === at('E2 7AA'), at('E14 5AA') === at('E14 9GU')]).toEqual([true, true]);
  });

  it('do not affect whether a product exists', () => {
    expect([catalogue.product('C-10G')?.name, catalogue.product('X')]).toEqual(['Ten', undefined]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { givenProduct } from '../../../test/support/quote-views.js';
import type { Catalogue } from '../../catalogue/content/catalogue.js';
import type { QuoteLine } from './quote.entity.js';
import { lacksVolume, placesOfServices, withVolume } from './volume.js';

it('counts the places of a service in any case, and of each product without a service', () => {
  const rows: readonly (readonly [service: string | null, code: string, place: string])[] = [
    ['Ethernet', 'A', 'E1 6AN'],
    ['ethernet', 'B', 'E1 6AN'],
    ['ETHERNET', 'A', 'EC2A 2BS'],
    ['Internet', 'C', 'E1 6AN'],
    [null, 'D', 'E1 6AN'],
    [null, 'E', 'EC2A 2BS'],
  ];
  const lines = rows.map(([service, productCode, postcode]) => ({
    postcode,
    uprn: null,
    offer: { product: { service, productCode } },
  }));
  const gap = { postcode: 'N1 9GU', uprn: null, offer: null };
  const units = ['7', '8', '7'].map((uprn) => ({ ...lines[3], uprn }));
  const count = placesOfServices([...lines, gap, ...units] as unknown as QuoteLine[]);
  const asked: readonly (readonly [string | null, string])[] = [
    ...([
      ['Ethernet', 'Z'],
      ['internet', 'Z'],
      [null, 'D'],
      [null, 'Z'],
    ] as const),
    ['Dark fibre', 'A'],
  ];
  const counts = asked.map(([service, productCode]) => count({ service, productCode }));
  expect(counts).toEqual([2, 3, 1, 0, 0]);
});

describe('lines of many', () => {
  const line = (productCode: string, service: string | null, postcode = productCode) =>
    ({
      site: productCode,
      postcode,
      uprn: null,
      offer: {
        product: givenProduct({ productCode, service, price: 99.99, setupPrice: 50 }),
        amountMinor: 9_999,
        zone: 'ONNET',
        held: true,
        discountPercent: null,
      },
    }) as unknown as QuoteLine;
  const gap = { site: 'gap', offer: null } as unknown as QuoteLine;
  /** 10 per cent from two places of a service on, for the list `partner` and all products but one. */
  const volume = {
    discountFor: (list: string, code: string, places: number) =>
      list === 'partner' && code !== 'FIXED' && places >= 2
        ? { percent: 10, from: 2 }
        : { percent: 0, from: 0 },
  } as Catalogue['volume'];

  it('cost less a month, by the number of their service, and the same to set up', () => {
    const lines = [line('A', 'Internet'), gap, line('B', 'INTERNET'), line('C', 'Ethernet')];
    const [a, none, b, c] = withVolume(lines, { volumeOf: () => volume }, 'partner', 'quote');
    for (const one of [a, b]) {
      expect(one!.offer).toMatchObject({
        amountMinor: 8_999,
        discountPercent: 10,
        discountFrom: null,
        zone: 'ONNET',
        product: { price: 89.99, setupPrice: 50, name: '1G Internet' },
      });
      expect(one!.offer!.product).not.toHaveProperty('amountMinor');
    }
    expect([a, b].map((one) => [one!.site, one!.offer!.product.productCode])).toEqual([
      ['A', 'A'],
      ['B', 'B'],
    ]);
    expect([none, c]).toEqual([gap, lines[3]]);
  });

  it('stay as they are where their price list or product has no discount', () => {
    const lines = [line('A', 'Internet'), line('FIXED', 'Internet')];
    expect(withVolume(lines, { volumeOf: () => volume }, 'standard', 'quote')).toEqual(lines);
    const [a, fixed] = withVolume(lines, { volumeOf: () => volume }, 'partner', 'quote');
    expect([a!.offer!.discountPercent, fixed]).toEqual([10, lines[1]]);
  });

  it('count a place once, however many lines it has', () => {
    const same = [line('A', 'Internet', 'E1 6AN'), line('B', 'Internet', 'E1 6AN')];
    expect(withVolume(same, { volumeOf: () => volume }, 'partner', 'quote')).toEqual(same);
  });

  it('keep a discount only together where it counts what is ordered', () => {
    const lines = [line('A', 'Internet'), line('B', 'Internet'), line('FIXED', 'Internet')];
    const [a, b, fixed] = withVolume(lines, { volumeOf: () => volume }, 'partner', 'order');
    expect(a!.offer).toMatchObject({ discountPercent: 10, discountFrom: 2 });
    const lack = (ordered: QuoteLine[]) => {
      const placesOf = placesOfServices(ordered);
      return ordered.map((one) => lacksVolume(one, placesOf));
    };
    expect([lack([a!]), lack([a!, b!]), lack([fixed!]), lack([a!, fixed!])]).toEqual([
      ...[[true], [false, false], [false], [false, false]],
    ]);
  });
});

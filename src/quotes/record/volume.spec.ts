import { describe, expect, it } from '@jest/globals';
import { givenProduct } from '../../../test/support/quote-views.js';
import type { Catalogue } from '../../catalogue/content/catalogue.js';
import type { QuoteLine } from './quote.entity.js';
import { linesOfServices, withVolume } from './volume.js';

it('counts the lines of a service in any case, and those without a service as one', () => {
  const services = ['Ethernet', 'ethernet', 'ETHERNET', 'Internet', null, null, undefined];
  const lines = services.map((service) => ({
    offer: service === undefined ? null : { product: { service } },
  }));
  const count = linesOfServices(lines as unknown as QuoteLine[]);
  expect(['Ethernet', 'internet', null, 'Dark fibre'].map(count)).toEqual([3, 1, 2, 0]);
});

describe('lines of many', () => {
  const line = (productCode: string, service: string | null) =>
    ({
      site: productCode,
      offer: {
        product: givenProduct({ productCode, service, price: 99.99, setupPrice: 50 }),
        ...{ amountMinor: 9_999, zone: 'ONNET', held: true, discountPercent: null },
      },
    }) as unknown as QuoteLine;
  const gap = { site: 'gap', offer: null } as unknown as QuoteLine;
  /** 10 per cent from two lines of a service on, for the list `partner` and all products but one. */
  const volume = {
    percentFor: (list: string, code: string, lines: number) =>
      list === 'partner' && code !== 'FIXED' && lines >= 2 ? 10 : 0,
  } as Catalogue['volume'];

  it('cost less a month, by the number of their service, and the same to set up', () => {
    const lines = [line('A', 'Internet'), gap, line('B', 'INTERNET'), line('C', 'Ethernet')];
    const [a, none, b, c] = withVolume(lines, { volume }, 'partner');
    for (const one of [a, b]) {
      expect(one!.offer).toMatchObject({
        ...{ amountMinor: 8_999, discountPercent: 10, zone: 'ONNET', held: true },
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
    const lines = [line('A', null), line('FIXED', null)];
    expect(withVolume(lines, { volume }, 'standard')).toEqual(lines);
    const [a, fixed] = withVolume(lines, { volume }, 'partner');
    expect([a!.offer!.discountPercent, fixed]).toEqual([10, lines[1]]);
  });
});

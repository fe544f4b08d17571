import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeContent } from '../content-codec.js';
import {
  contentOf,
  givenFiles,
  HEADERS,
  textsOf,
} from '../../../../test/support/catalogue-files.given.js';
import { priceBases } from '../cells.js';

describe('printing', () => {
  const code = fc.stringMatching(/^[A-Z0-9][A-Z0-9-]{0,8}$/);
  const name = fc
    .string({
      unit: fc.constantFrom('a', 'Z', 'é', '€', '😀', ' ', ',', '"', '#', ';', "'"),
      minLength: 1,
    }) // prettier-ignore
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const mbps = fc.integer({ min: 1, max: 400_000 });
  const day = fc.constantFrom(null, '2027-01-01', '2027-03-28');
  const lastDay = fc.constantFrom(null, '2027-03-28', '9999-12-31');
  const product = fc.record({ code, name, mbps, more: mbps, termMonths: fc.integer({ min: 1, max: 120 }), service: fc.option(name), needsInterconnect: fc.boolean(), soldFrom: day, soldUntil: lastDay }); // prettier-ignore
  const price = fc.record({
    product: fc.nat(),
    zone: code,
    priceList: fc.constantFrom('standard', 'gold', 'partner-2'),
    amountMinor: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    currency: fc.constantFrom('GBP', 'EUR', 'JPY', 'KWD', 'HUF'),
    leadTimeDays: fc.integer({ min: 0, max: 3650 }),
    validFrom: day,
    validUntil: lastDay,
    setupMinor: fc.option(fc.integer({ min: 0, max: 2 ** 31 - 1 })),
    terms: fc.constantFrom(
      ...priceBases.flatMap((basis) =>
        [null, false, ...(basis === 'firm' ? [] : [true])].map((extraCharges) => ({
          basis,
          extraCharges,
        })),
      ),
    ),
  });
  const place = fc.constantFrom(
    'EC',
    'E',
    'E1',
    'E14',
    'EC2A',
    'E1W',
    'E1 4',
    'EC2A 2',
    'EC2A 2BS',
  );

  it('and reading again gives the same content', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(product, { minLength: 1, maxLength: 8, selector: ({ code }) => code }),
        fc.uniqueArray(price, { maxLength: 8, selector: ({ zone }) => zone }),
        fc.uniqueArray(fc.tuple(place, fc.oneof(code, fc.constant('-'))), {
          selector: ([at]) => at,
        }),
        async (products, prices, coverage) => {
          const rows = products.map(({ mbps, more, ...rest }) => ({
            ...rest,
            bandwidthProvisionedMbps: mbps,
            bandwidthCapacityMbps: mbps + more,
          }));
          const priced = prices.map(({ product, terms, ...rest }) => ({
            ...terms,
            productCode: rows[product % rows.length]!.code,
            ...rest,
          }));
          const unsorted = { ...contentOf(givenFiles()), products: rows, prices: priced };
          const first = contentOf({
            ...textsOf(unsorted),
            coverage: ['place,zone', ...coverage.map((row) => row.join())].join('\n'),
          });
          const again = contentOf(textsOf(first));
          const byCode = rows.toSorted((a, b) => (a.code < b.code ? -1 : 1));
          expect([first.products, first.prices.length]).toEqual([byCode, priced.length]);
          expect([again.products, again.prices]).toEqual([first.products, first.prices]);
          expect((await encodeContent(again)).hash).toBe((await encodeContent(first)).hash);
        },
      ),
    );
  });

  it('is plain CSV', () => {
    expect(textsOf(contentOf(givenFiles()))).toEqual({
      products: `${HEADERS.products}\nINT-100M-36,100M Internet,0.1,1,36\nINT-1G-12,1G Internet on a 10G bearer,1,10,12\n`,
      prices: `${HEADERS.prices}\nINT-100M-36,UK,standard,199.99,GBP,60\nINT-1G-12,LONDON-ONNET,standard,550.00,GBP,84\n`,
      coverage: 'place,zone\nEC,UK\nE14,-\nEC2A 2BS,LONDON-ONNET\n',
    });
  });
});

import { describe, expect, it, test } from '@jest/globals';
import { contentOf, givenFiles, textsOf } from '../../../test/support/catalogue-files.given.js';
import { cancellationCost, CancellationCosts, type CancellationPhase } from './cancellation.js';
import { parseCatalogueFiles } from './files/csv-reader.js';

const rows = [
  '*,accepted,,,100',
  'ETH-*,accepted,50,1,',
  'ETH-*,built,100,3,49.50',
  'ETH-1G-12,accepted,,2,',
];
const costs = new CancellationCosts(contentOf(givenFiles({ cancellation: rows })).cancellation);
const pounds = { price: 99.99, setupPrice: 250.01, currency: 'GBP' };

describe('what cancelling costs', () => {
  test.each<[string, string, typeof pounds | object, CancellationPhase[], [number, string] | null]>(
    [
      ['a product that all rows name', 'INT-1G-12', {}, [], [100_00, 'accepted']],
      ['the longest start of a code', 'ETH-10G-12', {}, [], [125_01 + 99_99, 'accepted']],
      ['the code itself', 'ETH-1G-12', {}, [], [199_98, 'accepted']],
      ['a phase without a row', 'ETH-10G-12', {}, ['surveyed'], [125_01 + 99_99, 'accepted']],
      [
        'the latest phase with a row',
        'ETH-1G-12',
        {},
        ['surveyed', 'built', 'tested'],
        [250_01 + 299_97 + 49_50, 'built'],
      ],
      [
        'a later phase that was done before',
        'ETH-1G-12',
        {},
        ['built'],
        [250_01 + 299_97 + 49_50, 'built'],
      ],
      ['a set-up price that is not stated', 'ETH-10G-12', { setupPrice: null }, [], null],
      [
        'no set-up price, where none is needed',
        'INT-1G-12',
        { setupPrice: null },
        [],
        [100_00, 'accepted'],
      ],
      ['a free set-up', 'ETH-10G-12', { setupPrice: 0 }, [], [99_99, 'accepted']],
      [
        'a currency without decimals',
        'ETH-10G-12',
        { price: 9_000, setupPrice: 501, currency: 'JPY' },
        ['built'],
        [501 + 27_000 + 50, 'built'],
      ],
      ['more than an amount can be', 'ETH-10G-12', { price: 20_000_000 }, ['built'], null],
    ],
  )('of %s', (_, code, about, done, expected) => {
    const cost = cancellationCost(costs.of(code), { ...pounds, ...about }, (phase) =>
      done.includes(phase),
    );
    expect(cost && [cost.amountMinor, cost.after]).toEqual(expected);
  });

  it('is nothing where no row names the product', () => {
    expect(
      cancellationCost(new CancellationCosts([]).of('INT-1G-12'), pounds, () => true),
    ).toBeNull();
  });

  it('may be free until a phase', () => {
    const free = contentOf(givenFiles({ cancellation: ['*,accepted', '*,built,100'] }));
    const terms = new CancellationCosts(free.cancellation).of('INT-1G-12');
    expect(cancellationCost(terms, pounds, () => false)).toEqual({
      amountMinor: 0,
      after: 'accepted',
    });
  });

  it('survives an export', () => {
    const content = contentOf(givenFiles({ cancellation: rows }));
    expect(textsOf(content).cancellation).toBe(
      [
        'products,after,percent_setup,months,amount',
        '*,accepted,0,0,100',
        'ETH-*,accepted,50,1,',
        'ETH-*,built,100,3,49.5',
        'ETH-1G-12,accepted,0,2,',
        '',
      ].join('\n'),
    );
    expect(contentOf(textsOf(content)).cancellation).toEqual(content.cancellation);
  });

  it('is refused with what to write instead', () => {
    const cancellation = ['eth-*,accpted,150 %,1.5,£100', '*,accepted,50%', '*,accepted'];
    const { faults } = parseCatalogueFiles(givenFiles({ cancellation }));
    expect(faults.shown.map(({ line, column, suggestion }) => [line, column, suggestion])).toEqual([
      [2, 'products', 'Write e.g. ETH-* or *.'],
      [2, 'after', 'Did you mean accepted?'],
      [2, 'percent_setup', 'Write e.g. 50, or leave it empty for none.'],
      [2, 'months', 'Write e.g. 3, or leave it empty for none.'],
      [2, 'amount', 'Write e.g. 250 or 249.50, or leave it empty for none.'],
      [3, 'percent_setup', 'Write 50.'],
      [4, 'products', 'Remove one of the two.'],
    ]);
  });
});

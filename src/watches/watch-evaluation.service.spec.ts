import { expect, it } from '@jest/globals';
import { contentOf, givenFiles } from '../../test/support/catalogue-files.given.js';
import { Catalogue } from '../catalogue/content/catalogue.js';
import { clientItself, ShownCatalogue } from '../catalogue/shown/shown.service.js';
import { parsePostcode, type Postcode } from '../platform/kernel/postcode.js';
import { foundIn } from './watch-evaluation.service.js';
import { parseRows } from './watch-rows.js';

it('sorts the places of watches, for rows in any order', () => {
  const catalogue = new Catalogue(1, contentOf(givenFiles()));
  const [first, second, uncovered] = ['EC2A 1AA', 'EC2A 2BS', 'N1 9GU'].map(
    (text) => (parsePostcode(text) as Postcode).packed,
  ) as [number, number, number];
  const rows = [
    [second, 9],
    [uncovered, 0],
    [second, 10],
    [first, 7],
    [second, 0],
  ];
  const text = rows.map(([packed, uprn]) => `${packed},${uprn},0,,0`).join();
  const client = { priceList: 'standard', compatibility: '0.3', nearNet: 'off' } as const;
  const shown = new ShownCatalogue(
    clientItself(client),
    new Date(0),
    catalogue,
    catalogue,
    'off',
    null,
  );
  const found = foundIn(parseRows('c', rows.length, text), shown);
  expect(found.map(({ packed, uprn }) => [packed, uprn])).toEqual([
    [first, 7],
    [second, 0],
    [second, 9],
    [second, 10],
  ]);
});

import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { getMetadataArgsStorage } from 'typeorm';
import { Order } from '../../src/orders/record/order.entity.js';

it('docs/develop/performance.md names what needs each index of the orders', () => {
  const page = readFileSync('docs/develop/performance.md', 'utf8');
  const [, section = ''] = page.split('## The indexes of orders');
  const rows = [...section.matchAll(/^\| `([ui]x_\w+)` +\| (\S.*?) +\|/gm)];
  const indexes = getMetadataArgsStorage().indices.filter(({ target }) => target === Order);
  const names = indexes.map(({ name }) => name);
  expect(rows.map(([, name]) => name).sort()).toEqual(names.sort());
});

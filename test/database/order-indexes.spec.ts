import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { orderTables } from '../../src/platform/database/migrations/initial/orders.js';

it('docs/develop/performance.md names what needs each index of the orders', () => {
  const page = readFileSync('docs/develop/performance.md', 'utf8');
  const [, section = ''] = page.split('## The indexes of orders');
  const rows = [...section.matchAll(/^\| `([ui]x_\w+)` +\| (\S.*?) +\|/gm)];
  const indexes = orderTables.orders!.indexes!.map(({ name }) => name);
  expect(rows.map(([, name]) => name).sort()).toEqual([...indexes].sort());
});

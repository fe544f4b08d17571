import { expect, test } from '@jest/globals';
import { productChoices } from './report-scope.service.js';

test('products are offered by family, then one by one', () => {
  expect(productChoices(['INT-1G-12', 'ETH-1G-12', 'INT-1G-36', 'ADSL'])).toEqual([
    { value: 'INT-*', name: 'All INT' },
    { value: 'ADSL', name: 'ADSL' },
    { value: 'ETH-1G-12', name: 'ETH-1G-12' },
    { value: 'INT-1G-12', name: 'INT-1G-12' },
    { value: 'INT-1G-36', name: 'INT-1G-36' },
  ]);
});

import { expect, it } from '@jest/globals';
import type { QuoteLine } from './quote.js';
import { linesOfServices } from './volume.js';

it('counts the lines of a service in any case, and those without a service as one', () => {
  const services = ['Ethernet', 'ethernet', 'ETHERNET', 'Internet', null, null, undefined];
  const lines = services.map((service) => ({
    offer: service === undefined ? null : { product: { service } },
  }));
  const count = linesOfServices(lines as unknown as QuoteLine[]);
  expect(['Ethernet', 'internet', null, 'Dark fibre'].map(count)).toEqual([3, 1, 2, 0]);
});

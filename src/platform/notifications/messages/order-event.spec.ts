import { expect, it } from '@jest/globals';
import { eventWords } from './order-event.js';

it.each([
  ['order.received', 'Order received'],
  ['watch.served', 'Watched places served'],
  ['quote.updated', 'Quote updated'],
  ['quote.expiring', 'Quote expires soon'],
  ['made.up', 'made.up'],
  ['constructor', 'constructor'],
])('the event %s is called %s', (type, words) => {
  expect(eventWords(type)).toBe(words);
});

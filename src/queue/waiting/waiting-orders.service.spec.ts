import { expect, it } from '@jest/globals';
import { emailOf } from '../../platform/notifications/messages/email-kinds.service.js';
import { age, reminder, reminderFacts } from './waiting-orders.service.js';

const sender = {
  salesInbox: [{ name: '', address: 'sales@operator.example' }],
  salesContact: '020 7946 0000',
  publicUrl: 'https://availability.operator.example',
};

it('lists waiting orders, and counts the rest', () => {
  const named = (reference: string) => ({ reference, text: `${reference}, N1 1AA` });
  const groups = [
    { heading: 'Late', total: 3, items: [named('ORD-1'), named('ORD-2')] },
    { heading: 'Due', total: 1, items: [named('ORD-4')] },
  ];
  const email = emailOf(reminder, { facts: reminderFacts(groups, sender) }, sender);
  expect(email.subject).toBe('3 late, 1 due');
  const page = (reference: string) =>
    `https://availability.operator.example/staff/orders/${reference}`;
  expect(email.text).toBe(
    `Late: 3\n- ORD-1, N1 1AA\n  ${page('ORD-1')}\n- ORD-2, N1 1AA\n  ${page('ORD-2')}\n- and 1 more\n\nDue: 1\n- ORD-4, N1 1AA\n  ${page('ORD-4')}\n`,
  );
  expect(email.html).toContain(
    `<li><a href="${page('ORD-2')}">ORD-2, N1 1AA</a></li><li>and 1 more</li>`,
  );
});

it.each([
  [59_999, '0 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h 0 min'],
  [86_399_999, '23 h 59 min'],
  [86_400_000, '1 d 0 h'],
  [176_399_999, '2 d 0 h'],
])('says an age of %i ms as %s', (milliseconds, words) => {
  expect(age(new Date(0), new Date(milliseconds))).toBe(words);
});

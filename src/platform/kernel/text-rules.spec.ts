import { expect, it } from '@jest/globals';
import { faultsOf } from './text-rules.js';

const rules = [
  { name: 'name', most: 5, missing: 'Write a name.' },
  { name: 'code', most: 8, is: (text: string) => /^\d+$/.test(text), wrong: 'Write digits.' },
];

it.each([
  [{ name: 'Grace', code: '12' }, {}],
  [{ name: 'Grace', code: '' }, {}],
  [{ name: '', code: '' }, { name: 'Write a name.' }],
  [{ name: 'Hopper', code: '1' }, { name: 'Use at most 5 characters; these are 6.' }],
  [{ name: 'A\nB', code: '1' }, { name: 'Use one line, without control characters.' }],
  [{ name: 'A\u2028B', code: '1' }, { name: 'Use one line, without control characters.' }],
  [
    { name: '', code: 'x' },
    { name: 'Write a name.', code: 'Write digits.' },
  ],
])('of %j says %j', (texts: Record<string, string>, faults) => {
  expect(Object.fromEntries(faultsOf((name) => texts[name] ?? '', rules))).toEqual(faults);
});

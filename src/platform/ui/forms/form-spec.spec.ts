import { expect, it, test } from '@jest/globals';
import { Form } from './form.js';
import { checkForm, type FormField, plainAmount, timeField } from './form-spec.js';

const fields: readonly FormField[] = [
  { name: 'name', label: 'Name', most: 5, missing: 'Write a name.' },
  { name: 'limit', label: 'Limit', is: (text) => /^[1-9]$/.test(text), wrong: 'Write a digit.' },
  timeField({ name: 'at', label: 'At' }),
  {
    name: 'scope',
    label: 'Scopes',
    kind: 'ticks',
    choices: [
      { value: 'orders:read', name: 'Read' },
      { value: 'orders:write', name: 'Write' },
    ],
    missing: 'Choose one.',
  },
];
const right = { name: 'Grace', scope: 'orders:write' };

const refusedFor = (typed: Record<string, string>, at?: string) =>
  checkForm(fields, Form.parse(new URLSearchParams({ ...right, ...typed }).toString()), at);

test.each<Record<string, string>>([
  {},
  { limit: '' },
  { limit: '9' },
  { at: '2026-03-28T09:30' },
  { name: ' Grace ' },
])('accepts a form with %j', (typed) => {
  expect(refusedFor(typed)).toBeNull();
});

test.each<[typed: Record<string, string>, faults: Record<string, string>]>([
  [{ name: ' ' }, { name: 'Write a name.' }],
  [{ name: 'A\nB' }, { name: 'Use one line, without control characters.' }],
  [{ name: 'A\u2028B' }, { name: 'Use one line, without control characters.' }],
  [{ name: 'Hopper' }, { name: 'Use at most 5 characters; these are 6.' }],
  [{ limit: '0' }, { limit: 'Write a digit.' }],
  [{ at: 'noon' }, { at: 'Enter a day and a time, such as 21/11/2026, 09:30.' }],
])('refuses a form with %j: %j', (typed, faults) => {
  expect(Object.fromEntries(refusedFor(typed)!.faults)).toEqual(faults);
});

it('names the id of each field, and of checkboxes that of the first', () => {
  const ids = { name: 'name', limit: 'limit', at: 'at', scope: 'scope-orders-read' };
  expect(refusedFor({ name: '' })!.ids).toEqual(ids);
});

it('adds a suffix to the ids of a form that a page shows several times', () => {
  expect(refusedFor({ name: '' }, 'token-1')!.ids).toMatchObject({ name: 'name-token-1' });
});

test.each([
  ['1,250', '1250'],
  ['1,234,567.50', '1234567.50'],
  ['249.50', '249.50'],
  ['1,25', '1,25'],
  ['12,50.5', '12,50.5'],
])('reads the amount %s as %s', (typed, plain) => {
  expect(plainAmount(typed)).toBe(plain);
});

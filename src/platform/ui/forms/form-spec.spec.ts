import { expect, it, test } from '@jest/globals';
import { Form } from './form.js';
import { dateInput, type FormField, plainAmount, refuseForm, withValue } from './form-spec.js';

const fields: readonly FormField[] = [
  { name: 'name', label: 'Name', most: 5, missing: 'Write a name.' },
  { name: 'limit', label: 'Limit (optional)' },
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

const refusedFor = (faults: Record<string, string>, at?: string) =>
  refuseForm(fields, Form.parse(''), new Map(Object.entries(faults)), at);

it('names the id of each field, and of checkboxes that of the first', () => {
  const ids = { name: 'name', limit: 'limit', scope: 'scope-orders-read' };
  expect(refusedFor({ name: '' }).ids).toEqual(ids);
});

it('adds a suffix to the ids of a form that a page shows several times', () => {
  expect(refusedFor({ name: '' }, 'token-1').ids).toMatchObject({ name: 'name-token-1' });
});

it('labels the faults that do not say which field they are about', () => {
  const { labels } = refusedFor({ name: 'Write a name.', limit: 'Use one line.' });
  expect([labels.name, labels.limit]).toEqual([undefined, 'Limit']);
});

it('draws a refused day as a text, so that it can be corrected', () => {
  const refused = (day: string) =>
    refuseForm([], Form.parse(`from=${day}`), new Map([['from', 'Wrong.']]));
  expect(dateInput('from')).toEqual({ type: 'date' });
  expect(dateInput('from', refused('soon'))).toEqual({});
  expect(dateInput('from', refused('2026-11-21'))).toEqual({ type: 'date' });
});

it('lists the value of an address that is not among the choices', () => {
  const choices = [{ value: 'a', name: 'A' }];
  expect([withValue(choices, 'a'), withValue(choices)]).toEqual([choices, choices]);
  expect(withValue(choices, 'b', 'Unknown')).toEqual([...choices, { value: 'b', name: 'Unknown' }]);
});

test.each([
  ['£249.50', '249.50'],
  ['£ 1,250', '1250'],
  ['£', '£'],
  ['1,250', '1250'],
  ['1,234,567.50', '1234567.50'],
  ['249.50', '249.50'],
  ['1,25', '1,25'],
  ['12,50.5', '12,50.5'],
])('reads the amount %s as %s', (typed, plain) => {
  expect(plainAmount(typed)).toBe(plain);
});

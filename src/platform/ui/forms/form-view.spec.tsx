import { expect, test } from '@jest/globals';
import { renderToString } from 'preact-render-to-string';
import { Form } from './form.js';
import { type FormField, refuseForm } from './form-spec.js';
import { Fields } from './form-view.js';

const fields: readonly FormField[] = [
  { name: 'label', label: 'Label', first: 'before', missing: 'Write a label.' },
  { name: 'note', label: 'Note', first: 'none' },
  {
    name: 'scope',
    label: 'Scopes',
    kind: 'ticks',
    choices: [
      { value: 'read', name: 'Read' },
      { value: 'write', name: 'Write' },
    ],
  },
];
const form = Form.parse('label=&note=typed&scope=read');
const refused = refuseForm(fields, form, new Map([['label', 'Write a label.']]), 'second');

/** The values of the inputs and ticked checkboxes, and the number of faulty fields. */
function drawn(at: string) {
  const html = renderToString(<Fields of={fields} refused={refused} at={at} />);
  const inputs = [...html.matchAll(/<input [^>]*>/g)].map(([input]) => input);
  const values = inputs
    .filter((input) => !input.includes('checkbox') || / checked/.test(input))
    .map((input) => /value="([^"]*)"/.exec(input)?.[1] ?? '');
  return [values, html.match(/aria-invalid/g)?.length ?? 0];
}

test.each([
  ['that was refused shows the typed values and faults', 'second', [['', 'typed', 'read'], 1]],
  ['that was not sent keeps its first values', 'first', [['before', 'none', 'read', 'write'], 0]],
])('of the forms that a page repeats, the one %s', (_which, at, expected) => {
  expect(drawn(at)).toEqual(expected);
});

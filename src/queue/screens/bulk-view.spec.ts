import { expect, it } from '@jest/globals';
import { Form } from '../../platform/ui/forms/form.js';
import { send } from '../../platform/ui/forms/input-form.js';
import { type BulkMoveName, bulkForm } from './bulk-view.js';

const id = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d91';
const people = [{ id, name: 'Sam', role: 'agent' }];

it.each<[BulkMoveName, string, string[]]>([
  ['assign', '', ['ownerId']],
  ['assign', `ownerId=${id}`, []],
  // A reason that was chosen before another button.
  ['assign', 'reason=other', ['ownerId']],
  ['handOver', '', ['ownerId', 'note']],
  ['handOver', 'ownerId=nobody&note=hm', ['ownerId']],
  ['cancel', '', ['reason']],
  ['cancel', 'reason=client_request', []],
  ['cancel', 'reason=other', ['note']],
])('%s with %j: faults in %j', async (move, query, names) => {
  const form = bulkForm(move, people, []);
  const sent = await send(form, Form.parse(query), (input) => Promise.resolve(input));
  expect('refused' in sent ? [...sent.refused.faults.keys()].sort() : []).toEqual(names.sort());
});

it('shows the fault of the selection beside those of the fields', async () => {
  const none = { pointer: '/order', code: 'not-allowed', detail: 'Select at least one order.' };
  const sent = await send(bulkForm('cancel', people, [none]), Form.parse(''), () =>
    Promise.reject(new Error('sent')),
  );
  const faults = 'refused' in sent ? Object.fromEntries(sent.refused.faults) : {};
  expect(faults).toEqual({ reason: 'Choose a reason.', order: 'Select at least one order.' });
});

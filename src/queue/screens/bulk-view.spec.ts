import { expect, it } from '@jest/globals';
import { type BulkMoveName, bulkFields } from './bulk-view.js';

it.each<[BulkMoveName | undefined, string, string[]]>([
  [undefined, '', []],
  ['assign', '', ['ownerId']],
  ['handOver', '', ['ownerId', 'note']],
  ['cancel', '', ['reason']],
  ['cancel', 'client_request', ['reason']],
  ['cancel', 'other', ['note', 'reason']],
  // A reason that was chosen before another button.
  ['assign', 'other', ['ownerId']],
])('%s with the reason "%s" needs %j', (move, reason, needed) => {
  const fields = bulkFields([{ id: 's', name: 'Sam', role: 'agent' }], move, reason);
  expect(fields.flatMap(({ name, missing }) => (missing === undefined ? [] : name))).toEqual(
    needed,
  );
});

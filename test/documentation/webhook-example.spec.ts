import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { newId } from '../../src/platform/database/new-id.js';
import { faultsOfMessages } from '../support/once/described-answers.js';
import { jsonBlocks } from '../support/documented.js';
import { newSecret, signatureHeaders } from '../../src/platform/notifications/signing.js';

const page = readFileSync('docs/api/webhooks.md', 'utf8');

it('the example message on the webhooks page is signed with the example secret', () => {
  const [, head = '', body = ''] = /```http\nPOST ([^]*?)\n\n(.*)\n```/.exec(page) ?? [];
  const [, secret = ''] = /the secret `(whsec_[^`]+)`/.exec(page) ?? [];
  const headers = Object.fromEntries(
    head.split('\n').map((line) => line.split(': ') as [string, string]),
  );
  const { timestamp } = JSON.parse(body) as { timestamp: string };
  const id = headers['webhook-id'] ?? '';
  expect(headers).toMatchObject(signatureHeaders({ id, body, at: new Date(timestamp) }, [secret]));
  expect(faultsOfMessages([{ headers, body }])).toEqual([]);
});

it('the example message on the watches page is as described', () => {
  const [body = ''] = jsonBlocks(readFileSync('docs/api/watches.md', 'utf8')).filter((block) =>
    block.includes('"watch.served"'),
  );
  const headers = signatureHeaders({ id: newId(), body, at: new Date() }, [newSecret()]);
  expect(faultsOfMessages([{ headers, body }])).toEqual([]);
});

it.each([
  ['an undescribed type', '"order.received"', '"order.lost"', 'order.lost is not described'],
  ['an undescribed property', '"PO-4711"', '"PO-4711","price":1', '"price"'],
  ['no described property', '"reference":"PO-4711",', '', "property 'reference'"],
  ['an unlisted state', '"acknowledged"', '"lost"', '/data/state must be equal to one of'],
])('a message differs from the description: %s', (_what, from, to, fault) => {
  const data = { orderId: newId(), orderReference: 'ORD-7F3K9Q', reference: 'PO-4711' };
  const message = { type: 'order.received', timestamp: new Date(0), data };
  const right = JSON.stringify({ ...message, data: { ...data, state: 'acknowledged' } });
  const faultsIn = (body: string) => {
    const signed = { id: newId(), body, at: new Date() };
    return faultsOfMessages([{ headers: signatureHeaders(signed, [newSecret()]), body }]);
  };
  expect(faultsIn(right)).toEqual([]);
  expect(faultsIn(right.replace(from, to))).toEqual([expect.stringContaining(fault)]);
  const unsigned = faultsOfMessages([{ headers: {}, body: right }]);
  expect(unsigned).toEqual([expect.stringContaining('webhook-signature')]);
});

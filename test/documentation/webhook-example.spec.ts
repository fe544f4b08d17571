import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { signatureHeaders } from '../../src/platform/notifications/signing.js';

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
});

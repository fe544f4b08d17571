import { expect, it } from '@jest/globals';
import { isSharedIssuer } from './shared-issuers.js';

it.each([
  ['https://login.microsoftonline.com/common/v2.0', true],
  ['https://login.microsoftonline.com/Organizations/v2.0', true],
  ['https://login.microsoftonline.com/consumers/v2.0', true],
  ['https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0', true],
  ['https://accounts.google.com', true],
  ['https://login.microsoftonline.com/8eaef023-2b34-4da1-9baa-8bc8c9d6a490/v2.0', false],
  ['https://id.example/common', false],
])('sees that %s is shared by organisations: %s', (issuer, shared) => {
  expect(isSharedIssuer(issuer)).toBe(shared);
});

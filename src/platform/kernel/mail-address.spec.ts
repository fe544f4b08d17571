import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isMailAddress, readMailbox } from './mail-address.js';

describe('isMailAddress', () => {
  it.each([
    'ada@example.com',
    "o'neil+tag@sub.example.co.uk",
    'x@localhost',
    'list=ada?@example.com',
    'jörg@bücher.example',
  ])('takes %s', (text) => expect(isMailAddress(text)).toBe(true));

  it.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'a@b@example.com',
    'ada@example.com\r\nBcc: all@example.com',
    'ada@example.com,eve@example.com',
    'ada@example.com;eve@example.com',
    'Ada <ada@example.com>',
    '"ada lovelace"@example.com',
    'ada@[127.0.0.1]',
    'ada @example.com',
    '.ada@example.com',
    '=?utf-8?B?YWRh?=@example.com',
    'ada=?utf-8?Q?eve?=@example.com',
    'ada..l@example.com',
    'ada@-example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(260)}.com`,
  ])('refuses %j', (text) => expect(isMailAddress(text)).toBe(false));

  it('rejects any text that could end a header or add a recipient', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom('\r', '\n', ',', ';', '<', '>', ' ', '"'),
        (text, bad) => {
          expect(isMailAddress(`a${text}${bad}b@example.com`)).toBe(false);
        },
      ),
    );
  });
});

describe('readMailbox', () => {
  it.each([
    ['ada@example.com', { name: '', address: 'ada@example.com' }],
    ['Ada Lovelace <ada@example.com>', { name: 'Ada Lovelace', address: 'ada@example.com' }],
    [' <ada@example.com> ', { name: '', address: 'ada@example.com' }],
    ['"Acme, Sales" <ada@example.com>', { name: 'Acme, Sales', address: 'ada@example.com' }],
    [
      String.raw`"The \"Acme\"" <ada@example.com>`,
      { name: 'The "Acme"', address: 'ada@example.com' },
    ],
  ])('reads %j', (text, expected) => expect(readMailbox(text)).toEqual(expected));

  it.each([
    'Ada',
    'Ada <ada>',
    'Ada\r\nBcc: x <ada@example.com>',
    '"Ada <ada@example.com>',
    '"A\r\nB" <a@b.c>',
    'a@b.c, d@e.f',
  ])('refuses %j', (text) => expect(readMailbox(text)).toBeUndefined());
});

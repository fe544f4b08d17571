import { expect, it } from '@jest/globals';
import { readAddress } from './client-address.js';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:4711', '192.0.2.1'],
  ['192.0.2.1:_gateway', '192.0.2.1'],
  [' "192.0.2.1:4711"\t', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['"[2001:db8::1]:443"', '2001:db8::1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['fe80::1%eth0', 'fe80::1%eth0'],
])('reads %j as %s', (entry, address) => {
  expect(readAddress(entry)).toBe(address);
});

it.each([
  'unknown',
  '_hidden',
  '_SEVKISEK',
  '',
  '12345',
  '0x7f.1',
  '1.2.3',
  '1.2.3.4.5',
  '300.0.0.1:80',
  '[192.0.2.1]:80',
  '[::1',
  'host.example:80',
])('reads no address in %j', (entry) => {
  expect(readAddress(entry)).toBeUndefined();
});

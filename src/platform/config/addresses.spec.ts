import { describe, expect, it } from '@jest/globals';
import { faultOfUrl, isNetwork, isPublicAddress, mayCall } from './addresses.js';

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '1.1.1.1', '203.0.112.1', '2606:4700::1111', '2a00:1450:4009::200e'])(
    'takes %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ['this host', '0.0.0.0'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['link-local, cloud metadata', '169.254.169.254'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['carrier-grade NAT, cloud metadata', '100.100.100.200'],
    ['protocol assignments', '192.0.0.192'],
    ['documentation', '203.0.113.5'],
    ['benchmarking', '198.18.0.1'],
    ['6to4 relay', '192.88.99.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped, of a public address', '::ffff:8.8.8.8'],
    ['IPv4-mapped, hexadecimal', '::ffff:a9fe:a9fe'],
    ['IPv4-compatible', '::7f00:1'],
    ['NAT64', '64:ff9b::a9fe:a9fe'],
    ['NAT64, local', '64:ff9b:1::a00:1'],
    ['6to4', '2002:a00:1::'],
    ['Teredo', '2001:0:7f00:1::'],
    ['link-local', 'fe80::1'],
    ['link-local with its zone', 'fe80::1%eth0'],
    ['unique local', 'fd00:ec2::254'],
    ['site-local', 'fec0::1'],
    ['documentation', '2001:db8::1'],
    ['multicast', 'ff02::1'],
    ['outside global unicast', '4000::1'],
    ['no address', 'localhost'],
    ['empty', ''],
  ])('refuses %s: %s', (_why, address) => expect(isPublicAddress(address)).toBe(false));
});

describe('mayCall', () => {
  const networks = ['10.1.0.0/16', 'fd00::/8'];

  it.each([
    ['10.1.2.3', true],
    ['fd12::1', true],
    ['8.8.8.8', true],
    ['10.2.0.1', false],
    ['::ffff:10.1.2.3', false],
    ['name.example', false],
  ])('%s: %s', (address, expected) => expect(mayCall(address, networks)).toBe(expected));
});

describe('isNetwork', () => {
  it.each([
    ['10.0.0.0/8', true],
    ['::1/128', true],
    ['10.0.0.0', false],
    ['10.0.0.0/33', false],
    ['here', false],
  ])('%s: %s', (text, expected) => expect(isNetwork(text)).toBe(expected));
});

describe('faultOfUrl', () => {
  const strict = { http: false, networks: [] };
  const developing = { http: true, networks: ['127.0.0.0/8'] };

  it.each(['https://hooks.example.com/a?b=c', 'https://8.8.8.8:8443/', 'https://[2606:4700::1]/'])(
    'takes %s',
    (url) => expect(faultOfUrl(url, strict)).toBeUndefined(),
  );

  it.each([
    ['http://hooks.example.com/', 'https://'],
    ['ftp://hooks.example.com/', 'https://'],
    ['hooks.example.com', 'not a URL'],
    ['https://user:secret@hooks.example.com/', 'user or password'],
    ['https://hooks.example.com/#part', 'fragment'],
    [`https://hooks.example.com/${'x'.repeat(2_000)}`, '2,000'],
    ['https://127.0.0.1/', 'public internet'],
    ['https://2130706433/', 'public internet'],
    ['https://0x7f.1/', 'public internet'],
    ['https://0177.0.0.1/', 'public internet'],
    ['https://[::ffff:127.0.0.1]/', 'public internet'],
    ['https://[::1]/', 'public internet'],
    ['https://169.254.169.254/latest/meta-data', 'public internet'],
  ])('refuses %s', (url, reason) => expect(faultOfUrl(url, strict)).toContain(reason));

  it('takes http and the networks that are named while developing', () => {
    expect(faultOfUrl('http://127.0.0.1:9000/', developing)).toBeUndefined();
    expect(faultOfUrl('http://10.0.0.1/', developing)).toContain('public internet');
  });
});

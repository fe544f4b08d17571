import { describe, expect, it } from '@jest/globals';
import { readSmtpUrl } from './addresses.js';

describe('readSmtpUrl', () => {
  it('requires STARTTLS of a server elsewhere', () => {
    expect(readSmtpUrl('smtp://user%40x:p%3Ass@mail.example.net')).toEqual({
      host: 'mail.example.net',
      port: 587,
      secure: false,
      requireTLS: true,
      auth: { user: 'user@x', pass: 'p:ss' },
      tls: { minVersion: 'TLSv1.2', servername: 'mail.example.net' },
    });
  });

  it.each([
    ['smtp://localhost:2525', { port: 2525, secure: false, requireTLS: false }],
    ['smtp://127.0.0.1:25', { port: 25, secure: false, requireTLS: false }],
    ['smtp://[::1]', { host: '::1', port: 587, requireTLS: false }],
    ['smtp://127.0.0.1?requireTLS=true', { requireTLS: true }],
    ['smtp://mail.example.net:25?requireTLS=false', { requireTLS: false }],
    ['smtps://mail.example.net', { port: 465, secure: true, requireTLS: false }],
    ['smtp://127.0.0.1.example.net', { requireTLS: true }],
  ])('%s', (url, expected) => expect(readSmtpUrl(url)).toMatchObject(expected));

  it.each([
    'http://mail.example.net',
    'mail.example.net',
    'smtp://',
    'smtp://mail.example.net/path',
    'smtp://mail.example.net?requireTLS=no',
    'smtp://mail.example.net?rejectUnauthorized=false',
    'smtp://mail.example.net?ca=/no/such/file',
  ])('refuses %s', (url) => expect(readSmtpUrl(url)).toBeUndefined());
});

import { expect, it, test } from '@jest/globals';
import { failureWords } from './message-words.js';

test.each([
  ['getaddrinfo ENOTFOUND hooks.example.com', 'hooks.example.com could not be found (DNS)'],
  ['The name hooks.example.com has no address.', 'hooks.example.com could not be found (DNS)'],
  ['queryA EAI_AGAIN mail.example', 'The name server did not answer for mail.example'],
  ['connect ECONNREFUSED 203.0.113.7:443', '203.0.113.7:443 refused the connection'],
  ['ECONNREFUSED', 'The host refused the connection'],
  ['read ECONNRESET', 'The connection was cut off'],
  ['socket hang up', 'The connection was cut off'],
  ['No complete response within 15 seconds.', 'The receiver did not answer in time'],
  ['connect ETIMEDOUT 203.0.113.7:443', 'The receiver did not answer in time'],
  ['certificate has expired', 'The certificate of the host has expired (TLS)'],
  ['self-signed certificate', 'The certificate of the host is not trusted (TLS)'],
  [
    "Hostname/IP does not match certificate's altnames: Host: hooks.example. is not in the cert's altnames",
    'The certificate is for another host name (TLS)',
  ],
  ['It answered 302.', 'The receiver redirected the message, which webhooks do not follow'],
  ['It answered 404.', 'The receiver has nothing at this address (HTTP 404)'],
  ['It answered 422.', 'The receiver refused the message (HTTP 422)'],
  ['It answered 503.', 'The receiver had an error (HTTP 503)'],
  [
    'Invalid login: 535 5.7.8 Authentication failed',
    'The mail server refused the name or password',
  ],
  [
    "Can't send mail - all recipients were rejected: 550 No such mailbox",
    'The mail server refused the recipient',
  ],
  ['Mail command failed: 451 Greylisted', 'The mail server could not accept the email now'],
])('says "%s" as "%s"', (error, words) => {
  expect(failureWords(error)).toBe(words);
});

it('has no words for an unknown error', () => {
  expect(failureWords('The dog ate it.')).toBeNull();
});

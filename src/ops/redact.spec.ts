import { describe, expect, it, test } from '@jest/globals';
import { processorTime } from '../../test/support/processor-time.js';
import { redact } from './log.js';

describe('redact', () => {
  test.each([
    [
      'token pas_live_aB3dEfGh1jKlMn0pQrStUv2xYz456789abcdefg refused',
      'token pas_live_[token] refused',
    ],
    ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer [credentials]'],
    [
      'cannot reach postgres://user:secret@db:5432/x',
      'cannot reach postgres://[credentials]@db:5432/x',
    ],
    ['mail to ada@example.com failed', 'mail to [email] failed'],
    ['call +44 20 7946 0958 now', 'call [phone] now'],
    ['\u001b[31mred\u009b0m', '\\u001b[31mred\\u009b0m'],
    ['one\rtwo', 'one\\u000dtwo'],
  ])('logs %j as %j', (text, logged) => {
    expect(redact(text)).toBe(logged);
  });

  test.each([
    'Listening on 127.0.0.1:3000, as http://localhost:3000.',
    'internal-error in request 5b0a7c9e-2f64-4f5d-9a51-0d3c7e8b6a21: Error: x',
    'at Module (file:///srv/dist/src/app.js:12:3)\n    at next',
    '2026-03-02T09:00:00.000Z',
  ])('leaves %j alone', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('takes linear time', () => {
    const redactAll = () => {
      for (const part of ['a@', 'a.', '+4 ', 'pas_live_', 'x://', '-']) redact(part.repeat(20_000));
    };
    expect(processorTime(redactAll)).toBeLessThan(1.5);
  });
});

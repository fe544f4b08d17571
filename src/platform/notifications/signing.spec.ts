import { describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { newSecret, signatureHeaders } from './signing.js';

describe('signatureHeaders', () => {
  // The example of the Standard Webhooks libraries.
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    at: new Date(1_614_265_330_000),
  };
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  it('signs as the specification does', () => {
    expect(signatureHeaders(message, [secret])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('signs with each secret while they are changed', () => {
    const other = newSecret();
    const signature = signatureHeaders(message, [other, secret])['webhook-signature'];
    const key = Buffer.from(other.slice('whsec_'.length), 'base64');
    const own = createHmac('sha256', key).update(`${message.id}.1614265330.${message.body}`);
    expect(signature.split(' ')).toEqual([
      `v1,${own.digest('base64')}`,
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    ]);
  });
});

describe('newSecret', () => {
  it('has 32 random bytes behind its prefix', () => {
    expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newSecret()).not.toBe(newSecret());
  });
});

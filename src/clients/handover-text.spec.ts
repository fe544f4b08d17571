import { expect, it } from '@jest/globals';
import { handoverText } from './handover-text.js';

const client = { name: 'Larkspur', contactName: 'Grace Hopper' };
const about = { client, publicUrl: 'https://pas.example', salesContact: 'sales@example.net' };
const expiresAt = new Date('2027-05-31T23:30:00Z');
const test = { kind: 'test' as const, token: 'pas_test_1', expiresAt };
const live = { kind: 'live' as const, token: 'pas_live_1', expiresAt };

it('hands over one token, with a request that has no effect', () => {
  const text = handoverText({ ...about, tokens: [live] });
  expect(text).toContain('Live token: pas_live_1 (its orders are real; valid until 1 June 2027)\n');
  expect(text).toContain('Bearer pas_live_1" "https://pas.example/product-availability/me"\n');
  expect(text).toContain('Keep this token secret. We do not store it: if you lose one,');
  expect(text).not.toContain('Test token');
});

it('hands over several tokens, with a request to the sandbox where the first is a test token', () => {
  const text = handoverText({ ...about, tokens: [test, live] });
  expect(text).toMatch(/^Hello Grace Hopper,\n\nLarkspur can now use/);
  expect(text).toContain('Test token: pas_test_1 (to build and test with: our staff never see');
  expect(text).toContain(
    'Bearer pas_test_1" "https://pas.example/product-availability/postcode/ZZ99%201AA"',
  );
  expect(text).toContain('Keep these tokens secret. We do not store them: if you lose one,');
});

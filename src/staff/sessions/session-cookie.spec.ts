import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  clearCookie,
  hashSecret,
  isLive,
  isSameOrigin,
  newSecret,
  nextPage,
  readCookie,
  setCookie,
} from './session-cookie.js';
import type { SessionStage } from './staff-session.entity.js';

const PLAIN = 'http://localhost:3000';
const TLS = 'https://orders.example.net';

describe('the cookie', () => {
  it('is as strict as can be', () => {
    expect(setCookie(TLS, 'x')).toBe('__Host-staff=x; Path=/; HttpOnly; Secure; SameSite=Lax');
    expect(clearCookie(TLS)).toBe(
      '__Host-staff=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax',
    );
  });

  it('has another name over plain HTTP, where browsers do not take that one', () => {
    expect(setCookie(PLAIN, 'x')).toBe('staff=x; Path=/; HttpOnly; SameSite=Lax');
  });

  it.each([
    ['__Host-staff=a', TLS, 'a'],
    ['other=1;  __Host-staff=a ; more=2', TLS, 'a'],
    ['staff=a', TLS, undefined],
    ['__Host-staff=a', PLAIN, undefined],
    ['xstaff=a', PLAIN, undefined],
    ['staff=a; staff=b', PLAIN, undefined],
    ['', PLAIN, undefined],
    [undefined, PLAIN, undefined],
  ])('in %j, at %s, is %j', (header, publicUrl, value) => {
    expect(readCookie(header, publicUrl)).toBe(value);
  });

  it('has 256 bits, of which only the hash is kept', () => {
    const { secret, hash } = newSecret();
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(hash).toBe(hashSecret(secret));
    expect(newSecret().secret).not.toBe(secret);
  });
});

describe('the page after the sign-in', () => {
  it.each([
    ['/staff', '/staff'],
    ['/staff/orders?view=late&sort=age', '/staff/orders?view=late&sort=age'],
    ['/staff/../staff/x', '/staff/x'],
    ['/staff/sign-in?next=/staff', '/staff'],
    ['/staff/sign-out', '/staff'],
    ['/staffing', '/staff'],
    ['/docs', '/staff'],
    ['/staff/../docs', '/staff'],
    ['/staff/..//elsewhere.example', '/staff'],
    ['//elsewhere.example/staff', '/staff'],
    ['/\\elsewhere.example/staff', '/staff'],
    ['https://elsewhere.example/staff', '/staff'],
    ['javascript:alert(1)', '/staff'],
    ['', '/staff'],
    [null, '/staff'],
    [undefined, '/staff'],
  ])('for %j is %s', (wanted, page) => {
    expect(nextPage(wanted)).toBe(page);
  });

  it('is always one of this service', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((s) => `/staff${s}`),
        ),
        (s) => {
          const page = new URL(nextPage(s), PLAIN);
          expect([page.origin, page.pathname]).toEqual([
            PLAIN,
            expect.stringMatching(/^\/staff(\/|$)/),
          ]);
          expect(nextPage(s)).not.toMatch(/[\r\n]/);
        },
      ),
    );
  });
});

describe('a form comes from a page of this service', () => {
  it.each([
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'none' }, false],
    [{ 'sec-fetch-site': 'cross-site', origin: TLS }, false],
    [{ origin: TLS }, true],
    [{ origin: 'http://orders.example.net' }, false],
    [{ origin: `${TLS}.evil.example` }, false],
    [{}, false],
  ])('%j: %s', (headers: Record<string, string>, is) => {
    expect(isSameOrigin(headers, `${TLS}/base`)).toBe(is);
  });
});

describe('a session is live', () => {
  const at = (minutes: number) => new Date(minutes * 60_000);
  it.each<[SessionStage, number, number, boolean]>([
    ['open', 0, 29.99, true],
    ['open', 0, 30, false],
    ['open', 700, 719.99, true],
    ['open', 700, 720, false],
    ['second-factor', 0, 9.99, true],
    ['second-factor', 0, 10, false],
    ['enrolment', 0, 10, false],
  ])('%s, seen at minute %d, at minute %d: %s', (stage, seen, now, is) => {
    expect(isLive({ stage, createdAt: at(0), lastSeenAt: at(seen) }, at(now))).toBe(is);
  });
});

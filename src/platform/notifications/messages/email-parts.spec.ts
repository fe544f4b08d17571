import { describe, expect, it } from '@jest/globals';
import { oneLine } from './email.js';
import { londonTime } from './email-parts.js';

describe('helpers', () => {
  it.each([
    ['a\r\nb', 'a b'],
    ['a\u2028b\u202Ec', 'a b c'],
    ['  a   b  ', 'a b'],
    ['x'.repeat(12), `${'x'.repeat(9)}…`],
    ['😀'.repeat(11), `${'😀'.repeat(9)}…`],
  ])('oneLine %j', (text, expected) => expect(oneLine(text, 10)).toBe(expected));

  it('writes London time', () => {
    expect(londonTime(new Date('2026-11-23T09:30:00Z'))).toBe('Mon 23 Nov 2026, 09:30');
  });
});

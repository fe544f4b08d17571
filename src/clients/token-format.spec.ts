import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hashToken, isTokenShaped, newToken, type TokenKind } from './token-format.js';

const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const kinds: readonly TokenKind[] = ['live', 'test'];

describe.each(kinds)('a %s token', (kind) => {
  const prefix = `pas_${kind}_`;

  it('has 33 random and 6 checking characters after its prefix', () => {
    expect(newToken(kind)).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{39}$`));
  });

  it('is accepted as it is', () => {
    for (let i = 0; i < 200; i += 1) expect(isTokenShaped(newToken(kind))).toBe(true);
  });

  it('is never the same', () => {
    const tokens = new Set(Array.from({ length: 1_000 }, () => newToken(kind)));
    expect(tokens.size).toBe(1_000);
  });

  it('is refused after a change of any one character', () => {
    const token = newToken(kind);
    const accepted = new Set<string>();
    for (let i = prefix.length; i < token.length; i += 1) {
      for (const character of characters) {
        const changed = token.slice(0, i) + character + token.slice(i + 1);
        if (isTokenShaped(changed)) accepted.add(changed);
      }
    }
    expect([...accepted]).toEqual([token]);
  });

  it('is refused after an exchange of any two neighbours', () => {
    const token = newToken(kind);
    const accepted = new Set<string>([token]);
    for (let i = prefix.length; i < token.length - 1; i += 1) {
      const changed = token.slice(0, i) + token[i + 1]! + token[i]! + token.slice(i + 2);
      if (isTokenShaped(changed)) accepted.add(changed);
    }
    expect([...accepted]).toEqual([token]);
  });

  it('is refused as one of the other kind', () => {
    const [other] = kinds.filter((one) => one !== kind);
    expect(isTokenShaped(newToken(kind).replace(kind, other!))).toBe(false);
  });

  it('is refused with anything before or after it', () => {
    const token = newToken(kind);
    const wrong = [` ${token}`, `${token} `, `${token}\n`, `${token}0`, token.slice(0, -1)];
    expect(wrong.filter(isTokenShaped)).toEqual([]);
  });
});

describe('isTokenShaped', () => {
  it('refuses any text that is not a token', () => {
    const almost = fc
      .array(fc.constantFrom(...characters), { minLength: 39, maxLength: 39 })
      .map((all) => `pas_live_${all.join('')}`);
    const anything = fc.oneof(fc.string({ unit: 'binary-ascii' }), almost);
    fc.assert(fc.property(anything, (text) => !isTokenShaped(text)));
  });
});

describe('the hash of a token', () => {
  it('is its SHA-256 in hexadecimal', () => {
    // FIPS 180-2, appendix B.1
    expect(hashToken('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

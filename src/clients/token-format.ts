import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 33; // 62^33 > 2^196: room for 192 random bits
const CHECK_CHARACTERS = 6; // 62^6 > 2^32: room for a CRC-32
const shape = /^pas_(?:live|test)_[0-9A-Za-z]{39}$/;

export type TokenKind = 'live' | 'test';

/**
 * A new token: `pas_live_` or `pas_test_`, 192 random bits as 33 base-62 characters, and the CRC-32
 * of all that as 6 more, so that a typing error is found without any look-up and a scanner for
 * leaked secrets can tell a real token.
 */
export function newToken(kind: TokenKind): string {
  const body = `pas_${kind}_${base62(BigInt(`0x${randomBytes(24).toString('hex')}`), RANDOM_CHARACTERS)}`;
  return body + checksum(body);
}

/** Whether the text can be a token: it has the form, and its checksum is right. */
export function isTokenShaped(text: string): boolean {
  return (
    shape.test(text) && checksum(text.slice(0, -CHECK_CHARACTERS)) === text.slice(-CHECK_CHARACTERS)
  );
}

/** Whether a token, which is one, is for the sandbox. */
export function isTestToken(token: string): boolean {
  return token.startsWith('pas_test_');
}

/** SHA-256, hexadecimal. A token has 192 random bits, so that no salt or slow hash is needed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECK_CHARACTERS);
}

function base62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; text.length < length; rest /= 62n) {
    text = alphabet[Number(rest % 62n)]! + text;
  }
  return text;
}

import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 33; // 62^33 > 2^196: room for 192 random bits
const CHECK_CHARACTERS = 6; // 62^6 > 2^32: room for a CRC-32
const shape = /^pas_(?:live|test)_[0-9A-Za-z]{39}$/;

export type TokenKind = 'live' | 'test';

/**
 * `pas_live_` or `pas_test_`, 192 random bits in 33 base-62 characters, and their CRC-32 in 6, with
 * which typing errors are found without a query, and scanners recognise leaked tokens.
 */
export function newToken(kind: TokenKind): string {
  const body = `pas_${kind}_${base62(BigInt(`0x${randomBytes(24).toString('hex')}`), RANDOM_CHARACTERS)}`;
  return body + checksum(body);
}

/** Whether the text has the format of a token and the right checksum. */
export function isTokenShaped(text: string): boolean {
  return (
    shape.test(text) && checksum(text.slice(0, -CHECK_CHARACTERS)) === text.slice(-CHECK_CHARACTERS)
  );
}

/** Whether a valid token is for the sandbox. */
export function isSandboxToken(token: string): boolean {
  return token.startsWith('pas_test_');
}

/** SHA-256, hexadecimal. A secret of 192 random bits needs no salt or slow hash. */
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

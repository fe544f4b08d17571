import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** `length` random characters of Crockford's base 32 (no I, L, O, U): 5 bits each. */
export function randomCrockford(length: number): string {
  let text = '';
  for (let i = 0; i < length; i += 1) text += alphabet[randomInt(alphabet.length)];
  return text;
}

/** Characters that the codes of a cluster share, and characters in which they differ. */
const HALF = 5;
const CODES = 32 ** HALF;
/** Codes after which a new cluster begins. */
const CLUSTER = 1_000;

/**
 * Makes codes of 10 characters, as unlikely to meet as random ones: those of a cluster share a random
 * half and differ surely in the other. Keys that lie together in a database's index are several times
 * cheaper to store: 500 random ones change 500 pages of it. And one of them says where the others are.
 */
export function clusteredCrockford(): () => string {
  let shared = '';
  let other = 0;
  let step = 1;
  let left = 0;
  return () => {
    if (left === 0) {
      shared = randomCrockford(HALF);
      other = randomInt(CODES);
      step = 2 * randomInt(CODES / 2) + 1; // odd, so that it comes back only after all codes
      left = CLUSTER;
    }
    left -= 1;
    other = (other + step) % CODES;
    return shared + written(other);
  };
}

/** What the codes of a cluster share. */
export function clusterOf(code: string): string {
  return code.slice(0, HALF);
}

function written(number: number): string {
  let text = '';
  for (let shift = 5 * (HALF - 1); shift >= 0; shift -= 5) text += alphabet[(number >> shift) & 31];
  return text;
}

/**
 * The canonical form of a code that a person may have typed: upper case, O read as 0, I and L as 1,
 * hyphens and blanks dropped (Crockford, https://www.crockford.com/base32.html).
 */
export function readCrockford(text: string): string {
  return text.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}

/** Whether the text is `length` characters in canonical form: what is not names nothing. */
export function isCrockford(text: string, length: number): boolean {
  return text.length === length && [...text].every((character) => alphabet.includes(character));
}

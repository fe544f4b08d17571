import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Random bytes are drawn in one go for many codes: asking for ten costs as much as for thousands. */
const pool = Buffer.allocUnsafe(4_096);
let used = pool.length;

/** `length` (at most 4,096) random characters of Crockford's base 32 (no I, L, O, U): 5 bits each. */
export function randomCrockford(length: number): string {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let text = '';
  for (const end = used + length; used < end; used += 1) text += alphabet[pool[used]! & 31];
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

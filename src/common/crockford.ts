import { randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** `length` random characters of Crockford's base 32 (no I, L, O, U): 5 bits each. */
export function randomCrockford(length: number): string {
  const bytes = randomBytes(length);
  let text = '';
  for (const byte of bytes) text += alphabet[byte & 31];
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

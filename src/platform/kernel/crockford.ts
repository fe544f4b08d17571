import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** `length` random characters of Crockford's base 32 (no I, L, O, U): 5 bits each. */
export function randomCrockford(length: number): string {
  let text = '';
  for (let i = 0; i < length; i += 1) text += alphabet[randomInt(alphabet.length)];
  return text;
}

/** A whole number of at most 30 bits as `length` characters, the highest 5 bits first. */
export function toCrockford(number: number, length: number): string {
  let text = '';
  for (let shift = 5 * (length - 1); shift >= 0; shift -= 5) {
    text += alphabet[(number >> shift) & 31];
  }
  return text;
}

/** The inverse of `toCrockford`. */
export function fromCrockford(text: string): number {
  let number = 0;
  for (const character of text) number = number * 32 + alphabet.indexOf(character);
  return number;
}

/**
 * The canonical form of a code that a person typed: upper case, O as 0, I and L as 1, no hyphens or
 * spaces (https://www.crockford.com/base32.html).
 */
export function readCrockford(text: string): string {
  return text.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}

/** Whether the text is `length` characters in canonical form. */
export function isCrockford(text: string, length: number): boolean {
  return text.length === length && [...text].every((character) => alphabet.includes(character));
}

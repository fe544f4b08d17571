/** The search words of orders and of queries. */
import type { SiteDetails } from './site-details.dto.js';

const LONGEST_WORD = 40;
/** Of a phone number. */
const FEWEST_DIGITS = 6;
/** Of one text. */
const MOST_WORDS = 400;

/** Letters and digits in lower case without accents, in the order of the text, each once. */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.slice(0, LONGEST_WORD)))].slice(0, MOST_WORDS);
}

/**
 * A phone number as one word, the same for `+44 20 7946 0958`, `0044…` and `020 7946 0958`: its digits
 * without country code 44 or trunk prefix. Null if the text is not a phone number.
 */
export function phoneWord(text: string): string | null {
  const digits = phoneDigits(text).replace(/^00/, '').replace(/^44/, '').replace(/^0+/, '');
  return digits.length >= FEWEST_DIGITS ? digits : null;
}

/** What the words of phone numbers may end with that a search for this text means; empty if it is none. */
export function phoneEndings(text: string): string[] {
  const digits = phoneDigits(text);
  const endings = [phoneWord(text) ?? '', digits].filter(({ length }) => length >= FEWEST_DIGITS);
  return [...new Set(endings)];
}

/** The search word of a phone number in an order: backwards, because a search asks for its last digits. */
export function phoneKey(digits: string): string {
  return `#${[...digits].reverse().join('')}`;
}

/** Empty if the text is not a phone number. */
function phoneDigits(text: string): string {
  const isPhone = /^[+(]?[\d\s().+-]+$/.test(text.trim());
  return isPhone ? text.replaceAll(/\D/g, '').slice(0, LONGEST_WORD - 1) : '';
}

/** A code such as `PO-4711/b` as one word: `po4711b`. */
export function codeWord(text: string): string {
  return wordsOf(text).join('').slice(0, LONGEST_WORD);
}

/** The words by which a code is found: its parts, and the whole. */
export function wordsOfCode(text: string): string[] {
  return [...new Set([...wordsOf(text), codeWord(text)])].filter((word) => word !== '');
}

interface Searchable {
  readonly clientReference: string | null;
  readonly contactName: string | null;
  readonly contactEmail: string | null;
  readonly contactPhone: string | null;
  readonly notes: string | null;
  readonly wanted?: { readonly description: string | null } | null;
  readonly details?: SiteDetails | null;
}

export function wordsOfOrder(order: Searchable): string[] {
  const words = new Set<string>();
  const wanted = order.wanted?.description ?? null;
  const { organisation, address = [], siteContact, interconnect } = order.details ?? {};
  const site = [organisation, ...address, siteContact?.name, siteContact?.email, interconnect];
  for (const text of [order.contactName, order.contactEmail, order.notes, wanted, ...site]) {
    if (text != null) for (const word of wordsOf(text)) words.add(word);
  }
  for (const number of [order.contactPhone, siteContact?.phone]) {
    if (number == null) continue;
    const phone = phoneWord(number);
    const numberWords = phone === null ? wordsOf(number) : [phoneKey(phone)];
    for (const word of numberWords) words.add(word);
  }
  if (order.clientReference !== null) {
    for (const word of wordsOfCode(order.clientReference)) words.add(word);
  }
  words.delete('');
  return [...words];
}

/** The short references of requests: `ORD-7F3K9Q`, `ENQ-7F3K9Q`. */
import { isUniqueViolation } from '../../platform/database/engine/errors.js';
import { randomCrockford, readCrockford } from '../../platform/kernel/crockford.js';
import type { WorkKind } from './order-states.js';

const prefixes: Readonly<Record<WorkKind, string>> = { order: 'ORD', enquiry: 'ENQ' };
const QUOTE = 'QUO';
const anyPrefix = Object.values(prefixes).join('|');
/** In any case; the prefix is optional. */
const wholePattern = new RegExp(`^(?:(${anyPrefix})[-\\s]?)?([0-9A-Z]{6})$`, 'i');
const partPattern = new RegExp(`^(?:(${anyPrefix})[-\\s]?)?([0-9A-Z]{2,5})$`, 'i');

export function newReference(kind: WorkKind): string {
  return `${prefixes[kind]}-${randomCrockford(6)}`;
}

/** The reference of a quote in a text, in any case; undefined if it is none. */
export function readQuoteReference(text: string): string | undefined {
  const [, code] = /^QUO[-\s]?([0-9A-Z]{6})$/i.exec(text.trim()) ?? [];
  return code === undefined ? undefined : `${QUOTE}-${readCrockford(code)}`;
}

export function newQuoteReference(): string {
  return `${QUOTE}-${randomCrockford(6)}`;
}

/** A reference has 30 random bits: with a million of them, one new reference in a thousand is taken. */
const MOST_ATTEMPTS = 5;

/** Repeats work with new references that fails because one of them is taken. */
export async function withFreshReferences<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isUniqueViolation(error) || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** What a text can mean: without a prefix a reference of each kind, orders first; empty if it is none. */
export function readReferences(text: string): string[] {
  const [, prefix, code] = wholePattern.exec(text.trim()) ?? [];
  return code === undefined
    ? []
    : prefixesOf(prefix).map((start) => `${start}-${readCrockford(code)}`);
}

/** The first characters of a reference; null for other texts. */
export interface PartOfReference {
  readonly isPrefixed: boolean;
  readonly code: string;
  /** With each prefix that is possible. */
  readonly starts: readonly string[];
}

export function readPartOfReference(text: string): PartOfReference | null {
  const [, prefix, part] = partPattern.exec(text.trim()) ?? [];
  if (part === undefined) return null;
  const code = readCrockford(part);
  const starts = prefixesOf(prefix).map((start) => `${start}-${code}`);
  return { isPrefixed: prefix !== undefined, code, starts };
}

function prefixesOf(prefix: string | undefined): readonly string[] {
  return prefix === undefined ? Object.values(prefixes) : [prefix.toUpperCase()];
}

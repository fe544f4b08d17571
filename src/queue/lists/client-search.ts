import { ApiClient } from '../../clients/api-client.entity.js';
import { isDirectClient } from '../../clients/direct-client.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { phoneEndings, phoneWord, wordsOf } from '../../orders/record/search-words.js';

/** API clients that have the same of the terms of a search. */
export interface ClientsFound {
  readonly ids: readonly string[];
  /** The other terms, which have to be in an order itself. */
  readonly missing: readonly string[];
}

/** Combinations of terms that clients have. */
const MOST_COMBINATIONS = 8;

/**
 * The API clients that have some of the terms in their name or contact, those with the most terms first.
 * They are read again for each search: they are few, and an edited contact is found at once.
 */
export async function clientsWith(tx: Tx, terms: readonly string[]): Promise<ClientsFound[]> {
  if (terms.length === 0) return [];
  const clients = await tx.find(ApiClient, {
    select: { id: true, name: true, contactName: true, contactEmail: true, contactPhone: true },
  });
  const found = new Map<string, { ids: string[]; missing: string[] }>();
  const matchers = terms.map(matcherOf);
  for (const client of clients) {
    const known = knownOf(client);
    const missing = terms.filter((_term, i) => !matchers[i]!(known));
    if (missing.length === terms.length) continue;
    const key = missing.join('\n');
    const same = found.get(key) ?? { ids: [], missing };
    same.ids.push(client.id);
    found.set(key, same);
  }
  return [...found.values()]
    .sort((a, b) => a.missing.length - b.missing.length)
    .slice(0, MOST_COMBINATIONS);
}

interface KnownOfClient {
  readonly words: readonly string[];
  readonly email: string;
  readonly phone: string;
}

/** The contact of direct enquiries is the operator. */
function knownOf(client: ApiClient): KnownOfClient {
  const { name, contactName, contactEmail, contactPhone } = client;
  if (isDirectClient(client)) return { words: wordsOf(name), email: '', phone: '' };
  const email = contactEmail.toLowerCase();
  // Not the top-level domain, which many clients share.
  const words = wordsOf(`${name} ${contactName} ${email.replace(/\.[^.]*$/, '')}`);
  return { words, email, phone: phoneWord(contactPhone) ?? '' };
}

/** Words match as prefixes, email addresses by their beginning, phone numbers by their end. */
function matcherOf(term: string): (client: KnownOfClient) => boolean {
  if (term.includes('@')) {
    const start = term.toLowerCase();
    return ({ email }) => email.startsWith(start);
  }
  const endings = phoneEndings(term);
  const parts = wordsOf(term);
  return ({ words, phone }) =>
    endings.some((ending) => phone.endsWith(ending)) ||
    parts.every((part) => words.some((word) => word.startsWith(part)));
}

import { isUuid } from '../../platform/kernel/uuid.js';
import { readCrockford } from '../../platform/kernel/crockford.js';
import { parseUprn } from '../../platform/kernel/uprn.js';
import {
  codeWord,
  phoneEndings,
  phoneKey,
  wordsOf,
  phoneWord,
} from '../../orders/record/search-words.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { readPartOfReference, readReferences } from '../../orders/record/references.js';
import { OrderWord } from '../../orders/record/order-word.entity.js';
import { Order } from '../../orders/record/order.entity.js';
import { type ApiClient, clientContacts, isDirectClient } from '../../clients/api-client.entity.js';
import {
  parsePlace,
  parsePostcode,
  type PostcodePlace,
  Postcode,
} from '../../platform/kernel/postcode.js';

/** A condition for orders `o`. */
interface PlaceCondition {
  readonly sql: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The texts between spaces that have letters or digits. Numbers that follow each other are one, such as a phone number. */
function termsOf(text: string): string[] {
  const terms = text.match(/[+(\d][\d\s().+-]*(?=\s|$)|\S+/g) ?? [];
  return terms.map((term) => term.trim()).filter((term) => wordsOf(term).length > 0);
}

/**
 * Orders at a postcode, in a sector, a subdistrict or a district; empty for other texts. BETWEEN uses the index, LIKE filters. One
 * reference in a hundred reads as a postcode (`E145AB`), so a text may mean both.
 */
function placesOf(text: string): PlaceCondition[] {
  const postcode = parsePostcode(text);
  if (postcode instanceof Postcode) {
    return [{ sql: 'o.postcode = :postcode', values: { postcode: postcode.unit } }];
  }
  const place = parsePlace(text);
  if (!isPartOfPostcode(place)) return [];
  const { level, name } = place;
  const between = (from: string, to: string, pattern: string): PlaceCondition => ({
    sql: 'o.postcode BETWEEN :from AND :to AND o.postcode LIKE :pattern',
    values: { from, to, pattern },
  });
  if (level === 'sector') return [between(`${name}AA`, `${name}ZZ`, `${name}__`)];
  const outward = between(`${name} 0AA`, `${name} 9ZZ`, `${name} ___`);
  if (level === 'subdistrict') return [outward];
  return [outward, between(`${name}A 0AA`, `${name}Z 9ZZ`, `${name}_ ___`)];
}

/** The first place among the terms, and the other terms; null without both. */
function placeAmong(
  terms: readonly string[],
): { readonly places: readonly PlaceCondition[]; readonly rest: readonly string[] } | null {
  for (const length of [2, 1]) {
    for (let start = 0; start + length <= terms.length; start += 1) {
      const places = placesOf(terms.slice(start, start + length).join(' '));
      const rest = terms.toSpliced(start, length);
      if (places.length > 0 && rest.length > 0) return { places, rest };
    }
  }
  return null;
}

function isPartOfPostcode(place: ReturnType<typeof parsePlace>): place is PostcodePlace {
  return 'level' in place && place.level !== 'unit' && place.level !== 'area';
}

/** API clients that have the same of the terms of a search. */
interface ClientsFound {
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
async function clientsWith(tx: Tx, terms: readonly string[]): Promise<ClientsFound[]> {
  if (terms.length === 0) return [];
  const matches = new Map<string, { ids: string[]; missing: string[] }>();
  const matchers = terms.map(matcherOf);
  for await (const client of clientContacts(tx)) {
    const words = knownOf(client);
    const missing = terms.filter((_term, i) => !matchers[i]!(words));
    if (missing.length === terms.length) continue;
    const key = missing.join('\n');
    const same = matches.get(key) ?? { ids: [], missing };
    same.ids.push(client.id);
    matches.set(key, same);
  }
  return [...matches.values()]
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

/** A search finds up to this many orders, the newest first. */
export const MOST_FOUND = 2_000;
/** Orders with the rarest of several words, in which a search looks for the other words. */
const MOST_CANDIDATES = 20_000;

export interface SearchResult {
  readonly ids: readonly string[];
  /** All orders of these API clients match too. */
  readonly clientIds: readonly string[];
  /** Only orders of other API clients than these match. */
  readonly otherThan?: readonly string[];
  /** Whether these are all that match. */
  readonly complete: boolean;
}

/**
 * Finds orders by reference or its first or last characters, order id, check id, UPRN, postcode or a part of it in any spelling, client,
 * contact of the client or the order, the client's own reference, that in our order system, or words of notes; also by several of these together. A single word
 * also matches as a prefix, a phone number by its last digits.
 */
export async function findOrders(tx: Tx, text: string): Promise<SearchResult> {
  const exact = await byIdentifier(tx, text.trim());
  if (exact) return exact;
  const terms = termsOf(text);
  const clients = await clientsWith(tx, terms);
  const lists = [
    await byCode(tx, text),
    await byPartOfReference(tx, text),
    await byPlace(tx, text),
    await byPhone(tx, text),
    await byWords(tx, wordsOf(text)),
    ...(terms.length > 1 ? await byTerms(tx, terms, clients) : []),
  ];
  const ids = new Set(lists.flat());
  return {
    ids: [...ids].slice(0, MOST_FOUND),
    clientIds: clients.flatMap(({ ids, missing }) => (missing.length === 0 ? ids : [])),
    complete:
      ids.size <= MOST_FOUND &&
      lists.every(({ length, isPartial }) => length <= MOST_FOUND && isPartial !== true),
  };
}

/** Of a list with more than `MOST_FOUND` orders, or where not all candidates were read, more orders may match. */
type Ids = string[] & { isPartial?: boolean };

/** For a text that can only mean one thing; null for other texts. */
async function byIdentifier(tx: Tx, text: string): Promise<SearchResult | null> {
  if (isUuid(text)) {
    return whole(await idsWhere(tx, 'o.id = :id', { id: text.toLowerCase() }));
  }
  // Without its prefix, it may be another code or a postcode.
  const references = /^\w{3}[-\s]\w{6}$/.test(text) ? readReferences(text) : [];
  return references.length === 0 ? null : whole(await byReference(tx, references));
}

function byReference(tx: Tx, references: readonly string[]): Promise<Ids> {
  return idsWhere(tx, 'o.reference IN (:...references)', { references });
}

function whole(ids: Ids): SearchResult {
  return { ids: ids.slice(0, MOST_FOUND), clientIds: [], complete: ids.length <= MOST_FOUND };
}

async function idsWhere(
  tx: Tx,
  condition: string,
  values: Readonly<Record<string, unknown>>,
): Promise<Ids> {
  const rows = await tx
    .createQueryBuilder(Order, 'o')
    .select('o.id', 'id')
    .where(condition, values)
    .orderBy('o.id', 'DESC')
    .limit(MOST_FOUND + 1)
    .getRawMany<{ id: string }>();
  return rows.map(({ id }) => id);
}

/** A reference without its prefix or its hyphen, a check id, a UPRN, or the client's own reference or that in our order system without punctuation. */
async function byCode(tx: Tx, text: string): Promise<Ids> {
  const code = readCrockford(text);
  const ids: Ids = [];
  const references = readReferences(text.replaceAll(/[-\s]/g, ''));
  if (references.length > 0) ids.push(...(await byReference(tx, references)));
  if (/^[0-9A-Z]{10}$/.test(code)) {
    ids.push(...(await idsWhere(tx, 'o.checkId = :code', { code })));
  }
  const uprn = parseUprn(text.trim());
  if (uprn !== null) ids.push(...(await idsWhere(tx, 'o.uprn = :uprn', { uprn })));
  return [...ids, ...(await byWords(tx, [codeWord(text)]))];
}

/** Enough characters of a reference without its prefix to find a few of a million orders. */
const FEWEST_CHARACTERS = 4;

/** The first or last characters of a reference: `ORD-8BM`, `8BM4`, `M4RE`. */
async function byPartOfReference(tx: Tx, text: string): Promise<Ids> {
  const part = readPartOfReference(text);
  if (!part) return [];
  const { code, isPrefixed, starts } = part;
  if (code === '' || (!isPrefixed && code.length < FEWEST_CHARACTERS)) return [];
  const ids: Ids = [];
  for (const start of starts) {
    const values = { start, end: `${start}ZZZZZZ`, pattern: `${start}%` };
    const starting = 'o.reference BETWEEN :start AND :end AND o.reference LIKE :pattern';
    ids.push(...(await idsWhere(tx, starting, values)));
  }
  if (isPrefixed) return ids;
  // Only the last four characters have an index.
  const values = { end: code.slice(-FEWEST_CHARACTERS), pattern: `%${code}` };
  const ending = 'substr(o.reference, 7) = :end AND o.reference LIKE :pattern';
  return [...ids, ...(await idsWhere(tx, ending, values))];
}

async function byPlace(tx: Tx, text: string): Promise<Ids> {
  const ids: Ids = [];
  for (const { sql, values } of placesOf(text)) ids.push(...(await idsWhere(tx, sql, values)));
  return [...new Set(ids)];
}

/** Orders whose contact has a phone number that ends so. */
async function byPhone(tx: Tx, text: string): Promise<Ids> {
  const ids: Ids = [];
  for (const digits of phoneEndings(text)) ids.push(...(await byWords(tx, [phoneKey(digits)])));
  return [...new Set(ids)];
}

/** What an order has to have, apart from words. */
interface OrderConditions {
  readonly place?: PlaceCondition;
  readonly clientIds?: readonly string[];
  /** How many orders have a word, where it was counted before. */
  readonly counts?: Map<string, number>;
}

/** Orders that have one part of the terms themselves, and whose client or postcode has the other. */
async function byTerms(
  tx: Tx,
  terms: readonly string[],
  clients: readonly ClientsFound[],
): Promise<Ids[]> {
  const lists: Ids[] = [];
  const counts = new Map<string, number>();
  const add = async (missing: readonly string[], conditions: OrderConditions) =>
    lists.push(await byAllWords(tx, wordsOf(missing.join(' ')), { ...conditions, counts }));
  for (const { ids, missing } of clients) {
    if (missing.length > 0) await add(missing, { clientIds: ids });
  }
  const placed = placeAmong(terms);
  if (!placed) return lists;
  const there = await clientsWith(tx, placed.rest);
  for (const place of placed.places) {
    await add(placed.rest, { place });
    for (const { ids, missing } of there) await add(missing, { place, clientIds: ids });
  }
  return lists;
}

/** Orders with every word. */
async function byWords(tx: Tx, words: readonly string[]): Promise<Ids> {
  const [only] = words;
  if (only === undefined || only === '') return [];
  if (words.length > 1) return byAllWords(tx, words);
  const exact = await wordIds(tx, 'w.word = :word', { word: only }, true);
  if (only.length < 3 || exact.length > MOST_FOUND) return exact;
  const longer = await wordIds(
    tx,
    'w.word BETWEEN :word AND :end AND w.word LIKE :pattern',
    { word: only, end: `${only}${'z'.repeat(40)}`, pattern: `${only}%` },
    false,
  );
  const ids = [...exact, ...longer];
  // Several words of an order may match: only the number of rows says whether some were left out.
  return longer.length > MOST_FOUND ? ids : [...new Set(ids)];
}

async function wordIds(
  tx: Tx,
  condition: string,
  values: Record<string, string>,
  newestFirst: boolean,
): Promise<Ids> {
  const query = tx
    .createQueryBuilder(OrderWord, 'w')
    .select('w.orderId', 'id')
    .where(condition, values)
    .limit(MOST_FOUND + 1);
  if (newestFirst) query.orderBy('w.orderId', 'DESC');
  const rows = await query.getRawMany<{ id: string }>();
  return rows.map(({ id }) => id);
}

/** How many orders have a word, counted up to one more than are candidates. */
async function countOf(tx: Tx, word: string): Promise<number> {
  const [orders, values] = tx
    .createQueryBuilder(OrderWord, 'w')
    .select('w.orderId', 'id')
    .where('w.word = :word', { word })
    .limit(MOST_CANDIDATES + 1)
    .getQueryAndParameters();
  const sql = `SELECT COUNT(*) AS number FROM (${orders}) AS counted`;
  const [counted] = await tx.query<{ number: number | string }[]>(sql, values);
  return Number(counted?.number ?? 0);
}

/** Orders at a place, of some clients: `ix_orders_twin` has all that this reads. */
function idsAt(
  tx: Tx,
  { sql, values }: PlaceCondition,
  clientIds: readonly string[] | undefined,
): Promise<Ids> {
  if (!clientIds) return idsWhere(tx, sql, values);
  // Without the conversion SQLite takes an index of the client, and reads all orders of a large one.
  const ofClients = 'CAST(o.client_id AS text) IN (:...clientIds)';
  return idsWhere(tx, `${sql} AND ${ofClients}`, { ...values, clientIds });
}

async function byAllWords(
  tx: Tx,
  words: readonly string[],
  { place, clientIds, counts = new Map() }: OrderConditions = {},
): Promise<Ids> {
  if (words.length === 0) return place ? idsAt(tx, place, clientIds) : [];
  for (const word of words) {
    const count = counts.get(word) ?? (await countOf(tx, word));
    if (count === 0) return [];
    counts.set(word, count);
  }
  const [rarest, ...others] = [...words].sort((a, b) => counts.get(a)! - counts.get(b)!);
  const candidates = tx
    .createQueryBuilder(OrderWord, 'w')
    .select('w.orderId', 'id')
    .where('w.word = :rarest', { rarest })
    .orderBy('w.orderId', 'DESC')
    .limit(MOST_CANDIDATES);
  const query = tx
    .createQueryBuilder()
    .select('c.id', 'id')
    .from(`(${candidates.getQuery()})`, 'c')
    .setParameters(candidates.getParameters())
    .limit(MOST_FOUND + 1);
  others.forEach((word, i) => {
    query.andWhere(
      `EXISTS (SELECT 1 FROM order_words v${i} WHERE v${i}.word = :word${i} AND v${i}.order_id = c.id)`,
      { [`word${i}`]: word },
    );
  });
  const ofOrder = [
    ...(place ? [place.sql] : []),
    ...(clientIds ? ['o.client_id IN (:...clientIds)'] : []),
  ];
  if (ofOrder.length > 0) {
    query.andWhere(
      `EXISTS (SELECT 1 FROM orders o WHERE o.id = c.id AND ${ofOrder.join(' AND ')})`,
      { ...place?.values, clientIds },
    );
  }
  const rows = await query.getRawMany<{ id: string }>();
  const ids = rows.map(({ id }) => id);
  return Object.assign(ids, { isPartial: counts.get(rarest!)! > MOST_CANDIDATES });
}

import { isUuid } from '../../kernel/uuid.js';
import { ApiClient } from '../../clients/api-client.entity.js';
import { readCrockford } from '../../kernel/crockford.js';
import { parsePlace, parsePostcode, type PostcodePlace, Postcode } from '../../kernel/postcode.js';
import { parseUprn } from '../../kernel/uprn.js';
import { codeWord, phoneWord, wordsOf } from '../../orders/search-words.js';
import type { Tx } from '../../database/engine/tx.js';
import { readPartOfReference, readReferences } from '../../orders/references.js';
import { OrderWord } from '../../orders/order-word.entity.js';
import { Order } from '../../orders/order.entity.js';

/** A search finds up to this many orders, the newest first. */
export const MOST_FOUND = 2_000;
/** Orders with the rarest of several words, in which a search looks for the other words. */
const MOST_CANDIDATES = 20_000;

export interface SearchResult {
  readonly ids: readonly string[];
  /** All orders of these API clients match too. */
  readonly clientIds: readonly string[];
  /** Whether these are all that match. */
  readonly complete: boolean;
}

/**
 * Finds orders by reference or its first or last characters, order id, check id, UPRN, postcode or a part of it in any spelling, client,
 * contact, the client's own reference, or words of notes. A single word also matches as a prefix.
 */
export async function findOrders(tx: Tx, text: string): Promise<SearchResult> {
  const exact = await byIdentifier(tx, text.trim());
  if (exact) return exact;
  const words = wordsOf(text);
  const lists = [
    await byCode(tx, text),
    await byPartOfReference(tx, text),
    await byPlace(tx, text),
    await byWords(tx, [phoneWord(text) ?? '']),
    await byWords(tx, words),
  ];
  const ids = new Set(lists.flat());
  return {
    ids: [...ids].slice(0, MOST_FOUND),
    clientIds: await clientsNamed(tx, words),
    complete: ids.size <= MOST_FOUND && lists.every(({ length }) => length <= MOST_FOUND),
  };
}

type Ids = string[];

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

async function idsWhere(tx: Tx, condition: string, values: Record<string, unknown>): Promise<Ids> {
  const rows = await tx
    .createQueryBuilder(Order, 'o')
    .select('o.id', 'id')
    .where(condition, values)
    .orderBy('o.id', 'DESC')
    .limit(MOST_FOUND + 1)
    .getRawMany<{ id: string }>();
  return rows.map(({ id }) => id);
}

/** A reference without its prefix or its hyphen, a check id, a UPRN, or the client's own reference without punctuation. */
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
  const starting = (column: string, start: string) =>
    idsWhere(tx, `o.${column} BETWEEN :start AND :end AND o.${column} LIKE :pattern`, {
      start,
      end: `${start}ZZZZZZ`,
      pattern: `${start}%`,
    });
  const first: Ids = [];
  for (const start of starts) first.push(...(await starting('reference', start)));
  if (isPrefixed) return first;
  return [...first, ...(await starting('reversedCode', [...code].reverse().join('')))];
}

/**
 * A postcode, sector, subdistrict or district. BETWEEN uses the index, LIKE filters. One reference in
 * a hundred reads as a postcode (`E145AB`), so a text may mean both.
 */
async function byPlace(tx: Tx, text: string): Promise<Ids> {
  const postcode = parsePostcode(text);
  if (postcode instanceof Postcode) {
    return idsWhere(tx, 'o.postcode = :postcode', { postcode: postcode.unit });
  }
  const place = parsePlace(text);
  if (!isPartOfPostcode(place)) return [];
  const { level, name } = place;
  const between = (from: string, to: string, pattern: string) =>
    idsWhere(tx, 'o.postcode BETWEEN :from AND :to AND o.postcode LIKE :pattern', {
      from,
      to,
      pattern,
    });
  if (level === 'sector') return between(`${name}AA`, `${name}ZZ`, `${name}__`);
  const outward = await between(`${name} 0AA`, `${name} 9ZZ`, `${name} ___`);
  if (level === 'subdistrict') return outward;
  return [...outward, ...(await between(`${name}A 0AA`, `${name}Z 9ZZ`, `${name}_ ___`))].filter(
    (id, i, all) => all.indexOf(id) === i,
  );
}

function isPartOfPostcode(place: ReturnType<typeof parsePlace>): place is PostcodePlace {
  return 'level' in place && place.level !== 'unit' && place.level !== 'area';
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
  return [...new Set([...exact, ...longer])];
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

async function byAllWords(tx: Tx, words: readonly string[]): Promise<Ids> {
  const counts = new Map<string, number>();
  for (const word of words) {
    const rows = await wordIds(tx, 'w.word = :word', { word }, false);
    if (rows.length === 0) return [];
    counts.set(word, rows.length);
  }
  const [rarest = '', ...others] = [...words].sort((a, b) => counts.get(a)! - counts.get(b)!);
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
  const rows = await query.getRawMany<{ id: string }>();
  return rows.map(({ id }) => id);
}

/** API clients whose name has, for each of these words, a word that starts with it. */
async function clientsNamed(tx: Tx, words: readonly string[]): Promise<string[]> {
  if (words.length === 0) return [];
  const clients = await tx.find(ApiClient, { select: { id: true, name: true } });
  const matches = (name: string) => {
    const own = wordsOf(name);
    return words.every((word) => own.some((one) => one.startsWith(word)));
  };
  return clients.filter(({ name }) => matches(name)).map(({ id }) => id);
}

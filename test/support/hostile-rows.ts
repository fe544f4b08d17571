import type { DataSource } from 'typeorm';
import { column as kinds } from '../../src/platform/database/columns.js';
import { linesOf, packLines } from '../../src/quotes/record/packed-lines.js';
import { Quote } from '../../src/quotes/record/quote.entity.js';

type Entity = DataSource['entityMetadatas'][number];
type Column = Entity['columns'][number];

/** What to put into the columns of each kind. Rows and columns take the values in turn. */
export interface HostileValues {
  readonly texts: readonly string[];
  readonly instants: readonly number[];
  readonly integers: readonly number[];
}

/**
 * Columns whose values only the service chooses: keys, codes that it compares, and secrets. A text
 * or number in one of them is no input but a damaged database.
 */
const ownColumns = new Set([
  ...[
    'action',
    'actor_type',
    'subject_type',
    'subject_id',
    'stage',
    'state',
    'kind',
    'role',
    'scopes',
  ],
  ...[
    'catalogue_version',
    'content_hash',
    'content_of',
    'compared_with',
    'hash',
    'reference',
    'source_hash',
  ],
  ...['check_id', 'currency', 'outcome', 'version', 'channel', 'url', 'category'],
  ...[
    'area',
    'postcode',
    'packed',
    'sector',
    'price_list',
    'quote_line',
    'sealed_secrets',
    'sealed_totp',
  ],
]);

/** Tables that no page shows, or whose rows decide whether a page is shown at all. */
const ownTables = new Set([
  ...['database_secrets', 'idempotency_keys', 'order_words', 'rate_limits', 'revisions'],
  ...['catalogue_contents', 'checks', 'check_days', 'sign_in_delays', 'staff_links'],
  ...['staff_credentials', 'staff_recovery_codes', 'test_checks', 'uncounted_checks'],
]);

/** Overwrites all stored texts, dates and numbers that have a value. On SQLite only. */
export async function plantEverywhere(source: DataSource, values: HostileValues): Promise<void> {
  for (const entity of source.entityMetadatas) {
    if (ownTables.has(entity.tableName)) continue;
    const columns = entity.columns.filter(
      ({ databaseName, isPrimary, type, transformer }) =>
        !isPrimary &&
        !ownColumns.has(databaseName) &&
        ![transformer].flat().includes(kinds.bytes.transformer) &&
        type !== 'uuid' &&
        type !== 'boolean',
    );
    if (columns.length === 0) continue;
    const choices = columns.map((column) => valuesFor(column, values));
    const set = columns.map((column, n) => {
      const name = `"${column.databaseName}"`;
      const chosen = `json_extract(?, '$[' || ((rowid + ${n}) % ${choices[n]!.length}) || ']')`;
      return `${name} = CASE WHEN ${name} IS NULL THEN NULL ELSE ${expressionFor(column, entity, chosen)} END`;
    });
    const bound = choices.map((choice) => JSON.stringify(choice));
    await source.query(`UPDATE "${entity.tableName}" SET ${set.join(', ')}`, bound);
  }
  await plantInQuotes(source, values);
}

/** The lines of a quote are packed, so that no statement reaches their texts. */
async function plantInQuotes(source: DataSource, { texts }: HostileValues): Promise<void> {
  const quotes = source.getRepository(Quote);
  for (const { id, body } of await quotes.find({ select: { id: true, body: true } })) {
    const lines = await linesOf({ body });
    const count = Math.max(texts.length, lines.length);
    const hostile = Array.from({ length: count }, (_, n) => {
      const text = texts[n % texts.length]!;
      const line = lines[n % lines.length]!;
      const problem = { code: text, detail: text };
      // A line with an offer has a postcode in canonical form.
      const postcode = line.offer ? line.postcode : text;
      return { ...line, site: text, notes: text, postcode, problem };
    });
    const packed = await packLines(hostile);
    await source.query('UPDATE quotes SET body = ?, line_count = ? WHERE id = ?', [
      packed.toString('base64'),
      count,
      id,
    ]);
  }
}

/** Of columns that hold a list: an element, over which a hostile one is written. */
const elements: Readonly<Record<string, object>> = {
  interconnects: { code: 'NNI' },
  date_changes: { at: '2026-03-01T00:00:00.000Z' },
  constraints: { code: 'surveyRequired', text: '' },
  cancellation: { after: 'accepted', percentSetup: 0, months: 0, amount: 1 },
  amendments: { version: 1, changed: ['reference'], before: {}, after: {} },
};

function expressionFor(column: Column, { indices }: Entity, chosen: string): string {
  const element = elements[column.databaseName];
  if (element !== undefined) {
    return ofForm(`json_array(json_patch('${JSON.stringify(element)}', ${chosen}))`);
  }
  if (column.type === 'simple-json') {
    return ofForm(`json_patch("${column.databaseName}" -> '$.v1', ${chosen})`);
  }
  const isText = column.transformer === undefined;
  const isUnique = indices.some((index) => index.isUnique && index.columns.includes(column));
  return isText && isUnique ? `rowid || ${chosen}` : chosen;
}

/** See `jsonForm`. */
const ofForm = (json: string) => `json_object('v1', ${json})`;

function valuesFor(column: Column, values: HostileValues): readonly unknown[] {
  const { texts, instants, integers } = values;
  if (column.type === 'integer') return integers;
  if (column.type === 'bigint') return column.transformer ? instants : integers;
  if (column.type === 'simple-json') return texts.map((text) => documentOf(text, values));
  return texts.map((text) => text.slice(0, Number(column.length) || undefined));
}

/** Written over what a stored JSON document says of persons and times. */
function documentOf(text: string, { instants, integers }: HostileValues): object {
  const names = ['note', 'reason', 'label', 'name', 'description', 'ownerName', 'from', 'address'];
  const times = ['expiresAt', 'nextActionAt', 'activatesAt'];
  return {
    ...Object.fromEntries([...names, ...times].map((name) => [name, text])),
    list: [text],
    deep: { [text]: text, instant: instants[0], integer: integers[0] },
  };
}

import type { EntityMetadata, EntityTarget, ObjectLiteral } from 'typeorm';
import { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import type { Statement } from '../../platform/database/engine/engine.js';
import {
  insertSelectedSql,
  jsonOf,
  jsonValue,
  type RowSelection,
  typesOf,
} from '../../platform/database/engine/insert-sql.js';
import { valuesOf } from '../../platform/database/engine/rows.js';
import { DAY } from '../../platform/kernel/time.js';
import { countSql, keyOf } from '../../platform/limits/shared-counts.service.js';
import { OutboxMessage } from '../../platform/notifications/messages/outbox-message.entity.js';
import { Order, TestOrder } from '../record/order.entity.js';
import { OrderWord } from '../record/order-word.entity.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import { type Intake, kindsOf, latestTwinSql, type TwinKinds, withTwinsInBatch } from './twins.js';

/** What the statement did with an order. */
export interface IntakeRow {
  /** Position in the batch. */
  readonly n: number;
  /** Of its quota, including this order, and milliseconds until the window ends. Null without a quota. */
  readonly count: number | null;
  readonly remaining: number | null;
  readonly fits: boolean;
  /** Neither refused by its limit nor by an earlier order with its key. */
  readonly stored: boolean;
}

/** The tables of an order, and its rows in each. */
const tables: readonly {
  readonly entity: EntityTarget<ObjectLiteral>;
  readonly rowsOf: (intake: Intake) => readonly ObjectLiteral[];
}[] = [
  { entity: IdempotencyKey, rowsOf: ({ key }) => (key ? [key] : []) },
  { entity: Order, rowsOf: ({ order, isTest }) => (isTest ? [] : [order]) },
  { entity: TestOrder, rowsOf: ({ order, isTest }) => (isTest ? [order] : []) },
  { entity: OrderWord, rowsOf: ({ words }) => words },
  { entity: AuditEntry, rowsOf: ({ entry }) => [entry] },
  { entity: OutboxMessage, rowsOf: ({ messages }) => messages },
];

/** By the tables that have rows, and the kinds of requests. */
const known = new Map<string, string>();

/**
 * Stores orders on PostgreSQL in one statement, which is one commit: it counts them, leaves out those over
 * their limit and those whose key is taken, and inserts the others with all that belongs to them.
 * @param metadataOf of the entities
 */
export function intakeStatement(
  intakes: readonly Intake[],
  metadataOf: (entity: EntityTarget<ObjectLiteral>) => EntityMetadata,
): Statement {
  const asked = intakes.map(({ quota, key, order }) => [
    quota ? keyOf(quota.key) : null,
    quota?.most ?? null,
    key !== undefined,
    order.id,
  ]);
  const used: EntityMetadata[] = [];
  const parameters = [jsonOf(asked)];
  const paired = withTwinsInBatch(intakes);
  for (const { entity, rowsOf } of tables) {
    const metadata = metadataOf(entity);
    const rows = paired.flatMap((intake, n) =>
      rowsOf(intake).map((row) => [...valuesOf(metadata, row), n]),
    );
    if (rows.length === 0) continue;
    used.push(metadata);
    parameters.push(jsonOf(rows));
  }
  const kinds = kindsOf(intakes.map(({ order }) => order));
  const name = [...used.map(({ tableName }) => tableName), kinds].join();
  let sql = known.get(name);
  if (sql === undefined) known.set(name, (sql = compose(used, kinds)));
  return { sql, parameters };
}

const asked = `asked AS MATERIALIZED (
  SELECT r.key::integer - 1 AS n, r.value ->> 0 AS quota, (r.value ->> 1)::integer AS most,
    (r.value ->> 2)::boolean AS keyed, (r.value ->> 3)::uuid AS id
  FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS r(value, key))`;

const counted = `counted AS (${countSql(
  'SELECT quota AS key, count(*) AS number FROM asked WHERE quota IS NOT NULL GROUP BY quota',
)})`;

/** In order of arrival: the last orders of a client are the ones over its limit. */
const allowed = `allowed AS MATERIALIZED (
  SELECT n, id, keyed, count, remaining, count IS NULL OR count <= most AS fits
  FROM (SELECT asked.*, remaining, points - count(*) OVER (PARTITION BY quota)
      + row_number() OVER (PARTITION BY quota ORDER BY n) AS count
    FROM asked LEFT JOIN counted ON counted.key = asked.quota) AS numbered)`;

const fresh = (hasKeys: boolean) =>
  `fresh AS MATERIALIZED (SELECT n, id FROM allowed WHERE fits${
    hasKeys ? ' AND (NOT keyed OR id IN (SELECT order_id FROM keys))' : ''
  })`;

function compose(used: readonly EntityMetadata[], kinds: TwinKinds): string {
  const [first] = used;
  const hasKeys = first?.target === IdempotencyKey;
  const inserts = used.map((metadata, i) => insertSql(metadata, i + 2, kinds));
  const keys = hasKeys ? [`keys AS (${inserts.shift()!} RETURNING order_id)`] : [];
  const parts = inserts.map((insert, i) => `added_${i} AS (${insert})`);
  return `WITH ${[asked, counted, allowed, ...keys, fresh(hasKeys), ...parts].join(', ')}
    SELECT n, count, remaining, fits, fresh.n IS NOT NULL AS stored
    FROM allowed LEFT JOIN fresh USING (n) ORDER BY n`;
}

function insertSql(metadata: EntityMetadata, parameter: number, kinds: TwinKinds): string {
  const { tableName, columns, target } = metadata;
  const n = jsonValue('postgres', columns.length, 'integer');
  const isKey = target === IdempotencyKey;
  const computed: RowSelection['computed'] =
    target === Order ? { possible_duplicate_of: twinSql(metadata, kinds) } : {};
  return insertSelectedSql(
    tableName,
    typesOf(metadata),
    isKey ? 'is left out' : 'fails',
    parameter,
    {
      // Ordered, so that two instances never wait for each other.
      where: isKey
        ? `${n} IN (SELECT n FROM allowed WHERE fits) ORDER BY 1, 2`
        : `${n} IN (SELECT n FROM fresh)`,
      computed,
    },
  );
}

/** The twin in the batch if it is stored, or else the latest one in the table. */
function twinSql({ columns }: EntityMetadata, kinds: TwinKinds): (inBatch: string) => string {
  const names = columns.map(({ databaseName }) => databaseName);
  const valueOf = (name: string, type: string) => jsonValue('postgres', names.indexOf(name), type);
  const values = {
    client: valueOf('client_id', 'text'),
    postcode: valueOf('postcode', 'varchar'),
    product: valueOf('product_code', 'varchar'),
    since: `${valueOf('received_at', 'bigint')} - ${DAY}`,
    uprn: valueOf('uprn', 'bigint'),
  };
  const earlier = latestTwinSql(values, kinds);
  return (inBatch) =>
    `CASE WHEN ${inBatch} IN (SELECT id FROM fresh) THEN ${inBatch} ELSE (${earlier}) END`;
}

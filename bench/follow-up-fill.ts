/**
 * Fills a database with orders for `follow-up.ts`, in a separate process, so that the measuring process
 * starts fresh. Prints the id of the staff member who views them.
 */
import type { INestApplicationContext } from '@nestjs/common';
import { createApp } from '../src/app.js';
import { operator } from '../src/platform/audit/audit.service.js';
import { CheckDaysService } from '../src/availability/check-days.service.js';
import { hourOfNumber } from '../src/availability/check-numbers.js';
import { ClientsService } from '../src/clients/clients.service.js';
import { readConfig } from '../src/platform/config/config.js';
import { Transactions } from '../src/platform/database/transactions.js';
import { StaffService } from '../src/staff/staff.service.js';
import { Ledger } from '../test/support/ledger.js';

/** Orders in a transaction. */
const GROUP = 1_000;
const MESSAGES = 100_000;

const BASE_32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const INWARD = 'ABDEFGHJLNPQRSTUWXYZ';

/**
 * Creates orders of the last two years in the database. One in fifty is open: half of these wait, the
 * others belong to one of twenty people. One in a thousand is of a small client. Won orders are live after
 * 60 to 109 days. 100,000 messages of clients are about orders of all states; some of those about waiting orders are unread.
 */
async function fill(app: INestApplicationContext, orders: number): Promise<string> {
  const clients = app.get(ClientsService);
  const about = { priceList: 'standard', compatibility: '0.3' } as const;
  const client = await clients.add(
    {
      name: 'Bench Reseller',
      contactName: 'Ada Bench',
      contactEmail: 'ada@example.com',
      contactPhone: '01632 960896',
      ...about,
    },
    operator,
  );
  const small = await clients.add(
    {
      name: 'Larkrise Networks',
      contactName: 'Grace Small',
      contactEmail: 'grace@example.com',
      contactPhone: '01632 960123',
      ...about,
    },
    operator,
  );
  const staff = await app
    .get(StaffService)
    .add({ name: 'Bench Person', email: 'bench@example.com', role: 'manager' }, operator);
  const now = Date.now();
  const step = Math.floor((730 * 86_400_000) / orders);
  const transactions = app.get(Transactions);
  const postgres = transactions.engine === 'postgres';
  const hex = (number: string) =>
    postgres ? `lpad(to_hex(${number}), 12, '0')` : `printf('%012x', ${number})`;
  const uuid = (prefix: string, number: string) =>
    postgres ? `('${prefix}' || ${hex(number)})::uuid` : `'${prefix}' || ${hex(number)}`;
  const orderId = uuid('00000000-0000-7000-8000-', 'i');
  const someone = uuid('00000000-0000-7000-9000-', '(i / 200) % 19');
  const idOf = ({ id }: { readonly id: string }) => (postgres ? `'${id}'::uuid` : `'${id}'`);
  const mine = idOf(staff);
  const digit = (n: number) => `substr('${BASE_32}', 1 + (i / ${32 ** n}) % 32, 1)`;
  const text = (length: number, parts: string) =>
    postgres ? `(${parts})::varchar(${length})` : parts;
  const received = `(${now} - (${orders} - i) * cast(${step} as bigint))`;
  const pounds = '(100 + (i % 90000 * 7919) % 900)';
  const isOpen = `(i % 50 = 0)`;
  const each = Math.max(1, Math.floor(orders / MESSAGES));
  const isUnread = `(i % 1000 = 250)`;
  const kind = `((i / 50) % 4)`; // 0, 1 wait; 2 is claimed; 3 is scheduled
  const held = `CASE WHEN (i / 200) % 20 = 19 THEN ${mine} ELSE ${someone} END`;
  const none = (type: string) => (postgres ? `NULL::${type}` : 'NULL');
  const firstHour = hourOfNumber(0).getTime();
  const columns: Record<string, string> = {
    id: orderId,
    reference: text(10, `'ORD-' || ${[5, 4, 3, 2, 1, 0].map(digit).join(' || ')}`),
    client_id: `CASE WHEN i % 1000 = 7 THEN ${idOf(small)} ELSE ${idOf(client)} END`,
    client_reference: text(64, `'PO-' || i`),
    postcode: text(
      8,
      `'N' || (1 + i % 19) || ' ' || ((i / 19) % 10) || substr('${INWARD}', 1 + (i / 190) % 20, 1) || substr('${INWARD}', 1 + (i / 3800) % 20, 1)`,
    ),
    area: `CASE WHEN i % 3 = 0 THEN 'N' ELSE 'EC' END`,
    product_code: text(32, `'INT-' || (1 + i % 12) || 'G-12'`),
    product_family: text(32, `CASE WHEN i % 3 = 0 THEN 'ETH' ELSE 'INT' END`),
    bandwidth_mbps: '1000 * (1 + i % 12)',
    terms: [
      `'{"v1":{"productCode":"INT-' || (1 + i % 12) || 'G-12","name":"Internet","bandwidthProvisioned":' || (1 + i % 12)`,
      `',"bandwidthCapacity":100,"term":' || (12 * (1 + i % 3)) || ',"price":' || ${pounds}`,
      `',"currency":"GBP","leadTimeDays":84}}'`,
    ].join(' || '),
    term_months: '12 * (1 + i % 3)',
    amount_minor: `100 * ${pounds}`,
    currency: `'GBP'`,
    basis: `'firm'`,
    zone: `'ONNET'`,
    price_list: `'standard'`,
    catalogue_version: '1',
    contact_name: text(120, `'Contact' || (i % 50000)`),
    received_at: received,
    first_contact_due_at: `${received} + 14400000`,
    first_contact_warn_at: `${received} + 10800000`,
    public_state_at: received,
    last_entry_at: received,
    version: '1',
    kind: `'order'`,
    contact_attempts: `CASE WHEN ${isOpen} AND ${kind} < 3 THEN 0 ELSE 1 END`,
    reopenings: '0',
    expedite: 'false',
    state: `CASE WHEN NOT ${isOpen} AND i % 3 = 0 THEN 'lost' WHEN NOT ${isOpen} THEN 'won' WHEN ${kind} < 2 THEN 'waiting' WHEN ${kind} = 2 THEN 'in_progress' ELSE 'scheduled' END`,
    owner_id: `CASE WHEN ${isOpen} AND ${kind} < 2 THEN ${none('uuid')} ELSE ${held} END`,
    first_contact_at: `CASE WHEN NOT ${isOpen} OR ${kind} = 3 THEN ${received} + 7200000 ELSE ${none('bigint')} END`,
    next_action_at: `CASE WHEN ${isUnread} THEN ${now} - 60000 * (i % 7919) WHEN ${isOpen} AND ${kind} = 3 THEN ${now} + (i % 2000 - 1000) * 60000 ELSE ${none('bigint')} END`,
    next_action_reason: `CASE WHEN ${isUnread} THEN 'client_wrote' ELSE ${none('varchar')} END`,
    next_due_at: `CASE WHEN ${isUnread} THEN ${now} - 60000 * (i % 7919) WHEN ${isOpen} AND ${kind} = 3 THEN ${now} + (i % 2000 - 1000) * 60000 ELSE ${received} + 14400000 END`,
    constraints: `CASE WHEN i % 500 = 11 THEN '{"v1":[{"code":"surveyRequired","text":"A survey is needed."}]}' ELSE ${none('text')} END`,
    close_reason: `CASE WHEN NOT ${isOpen} AND i % 3 = 0 THEN 'price' ELSE ${none('varchar')} END`,
    closed_at: `CASE WHEN ${isOpen} THEN ${none('bigint')} ELSE ${received} + 86400000 END`,
  };
  const day = (days: string) => {
    const at = `(${received} / 1000 + 86400 * (${days}))`;
    return postgres ? `to_char(to_timestamp(${at}), 'YYYY-MM-DD')` : `date(${at}, 'unixepoch')`;
  };
  const liveOn = day('61 + i % 50');
  const isLive = `(${received} + 86400000 * cast(61 + i % 50 as bigint) < ${now})`;
  const json = (value: string) => (postgres ? `(${value})::jsonb` : value);
  const deliveries: Record<string, string> = {
    order_id: orderId,
    accepted_on: day('1'),
    promised_on: day('85'),
    date_changes: json(`'{"v1":[]}'`),
    milestones: json(
      `CASE WHEN ${isLive} THEN '{"v1":{"live":{"plannedFor":null,"doneOn":"' || ${liveOn} || '"}}}' ELSE '{"v1":{}}' END`,
    ),
    live_on: `CASE WHEN ${isLive} THEN ${liveOn} END`,
    risk_on: `CASE WHEN NOT ${isLive} THEN ${day('86')} END`,
  };
  const messages: Record<string, string> = {
    id: uuid('00000000-0000-7000-a000-', 'i'),
    order_id: orderId,
    sender: `'client'`,
    text: `'The engineer may come on Monday. Ask for Keyholder' || i || ' at the loading bay.'`,
    at: `${received} + 3600000`,
    answers_waiting: 'false',
  };
  const hour = `((${received} - ${firstHour}) / 3600000)`;
  const checks: Record<string, string> = {
    number: `${hour} * cast(${2 ** 31} as bigint) + i`,
    client_id: idOf(client),
    postcode: columns.postcode!,
    price_list: `'standard'`,
    catalogue_version: '1',
    product_count: 'i % 4',
    checked_at: received,
  };
  for (let first = 0; first < orders; first += GROUP) {
    const last = Math.min(first + GROUP, orders) - 1;
    const series = `WITH RECURSIVE n(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`;
    await transactions.run(async (tx) => {
      await tx.query(
        `${series} INSERT INTO orders (${Object.keys(columns).join(', ')}) SELECT ${Object.values(columns).join(', ')} FROM n`,
      );
      await tx.query(
        `${series} INSERT INTO deliveries (${Object.keys(deliveries).join(', ')}) SELECT ${Object.values(deliveries).join(', ')} FROM n WHERE i % 50 <> 0 AND i % 3 <> 0`,
      );
      await tx.query(
        `${series} INSERT INTO order_words (word, order_id) SELECT ${text(40, `'contact' || (i % 50000)`)}, ${orderId} FROM n`,
      );
      await tx.query(
        `${series} INSERT INTO order_words (word, order_id) SELECT ${text(40, `'#' || (100000 + i % 900000) || '2361'`)}, ${orderId} FROM n`,
      );
      await tx.query(
        `${series} INSERT INTO order_words (word, order_id) SELECT ${text(40, `'po' || i`)}, ${orderId} FROM n`,
      );
      await tx.query(
        `${series} INSERT INTO messages (${Object.keys(messages).join(', ')}) SELECT ${Object.values(messages).join(', ')} FROM n WHERE i % ${each} = 0`,
      );
      for (const word of [`'engineer'`, `'keyholder' || i`]) {
        await tx.query(
          `${series} INSERT INTO order_words (word, order_id) SELECT ${text(40, word)}, ${orderId} FROM n WHERE i % ${each} = 0`,
        );
      }
      await tx.query(
        `${series} INSERT INTO checks (${Object.keys(checks).join(', ')}) SELECT ${Object.values(checks).join(', ')} FROM n`,
      );
      await tx.query(
        `${series} INSERT INTO uncounted_checks (first_number, last_number) SELECT ${checks.number}, ${checks.number} FROM n`,
      );
    });
    if ((first / GROUP) % 200 === 0) console.error(`${first} of ${orders} orders made`);
  }
  await app.get(CheckDaysService).countNew();
  if (postgres) await tidy();
  return staff.id;
}

/** On a separate connection: those of the service end what takes longer than two seconds. */
function tidy(): Promise<unknown> {
  const ledger = new Ledger({ sqliteFile: '', databaseUrl: process.env.DATABASE_URL! });
  return ledger.answers(
    // As autovacuum would have done in a table that has grown over years.
    ...['orders', 'deliveries', 'messages', 'order_words', 'checks', 'check_days'].map(
      (table) => `VACUUM (ANALYZE) ${table}`,
    ),
    // Otherwise PostgreSQL writes the new rows to disk during the measurement.
    'CHECKPOINT',
  );
}

const app = await createApp(readConfig(process.env));
try {
  await app.init();
  console.log(await fill(app, Number(process.argv[2])));
} finally {
  await app.close();
}

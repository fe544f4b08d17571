import type { MigrationInterface, QueryRunner } from 'typeorm';
import { bankHolidays } from '../../kernel/bank-holidays.js';
import { wordsOfOrder } from '../../orders/search-words.js';
import { addWorkingTime, parseWeek } from '../../kernel/working-hours.js';
import { column, optional } from '../columns.js';
import { addColumns, createIndex, createTable } from '../schema.js';

interface EarlierOrder {
  readonly id: string;
  readonly received_at: string | number;
  readonly client_reference: string | null;
  readonly contact_name: string | null;
  readonly contact_email: string | null;
  readonly contact_phone: string | null;
  readonly notes: string | null;
}

const HOUR = 3_600_000;
const GROUP = 500;

/** What the staff's work on an order needs: its dates, its outcome, and the words that find it. */
export class FollowUp1763800000000 implements MigrationInterface {
  readonly name = 'FollowUp1763800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`INSERT INTO revisions (name, number) VALUES ('follow-up', 0)`);
    await addColumns(runner, 'orders', {
      first_contact_due_at: { ...column.instant, default: 0 },
      first_contact_warn_at: { ...column.instant, default: 0 },
      claimed_at: optional(column.instant),
      first_contact_at: optional(column.instant),
      last_contact_at: optional(column.instant),
      contact_attempts: { ...column.integer, default: 0 },
      next_action_at: optional(column.instant),
      next_action_reason: optional(column.text(32)),
      closed_at: optional(column.instant),
      close_reason: optional(column.text(32)),
      external_reference: optional(column.text(64)),
      duplicate_of: optional(column.uuid),
      reopenings: { ...column.integer, default: 0 },
      public_state_at: { ...column.instant, default: 0 },
      last_entry_at: { ...column.instant, default: 0 },
    });
    await createTable(runner, 'order_words', {
      columns: { word: column.text(40), order_id: column.uuid },
      primaryKey: ['word', 'order_id'],
      indexes: [{ name: 'ix_order_words_order', columns: ['order_id'] }],
    });
    await fillEarlierOrders(runner);
    for (const index of orderIndexes) await createIndex(runner, 'orders', index);
    await createIndex(runner, 'audit_entries', {
      name: 'ix_audit_entries_at',
      columns: ['at', 'id'],
    });
  }

  /** There is no way back: on SQLite it would re-create tables, and with them lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}

const open = '"closed_at" IS NULL';
const uncontacted = `${open} AND "first_contact_at" IS NULL`;

const orderIndexes = [
  { name: 'ix_orders_received', columns: ['received_at', 'id'] },
  // Partial: SQLite would take a whole one for "closed_at IS NULL", and then sort all open orders.
  { name: 'ix_orders_closed', columns: ['closed_at', 'id'], where: '"closed_at" IS NOT NULL' },
  { name: 'ix_orders_check', columns: ['check_id'] },
  { name: 'ix_orders_client_public_state', columns: ['client_id', 'public_state_at', 'id'] },
  { name: 'ix_orders_possible_duplicate', columns: ['possible_duplicate_of'] },
  { name: 'ix_orders_open', columns: ['received_at', 'id'], where: open },
  { name: 'ix_orders_open_owner', columns: ['owner_id', 'received_at', 'id'], where: open },
  {
    name: 'ix_orders_next_action',
    columns: ['next_action_at', 'id'],
    where: '"next_action_at" IS NOT NULL',
  },
  {
    name: 'ix_orders_owner_next_action',
    columns: ['owner_id', 'next_action_at', 'id'],
    where: '"next_action_at" IS NOT NULL',
  },
  {
    name: 'ix_orders_uncontacted',
    columns: ['first_contact_due_at', 'id'],
    where: uncontacted,
  },
  {
    name: 'ix_orders_uncontacted_state',
    columns: ['state', 'first_contact_due_at', 'id'],
    where: uncontacted,
  },
];

/** Gives the orders that are there already the dates that the default settings would have given. */
async function fillEarlierOrders(runner: QueryRunner): Promise<void> {
  const week = parseWeek('Mon-Fri 09:00-17:00') ?? [];
  const calendar = { week, holidays: bankHolidays };
  for (let last = ''; ;) {
    const after = last === '' ? '' : `WHERE id > '${last}'`;
    const orders = (await runner.query(
      `SELECT id, received_at, client_reference, contact_name, contact_email, contact_phone, notes
       FROM orders ${after} ORDER BY id LIMIT ${GROUP}`,
    )) as EarlierOrder[];
    for (const order of orders) {
      const received = Number(order.received_at);
      const due = addWorkingTime(new Date(received), 4 * HOUR, calendar).getTime();
      const warn = addWorkingTime(new Date(received), 3 * HOUR, calendar).getTime();
      await runner.query(
        `UPDATE orders SET first_contact_due_at = ${due}, first_contact_warn_at = ${warn},
         public_state_at = ${received}, last_entry_at = ${received} WHERE id = '${order.id}'`,
      );
      const words = wordsOfOrder({
        clientReference: order.client_reference,
        contactName: order.contact_name,
        contactEmail: order.contact_email,
        contactPhone: order.contact_phone,
        notes: order.notes,
      });
      // A word is letters and digits only, so that it needs no quoting.
      for (const word of words) {
        await runner.query(
          `INSERT INTO order_words (word, order_id) VALUES ('${word}', '${order.id}')`,
        );
      }
    }
    last = orders.at(-1)?.id ?? '';
    if (orders.length < GROUP) return;
  }
}

import type { INestApplicationContext } from '@nestjs/common';
import { DeliveryImportService } from '../src/orders/delivery/delivery-import.service.js';
import { operator } from '../src/platform/audit/audit.service.js';
import { Transactions } from '../src/platform/database/transactions.js';
import { londonDay } from '../src/platform/kernel/working-hours.js';
import { onEachEngine } from './engines.js';
import { type BenchOptions, type Report, round } from './options.js';
import { fillOrders, withApp } from './service-fixture.js';
import { timed } from './timed.js';

const ROWS = 50_000;
/** Of the orders that `fillOrders` makes, this share is won. */
const WON = 0.98 * (2 / 3);
/** Seconds: `api-3.md`, section 5. */
const LIMIT = 10;

/** An import of updates: one row for each of 50,000 accepted orders that are not live yet. */
export async function run(options: BenchOptions): Promise<Report> {
  const count = options.quick ? ROWS / 20 : ROWS;
  const measured = await onEachEngine(options, async (engine, { environment }) => {
    options.say(`${engine}: ${count} rows`);
    await fillOrders(Math.ceil((count / WON) * 1.01), environment);
    return withApp(environment, async (app) => {
      const text = await fileOf(app, count);
      const updates = app.get(DeliveryImportService, { strict: false });
      const preview = await timed(() => updates.preview(text));
      const first = await timed(() => updates.run(text, operator));
      return { engine, preview, first, again: await timed(() => updates.run(text, operator)) };
    });
  });
  const seconds = Math.max(...measured.map(({ first }) => first.seconds));
  return {
    title: `Import of ${count.toLocaleString('en-GB')} updates of deliveries`,
    rows: measured.map(({ engine, preview, first, again }) => ({
      engine,
      'preview, s': round(preview.seconds, 2),
      'import, s': round(first.seconds, 2),
      'its CPU, s': round(first.cpu, 2),
      'longest hold, ms': round(first.longest, 1),
      'again, s': round(again.seconds, 2),
    })),
    targets: [
      {
        target: `imported in at most ${LIMIT} s`,
        measured: `${round(seconds, 2)} s`,
        met: seconds <= LIMIT,
      },
    ],
    notes: ['Again: the same file, which changes nothing.'],
  };
}

/** Takes what the filled orders have reached back, and reports the survey of each as done today. */
async function fileOf(app: INestApplicationContext, rows: number): Promise<string> {
  const references = await app.get(Transactions, { strict: false }).run(async (tx) => {
    await tx.query(
      `UPDATE deliveries SET milestones = '{"v1":{}}', live_on = NULL, risk_on = promised_on`,
    );
    return tx.query<{ reference: string }[]>(
      `SELECT o.reference FROM orders o JOIN deliveries d ON d.order_id = o.id LIMIT ${rows}`,
    );
  });
  const day = londonDay(new Date());
  const lines = references.map(({ reference }) => `${reference},surveyed,${day}`);
  return ['order,milestone,done', ...lines].join('\n');
}

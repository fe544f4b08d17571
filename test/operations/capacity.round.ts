import { expect, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { CheckDaysService } from '../../src/availability/check-days.service.js';
import { RetentionService } from '../../src/platform/retention/retention.service.js';
import { later } from '../support/closing.js';
import { engines, newDatabase } from '../support/databases.js';
import { Ledger } from '../support/ledger.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const CHECKS = Number(process.env.CHECKS ?? 100_000);
const ORDERS = Number(process.env.ORDERS ?? 3_000);
/** At the same time. */
const CLIENTS = 32;
/** A second, while old checks are deleted. */
const RATE = 500;

/** By the last part of the path. */
const requests = {
  order: { productCode: 'INT-1G-12' },
  enquiry: {
    wanted: { bandwidth: 10, term: 36, description: 'Two diverse routes into the building.' },
  },
};

const sizes = {
  postgres:
    'SELECT relname AS name, pg_total_relation_size(relid) AS bytes, pg_indexes_size(relid) AS indexes FROM pg_statio_user_tables',
  sqlite: `SELECT s.tbl_name AS name, sum(d.pgsize) AS bytes, sum(CASE s.type WHEN 'index' THEN d.pgsize ELSE 0 END) AS indexes
    FROM dbstat d JOIN sqlite_schema s ON s.name = d.name GROUP BY s.tbl_name`,
};

interface Size {
  readonly name: string;
  readonly bytes: string | number;
  readonly indexes: string | number;
}

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Runs `work` for 0 … n - 1, some at the same time. */
async function many(n: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let i = (next += 1) - 1; i < n; i = (next += 1) - 1) await work(i);
  };
  await Promise.all(Array.from({ length: CLIENTS }, worker));
}

test.each(engines)(
  'bytes for each check, order and enquiry, and pruning beside load, on %s',
  async (engine) => {
    let database = await newDatabase('sqlite', 'empty');
    if (engine === 'postgres') {
      const server = await startPostgres({ durable: true });
      later(() => server.stop());
      database = { sqliteFile: '', databaseUrl: server.url };
    }
    const service = await startService(engine, { database, config: { rateLimits: false } });
    await service.given.catalogue();
    const token = await service.given.token({ days: 365 });
    const ledger = new Ledger(database);
    const measure = async () =>
      new Map(
        (await ledger.rows<Size>(sizes[engine])).map(({ name, bytes, indexes }) => [
          name,
          [Number(bytes), Number(indexes)] as const,
        ]),
      );
    const report = (what: string, count: number, before: Sizes, after: Sizes) => {
      let total = 0;
      for (const [table, [bytes, indexes]] of after) {
        const grown = bytes - (before.get(table)?.[0] ?? 0);
        if (grown / count < 1) continue;
        total += grown;
        const share = indexes - (before.get(table)?.[1] ?? 0);
        say(
          `${engine}, ${what}: ${table} ${Math.round(grown / count)} B, indexes ${Math.round(share / count)} B`,
        );
      }
      say(`${engine}, ${what}: ${Math.round(total / count)} B each, of ${count}`);
    };
    const path = (i: number) =>
      `/product-availability/postcode/EC2A%20${i % 10}${'ABDEFGHJLN'[Math.floor(i / 10) % 10]}${'PQRSTUWXYZ'[Math.floor(i / 100) % 10]}`;

    const empty = await measure();
    await many(CHECKS, (i) => service.http.get(path(i), { token }));
    await service.flushChecks();
    const checked = await measure();
    report('a check', CHECKS, empty, checked);
    await service.get(CheckDaysService).countNew();
    const counted = await measure();
    report('its daily counts (by client, postcode area and so on)', CHECKS, checked, counted);

    for (const [kind, asked] of Object.entries(requests)) {
      const before = await measure();
      await many(ORDERS, async (i) => {
        const { status } = await service.http.post(
          `/product-availability/${kind}`,
          {
            ...asked,
            postcode: 'EC2A 2BS',
            reference: `PO-2026-${String(i).padStart(6, '0')}`,
            notes: 'Please ring in the morning. The comms room is on the second floor.',
            contact: {
              name: `Ada Lovelace ${i}`,
              email: `ada${i}@example.com`,
              phone: '+442079460958',
            },
          },
          { token, headers: { 'Idempotency-Key': `${kind}-${i}-2f1c9a5e-77f2` } },
        );
        expect(status).toBe(201);
      });
      await service.flushChecks();
      report(`an ${kind}`, ORDERS, before, await measure());
    }

    service.clock.advance({ days: 61 });
    const fresh = await service.given.token({ days: 365 });
    let done = false;
    const slow: number[] = [];
    let sent = 0;
    const load = (async () => {
      const start = performance.now();
      const open = new Set<Promise<unknown>>();
      while (!done) {
        for (; sent < ((performance.now() - start) / 1_000) * RATE; sent += 1) {
          const at = performance.now();
          const one: Promise<unknown> = service.http
            .get(path(sent), { token: fresh })
            .then(({ status }) => {
              expect(status).toBe(200);
              slow.push(performance.now() - at);
              open.delete(one);
            });
          open.add(one);
        }
        await wait(2);
      }
      await Promise.all(open);
      return (performance.now() - start) / 1_000;
    })();
    await wait(2_000);
    const start = performance.now();
    const { checks = 0 } = await service.get(RetentionService).prune();
    const seconds = (performance.now() - start) / 1_000;
    done = true;
    const all = await load;
    slow.sort((a, b) => a - b);
    say(
      `${engine}, pruning: ${checks} checks in ${seconds.toFixed(1)} s, ${Math.round(checks / seconds)}/s, beside ${Math.round(sent / all)} checks/s with p99 ${slow[Math.floor(slow.length * 0.99)]!.toFixed(1)} ms, max ${slow.at(-1)!.toFixed(1)} ms`,
    );
    expect(checks).toBeGreaterThanOrEqual(CHECKS);
    expect(checks / seconds).toBeGreaterThan(RATE);
  },
);

type Sizes = ReadonlyMap<string, readonly [bytes: number, indexes: number]>;

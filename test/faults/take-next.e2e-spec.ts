import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ledger } from '../support/ledger.js';
import { newShop, order } from '../support/orders.js';
import { isUnavailable } from '../support/problems.js';
import { figure, patience, rounds } from '../support/rounds.js';
import { onBothEngines, startService } from '../support/service.js';
import { startProcess } from '../support/service-process.js';

const WORKERS = 16;

onBothEngines('people who take the next order while the process is killed', (engine) => {
  it(
    'get every order once',
    async () => {
      const { database, token } = await newShop(engine);
      const total = rounds(100, 5_000);
      const staffToken = await placeOrders(total);
      const ledger = new Ledger(database);
      let kills = 0;
      const told = new Map<string, number>();
      for (let left = total; left > 0; left = await waiting()) {
        const { service, http } = await startProcess(database);
        let gone = false;
        const worker = async () => {
          while (!gone) {
            const reply = await http
              .post<{ order: { orderId: string } | null }>('/follow-up/take-next', undefined, {
                token: staffToken,
              })
              .catch(() => undefined);
            if (!reply) return; // killed
            if (reply.status === 503) continue;
            expect(reply.status).toBe(200);
            if (reply.body.order === null) return;
            const { orderId } = reply.body.order;
            told.set(orderId, (told.get(orderId) ?? 0) + 1);
          }
        };
        const workers = Promise.all(Array.from({ length: WORKERS }, worker));
        await Promise.race([workers, sleep(50 + Math.random() * 1_000)]);
        gone = true;
        await service.kill();
        kills += 1;
        await workers;
        http.close();
      }
      const claims = await ledger.rows<{ claims: number | string; orders: number | string }>(
        `SELECT claims, count(*) AS orders FROM
          (SELECT count(*) AS claims FROM audit_entries
            WHERE subject_type = 'order' AND action = 'claimed' GROUP BY subject_id) AS c
          GROUP BY claims`,
      );
      expect(claims.map((row) => [Number(row.claims), Number(row.orders)])).toEqual([[1, total]]);
      expect([...told.values()].filter((times) => times > 1)).toEqual([]);
      figure(
        `${engine}: ${WORKERS} workers took ${total} orders while the process was killed ${kills} times: each claimed once, ${told.size} of them confirmed to the worker.`,
      );

      async function placeOrders(count: number): Promise<string> {
        const service = await startService(engine, { database, config: { rateLimits: false } });
        let next = 0;
        const placeSome = async () => {
          while (next < count) {
            const reference = `take-${(next += 1)}`;
            // The key makes a retry safe.
            const place = () => order(service.http, token, reference, reference);
            let reply = await place();
            while (isUnavailable(reply)) reply = await place();
            expect(reply.status).toBe(201);
          }
        };
        await Promise.all(Array.from({ length: 8 }, placeSome));
        const staff = await service.given.staff();
        const staffToken = await service.given.token({ staff, days: 3_650 });
        await service.close();
        return staffToken;
      }

      async function waiting(): Promise<number> {
        const [row] = await ledger.rows<{ count: number | string }>(
          `SELECT count(*) AS count FROM orders WHERE state = 'waiting'`,
        );
        return Number(row?.count);
      }
    },
    patience,
  );
});

import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ledger } from '../support/ledger.js';
import { enquiry, newShop, order } from '../support/orders.js';
import { isUnavailable } from '../support/problems.js';
import { startProcess } from '../support/service-process.js';
import { figure, patience, rounds } from '../support/rounds.js';

const INSTANCES = 3;
const CALLS = 50;

it(
  'parallel requests with one key to three instances on one PostgreSQL create one order or enquiry',
  async () => {
    const { database, token } = await newShop('postgres');
    const instances: Awaited<ReturnType<typeof startProcess>>[] = [];
    for (let n = 0; n < INSTANCES; n += 1) instances.push(await startProcess(database));
    const total = rounds(5, 100);
    let conflicts = 0;
    for (let round = 1; round <= total; round += 1) {
      const key = `one-key-${round}`;
      const send = round % 2 === 0 ? enquiry : order;
      const call = async (n: number): Promise<string | undefined> => {
        const { http } = instances[n % INSTANCES]!;
        for (;;) {
          const reply = await send(http, token, key, key);
          const { status, body } = reply;
          if (status === 201) return body.orderId;
          if (!isUnavailable(reply)) {
            expect([status, body.code]).toEqual([409, 'request-in-progress']);
            conflicts += 1;
          }
          await sleep(5 + Math.random() * 20);
        }
      };
      const ids = await Promise.all(Array.from({ length: CALLS }, (_, n) => call(n)));
      expect(new Set(ids).size).toBe(1);
    }
    const stored = await new Ledger(database).counts('one-key-');
    expect([...stored.values()]).toEqual(Array(total).fill(1));
    figure(
      `postgres: ${total} rounds of ${CALLS} parallel calls with one key over ${INSTANCES} instances: ${stored.size} orders, one id a round (${conflicts} calls received 409 request-in-progress and retried).`,
    );
    for (const { service, http } of instances) {
      http.close();
      await service.stop();
    }
  },
  patience,
);

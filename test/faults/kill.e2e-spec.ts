import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ledger } from '../support/ledger.js';
import { enquiry, newShop, order } from '../support/orders.js';
import { isUnavailable } from '../support/problems.js';
import { startProcess } from '../support/service-process.js';
import { figure, patience, rounds } from '../support/rounds.js';
import { onBothEngines } from '../support/service.js';

const WRITERS = 32;

onBothEngines('a process that is killed while it takes orders and enquiries', (engine) => {
  it(
    'has every acknowledged order and enquiry once, and no partial one',
    async () => {
      const { database, token } = await newShop(engine);
      const ledger = new Ledger(database);
      const total = rounds(2, 200);
      let acknowledged = 0;
      let unanswered = 0;
      let unansweredButStored = 0;
      for (let round = 1; round <= total; round += 1) {
        const { service, http } = await startProcess(database);
        const sent = new Set<string>();
        const answered = new Set<string>();
        const others: unknown[] = [];
        let killed = false;
        const write = async (writer: number) => {
          for (let n = 1; !killed; n += 1) {
            const reference = `kill-${round}-${writer}-${n}`;
            sent.add(reference);
            try {
              const send = n % 3 === 0 ? enquiry : order;
              const reply = await send(http, token, reference);
              if (reply.status === 201) answered.add(reference);
              // That order may be stored or not; the next one has a new reference.
              else if (!isUnavailable(reply)) others.push([reply.status, reply.body]);
            } catch {
              return; // no answer
            }
          }
        };
        const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
        // At any moment, in half of the rounds after the first answer.
        while (round % 2 === 1 && answered.size === 0) await sleep(1);
        await sleep(Math.random() * 500);
        killed = true;
        await service.kill();
        await Promise.all(writers);
        http.close();

        const stored = await ledger.counts(`kill-${round}-`);
        const doubled = [...stored].filter(([, count]) => count > 1);
        const lost = [...answered].filter((reference) => !stored.has(reference));
        const strange = [...stored.keys()].filter((reference) => !sent.has(reference));
        expect({ round, lost, doubled, strange, others }).toEqual({
          round,
          lost: [],
          doubled: [],
          strange: [],
          others: [],
        });
        expect(await ledger.faults()).toEqual([]);
        acknowledged += answered.size;
        unanswered += sent.size - answered.size;
        unansweredButStored += stored.size - answered.size;
      }
      const { orders, entries } = await ledger.received();
      expect(entries).toBe(orders);
      expect(acknowledged).toBeGreaterThanOrEqual(total / 2);
      figure(
        `${engine}: ${total} rounds of SIGKILL under ${WRITERS} writers: ${acknowledged} orders and enquiries acknowledged, all there once, 0 lost, 0 doubled; of ${unanswered} others ${unansweredButStored} were stored, once; integrity clean.`,
      );
    },
    patience,
  );
});

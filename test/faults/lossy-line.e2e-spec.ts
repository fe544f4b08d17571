import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Http } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { newShop, order } from '../support/orders.js';
import { startProcess } from '../support/service-process.js';
import { startLossyProxy } from '../support/proxies.js';
import { figure, patience, rounds } from '../support/rounds.js';
import { onBothEngines } from '../support/service.js';

const CLIENTS = 32;

/** An unreachable mail server, so that every notification stays in the outbox. */
const untoldPost = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'orders@operator.example',
  SALES_INBOX: 'sales@operator.example',
};

onBothEngines('orders over a line that loses a fifth each way', (engine) => {
  it(
    'are stored once if the client retries them with a key',
    async () => {
      const { database, token } = await newShop(engine);
      const { service, http } = await startProcess(database, { environment: untoldPost });
      const proxy = await startLossyProxy(http.port);
      const line = new Http(proxy.port);
      const total = rounds(300, 10_000);
      let next = 0;
      let calls = 0;
      const ids = new Set<string | undefined>();
      const client = async () => {
        while (next < total) {
          const reference = `lossy-${(next += 1)}`;
          for (;;) {
            calls += 1;
            const reply = await order(line, token, reference, reference).catch(() => undefined);
            if (reply?.status === 201) {
              ids.add(reply.body.orderId);
              break;
            }
            // Lost, or the first attempt with this key is still running, or unknown.
            if (reply && ![409, 503].includes(reply.status)) {
              throw new Error(JSON.stringify(reply));
            }
            await sleep(Math.random() * 20);
          }
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      line.close();
      http.close();
      await service.stop();

      const ledger = new Ledger(database);
      expect(ids.size).toBe(total);
      expect(await ledger.received()).toEqual({ orders: total, entries: total, orphans: 0 });
      expect(await ledger.count('idempotency_keys')).toBe(total);
      expect(await ledger.count('outbox_messages')).toBe(total);
      figure(
        `${engine}: ${total} orders in ${calls} calls over a line that lost ${proxy.counts.lostRequests} requests and ${proxy.counts.lostAnswers} answers: ${(await ledger.received()).orders} orders stored, and as many notifications.`,
      );
    },
    patience,
  );
});

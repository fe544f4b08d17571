import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ledger } from '../support/ledger.js';
import { onBothEngines, startService } from '../support/service.js';

const ORDERS = 50;

onBothEngines('a client that hangs up', (engine) => {
  it('does not cancel the order that it sent', async () => {
    const service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    const token = await service.given.token();
    for (let n = 1; n <= ORDERS; n += 1) {
      const body = JSON.stringify({
        postcode: 'EC2A 2BS',
        productCode: 'INT-1G-12',
        reference: `hung-up-${n}`,
      });
      const socket = connect(service.http.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(
        `POST /product-availability/order HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        () => socket.destroy(),
      );
      await once(socket, 'close');
    }
    const ledger = new Ledger(service.config);
    const giveUp = Date.now() + 10_000;
    while ((await ledger.counts('hung-up-')).size < ORDERS && Date.now() < giveUp) await sleep(50);
    const stored = [...(await ledger.counts('hung-up-')).values()];
    expect(stored).toEqual(Array(ORDERS).fill(1));
    expect(service.log.lines.filter((line) => /internal-error/.test(line))).toEqual([]);
  });
});

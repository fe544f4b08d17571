import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Order } from '../../src/orders/record/order.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { fuzz, routes } from '../support/fuzz.js';
import { onBothEngines, startService } from '../support/service.js';

/** `npm run test:fuzz` sends 20,000. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_000);
const { seed } = fc.readConfigureGlobal();

onBothEngines('every route of openapi.json and openapi-staff.json', (engine) => {
  it(`answers ${REQUESTS} random requests as documented, and never with 5xx (seed ${seed})`, async () => {
    const service = await startService(engine, { config: { rateLimits: false } });
    const statuses = await fuzz(service, REQUESTS);
    expect(routes.length).toBeGreaterThan(4);
    for (const status of [200, 201, 400, 401, 403, 404]) {
      expect([status, (statuses.get(status) ?? 0) > 0]).toEqual([status, true]);
    }
    const orders = await service.get(Transactions).read((tx) => tx.count(Order));
    expect(orders).toBeGreaterThan(0);
    expect((await service.http.get('/health/ready')).status).toBe(200);
    if (process.env.FUZZ_REQUESTS) process.stdout.write(`${JSON.stringify([...statuses])}\n`);
  });
});

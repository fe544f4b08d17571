import { describe, expect, it } from '@jest/globals';
import { migrationNames } from '../../src/platform/database/migrations/releases.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { newDatabase } from '../support/databases.js';
import { type Service, startService } from '../support/service.js';

const LOOK = '/product-availability/postcode/EC2A2BS';
const ORDER = '/product-availability/order';
const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };

const migrationsIn = async (service: Service) =>
  (
    await service
      .get(Transactions)
      .read((tx) => tx.query<{ name: string }[]>('SELECT name FROM migrations'))
  ).map(({ name }) => name);

describe('several instances on one PostgreSQL', () => {
  it('start at the same time on an empty schema', async () => {
    const database = await newDatabase('postgres');
    const five = await Promise.all(
      Array.from({ length: 5 }, () => startService('postgres', { database })),
    );
    const [first] = five as [Service];
    const done = await migrationsIn(first);
    expect(done).toEqual(migrationNames());
    await first.given.catalogue();
    const token = await first.given.token();
    for (const { http } of five) expect((await http.get('/health/live')).status).toBe(200);
    const statuses = five.map(({ http }) => http.post(ORDER, wish, { token }));
    // The other instances see the catalogue within a second.
    for (const { status } of await Promise.all(statuses)) expect([201, 503]).toContain(status);
  });

  it('refuse a revoked token everywhere within five seconds', async () => {
    const database = await newDatabase('postgres');
    const [one, two, three] = [
      await startService('postgres', { database }),
      await startService('postgres', { database }),
      await startService('postgres', { database }),
    ];
    await one.given.catalogue();
    const { id, token } = await one.given.issuedToken();
    // In one process they share passport's strategy, the last one's; pgbouncer.round.ts has processes.
    for (const { http } of [one, two, three]) {
      expect((await http.get(`${ORDER}/${id}`, { token })).status).toBe(404);
    }
    await one.get(TokensService).revoke(id, operator);
    const revoked = performance.now();
    for (const { http } of [one, two, three]) {
      while ((await http.get(LOOK, { token })).status !== 401) {
        expect(performance.now() - revoked).toBeLessThan(5_000);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  });

  it('keep running, and start, after a later version has changed the schema', async () => {
    const database = await newDatabase('postgres');
    const old = await startService('postgres', { database });
    await old.given.catalogue();
    const token = await old.given.token();
    await old.get(Transactions).run(async (tx) => {
      await tx.query('ALTER TABLE orders ADD COLUMN later_one varchar(10)');
      await tx.query(`ALTER TABLE orders ADD COLUMN later_two integer NOT NULL DEFAULT 0`);
      await tx.query('CREATE TABLE later_things (id uuid PRIMARY KEY)');
      await tx.query(
        `INSERT INTO migrations (timestamp, name) VALUES (9900000000000, 'Later9900000000000')`,
      );
    });
    const again = await startService('postgres', { database });
    for (const { http } of [old, again]) {
      expect((await http.post(ORDER, wish, { token })).status).toBe(201);
      expect((await http.get('/health/ready')).status).toBe(200);
    }
    expect(await old.get(Transactions).read((tx) => tx.count(Order))).toBe(2);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { SecondFactorService } from '../../src/staff/sign-in/second-factor.service.js';
import { FakeClock } from '../support/fake-clock.js';
import { Ledger } from '../support/ledger.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { factsOf, type ReleasedFacts, releasedConfig, releases } from './facts.js';
import { releasedDatabase } from './opened.js';

const API = '/product-availability';
/** A later release writes these as well. */
const written = new Set(['migrations', 'revisions']);

interface Version {
  readonly number: number;
  readonly state: string;
}

onBothEngines('the filled database of release', (engine) => {
  describe.each(releases())('%s', (release) => {
    let service: Service;
    let facts: ReleasedFacts;
    let ledger: Ledger;
    beforeAll(async () => {
      facts = factsOf(release, engine);
      const database = await releasedDatabase(release, engine);
      const { webhookKey, staffKey, nearNet } = releasedConfig(database);
      const config = { webhookKey, staffKey, nearNet, rateLimits: false };
      const clock = new FakeClock(new Date(facts.at));
      service = await startService(engine, { database, clock, config });
      ledger = new Ledger(service.config);
    });

    const get = <T>(path: string, token = facts.token) => service.http.get<T>(path, { token });
    const post = <T>(path: string, body: object, token = facts.token, key?: string) =>
      service.http.post<T>(path, body, {
        token,
        ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
      });
    /** A move at the version that the order has now. */
    const move = async (id: string, name: string, about: object = {}) => {
      const path = `/follow-up/orders/${id}`;
      const { order } = (await get<{ order: { version: number } }>(path, facts.staffToken)).body;
      const body = { move: name, version: order.version, ...about };
      return post<{ state: string }>(`${path}/moves`, body, facts.staffToken);
    };

    // First: the tests below write.
    it('keeps every row when it is migrated', async () => {
      const tables = Object.entries(facts.rows).filter(([table]) => !written.has(table));
      const kept = await Promise.all(
        tables.map(async ([table]) => [table, await ledger.count(table)]),
      );
      expect(kept).toEqual(tables);
    });

    it('undoes a move within its ten seconds', async () => {
      const { status, body } = await move(facts.undoableOrderId, 'undo');
      expect([status, body.state]).toEqual([200, 'in_progress']);
    });

    it('repeats the answer to an order that is sent again with its key', async () => {
      const { id, key, body } = facts.order;
      const again = await post<{ orderId: string }>(`${API}/order`, body, facts.token, key);
      expect([again.status, again.body.orderId, again.headers['idempotent-replayed']]).toEqual([
        201,
        id,
        'true',
      ]);
    });

    it('orders by the id of a check', async () => {
      const check = await get<{ id: string }>(`${API}/check/${facts.checkId}`);
      expect([check.status, check.body.id]).toEqual([200, facts.checkId]);
      const order = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12', checkId: facts.checkId };
      expect((await post(`${API}/order`, order)).status).toBe(201);
    });

    it('orders a line of a quote', async () => {
      const quote = await get<{ lines: { state: string }[] }>(`${API}/quote/${facts.quoteId}`);
      expect(quote.body.lines.map(({ state }) => state)).toEqual(['ordered', 'priced', 'enquired']);
      const path = `${API}/quote/${facts.quoteId}/acceptance`;
      expect((await post(path, { lines: ['2'] })).status).toBe(201);
    });

    it('works in the sandbox', async () => {
      const check = await get(`${API}/check/${facts.testCheckId}`, facts.testToken);
      const order = await get(`${API}/order/${facts.testOrderId}`, facts.testToken);
      const path = `${API}/quote/${facts.testQuoteId}/acceptance`;
      const ordered = await post(path, { lines: ['1'] }, facts.testToken);
      expect([check.status, order.status, ordered.status]).toEqual([200, 200, 201]);
    });

    it('goes on with a list from its cursor', async () => {
      const { status, body } = await get<{ items: { orderId: string }[] }>(
        `${API}/order?limit=1&cursor=${facts.cursor}`,
      );
      expect([status, body.items.map(({ orderId }) => orderId)]).toEqual([200, [facts.order.id]]);
    });

    it('wins an order', async () => {
      const contact = { channel: 'phone', result: 'reached' };
      const { status } = await move(facts.claimedOrderId, 'logContact', contact);
      const { body } = await move(facts.claimedOrderId, 'win');
      expect([status, body.state]).toEqual([200, 'won']);
      const order = await get<{ delivery: object | null }>(`${API}/order/${facts.claimedOrderId}`);
      expect(order.body.delivery).not.toBeNull();
    });

    it('opens sealed secrets', async () => {
      const webhooks = await service.get(WebhooksService).reseal(operator);
      const factors = await service.get(SecondFactorService).reseal(operator);
      expect([webhooks, factors]).toEqual([
        { changed: [], current: facts.rows.webhook_endpoints, unreadable: [] },
        { changed: [], current: facts.rows.staff_credentials, unreadable: [] },
      ]);
    });

    it('lets a member sign in with password and recovery code', async () => {
      const browser = new StaffBrowser(service);
      const { staffEmail, staffPassword, recoveryCode } = facts;
      const first = await browser.signIn(staffEmail, staffPassword);
      const second = await browser.post('/staff/sign-in/code', { code: recoveryCode });
      expect([first.status, second.status, await browser.isSignedIn()]).toEqual([303, 303, true]);
      for (const path of ['/staff/queue', '/staff/reports']) {
        expect([path, (await browser.get(path)).status]).toEqual([path, 200]);
      }
    });

    it('exports a catalogue version, and restores it', async () => {
      const files = await service.http.send({
        method: 'GET',
        path: '/catalogue/versions/1/files',
        token: facts.staffToken,
      });
      expect([files.status, files.headers['content-type']]).toEqual([200, 'application/zip']);
      await service.given.catalogue();
      const restored = await service.get(VersionsService).restore(1, { accept: 'test' }, operator);
      const { body } = await get<{ items: Version[] }>('/catalogue/versions', facts.staffToken);
      expect(body.items.find(({ state }) => state === 'active')?.number).toBe(restored.number);
      const check = await get<{ availableProducts: object[] }>(`${API}/postcode/EC2A%202BS`);
      expect(check.body.availableProducts.length).toBeGreaterThan(0);
    });
  });
});

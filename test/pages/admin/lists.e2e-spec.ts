import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { operator } from '../../../src/platform/audit/audit.service.js';
import { Transactions } from '../../../src/platform/database/transactions.js';
import { OutboxMessage } from '../../../src/platform/notifications/messages/outbox-message.entity.js';
import { OutboxRepository } from '../../../src/platform/notifications/outbox.repository.js';
import { WebhooksService } from '../../../src/platform/notifications/webhooks.service.js';
import {
  facts,
  faults,
  HOSTILE,
  hostileElements,
  rows,
  signedIn,
  told,
  way,
} from '../../support/admin-pages.js';
import { onOneEngine, type Service, startService } from '../../support/service.js';
import type { StaffBrowser } from '../../support/staff-browser.js';

onOneEngine('the administration pages', (engine) => {
  let service: Service;
  let admin: StaffBrowser;
  let manager: StaffBrowser;

  const start = async () => {
    const config = { rateLimits: false, webhookKey: randomBytes(32) };
    service = await startService(engine, { config });
    ({ admin, manager } = await signedIn(service));
  };
  beforeAll(start);

  const run = <T>(work: Parameters<Transactions['run']>[0]) =>
    service.get(Transactions).run(work) as Promise<T>;

  async function message(about: Partial<OutboxMessage> = {}): Promise<string> {
    const id = uuid();
    const now = service.clock.now();
    await run((tx) =>
      tx.insert(OutboxMessage, {
        id,
        channel: 'email',
        kind: 'new-order',
        subjectId: uuid(),
        forClient: false,
        endpointId: null,
        body: null,
        onceKey: null,
        state: 'dead',
        dueAt: now,
        claim: null,
        attempts: 14,
        createdAt: now,
        giveUpAt: now,
        finishedAt: now,
        lastError: '550 No such mailbox',
        ...about,
      }),
    );
    return id;
  }

  const stateOf = async (id: string) => {
    const all = await service.get(OutboxRepository).list(['waiting', 'dead', 'discarded'], 100);
    return all.find((one) => one.id === id)?.state;
  };

  describe('notifications', () => {
    beforeEach(start);

    it('say that there is nothing to send, and that email is off', async () => {
      const page = await admin.get('/staff/notifications');
      expect(told(page)).toEqual([200, 'Email is switched off.']);
      expect(page.text).toContain('Nothing to send.');
    });

    it('start with the failed messages, which can be retried or discarded', async () => {
      const [one, two, three] = [await message(), await message(), await message()];
      const page = await admin.get('/staff/notifications');
      expect(page.text).toContain('<h1>Notifications: 3 failed</h1>');
      expect(page.text).toContain('<title>Notifications: 3 failed – Product Availability</title>');
      expect(rows(page)[1]?.slice(1, 2)).toEqual(['New order Email']);
      expect(rows(page)[1]?.slice(4)).toEqual([
        '14',
        '09:00',
        'The mail server refused the recipient Details 550 No such mailbox',
      ]);

      const resent = await admin.post('/staff/notifications', {
        state: 'dead',
        do: 'resend',
        id: [one, two],
      });
      expect(way(resent)).toEqual([
        303,
        '/staff/notifications?state=dead&said=messages-resend&count=2',
      ]);
      expect(told(await admin.get(String(resent.headers.location)))).toEqual([
        200,
        '2 messages will be retried now.',
      ]);
      const discarded = await admin.post('/staff/notifications', {
        state: 'dead',
        do: 'discard',
        id: three,
      });
      expect(told(await admin.get(String(discarded.headers.location)))).toEqual([
        200,
        '1 message discarded.',
      ]);
      expect([await stateOf(one), await stateOf(two), await stateOf(three)]).toEqual([
        'waiting',
        'waiting',
        'discarded',
      ]);
      const trail = await admin.get(`/staff/audit?subject=notification&id=${three}`);
      expect(rows(trail)[1]?.slice(1, 4)).toEqual([
        'Discarded',
        'Notification New order',
        'Ada Admin',
      ]);
    });

    it('name the order or token that they are about, and link to the order', async () => {
      await service.given.catalogue();
      const client = await service.given.client({ name: 'Named Ltd' });
      const { id, token } = await service.given.issuedToken({ client });
      const order = await service.given.order({ token });
      const test = await service.given.order({
        token: await service.given.token({ client, kind: 'test' }),
        ...{ postcode: 'ZZ99 1AA', productCode: 'TEST-1G-12' },
      });
      const referenceIn = ({ message }: { message: string }) => /ORD-\w+/.exec(message)?.[0];
      await message({ subjectId: order.orderId });
      await message({ subjectId: test.orderId, kind: 'order.received' });
      await message({ subjectId: id, kind: 'token-expiry' });
      await message({ subjectId: '2026-03-02T08:30', kind: 'reminder' });
      const page = await admin.get('/staff/notifications?state=dead');
      const shown = rows(page).slice(1);
      expect(shown.map((cells) => [cells[1], cells[2]])).toEqual([
        ['Reminder of waiting orders Email', '…02T08:30'],
        ['Token expires soon Email', `Token …${token.slice(-4)} of Named Ltd`],
        ['Order received Email', `Test order ${referenceIn(test)}`],
        ['New order Email', `order ${referenceIn(order)}`],
      ]);
      expect(page.text).toContain(`href="/staff/orders/${order.orderId}"`);
      expect(page.text).not.toContain(`href="/staff/orders/${test.orderId}"`);
    });

    it('change nothing if a selected message has changed, and keep the selection', async () => {
      const [still, gone] = [await message(), await message()];
      await service.get(OutboxRepository).discard([gone], operator);
      const page = await admin.post('/staff/notifications', {
        state: 'dead',
        do: 'resend',
        id: [still, gone],
      });
      expect(told(page)).toEqual([
        409,
        'Nothing was changed: a selected message has changed since you opened the page.',
      ]);
      expect(await stateOf(still)).toBe('dead');
      expect(page.text).toMatch(new RegExp(`value="${still}" checked`));
      const unknown = await admin.post('/staff/notifications', { do: 'resend', id: 'x' });
      expect(unknown.status).toBe(409);
    });

    it('ask for a selection', async () => {
      expect(told(await admin.post('/staff/notifications', { do: 'discard' }))).toEqual([
        422,
        'Select at least one message.',
      ]);
    });

    it('escape every error text', async () => {
      await message({ lastError: HOSTILE, kind: HOSTILE.slice(0, 64), subjectId: '"><img>' });
      const page = await admin.get('/staff/notifications?state=dead');
      expect(page.text).toContain('&lt;script>alert(1)&lt;/script>');
      expect(hostileElements(page)).toEqual([]);
    });
  });

  describe('webhooks of clients', () => {
    it('are shown with their failures, disabled with a reason and enabled', async () => {
      const client = await service.given.client({ name: 'Hooked Ltd' });
      const url = 'https://hooks.hooked.example/secret-path';
      const owner = { clientId: client.id, isTest: false };
      const { endpoint } = await service.get(WebhooksService).add(url, owner, operator);
      const place = `/staff/clients/${client.id}`;
      const one = { webhook: endpoint.id };
      expect(facts(await admin.get(place))).toMatchObject({
        'Goes to': 'hooks.hooked.example',
        Undelivered: 'None',
      });
      const hook = { channel: 'webhook', kind: 'order.received', endpointId: endpoint.id } as const;
      await message({ ...hook, lastError: 'answered 500' });
      await message({ ...hook, state: 'waiting', lastError: HOSTILE, attempts: 1 });
      await message({ ...hook, endpointId: uuid(), lastError: 'of another' });
      const page = await admin.get(place);
      expect(facts(page)).toMatchObject({ Undelivered: '1 waiting, 1 failed' });
      expect(facts(page)['Last failure']).toContain(
        `${HOSTILE} Order received, 1 attempt, created`,
      );
      expect([hostileElements(page), page.text.includes('secret-path')]).toEqual([[], false]);
      expect((await admin.get('/staff/notifications?state=dead')).text).toContain(
        'Webhook to hooks.hooked.example',
      );

      const unsaid = await admin.post(`${place}/webhook`, { ...one, enabled: 'no', reason: '' });
      expect(faults(unsaid)).toEqual([422, { [`reason-${endpoint.id}`]: 'Enter a reason.' }]);
      const disabled = await admin.post(`${place}/webhook`, {
        ...one,
        enabled: 'no',
        reason: 'Moved',
      });
      expect(way(disabled)).toEqual([303, `${place}?said=webhook-disabled`]);
      const after = await admin.get(place);
      expect(facts(after).State).toBe('Disabled: Moved');
      const list = rows(await admin.get('/staff/clients'));
      expect(list.find(([name]) => name === 'Hooked Ltd')?.slice(5)).toEqual([
        'Disabled',
        'Enabled',
      ]);
      const enabled = await admin.post(`${place}/webhook`, {
        enabled: 'yes',
        webhook: endpoint.id,
      });
      expect(way(enabled)).toEqual([303, `${place}?said=webhook-enabled`]);
      expect(facts(await admin.get(place)).State).toBe('Enabled');
    });

    it('are not found for a client without one', async () => {
      const { id } = await service.given.client();
      expect((await admin.post(`/staff/clients/${id}/webhook`, { enabled: 'yes' })).status).toBe(
        404,
      );
    });
  });

  it('show a member where second factors are not available', async () => {
    const page = await admin.get(`/staff/members/${manager.member.id}`);
    expect([page.status, facts(page)['Second factor']]).toEqual([200, 'None']);
  });
});

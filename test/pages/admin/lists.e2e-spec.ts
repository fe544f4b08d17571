import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { AuditService, operator } from '../../../src/audit/audit.service.js';
import { ClientsService } from '../../../src/clients/clients.service.js';
import { Transactions } from '../../../src/database/transactions.js';
import { OutboxMessage } from '../../../src/notifications/outbox-message.entity.js';
import { OutboxRepository } from '../../../src/notifications/outbox.repository.js';
import { WebhooksService } from '../../../src/notifications/webhooks.service.js';
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
import { onBothEngines, type Service, startService } from '../../support/service.js';
import type { StaffBrowser } from '../../support/staff-browser.js';

onBothEngines('the administration pages', (engine) => {
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
        'just now, 09:00',
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
        `${HOSTILE} Order received, one attempt, created`,
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

  describe('the audit trail', () => {
    const record = (count: number, action: string, details = {}) =>
      run((tx) =>
        service.get(AuditService).record(
          tx,
          ...Array.from({ length: count }, (_, n) => ({
            subject: ['export', `${action}-${n}`] as const,
            action,
            actor: { type: 'staff', id: null, name: 'Olga Old' } as const,
            details,
          })),
        ),
      );
    const shown = async (query: string) => {
      const page = await manager.get(`/staff/audit?${query}`);
      return rows(page)
        .slice(1)
        .map((cells) => cells[2]);
    };

    // The fake clock shows 09:00 UTC on 2 March: winter time.
    beforeAll(() => record(2, 'filtered'));

    it('is filtered by each field, and by all of them', async () => {
      expect(await shown('action=filtered')).toEqual(['Export filtered-1', 'Export filtered-0']);
      expect(await shown('action=filtered&id=filtered-0')).toEqual(['Export filtered-0']);
      expect(await shown('subject=export&actor=Olga+Old&action=filtered')).toHaveLength(2);
      expect(await shown('subject=order&action=filtered')).toEqual([]);
      expect((await manager.get('/staff/audit?action=nothing')).text).toContain(
        'No entries match.',
      );
    });

    it("takes times as London's clocks show them, from included, before excluded", async () => {
      expect(await shown('action=filtered&since=2026-03-02T09:00')).toHaveLength(2);
      expect(await shown('action=filtered&since=2026-03-02T09:01')).toEqual([]);
      expect(await shown('action=filtered&until=2026-03-02T09:00')).toEqual([]);
      expect(await shown('action=filtered&until=2026-03-02T09:01')).toHaveLength(2);
    });

    it('shows no entries for an invalid time', async () => {
      const page = await manager.get('/staff/audit?since=yesterday&action=filtered');
      expect(faults(page)).toEqual([
        422,
        { since: 'Write a day and a time, such as 21/11/2026, 09:30.' },
      ]);
      expect([rows(page), page.text.includes('value="filtered"')]).toEqual([[], true]);
    });

    it('finds the entries of an order by its reference in any spelling, without an id, a code or UTC', async () => {
      await service.given.catalogue();
      const { orderId, message } = await service.given.order();
      const [reference = ''] = /ORD-\w{6}/.exec(message) ?? [];
      await service.given.order();
      const dueAt = '2026-11-30T23:59:00.000Z';
      const actor = { type: 'staff', id: null, name: 'Olga Old' } as const;
      const details = { dueAt, enquiryId: orderId, offerId: crypto.randomUUID(), amount: '12.50' };
      await run((tx) =>
        service
          .get(AuditService)
          .record(tx, { subject: ['order', orderId], action: 'charge_proposed', actor, details }),
      );
      for (const text of [reference, ` ${reference.toLowerCase()}`, reference.slice(4), orderId]) {
        const found = await shown(`id=${encodeURIComponent(text)}`);
        expect([text, found]).toEqual([text, [`Order ${reference}`, `Order ${reference}`]]);
      }
      const [, [, action, , , words] = []] = rows(
        await manager.get(`/staff/audit?id=${reference}`),
      );
      expect([action, words]).toEqual([
        'Charge proposed',
        `Due: Mon 30 Nov, 23:59 Enquiry: ${reference} Amount: 12.50`,
      ]);
      expect(await shown('id=ORD-000000')).toEqual([]);
      const chips = (await manager.get('/staff/audit?id=ORD-TDTXQ2')).text;
      expect(chips).toContain('Reference or ID: ORD-TDTXQ2');
    });

    it('offers actions and people to choose from', async () => {
      const { text } = await manager.get('/staff/audit?actor=Olga+Old');
      expect(text).toMatch(/<option value="charge_proposed">Charge proposed<\/option>/);
      expect(text).toMatch(/<option value="Mary Manager">Mary Manager<\/option>/);
      expect(text).toMatch(/<option value="Olga Old" selected[^>]*>Olga Old<\/option>/);
    });

    it('has pages of earlier entries, each once, even if all are of one instant', async () => {
      await record(250, 'bulk');
      const seen: (string | undefined)[] = [];
      let path: string | undefined = '/staff/audit?action=bulk';
      let pages = 0;
      while (path !== undefined && pages < 5) {
        const page = await manager.get(path);
        seen.push(
          ...rows(page)
            .slice(1)
            .map((cells) => cells[2]),
        );
        path = /href="([^"]*)">Earlier entries/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
        pages += 1;
      }
      expect([pages, seen.length, new Set(seen).size]).toEqual([3, 250, 250]);
    });

    it('ignores an invalid cursor', async () => {
      for (const after of ['x', '1.x', `9.${'-'.repeat(36)}`]) {
        expect(await shown(`action=filtered&after=${after}`)).toHaveLength(2);
      }
    });

    it('escapes every text of an entry', async () => {
      await record(1, 'hostile', { [HOSTILE]: HOSTILE, list: [HOSTILE], deep: { a: HOSTILE } });
      const page = await manager.get('/staff/audit?action=hostile');
      expect(page.text).toContain('&lt;script>alert(1)&lt;/script>');
      expect(hostileElements(page)).toEqual([]);
      const fields = ['id', 'action', 'actor', 'since', 'subject', 'after'];
      const query = new URLSearchParams(fields.map((name) => [name, HOSTILE]));
      expect(hostileElements(await manager.get(`/staff/audit?${query}`))).toEqual([]);
    });

    it('links only to pages that the viewer may open', async () => {
      const client = await service.given.client({ name: 'Linked Ltd' });
      const query = `/staff/audit?subject=client&id=${client.id}`;
      const link = `href="/staff/clients/${client.id}"`;
      const pages = [await admin.get(query), await manager.get(query)];
      expect(pages.map(({ text }) => text.includes(link))).toEqual([true, false]);
    });

    it('names the subjects, and says in words what happened', async () => {
      const client = await service.given.client({ name: 'Worded Ltd' });
      const { id, token } = await service.given.issuedToken({ client });
      await service
        .get(ClientsService)
        .edit(client.id, { priceList: 'partner', contactName: 'Joan Clarke' }, operator);
      const told = async (subject: string) => {
        const page = await admin.get(`/staff/audit?id=${subject}`);
        const [, ...entries] = rows(page);
        return entries.map((cells) => [cells[1], cells[2], cells[4]]);
      };
      expect(await told(client.id)).toEqual([
        ['Edited', 'API client Worded Ltd', 'Price list: standard → partner Contact name: changed'],
        ['Added', 'API client Worded Ltd', ''],
      ]);
      expect(await told(id)).toEqual([
        [
          'Issued',
          `Token …${token.slice(-4)} of Worded Ltd`,
          'Scopes: availability:read, orders:write, orders:read Expires: 2 Mar 2027',
        ],
      ]);
    });

    describe('its export', () => {
      const csv = async (query: string, browser = manager) => {
        const reply = await browser.get(`/staff/audit.csv?${query}`);
        return [reply.status, reply.text.split('\r\n')] as const;
      };

      it('has every entry of the filter, newest first', async () => {
        await record(1_203, 'exported');
        const [status, lines] = await csv('action=exported');
        expect([status, lines.length, lines[0], lines.at(-1)]).toEqual([
          200,
          1_205,
          'at,subject,subjectId,subjectName,action,actor,actorId,actorName,details',
          '',
        ]);
        const ids = lines.slice(1, -1).map((line) => line.split(',')[2]);
        expect(new Set(ids).size).toBe(1_203);
        expect(ids[0]).toBe('exported-1202');
        const page = await manager.get('/staff/audit?action=exported&subject=export');
        expect(page.text).toContain('href="/staff/audit.csv?subject=export&amp;action=exported"');
      });

      it('is empty where nothing matches', async () => {
        expect((await csv('action=none-like-this'))[1]).toHaveLength(2);
      });

      it('holds no formula and no broken row', async () => {
        await record(1, 'formula', { note: 'a "quote", and\r\na line' });
        const attacker = { type: 'client', id: null, name: '=HYPERLINK("http://x")' } as const;
        await run((tx) =>
          service
            .get(AuditService)
            .record(tx, { subject: ['order', '@SUM(A1)'], action: 'formula', actor: attacker }),
        );
        const [, lines] = await csv('action=formula');
        expect(lines[1]).toContain(`order,'@SUM(A1),,formula,client,,"'=HYPERLINK(""http://x"")",`);
        expect(lines[2]).toContain('"{""note"":""a \\""quote\\"", and\\r\\na line""}"');
      });

      it('is recorded in the trail', async () => {
        await csv('subject=key');
        const page = await admin.get('/staff/audit?subject=export&actor=Mary+Manager');
        const [finished, started] = rows(page).slice(1);
        expect([started?.[1], started?.[4], finished?.[1]]).toEqual([
          'Started',
          expect.stringContaining('audit'),
          'Finished',
        ]);
      });

      it('is not for agents', async () => {
        const { agent } = await signedIn(service);
        expect((await csv('', agent))[0]).toBe(403);
      });
    });

    it('keeps its filter in the form', async () => {
      const page = await manager.get('/staff/audit?subject=token&actor=Ada+Admin');
      expect(page.text).toMatch(/<option value="token" selected/);
      expect(page.text).toContain('value="Ada Admin"');
    });
  });
});

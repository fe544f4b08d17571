import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditAction } from '../../../src/platform/audit/audit-actions.js';
import { AuditService, operator } from '../../../src/platform/audit/audit.service.js';
import { ClientsService } from '../../../src/clients/clients.service.js';
import { Transactions } from '../../../src/platform/database/transactions.js';
import { faults, HOSTILE, hostileElements, rows, signedIn } from '../../support/admin-pages.js';
import { onOneEngine, type Service, startService } from '../../support/service.js';
import type { StaffBrowser } from '../../support/staff-browser.js';

onOneEngine('the administration pages', (engine) => {
  let service: Service;
  let admin: StaffBrowser;
  let manager: StaffBrowser;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    ({ admin, manager } = await signedIn(service));
  });

  const run = <T>(work: Parameters<Transactions['run']>[0]) =>
    service.get(Transactions).run(work) as Promise<T>;

  describe('the audit trail', () => {
    // Entries of an earlier release may have any action.
    const record = (count: number, action: string, details = {}) =>
      run((tx) =>
        service.get(AuditService).record(
          tx,
          ...Array.from({ length: count }, (_, n) => ({
            subject: ['export', `${action}-${n}`] as const,
            action: action as AuditAction,
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
        { since: 'Enter a day and a time, such as 21/11/2026, 09:30.' },
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
      const details = {
        ...{
          chargeId: crypto.randomUUID(),
          dueAt,
          enquiryId: orderId,
          offerId: crypto.randomUUID(),
        },
        ...{ category: 'expedite', amount: '1240.50 GBP', source: 'telephone' },
      };
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
        `Due: 30 Nov 2026 Enquiry: ${reference} Category: Expedited delivery Amount: £1,240.50 Source: By phone`,
      ]);
      expect(await shown(`id=${reference}&subject=client`)).toEqual([]);
      expect(await shown('id=ORD-000000')).toEqual([]);
      const chips = (await manager.get('/staff/audit?id=ORD-TDTXQ2')).text;
      expect(chips).toContain('Reference or ID: ORD-TDTXQ2');
    });

    it('says what an export was of, and what a change undid, without an id, a code or UTC', async () => {
      const { orderId, message } = await service.given.order();
      const [reference = ''] = /ORD-\w{6}/.exec(message) ?? [];
      await manager.get(`/staff/audit.csv?id=${reference}&action=lost&since=2026-03-02T09:00`);
      const [, started] = rows(await manager.get('/staff/audit?subject=export&action=began'));
      expect(started?.slice(1)).toEqual([
        'Started',
        'Export',
        'Mary Manager',
        `Format: csv About: Orders and enquiries Action: Closed as lost From: 09:00 Reference: ${reference} List: audit trail`,
      ]);
      await run((tx) =>
        service.get(AuditService).record(tx, {
          ...{ subject: ['order', orderId], action: 'undone', actor: operator },
          details: { from: 'won', to: 'in_progress', undone: 'won' },
        }),
      );
      const [, undone] = rows(await manager.get(`/staff/audit?id=${reference}&action=undone`));
      expect(undone?.[4]).toBe('From: Won To: In progress Undone: Won');
    });

    it('opens from the page of an order, for those who may see it', async () => {
      const { agent } = await signedIn(service);
      const { message } = await service.given.order();
      const [reference = ''] = /ORD-\w{6}/.exec(message) ?? [];
      const link = `href="/staff/audit?id=${reference}"`;
      const linked = async (browser: StaffBrowser) =>
        (await browser.get(`/staff/orders/${reference}`)).text.includes(link);
      expect([await linked(manager), await linked(agent)]).toEqual([true, false]);
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
        const action = 'formula' as AuditAction;
        await run((tx) =>
          service
            .get(AuditService)
            .record(tx, { subject: ['order', '@SUM(A1)'], action, actor: attacker }),
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

import { beforeAll, describe, expect, it } from '@jest/globals';
import type { StaffMember } from '../../src/staff/staff-member.entity.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const EVIL = '<img src=x onerror=alert(1)>';

/** Each drawing is in the page twice, wide and narrow. */
const drawings = (html: string) => (html.match(/<svg class="chart wide"/g) ?? []).length;
/** The texts of the table row with this first text. */
function row(html: string, first: string): string[] {
  const rows = html.match(/<tr[^>]*>.*?<\/tr>/gs) ?? [];
  const texts = rows.map((line) =>
    [...line.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
      cell!.replace(/<[^>]*>/g, '').trim(),
    ),
  );
  return texts.find(([text]) => text === first) ?? [];
}

onBothEngines('the pages of the reports', (engine) => {
  let service: Service;
  let manager: StaffBrowser;
  const see = async (path: string) => {
    const { status, text } = await manager.get(path);
    return { status, text };
  };
  const start = async () => {
    service = await startService(engine, { config: { ordersPerMinute: 10_000 } });
    await service.given.catalogue();
    manager = await StaffBrowser.signedIn(service, { role: 'manager', name: EVIL });
  };

  describe('without any work', () => {
    beforeAll(start);

    it('say for each report that there is nothing to show', async () => {
      const { status, text } = await see('/staff/reports');
      expect([status, drawings(text)]).toEqual([200, 0]);
      expect(text.match(/Nothing to show/g)).toHaveLength(9);
      expect(text).toContain('No order is open.');
    });

    it('show a map without shades, and an area without checks', async () => {
      const map = await see('/staff/map');
      expect([map.status, map.text.match(/class="area"/g)?.length]).toEqual([200, 124]);
      expect(map.text).toContain('Nothing to show');
      expect(map.text).not.toMatch(/class="tile t[1-5]"/);
      const area = await see('/staff/map/EC');
      expect([area.status, area.text.includes('No checks here in this period')]).toEqual([
        200,
        true,
      ]);
    });
  });

  describe('with a week of work', () => {
    beforeAll(async () => {
      await start();
      const token = await service.given.token();
      const { orderId } = await service.given.order({ token });
      await service.given.order({ token, productCode: 'INT-1G-36' });
      const look = (postcode: string) =>
        service.http.get(`/product-availability/postcode/${postcode}`, { token });
      for (const postcode of ['EC2A2BS', 'EC2A2BS', 'EC2A2BR', 'AB101AB']) await look(postcode);
      await service.flushChecks();
      const own: Pick<StaffMember, 'id'> = manager.member;
      await service.http.post(
        `/follow-up/orders/${orderId}/claim`,
        { version: 0 },
        { token: await service.given.token({ staff: own }) },
      );
    });

    it('draw every report that has data, with the same numbers in a table', async () => {
      const { text } = await see('/staff/reports');
      expect(row(text, 'INT-1G-12')).toEqual(['INT-1G-12', '1', '0', '1', '0', '0', '0']);
      expect(row(text, 'Checks')).toEqual(['Checks', '4', '–']);
      expect(row(text, 'With a product')).toEqual(['With a product', '2', '50%']);
      expect(row(text, 'London EC')).toEqual(['London EC', '3', '1', '67%', '2']);
      expect(row(text, 'Mon 2 Mar 2026')).toEqual(['Mon 2 Mar 2026', '2', '0', '2']);
      expect(row(text, '09:00')).toEqual(['09:00', '2', '0', '0', '0', '0', '0', '0']);
      expect(drawings(text)).toBe(8);
    });

    it('name every drawing and have no inline style or script', async () => {
      const { text } = await see('/staff/reports');
      for (const [, ids] of text.matchAll(/role="img"[^>]*aria-labelledby="([^"]*)"/g)) {
        for (const id of ids!.split(' ')) expect(text.split(`id="${id}"`)).toHaveLength(2);
      }
      expect(text).not.toMatch(/\sstyle=|\son[a-z]+="|<script(?![^>]*\ssrc=)/);
    });

    it('escape the text that people have written', async () => {
      const { text } = await see('/staff/reports/people');
      expect(text).not.toContain(EVIL);
      expect(row(text, '&lt;img src=x onerror=alert(1)>')).toEqual([
        '&lt;img src=x onerror=alert(1)>',
        '1',
        '0',
        '0',
      ]);
    });

    it.each([
      ['demand', 'EC 3 London EC: 3 checks', 'AB 1 Aberdeen: 1 check'],
      ['coverage', 'EC 67% London EC: 67% of the checks found a product', 'AB 0% Aberdeen: 0% of'],
      ['lost', 'EC 1 London EC: 1 check found nothing', 'AB 1 Aberdeen: 1 check found nothing'],
      ['orders', 'EC 2 London EC: 2 orders', 'AB Aberdeen: 0 orders'],
    ])('map the %s, with a link to the page of each area', async (measure, ec, ab) => {
      const { status, text } = await see(`/staff/map?measure=${measure}`);
      expect([
        status,
        text.includes(`aria-label="${ec}`),
        text.includes(`aria-label="${ab}`),
      ]).toEqual([200, true, true]);
      expect(text).toContain('href="/staff/map/EC?from=2026-02-03&amp;to=2026-03-02"');
      expect(row(text, 'London EC')).toEqual(['London EC', '3', '1', '67%', '2']);
    });

    it('show an area by district, and its sectors without service', async () => {
      const { text } = await see('/staff/map/EC');
      expect(row(text, 'EC2A')).toEqual(['EC2A', '3', '1', '0', '2']);
      expect(row(text, 'EC2A 2')).toEqual(['EC2A 2', '1']);
      expect(text).toContain('href="/staff/queue?view=all&amp;area=EC"');
    });

    it('cover the chosen days, both included', async () => {
      const day = await see('/staff/reports/daily?from=2026-03-02&to=2026-03-02');
      expect(row(day.text, 'Mon 2 Mar 2026')).toEqual(['Mon 2 Mar 2026', '2', '0', '2']);
      const before = await see('/staff/reports/demand?from=2026-02-01&to=2026-03-01');
      expect(before.text).toContain('Choose other days to see earlier ones.');
      const year = await see('/staff/reports/daily?from=2025-03-03&to=2026-03-02');
      expect(year.text).toContain('Open at the end of the week');
    });
  });

  describe('with or without work', () => {
    beforeAll(start);

    it('show the form again for invalid days, with the typed text', async () => {
      const { status, text } = await see('/staff/reports?from=2026-02-31&to=%3Cb%3E');
      expect(status).toBe(400);
      expect(text).toContain('From must be a day, such as 2026-11-01.');
      expect(text).toContain('value="2026-02-31"');
      expect(text).toContain('value="&lt;b>"');
      const long = await see('/staff/map?from=2020-01-01&to=2026-01-01&measure=lost');
      expect([long.status, long.text.includes('400 days apart at most')]).toEqual([400, true]);
    });

    it.each([
      '/staff/reports/nothing',
      '/staff/map/ZZ',
      '/staff/map/%3Cb%3E',
      '/staff/map/toString',
    ])('answer 404 at %s', async (path) => {
      expect((await see(path)).status).toBe(404);
    });

    it('are for managers', async () => {
      const agent = await StaffBrowser.signedIn(service, { role: 'agent' });
      for (const path of ['/staff/reports', '/staff/reports/age', '/staff/map', '/staff/map/EC']) {
        expect([path, (await agent.get(path)).status]).toEqual([path, 403]);
      }
    });
  });
});

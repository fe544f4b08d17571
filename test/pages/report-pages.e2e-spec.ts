import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { StaffMember } from '../../src/staff/member/staff-member.entity.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { postAsStaff } from '../support/moves.js';

/** Texts of tables without rows: all but the main figures, and one is of two tables. */
const EMPTY_TEXTS = 15;
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

onOneEngine('the pages of the reports', (engine) => {
  let service: Service;
  let manager: StaffBrowser;
  const see = async (path: string) => {
    const { status, text } = await manager.get(path);
    return { status, text };
  };
  /** Tables that reports show by choice. */
  const others = [
    ...['?by=arrivals', '?by=people', '/people?by=by-person', '/people?by=by-client'],
    ...['/demand?by=lost-reasons', '/deals?by=quotes', '/deals?by=charges'],
  ];
  /** All tabs, and all tables. */
  const seeAll = async () => {
    const pages: { status: number; text: string }[] = [];
    const tabs = ['', '/people', '/demand', '/deals', '/promised'];
    for (const path of [...tabs, ...others]) pages.push(await see(`/staff/reports${path}`));
    return {
      statuses: pages.map(({ status }) => status),
      text: pages.map(({ text }) => text).join(''),
    };
  };
  const start = async () => {
    service = await startService(engine, { config: { ordersPerMinute: 10_000 } });
    await service.given.catalogue();
    manager = await StaffBrowser.signedIn(service, { role: 'manager', name: EVIL });
  };

  describe('without any work', () => {
    beforeAll(start);

    it('say for each report that there is nothing to show', async () => {
      const { statuses, text } = await seeAll();
      expect([new Set(statuses), drawings(text)]).toEqual([new Set([200]), 0]);
      const empty = [...text.matchAll(/<p class="hint">([^<]*) Other days may have some/g)];
      expect(new Set(empty.map(([, words]) => words)).size).toBe(EMPTY_TEXTS);
      expect(text).toContain('No order or enquiry is open.');
      expect(text).toContain('There are no orders to compare with in ');
      expect(text).not.toContain('Compared with');
    });

    it('show a map without shades, and an area without checks', async () => {
      const map = await see('/staff/map');
      expect([map.status, map.text.match(/<circle class="zero"/g)?.length]).toEqual([200, 124]);
      expect(map.text).toContain('Nothing to show');
      expect(map.text).toContain('Every check here found a product.');
      const area = await see('/staff/map/EC');
      expect([area.status, row(area.text, 'EC2A').slice(0, 3)]).toEqual([200, ['EC2A', '0', '0']]);
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
      await service.http.send({
        method: 'PUT',
        path: '/product-availability/watch/EC2A2BR',
        token,
      });
      await service.flushChecks();
      const own: Pick<StaffMember, 'id'> = manager.member;
      await postAsStaff(
        service.http,
        `/follow-up/orders/${orderId}/claim`,
        { version: 0 },
        { token: await service.given.token({ staff: own }) },
      );
    });

    it('draw every report that has data, with the same numbers in a table', async () => {
      const { text } = await seeAll();
      expect(row(text, 'INT-1G-12')).toEqual(['INT-1G-12', '1', '0', '1', '0', '0', '0', '550.00']);
      expect(row(text, 'Checks')).toEqual(['Checks', '4', '–', '–']);
      expect(row(text, 'With a product')).toEqual(['With a product', '2', '50%', '–']);
      expect(row(text, 'London EC')).toEqual(['London EC', '3', '1', '67%', '1', '2', '1,000.00']);
      expect(row(text, 'Mon 2 Mar 2026')).toEqual(['Mon 2 Mar 2026', '2', '0', '2', '1,000.00']);
      expect(row(text, '09:00')).toEqual(['09:00', '2', '0', '0', '0', '0', '0', '0']);
      expect(row(text, 'Enquiries')).toEqual(['Enquiries', '0', '0.00']);
      const names = [...text.matchAll(/<svg class="chart wide".*?<title[^>]*>([^<]*)/gs)];
      expect(new Set(names.map(([, name]) => name)).size).toBe(8);
    });

    it('begin with the main figures, and narrow them by a filter in the address', async () => {
      const { text } = await see('/staff/reports');
      const [received] = /<dt>Orders received<\/dt>.*?<\/dd>/s.exec(text) ?? [''];
      expect(received).toContain('<span class="figure">2</span>');
      expect(received).toContain('£1,000 per month');
      const narrow = await see('/staff/reports?bandwidth=1&term=12');
      expect(narrow.text).toContain('£550 per month');
      expect(narrow.text).toContain('<option value="12" selected>12 months');
      expect(narrow.text).toContain('&amp;bandwidth=1&amp;term=12');
      const products = await see('/staff/reports/demand?bandwidth=1&term=12');
      expect(row(products.text, 'INT-1G-12')).not.toEqual([]);
      expect(row(products.text, 'INT-1G-36')).toEqual([]);
      const none = await see(`/staff/reports?owner=${randomUUID()}`);
      expect(none.text).toContain('Not in the list');
    });

    it('export each report under its address with .csv', async () => {
      const links = (await seeAll()).text.matchAll(/href="([^"]*\.csv[^"]*)"/g);
      const texts = new Map<string, string>();
      for (const [, href = ''] of links) {
        const { status, text, headers } = await manager.get(href.replaceAll('&amp;', '&'));
        const name = /reports\/([a-z-]+)\.csv/.exec(href)?.[1] ?? '';
        expect([status, headers['content-disposition']]).toEqual([
          200,
          `attachment; filename="${name}.csv"`,
        ]);
        texts.set(name, text);
      }
      expect([...texts.keys()]).toHaveLength(17);
      expect(texts.get('outcomes')).toBe(
        'Product,Received,Won,Open,Lost,Cancelled,Duplicate,GBP per month\r\n' +
          'INT-1G-12,1,0,1,0,0,0,550\r\nINT-1G-36,1,0,1,0,0,0,450\r\n',
      );
      expect(texts.get('people')).toContain(`${EVIL},1,0,0,550\r\n`);
      expect(texts.get('daily')).toContain('\r\n2026-03-02,2,0,2,1000\r\n');
    });

    it('name every drawing and have no inline style or script', async () => {
      const { text } = await see('/staff/reports');
      for (const [, ids] of text.matchAll(/role="img"[^>]*aria-labelledby="([^"]*)"/g)) {
        for (const id of ids!.split(' ')) expect(text.split(`id="${id}"`)).toHaveLength(2);
      }
      expect(text).not.toMatch(/\sstyle=|\son[a-z]+="|<script(?![^>]*\ssrc=)/);
    });

    it('lead from the address of a single report, which had a page, to its place', async () => {
      const { status, headers } = await manager.get(
        '/staff/reports/first-contact?from=2026-03-01&to=2026-03-02',
      );
      expect([status, headers.location]).toEqual([
        303,
        '/staff/reports/people?from=2026-03-01&to=2026-03-02&by=first-contact#contacts-and-wins',
      ]);
      const arrivals = await manager.get('/staff/reports/arrivals?from=2026-03-01&to=2026-03-02');
      const [address, place] = String(arrivals.headers.location).split('#');
      expect(place).toBe('received-and-closed');
      const shown = await see(address!);
      expect(shown.text).toContain(`id="${place}"`);
      expect(shown.text).toContain('reports/arrivals.csv?');
      expect(shown.text).not.toContain('reports/daily.csv?');
    });

    it('count the open orders and enquiries of the navigation', async () => {
      const token = await service.given.token();
      const placed = await service.http.post(
        '/product-availability/enquiry',
        { postcode: 'EC2A 2BS' },
        { token },
      );
      expect(placed.status).toBe(201);
      const { text } = await see('/staff/reports');
      expect(row(text, 'Enquiries').slice(0, 2)).toEqual(['Enquiries', '1']);
      expect(text).toContain('3 are open; 0 orders are late for their first contact.');
      const [navigation] = /All open.*?<\/a>/s.exec(text) ?? [''];
      expect(navigation).toContain('>3<');
    });

    it('escape the text that people have written', async () => {
      const { text } = await see('/staff/reports?by=people');
      expect(text).not.toContain(EVIL);
      expect(row(text, '&lt;img src=x onerror=alert(1)>')).toEqual([
        '&lt;img src=x onerror=alert(1)>',
        '1',
        '0',
        '0',
        '550.00',
      ]);
    });

    it.each([
      ['demand', 'London EC: 3 checks, 33% not served', 'AB Aberdeen: 1 check, 100% not served'],
      ['lost', 'London EC: 1 not served of 3 checks', 'AB Aberdeen: 1 not served of 1 check'],
      ['orders', 'London EC: 2 orders, £1,000 per month', 'AB Aberdeen: 0 orders'],
      ['coverage', 'London EC: 10% of 3,583 postcodes covered', 'AB Aberdeen: 0% of'],
    ])('map the %s, with a link to the map of each area', async (measure, ec, ab) => {
      const { status, text } = await see(`/staff/map?measure=${measure}`);
      expect(status).toBe(200);
      const titles = [...text.matchAll(/<a [^>]*><title>(.*?)<\/title>/g)].map(([, said]) => said);
      expect(titles.filter((said) => /^(London EC|AB )/.test(said!)).sort()).toEqual([
        expect.stringContaining(ab),
        expect.stringContaining(ec),
      ]);
      expect(text).toContain('href="/staff/map/EC?');
      expect(text).toContain('from=2026-02-03&amp;to=2026-03-02');
      const cells = ['London EC', '3', '1', '33%', '0', '1', '2'];
      expect(row(text, 'London EC').slice(0, 7)).toEqual(cells);
      expect(text).toContain('Contains OS data © Crown copyright');
    });

    it('lead from the country to an area, a district and the orders of a sector', async () => {
      const area = await see('/staff/map/EC');
      expect(row(area.text, 'EC2A').slice(0, 7)).toEqual(['EC2A', '3', '1', '33%', '0', '1', '2']);
      expect(area.text).toContain('href="/staff/queue?view=all&amp;area=EC"');
      expect(area.text).toContain('href="/staff/map/EC2A?');
      const district = await see('/staff/map/EC2A');
      expect(row(district.text, 'EC2A 2').slice(0, 4)).toEqual(['EC2A 2', '3', '1', '33%']);
      expect(district.text).toContain('href="/staff/search?q=EC2A+2"');
      // All of EC2A is in a zone that sells, except one postcode.
      expect(district.text).toMatch(
        /EC2A 2<\/a> <span class="muted">1 not served of 3 checks, 9\d% c/,
      );
      const none = await see('/staff/map/BT');
      expect([none.status, none.text.includes('No map of this place')]).toEqual([200, true]);
    });

    it('list first the sectors that are asked for and not served', async () => {
      const { text } = await see('/staff/map');
      const list = text.slice(
        text.indexOf('Most requested, not served'),
        text.indexOf('<svg class="map'),
      );
      expect([...list.matchAll(/>([A-Z0-9]+ \d)<\/a>/g)].map(([, sector]) => sector)).toEqual([
        'EC2A 2',
        'AB10 1',
      ]);
    });

    it('draw the ground of the country from a picture that browsers keep', async () => {
      const { text } = await see('/staff/map');
      const [, address] = /<use class="land" href="([^"#]*)#land">/.exec(text)!;
      const kept = await manager.get(address!);
      expect([kept.status, kept.headers['content-type'], kept.headers['cache-control']]).toEqual([
        ...[200, 'image/svg+xml', 'private, max-age=31536000, immutable'],
      ]);
      for (const [, name] of text.matchAll(/<use class="[^"]*" href="[^"#]*#([^"]*)">/g)) {
        expect(String(kept.body)).toMatch(new RegExp(`<path id="${name}" d="M[^"]{10}`));
      }
      const other = await manager.get('/staff/map/ground.svg?v=other');
      expect([other.status, other.headers['cache-control']]).toEqual([200, 'no-store']);
      expect((await see('/staff/map/EC')).text).not.toContain('<use class="land"');
    });

    it('export the map, with positions on the National Grid', async () => {
      const country = (await manager.get('/staff/map.csv')).text.split('\r\n');
      expect(country[0]).toBe(
        'Place,Checks,Not served,Share not served,By phone,Watched,Orders,GBP per month,Postcodes,Share covered,Easting,Northing',
      );
      expect(country[1]).toMatch(/^EC,3,1,0\.333\d*,0,1,2,1000,\d+,0\.\d+,53\d{4},18\d{4}$/);
      const district = (await manager.get('/staff/map/EC2A.csv')).text.split('\r\n');
      expect([district.length, district[1]]).toEqual([6, expect.stringMatching(/^EC2A 2,3,1,/)]);
      const sectors = (await manager.get('/staff/map.csv?by=sector')).text.split('\r\n');
      expect(sectors.length).toBeGreaterThan(10_800);
      expect((await manager.get('/staff/map.csv?from=tomorrow')).status).toBe(400);
    });

    it('cover the chosen days, both included', async () => {
      const day = await see('/staff/reports?from=2026-03-02&to=2026-03-02');
      expect(row(day.text, 'Mon 2 Mar 2026').slice(0, 4)).toEqual([
        'Mon 2 Mar 2026',
        '2',
        '0',
        '2',
      ]);
      const before = await see('/staff/reports/demand?from=2026-02-01&to=2026-03-01');
      expect(before.text).toContain('No checks in this period. Other days may have some.');
      const year = await see('/staff/reports?from=2025-03-03&to=2026-03-02');
      expect(year.text).toContain('Open at the end of the week');
    });
  });

  describe('with or without work', () => {
    beforeAll(start);

    it('show the form again for invalid days, with the typed text', async () => {
      const { status, text } = await see('/staff/reports?from=2026-02-31&to=%3Cb%3E');
      expect(status).toBe(400);
      expect(text).toContain('Enter a day, such as 2026-11-21.');
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
      '/staff/map/ec',
      '/staff/map/EC2A%202',
      '/staff/map/ZZ.csv',
      '/staff/reports/nothing.csv',
    ])('answer 404 at %s', async (path) => {
      expect((await see(path)).status).toBe(404);
    });

    it('are for managers', async () => {
      const agent = await StaffBrowser.signedIn(service, { role: 'agent' });
      for (const path of [
        ...['/staff/reports', '/staff/reports/deals', '/staff/reports/age.csv'],
        ...['/staff/map', '/staff/map/EC', '/staff/map.csv', '/staff/map/EC.csv'],
        '/staff/map/ground.svg',
      ]) {
        expect([path, (await agent.get(path)).status]).toEqual([path, 403]);
      }
    });
  });
});

import { beforeAll, expect, it } from '@jest/globals';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { importRows } from '../support/positions.js';
import { upload } from '../support/catalogue-form.js';
import type { CatalogueRows } from '../support/given.js';
import { Integrator } from '../support/integrator.js';
import { quotesOf } from '../support/quotes.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

/** 269 m, 400 m and 9 km east of the covered unit, and one without a position. */
const positions = ['EC2A 2BS,533000', 'E1 6AB,533269', 'E1 6AD,533400', 'E1 6AG,542000'];

const rows: CatalogueRows = {
  prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,250,firm'],
  coverage: ['EC2A 2BS,ONNET', 'N1 1AA,ONNET'],
  zones: ['ONNET,Lit,onNetWithoutBuild,,'],
  buildBands: ['*,350,950,14,subjectToSurvey,*', '*,2000,,90,indicative,*'],
};

onOneEngine('a price by distance', (engine) => {
  let service: Service;
  let browser: StaffBrowser;
  let client: Integrator;

  beforeAll(async () => {
    service = await startService(engine, { config: { quoteHold: 'none' } });
    await importRows(service, [...positions.map((line) => `${line},182000`), 'E1 6AH,,']);
    await service.given.catalogue(rows);
    browser = await StaffBrowser.signedIn(service, { name: 'Sam Okafor', role: 'admin' });
    client = await Integrator.at(service, { nearNet: 'all' });
  });

  const textOf = async (path: string) =>
    (await browser.get(path)).text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

  const pageOf = ({ message }: { message: string }) =>
    `/staff/orders/${/[A-Z]{3}-[0-9A-Z]{6}/.exec(message)![0]}`;

  const enquiredOf = async (of: Integrator, postcode = 'E1 6AB', bandwidth = 1) => {
    const { body } = await of.service.http.post<{ message: string }>(
      '/product-availability/enquiry',
      { postcode, wanted: { bandwidth, term: 12 } },
      { token: of.live },
    );
    return body;
  };

  const enquire = async (postcode: string, bandwidth: number, of = client) =>
    pageOf(await enquiredOf(of, postcode, bandwidth));

  it('is on the check page, with a map of the network', async () => {
    const text = await textOf('/staff/check?postcode=E1+6AB');
    expect(text).toContain('Priced by distance: 350 m from the network, in the band to 350 m.');
    expect(text).toContain('EC2A 2BS: 269 m As the crow flies.');
    const { text: html } = await browser.get('/staff/check?postcode=E1+6AB');
    expect(html).toContain('<figure class="near-map">');
    const far = await textOf('/staff/check?postcode=E1+6AG');
    expect(far).toContain('Too far from our network');
    expect(far).not.toContain('As the crow flies');
    expect(await textOf('/staff/check?postcode=E1+6AH')).toContain(
      'We cannot measure the distance',
    );
    expect(await textOf('/staff/check?postcode=EC2A+2BS')).not.toContain('As the crow flies');
  });

  it('is on the order, and its distance in lists', async () => {
    const placed = await client.order(
      { postcode: 'E1 6AB', productCode: 'INT-1G-12' },
      client.live,
    );
    const text = await textOf(pageOf(placed.body));
    expect(text).toContain('Distance 350 m from the network, in the band to 350 m');
    expect(text).not.toContain('As the crow flies');
    expect(await textOf('/staff/queue?view=all')).toContain('E1 6AB 350 m');
  });

  it('is on an enquiry with a map, also of a client that does not see it', async () => {
    const blind = await Integrator.at(service, { nearNet: 'staff' });
    const text = await textOf(await enquire('E1 6AB', 1, blind));
    expect(text).toContain('Distance 350 m from the network, in the band to 350 m');
    expect(text).toContain('EC2A 2BS: 269 m As the crow flies.');
    for (const postcode of ['E1 6AG', 'E1 6AH']) {
      const far = await textOf(await enquire(postcode, 1));
      expect(far).not.toContain('As the crow flies');
      expect(far).not.toContain('Distance');
    }
    expect(await textOf(await enquire('N1 1AA', 1))).not.toContain('As the crow flies');
  });

  it('is the price of an order that cites a check of staff, after its hold', async () => {
    const blind = await Integrator.at(service, { nearNet: 'staff' });
    const about = { postcode: 'E1 6AB', uprn: '', client: blind.client.id };
    const { headers } = await browser.post('/staff/check', about);
    const checkId = /check\/(\w+)/.exec(headers.location!)![1]!;
    service.clock.advance({ minutes: 16 });
    const ordered = { postcode: 'E1 6AB', productCode: 'INT-1G-12', checkId };
    expect((await blind.order(ordered, blind.live)).status).toBe(201);
    const unseen = { ...ordered, checkId: undefined, reference: 'without the check' };
    expect((await blind.order(unseen, blind.live)).status).toBe(422);
  });

  it('has a map on an enquiry by the setting of its client', async () => {
    const apart = await startService(engine, { config: { nearNet: 'off' } });
    await importRows(apart, [...positions.map((line) => `${line},182000`), 'E1 6AH,,']);
    await apart.given.catalogue(rows);
    const staff = await StaffBrowser.signedIn(apart);
    const hasMap = async (nearNet: 'staff' | 'default') => {
      const { message } = await enquiredOf(await Integrator.at(apart, { nearNet }));
      return (await staff.get(pageOf({ message }))).text.includes('<figure class="near-map">');
    };
    expect([await hasMap('staff'), await hasMap('default')]).toEqual([true, false]);
  });

  it.each([
    ['staff', 201, undefined],
    ['off', 422, 'offerChanged'],
  ] as const)(
    'in a quote that staff made is the price of the order if staff see it: %s',
    async (nearNet, status, reason) => {
      const { client: reseller, live } = await Integrator.at(service, { nearNet: 'staff' });
      const sent = { client: reseller.id, sites: 'Postcode\tBandwidth\nE1 6AB\t1G\n' };
      const made = await browser.post('/staff/quotes', { key: reseller.id, ...sent });
      const draft = made.headers.location!.split('?')[0]!;
      const quote = await browser.post(`${draft}/send`, { version: '0' });
      expect(quote.headers.location).toMatch(/^\/staff\/quotes\/QUO-/);
      service.clock.advance({ seconds: 10 });
      const own = quotesOf(service, live);
      const { quoteId } = (await own.list()).items[0]!;
      const [line] = (await own.read(quoteId)).lines;
      expect(line).toMatchObject({ state: 'priced', held: false, nearest: { band: 350 } });
      await service.get(ClientsService).edit(reseller.id, { nearNet }, operator);
      const reply = await own.accept(quoteId, { lines: ['1'] });
      expect([reply.status, reply.body.lines?.[0]?.reason]).toEqual([status, reason]);
      if (status !== 201) return;
      const order = await own.orderOf(reply.body.orders[0]!.orderId);
      expect([order.product.setupPrice, order.nearest?.band]).toEqual([1_200, 350]);
    },
  );

  it('starts an offer: with the product of the band, or else with what building costs', async () => {
    const start = async (postcode: string, bandwidth: number) => {
      const path = `${await enquire(postcode, bandwidth)}/answer`;
      const html = (await browser.get(path)).text;
      const value = (name: string) => {
        const [input = ''] = new RegExp(`<input[^>]* name="${name}-1"[^>]*>`).exec(html) ?? [];
        return /value="([^"]*)"/.exec(input)?.[1];
      };
      const text = html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
      return {
        text,
        price: value('price'),
        setup: value('setupPrice'),
        days: value('leadTimeDays'),
      };
    };
    const sold = await start('E1 6AB', 1);
    expect(sold.text).toContain('The place is 350 m from the network, in the band to 350 m.');
    expect(sold).toMatchObject({ price: '550.00', setup: '1200.00', days: '98' });
    const other = await start('E1 6AB', 10);
    expect(other.text).toContain(
      'enter the price. By its distance, building adds £950.00 to the set-up price, and 14 days to the lead time.',
    );
    expect(other.setup).toBe('950.00');
    const last = await start('E1 6AD', 10);
    expect(last.text).toContain('building adds a set-up price that is not stated, and 90 days');
  });

  it('is counted in the preview of a version', async () => {
    const token = await service.given.staffToken('catalogue:write', 'follow-up:read');
    const { body } = await upload<{ version: number }>(service.http, token, {
      ...rows,
      buildBands: ['*,350,1500,14,subjectToSurvey,*'],
    });
    const text = await textOf(`/staff/catalogue/versions/${body.version}`);
    expect(text).toContain('1 postcode gets a price by distance, 2 before.');
    expect(text).toContain(
      '1 of 2 postcodes with a price by distance (50.0 %) and 1 of 3 covered postcodes (33.3 %) would be lost; the limit is 10 %.',
    );
    expect(text).toContain(
      '1 build band moves by more than 30 %, such as * to 350 m: set-up 950.00 before, 1500.00 after.',
    );
  });

  it('is on the map only where something can be built on that day', async () => {
    const counts = async (more: CatalogueRows, day: string) => {
      await service.given.catalogue({ ...rows, ...more });
      return [...(await service.get(CatalogueService).reach(day)).values()];
    };
    const day = '2026-06-01';
    expect(await counts({}, day)).toEqual([2]);
    const buildBands = ['*,350,950,14,subjectToSurvey,ETH-*', '*,2000,,90,indicative,*'];
    expect(await counts({ buildBands }, day)).toEqual([1]);
    const prices = ['INT-1G-12,ONNET,standard,550.00,GBP,84,250,firm,,2026-06-01'];
    expect(await counts({ prices }, '2026-05-31')).toEqual([]);
    expect(await counts({ prices }, day)).toEqual([2]);
    await service.given.catalogue(rows);
  });
});

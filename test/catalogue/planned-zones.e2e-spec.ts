import { beforeAll, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operator } from '../../src/platform/audit/audit.service.js';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { dayInWords } from '../../src/catalogue/content/dates.js';
import { printCatalogue } from '../../src/catalogue/content/files/csv-writer.js';
import type { ExplanationView } from '../../src/catalogue/catalogue-rows.dto.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { DemandService } from '../../src/reports/demand.service.js';
import { folderOf } from '../support/catalogue.js';
import type { ImportView } from '../../src/catalogue/catalogue.dto.js';
import { changesIn, upload } from '../support/catalogue-form.js';
import { newFolder } from '../support/closing.js';
import { type DatabaseSettings, newDatabase } from '../support/databases.js';
import { onBothEntrances } from '../support/entrances.js';
import { type CatalogueRows, smallCatalogue } from '../support/given.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

const PLACE = '/product-availability/postcode/EC2A%202BS';

/** Summer time starts at 01:00 UTC on 29 March 2026 and ends on 25 October: midnight is in each. */
const readyAt: [day: string, instant: string][] = [
  ['2026-03-29', '2026-03-29T00:00:00Z'],
  ['2026-03-30', '2026-03-29T23:00:00Z'],
  ['2026-10-25', '2026-10-24T23:00:00Z'],
  ['2026-10-26', '2026-10-26T00:00:00Z'],
];

const orderableFrom = (day: string) =>
  `Products at EC2A 2BS can be ordered from ${dayInWords(day)}.`;

const planned = (day: string): CatalogueRows => ({
  zones: [`ONNET,Lit,onNetWithBuild,${day},Duct works`],
});

function waitUntil({ clock }: Service, instant: number): void {
  clock.advance({ milliseconds: instant - clock.now().getTime() });
}

onBothEntrances('a planned zone', (engine) => {
  let database: DatabaseSettings;
  let services: Service[];
  let token: string;

  const check = async ({ http }: Service) =>
    (await http.get<AvailabilityResult>(PLACE, { token })).body;
  const order = (service: Service, more: object = {}) =>
    service.http.post<Record<string, unknown>>(
      '/product-availability/order',
      { postcode: 'EC2A 2BS', productCode: 'INT-1G-12', ...more },
      { token },
    );

  beforeAll(async () => {
    database = await newDatabase(engine);
    const first = await startService(engine, { database });
    await first.given.catalogue();
    token = await first.given.token();
    services = [first, await startService(engine, { database })];
  });

  it('is on the map from the day on which it sells', async () => {
    const one = await startService(engine);
    await one.given.catalogue(planned('2026-03-04'));
    const covered = async () =>
      (await one.get(DemandService).covered()).reduce((sum, number) => sum + number, 0);
    const before = await covered();
    waitUntil(one, Date.parse('2026-03-04T00:00:00Z'));
    expect(await covered()).toBeGreaterThan(before);
  });

  it.each(readyAt)(
    'ready on %s sells from midnight in London on every instance',
    async (day, at) => {
      const [first] = services;
      await first!.given.catalogue(planned(day));
      for (const service of services) {
        await service.learnChanges();
        waitUntil(service, Date.parse(at) - 1);
        const before = await check(service);
        expect(before).toMatchObject({
          message: `${orderableFrom(day)} To be notified then, watch the place. To ask for something sooner, send an enquiry or contact sales@example.net.`,
          availableProducts: [],
          granularity: 'postcode',
          reasons: [{ code: 'planned', detail: expect.any(String), readyDate: day }],
        });
        waitUntil(service, Date.parse(at));
        const after = await check(service);
        expect([after.reasons, after.availableProducts.map(({ network }) => network)]).toEqual([
          [],
          Array(3).fill('onNetWithBuild'),
        ]);
        expect(Date.parse(String(after.validUntil))).toBe(Date.parse(at) + 15 * 60_000);
        await service.flushChecks();
        const again = await service.http.get<AvailabilityResult>(
          `/product-availability/check/${before.id}`,
          { token },
        );
        expect(again.body).toEqual(before);
      }
    },
  );

  it('refuses orders until then, and accepts them on that day', async () => {
    const [service] = services;
    const day = '2026-12-01';
    await service!.given.catalogue(planned(day));
    waitUntil(service!, Date.parse('2026-11-30T23:59:59Z'));
    const { id } = await check(service!);
    const early = await order(service!);
    expect([early.status, early.body.code]).toEqual([422, 'product-not-available']);
    expect(early.body).toMatchObject({ detail: orderableFrom(day), availableProducts: [] });
    waitUntil(service!, Date.parse('2026-12-01T00:00:00Z'));
    const [now, cited] = [await order(service!), await order(service!, { checkId: id })];
    expect([now.status, cited.status]).toEqual([201, 201]);
  });

  it('keeps the price of a check when the zone is postponed afterwards', async () => {
    const [service] = services;
    await service!.given.catalogue(planned('2026-12-01'));
    waitUntil(service!, Date.parse('2026-12-01T09:00:00Z'));
    const { id } = await check(service!);
    await service!.flushChecks();
    await service!.given.catalogue(planned('2027-06-01'));
    expect((await check(service!)).reasons).toMatchObject([{ readyDate: '2027-06-01' }]);
    expect((await order(service!, { checkId: id })).status).toBe(201);
    service!.clock.advance({ minutes: 16 });
    const late = await order(service!, { checkId: id });
    expect([late.status, late.body.code, late.body.current]).toEqual([409, 'offer-changed', null]);
    expect(late.body.quoted).toMatchObject({ price: 550, network: 'onNetWithBuild' });
  });
});

onOneEngine('a catalogue with zones.csv and price_lists.csv', (engine) => {
  const rows: CatalogueRows = {
    prices: smallCatalogue.prices,
    zones: ['ONNET,Lit,onNetWithoutBuild,,', 'NEARNET,,,2026-12-01,Duct works'],
    priceLists: ['partner-gold,partner,-12,0.50', 'partner-best,partner-gold,-1,'],
  };
  let service: Service;
  let staff: string;
  const importOf = async (path: string) =>
    service
      .get(ImportService)
      .importFiles(path, { label: 'files', actor: operator, activate: true, accept: 'test' });

  beforeAll(async () => {
    service = await startService(engine);
    staff = await service.given.staffToken();
    expect((await importOf(await folderOf(rows))).outcome).toBe('active');
  });

  it('is imported from a folder, exported, and imported again without a change', async () => {
    const { content } = service.get(CatalogueService).current;
    const files = printCatalogue(content);
    expect(files.map(({ fileName }) => fileName)).toEqual([
      'products.csv',
      'prices.csv',
      'coverage.csv',
      'zones.csv',
      'price_lists.csv',
    ]);
    const folder = await newFolder();
    for (const { fileName, chunks } of files) {
      await writeFile(join(folder, fileName), [...chunks].join(''));
    }
    expect((await importOf(folder)).outcome).toBe('no-change');
  });

  it('is uploaded as a form, and compared', async () => {
    const changed = {
      ...rows,
      zones: ['ONNET,Lit,onNetWithBuild,,'],
      priceLists: ['partner-gold,partner,-10,0.50', 'partner-best,partner-gold,-1,'],
    };
    const same = await upload<{ outcome: string }>(service.http, staff, rows);
    expect([same.status, same.body.outcome]).toEqual([200, 'no-change']);
    const { status, body } = await upload<ImportView>(service.http, staff, changed, {
      dryRun: 'true',
    });
    const printed = (name: string) =>
      changesIn(body, name).changes.map(({ change, subject, before, after }) => [
        change,
        subject,
        before,
        after,
      ]);
    expect([status, printed('zones'), printed('priceLists')]).toEqual([
      200,
      [
        ['changed', 'ONNET', 'network onNetWithoutBuild', 'network onNetWithBuild'],
        ['removed', expect.any(String), expect.stringContaining('ready_date 2026-12-01'), ''],
      ],
      [['changed', 'partner-gold', 'percent -12', 'percent -10']],
    ]);
    // Every price of partner-gold moves, and with it those of the list that is based on it.
    expect(changesIn(body, 'prices').count).toBe(8);
  });

  it('prices a client on a derived list, and explains the price', async () => {
    const priceFor = async (priceList: string) => {
      const token = await service.given.token({
        client: await service.given.client({ priceList }),
      });
      const { body } = await service.http.get<AvailabilityResult>(PLACE, { token });
      return body.availableProducts.map(({ productCode, price }) => `${productCode} ${price}`);
    };
    // 208 − 12 % = 183.04; 499.50 (partner) − 12 % = 439.56; 450 − 12 % = 396.
    expect(await priceFor('partner-gold')).toEqual([
      'INT-100M-12 183',
      'INT-1G-12 439.5',
      'INT-1G-36 396',
    ]);
    expect(await priceFor('partner-best')).toEqual([
      'INT-100M-12 181.17',
      'INT-1G-12 435.11',
      'INT-1G-36 392.04',
    ]);
    const client = await service.given.client({ priceList: 'partner-gold' });
    const { body } = await service.http.get<ExplanationView>(
      `/catalogue/explain/EC2A%202BS?client=${client.id}`,
      { token: staff },
    );
    const explained = body.products.find(({ productCode }) => productCode === 'INT-1G-12');
    expect(explained?.reason).toBe(
      'The partner-gold price in ONNET applies: partner 499.50 − 12 %, rounded to 0.50.',
    );
    expect(
      explained?.prices.map(({ priceList, price, decides }) => [priceList, price, decides]),
    ).toEqual([
      ['partner-gold', 439.5, true],
      ['partner', 499.5, false],
      ['standard', 550, false],
    ]);
  });
});

import { beforeAll, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operator } from '../../src/platform/audit/audit.service.js';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { adjustmentOf } from '../../src/catalogue/adjustment.js';
import type { DatedVersionView, ImportView } from '../../src/catalogue/catalogue.dto.js';
import { printCatalogue } from '../../src/catalogue/content/files/csv-writer.js';
import type { ExplanationView } from '../../src/catalogue/catalogue-rows.dto.js';
import { UploadService } from '../../src/catalogue/upload.service.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { WatchEvaluationService } from '../../src/watches/watch-evaluation.service.js';
import { upload } from '../support/catalogue-form.js';
import { newFolder } from '../support/closing.js';
import { type DatabaseSettings, newDatabase } from '../support/databases.js';
import { onBothEntrances } from '../support/entrances.js';
import { smallCatalogue } from '../support/given.js';
import { type Service, startService } from '../support/service.js';

const CHECK = '/product-availability/postcode/EC2A%202BS';
const WATCH = '/product-availability/watch/EC2A%202BS';
const ORDER = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };

const LAST_DAY = '2026-12-31';
const MIDNIGHT = Date.parse('2027-01-01T00:00:00Z');

const promotion = {
  prices: [
    ...smallCatalogue.prices,
    `INT-1G-12,ONNET,standard,499.00,GBP,84,,,,2026-12-01,${LAST_DAY}`,
  ],
};

function waitUntil({ clock }: Service, instant: number): void {
  clock.advance({ milliseconds: instant - clock.now().getTime() });
}

onBothEntrances('prices with dates', (engine) => {
  let database: DatabaseSettings;
  let services: Service[];
  let token: string;
  let staff: string;

  const check = async ({ http }: Service) =>
    (await http.get<AvailabilityResult>(CHECK, { token })).body;
  const priceIn = ({ availableProducts }: AvailabilityResult) => {
    const found = availableProducts.find(({ productCode }) => productCode === 'INT-1G-12')!;
    return [found.price, found.priceUntil];
  };

  beforeAll(async () => {
    database = await newDatabase(engine);
    const first = await startService(engine, { database });
    await first.given.catalogue(promotion);
    token = await first.given.token();
    staff = await first.given.staffToken();
    services = [first, await startService(engine, { database })];
  });

  it('change at midnight in London on every instance, and after a start', async () => {
    services.push(await startService(engine, { database }));
    for (const service of services) {
      await service.learnChanges();
      waitUntil(service, MIDNIGHT - 1);
      const before = await check(service);
      expect(priceIn(before)).toEqual([499, LAST_DAY]);
      waitUntil(service, MIDNIGHT);
      expect(priceIn(await check(service))).toEqual([550, null]);
      await service.flushChecks();
      const again = await service.http.get<AvailabilityResult>(
        `/product-availability/check/${before.id}`,
        { token },
      );
      expect(again.body).toEqual(before);
    }
    await services.pop()!.close();
  });

  it('hold for an order that cites a check of the day before, as long as any price', async () => {
    const [service] = services;
    waitUntil(service!, MIDNIGHT - 1);
    const { id } = await check(service!);
    await service!.flushChecks();
    const order = () =>
      service!.http.post<Record<string, unknown>>(
        '/product-availability/order',
        { ...ORDER, checkId: id },
        { token },
      );
    waitUntil(service!, MIDNIGHT + 60_000);
    const placed = await order();
    expect([placed.status, placed.body.code]).toEqual([201, undefined]);
    const path = `/product-availability/order/${String(placed.body.orderId)}`;
    const { body } = await service!.http.get<{ product: object }>(path, { token });
    expect(body.product).toMatchObject({ price: 499 });
    expect(body.product).not.toHaveProperty('priceUntil');
    service!.clock.advance({ minutes: 16 });
    const late = await order();
    expect([late.status, late.body.code]).toEqual([409, 'offer-changed']);
    expect([late.body.quoted, late.body.current]).toMatchObject([{ price: 499 }, { price: 550 }]);
  });

  it('are explained as of any day, past or future', async () => {
    const [service] = services;
    waitUntil(service!, MIDNIGHT - 86_400_000);
    const pricesAt = async (at: string) => {
      const { body } = await service!.http.get<ExplanationView>(
        `/catalogue/explain/EC2A%202BS?at=${at}`,
        { token: staff },
      );
      const product = body.products.find(({ productCode }) => productCode === 'INT-1G-12')!;
      return [
        product.priceUntil,
        ...product.prices.map(({ price, validUntil }) => [price, validUntil]),
      ];
    };
    expect(await pricesAt('2026-12-31T12:00:00Z')).toEqual([LAST_DAY, [499, LAST_DAY]]);
    expect(await pricesAt('2027-06-30T12:00:00Z')).toEqual([null, [550, null]]);
  });

  it('serve a watch at the midnight on which the price falls', async () => {
    const [service] = services;
    waitUntil(service!, MIDNIGHT);
    await service!.given.catalogue({
      prices: [...smallCatalogue.prices, 'INT-1G-36,ONNET,standard,99,GBP,84,,,,2027-01-15,'],
    });
    const put = await service!.http.send<{ state: string }>({
      method: 'PUT',
      path: WATCH,
      token,
      headers: { 'Content-Type': 'application/json' },
      body: '{"maxPrice":100,"minBandwidth":1}',
    });
    expect([put.status, put.body.state]).toEqual([201, 'open']);
    const stateAt = async (instant: string) => {
      waitUntil(service!, Date.parse(instant));
      await service!.get(WatchEvaluationService).evaluate();
      return (await service!.http.get<{ state: string }>(WATCH, { token })).body.state;
    };
    expect(await stateAt('2027-01-14T23:59:59Z')).toBe('open');
    expect(await stateAt('2027-01-15T00:00:00Z')).toBe('served');
  });

  it('are exported, and imported again without a change; faults import nothing', async () => {
    const [service] = services;
    await service!.given.catalogue(promotion);
    const folder = await newFolder();
    for (const { fileName, chunks } of printCatalogue(
      service!.get(CatalogueService).current.content,
    )) {
      await writeFile(join(folder, fileName), [...chunks].join(''));
    }
    const again = await service!
      .get(ImportService)
      .importFiles(folder, { label: 'again', actor: operator });
    expect(again.outcome).toBe('no-change');
    const overlap = [...promotion.prices, 'INT-1G-12,ONNET,,1,GBP,84,,,,2026-12-31,'];
    const { status, body } = await upload<ImportView>(service!.http, staff, { prices: overlap });
    expect([status, body]).toMatchObject([
      422,
      {
        code: 'catalogue-rejected',
        total: 1,
        faults: [{ file: 'prices.csv', line: 8, column: 'valid_from', value: '2026-12-31' }],
      },
    ]);
  });

  it('are written by an adjustment with days, listed by the calendar, and judged by guard rails', async () => {
    const [service] = services;
    waitUntil(service!, Date.parse('2026-11-21T12:00:00Z'));
    await service!.given.catalogue();
    const adjust = (percent: number) =>
      service!.get(UploadService).adjustPrices(
        ...adjustmentOf(
          {
            percent,
            product: 'INT-1G-12',
            zone: 'ONNET',
            from: '2027-01-01',
            until: '2027-01-31',
          },
          operator,
        ),
      );
    const january = await adjust(-10);
    expect([january.outcome, january.rails]).toEqual(['draft', []]);
    expect(january.calendar).toMatchObject([
      { day: '2027-01-01', prices: { count: 2, least: -10, most: -10 } },
      { day: '2027-02-01', prices: { count: 2, added: 0, removed: 0 } },
    ]);
    const path = `/catalogue/versions/${january.version}`;
    const { body } = await service!.http.get<DatedVersionView>(path, { token: staff });
    expect(body.calendar).toEqual(january.calendar);
    const published = await service!.http.post(`${path}/activation`, {}, { token: staff });
    expect([published.status, priceIn(await check(service!))]).toEqual([200, [550, LAST_DAY]]);
    const far = await adjust(-40);
    expect(far.rails).toEqual([
      { rail: 'price-moved', detail: expect.stringMatching(/^From 1 January 2027: 2 prices move/) },
    ]);
    const activate = () =>
      service!.http.post<{ code?: string }>(
        `/catalogue/versions/${far.version}/activation`,
        {},
        { token: staff },
      );
    expect((await activate()).body.code).toBe('guard-rail');
    waitUntil(service!, Date.parse('2027-02-01T12:00:00Z'));
    expect((await activate()).status).toBe(200);
  });
});

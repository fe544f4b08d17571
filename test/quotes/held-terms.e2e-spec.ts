import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { QuoteView } from '../../src/quotes/record/quotes.dto.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { HeldTermsService } from '../../src/quotes/held-terms.service.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { folderOf } from '../support/catalogue.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { FakeClock } from '../support/fake-clock.js';
import { smallCatalogue } from '../support/given.js';
import { importPositions } from '../support/positions.js';
import { quotesOf, sites } from '../support/quotes.js';
import '../support/seed.js';
import { onOneEngine, startService } from '../support/service.js';

const PUBLICATIONS = Number(process.env.VERSIONS ?? 60);
/** Between two publications, at most. */
const HOURS = 120;
const HOUR = 3_600_000;
const HOLD = 30 * 24 * HOUR;

/** What is published, and how long after the version before. Numbers of days count from the publication. */
const publications = fc.array(
  fc.record({
    hours: fc.integer({ min: 1, max: HOURS }),
    isSold: fc.boolean(),
    price: fc.integer({ min: 100, max: 9_999 }),
    setup: fc.option(fc.integer({ min: 0, max: 500 })),
    leadTime: fc.integer({ min: 1, max: 200 }),
    basis: fc.constantFrom('firm', 'subjectToSurvey', 'indicative'),
    promotion: fc.option(
      fc.record({
        price: fc.integer({ min: 50, max: 99 }),
        first: fc.integer({ min: -2, max: 2 }),
        days: fc.integer({ min: 0, max: 3 }),
      }),
    ),
  }),
  { minLength: PUBLICATIONS, maxLength: PUBLICATIONS, size: 'max' },
);

type Publication = ReturnType<typeof publications.generate>['value'][number];

/** The catalogue's prices: a term that is always sold, and one that comes, goes and has promotions. */
function pricesOf(publication: Publication, now: Date): string[] {
  const { isSold, price, setup, leadTime, basis, promotion } = publication;
  const dayAfter = (days: number) =>
    new Date(now.getTime() + days * 24 * HOUR).toISOString().slice(0, 10);
  const row = (product: string, amount: number, dates = ',') =>
    `${product},ONNET,standard,${amount}.00,GBP,${leadTime},${setup ?? ''},${basis},,${dates}`;
  const { first = 0, days = 0 } = promotion ?? {};
  return [
    ...smallCatalogue.prices.filter((line) => !/^INT-1G-\d+,ONNET,standard/.test(line)),
    row('INT-1G-36', price + 1),
    ...(isSold ? [row('INT-1G-12', price)] : []),
    ...(promotion
      ? [row('INT-1G-12', promotion.price, `${dayAfter(first)},${dayAfter(first + days)}`)]
      : []),
  ];
}

onOneEngine('a held line', (engine) => {
  it(`is ordered at exactly its terms after any of ${PUBLICATIONS} publications`, async () => {
    const clock = new FakeClock();
    const service = await startService(engine, { config: { rateLimits: false }, clock });
    const client = quotesOf(service, await service.given.token({ days: 3_650 }));
    const open: { readonly quote: QuoteView; readonly until: number }[] = [];
    let ordered = 0;
    let changed = 0;
    const [sequence] = fc.sample(publications, 1);
    for (const publication of sequence!) {
      clock.advance({ milliseconds: publication.hours * HOUR });
      await service.given.catalogue({ prices: pricesOf(publication, clock.now()) });
      const now = clock.now().getTime();
      const wanted = { bandwidth: 1 };
      const id = await client.made({ wanted, sites: [sites[0], sites[0]] });
      const quote = await client.read(id);
      open.push({ quote, until: now + HOLD });
      // Quotes of 25 to 30 days ago, which the next publication may find expired.
      const due = open.filter(({ until }) => until - now < HOURS * HOUR).map((one) => one.quote);
      for (const old of due) {
        const { body } = await client.accept(old.quoteId, { lines: ['1'] });
        const terms = old.lines[0]!.product!;
        const { product } = await client.orderOf(body.orders[0]!.orderId);
        expect(terms).toEqual({ ...product, priceUntil: terms.priceUntil });
        ordered += 1;
        if (JSON.stringify(quote.lines[0]!.product) !== JSON.stringify(old.lines[0]!.product)) {
          changed += 1;
        }
      }
      open.splice(0, due.length);
    }
    expect(ordered).toBeGreaterThan(PUBLICATIONS / 2);
    // The terms of the day were others nearly always.
    expect(changed).toBeGreaterThan(ordered * 0.9);
  }, 120_000);

  it('is ordered at the terms of its build band, however the bands change', async () => {
    const service = await startService(engine, { config: { rateLimits: false, nearNet: 'all' } });
    await importPositions(service);
    const client = quotesOf(service, await service.given.token());
    // The route to E1 6AB is 350 m.
    const bands = [
      ['*,350,950,14,subjectToSurvey,*'],
      ['*,350,1950,14,subjectToSurvey,*'],
      ['*,300,100,7,subjectToSurvey,*', '*,2000,,90,indicative,*'],
      ['*,300,100,7,subjectToSurvey,*'],
      ['*,350,1,1,subjectToSurvey,INT-1G-*'],
    ];
    const quotes: QuoteView[] = [];
    for (const buildBands of bands) {
      const prices = ['INT-1G-36,ONNET,standard,450.00,GBP,84,250,firm'];
      const zones = ['ONNET,Lit,onNetWithoutBuild,,', 'NEARNET,Near,,,'];
      await service.given.catalogue({ prices, zones, buildBands });
      const wanted = { bandwidth: 1, term: 36 };
      const id = await client.made({ wanted, sites: [{ postcode: 'E1 6AB' }] });
      quotes.push(await client.read(id));
    }
    const lines = quotes.map((quote) => quote.lines[0]!);
    expect(lines.map(({ product }) => product?.setupPrice)).toEqual([
      1_200,
      2_200,
      null,
      undefined,
      251,
    ]);
    expect(lines.map(({ nearest }) => nearest?.band)).toEqual([350, 350, 2_000, undefined, 350]);
    for (const [i, { product, nearest }] of lines.entries()) {
      const { status, body } = await client.accept(quotes[i]!.quoteId, { lines: ['1'] });
      expect([i, status]).toEqual([i, product ? 201 : 422]);
      if (!product) continue;
      const order = await client.orderOf(body.orders[0]!.orderId);
      expect([{ ...order.product, priceUntil: null }, order.nearest]).toEqual([product, nearest]);
    }
  });

  it('counts in the preview of a draft, with what it would cost there', async () => {
    const service = await startService(engine, { config: { rateLimits: false, quoteHold: 'all' } });
    await service.given.catalogue();
    const admin = await StaffBrowser.signedIn(service, { role: 'admin' });
    const draft = async (prices: readonly string[]) => {
      const options = { label: 'draft', actor: operator, accept: 'test' };
      const folder = await folderOf({ prices });
      const { version } = await service.get(ImportService).importFiles(folder, options);
      const { text } = await admin.get(`/staff/catalogue/versions/${version}`);
      return /<p>([^<]*prices[.:][^<]*)<\/p>/.exec(text)?.[1];
    };
    const others = smallCatalogue.prices.filter((row) => !/^INT-1G-36|NEARNET/.test(row));
    const dearer = [...others, 'INT-1G-36,ONNET,standard,460.00,GBP,84'];
    expect(await draft(dearer)).toBeUndefined();
    const client = quotesOf(service, await service.given.token());
    const wanted = { bandwidth: 1, term: 36 };
    const [hq, depot] = sites;
    const id = await client.made({ wanted, sites: [hq, depot, hq, { postcode: 'AB10 1AB' }] });
    await client.made({ wanted, sites: [hq] });
    await client.accept(id, { lines: ['3'] });
    expect(await draft(dearer)).toBe(
      '2 open quotes (3 lines) keep their prices: with this version 2 would cost £720.00 more over their terms, 1 would not be sold.',
    );
    // More quotes than are read at once.
    for (let n = 0; n < 39; n += 1) await client.made({ wanted, sites: [hq] });
    expect(await draft(dearer)).toContain('41 open quotes (42 lines) keep their prices');
    const cheaper = [...others, 'INT-1G-36,ONNET,standard,440.00,GBP,84', smallCatalogue.prices[4]];
    expect(await draft(cheaper)).toBe('41 open quotes (42 lines) keep their prices.');
  });

  it('costs more with a version by its own price list, premises, currency and discount', async () => {
    const service = await startService(engine, { config: { rateLimits: false, quoteHold: 'all' } });
    const rows = (lit: string, { discount = 10, currency = 'GBP', setup = '' } = {}) => ({
      prices: [
        'INT-1G-12,ONNET,standard,500.00,GBP,84',
        `INT-1G-12,LIT,standard,${lit},${currency},20,${setup}`,
        'INT-1G-12,LIT,partner,1.00,GBP,20',
      ],
      premises: ['70,EC2A 2BS,Mill,LIT', '71,EC2A 2BS,Mill,LIT'],
      volume: [`standard,*,2,${discount}`],
    });
    await service.given.catalogue(rows('100.00'));
    const client = quotesOf(service, await service.given.token());
    const site = { postcode: 'EC2A 2BS', uprn: '70' };
    await client.made({ wanted: { bandwidth: 1 }, sites: [site, { ...site, uprn: '71' }] });
    const compared = async (...about: Parameters<typeof rows>) => {
      const { version } = await service.given.catalogue(rows(...about));
      const catalogue = await service.get(CatalogueService).complete(version);
      return service.get(HeldTermsService).comparedWith(catalogue);
    };
    const held = { quotes: 1, lines: 2, gone: 0 };
    expect(await compared('100.00')).toEqual({ ...held, dearer: [] });
    // £9.00 more a month for 12 months, for each line.
    const dearer = [{ currency: 'GBP', lines: 2, amount: 216 }];
    expect(await compared('105.00', { setup: '54.00' })).toEqual({ ...held, dearer });
    expect(await compared('100.00', { discount: 1 })).toEqual({ ...held, dearer });
    expect(await compared('1.00', { currency: 'EUR' })).toEqual({ ...held, gone: 2, dearer: [] });
  });
});

import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import type { AvailabilityResult, ProductOffer } from '../../src/availability/availability.dto.js';
import type { ExplanationView } from '../../src/catalogue/catalogue-rows.dto.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { EmailKindsService } from '../../src/platform/notifications/messages/email-kinds.service.js';
import type { EmailRow } from '../../src/platform/notifications/messages/email-words.js';
import type { ClientOrder, OrderAcknowledgement } from '../../src/orders/record/orders.dto.js';
import { newFolder } from '../support/closing.js';
import { type DatabaseSettings, environmentOf, newDatabase } from '../support/databases.js';
import { type CatalogueRows, emptyTerms, smallCatalogue } from '../support/given.js';
import { cli } from '../support/processes.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

/** The small catalogue, in which INT-1G-12 in ONNET has these cells from the set-up price on. */
const withTerms = (cells: string): CatalogueRows => ({
  prices: smallCatalogue.prices.map((row) =>
    row.startsWith('INT-1G-12,ONNET,standard') ? `${row},${cells}` : row,
  ),
});

onOneEngine('a price with a set-up price and a basis', (engine) => {
  let database: DatabaseSettings;
  let service: Service;
  let token: string;
  let staff: string;
  let orderId: string;
  const terms = { setupPrice: 250.5, basis: 'subjectToSurvey', extraChargesPossible: true };

  const check = async (): Promise<AvailabilityResult> => {
    const path = '/product-availability/postcode/EC2A%202BS';
    return (await service.http.get<AvailabilityResult>(path, { token })).body;
  };
  const order = <Body>(about: object) =>
    service.http.post<Body>(
      '/product-availability/order',
      { postcode: 'EC2A 2BS', productCode: 'INT-1G-12', ...about },
      { token },
    );
  const read = async (id: string): Promise<ClientOrder> =>
    (await service.http.get<ClientOrder>(`/product-availability/order/${id}`, { token })).body;
  const ofInt1g12 = (products: readonly ProductOffer[]) =>
    products.find(({ productCode }) => productCode === 'INT-1G-12');

  beforeAll(async () => {
    database = await newDatabase(engine);
    service = await startService(engine, { database });
    token = await service.given.token();
    staff = await service.given.staffToken();
    await service.given.catalogue(withTerms('250.50,subjectToSurvey'));
    const placed = await order<OrderAcknowledgement>({});
    orderId = placed.body.orderId;
  });
  beforeEach(() => service.given.catalogue(withTerms('250.50,subjectToSurvey')));

  it('has them in a check, and other products have the defaults', async () => {
    const { availableProducts } = await check();
    expect(ofInt1g12(availableProducts)).toMatchObject(terms);
    expect(availableProducts[0]).toMatchObject({
      setupPrice: null,
      basis: 'firm',
      extraChargesPossible: false,
    });
  });

  it('has them in the order and in the email to sales', async () => {
    expect((await read(orderId)).product).toMatchObject(terms);
    const kind = service.get(EmailKindsService).find('new-order')!;
    const letter = await service.get(Transactions).read((tx) => kind.facts(tx, orderId));
    expect((letter?.facts.terms as EmailRow[]).slice(-2)).toEqual([
      ['Set-up price (excl. VAT)', '£250.50'],
      ['Basis', 'subject to survey'],
    ]);
  });

  it('has them in the export of orders', async () => {
    const { body } = await service.http.get<string>('/follow-up/orders.csv', { token: staff });
    const [header = '', row = ''] = body.split('\r\n');
    const cells = row.split(',');
    const exported = Object.keys(terms).map((name) => cells[header.split(',').indexOf(name)]);
    expect(exported).toEqual(['250.5', 'subjectToSurvey', 'true']);
  });

  it('has them in the explanation of an answer', async () => {
    const { body } = await service.http.get<ExplanationView>('/catalogue/explain/EC2A%202BS', {
      token: staff,
    });
    const product = body.products.find(({ productCode }) => productCode === 'INT-1G-12');
    expect(product?.prices).toEqual([expect.objectContaining({ ...terms, decides: true })]);
  });

  it('is exported, and is no change when it is imported again', async () => {
    const folder = await newFolder();
    const settings = environmentOf(database);
    const exported = await cli(settings, 'catalogue', 'export', folder);
    expect([exported.code, exported.stderr]).toEqual([0, expect.not.stringContaining('rror')]);
    const prices = await readFile(join(folder, 'prices.csv'), 'utf8');
    expect(prices.split('\n')[0]).toBe(
      'product,zone,price_list,price,currency,lead_time_days,setup_price,basis',
    );
    expect(prices).toContain('INT-1G-12,ONNET,standard,550.00,GBP,84,250.50,subjectToSurvey\n');
    const again = await cli(settings, 'catalogue', 'import', folder);
    expect(again.stdout).toContain('No change');
  });

  it('is compared with the terms of today on the order page, and holds for the price hold only', async () => {
    const cited = await check();
    await service.flushChecks();
    await service.given.catalogue(withTerms('250.50,indicative'));
    const browser = await StaffBrowser.signedIn(service);
    const placed = await read(orderId);
    const { text } = await browser.get(`/staff/orders/${placed.orderReference}`);
    const words = text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(words).toContain('Basis subject to survey indicative');
    service.clock.advance({ minutes: 16 });
    const { status, body } = await order<Record<string, unknown>>({ checkId: cited.id });
    expect([status, body.code]).toEqual([409, 'offer-changed']);
    expect([body.quoted, body.current]).toEqual([
      { price: 550, currency: 'GBP', leadTimeDays: 84, ...emptyTerms, ...terms },
      {
        price: 550,
        currency: 'GBP',
        leadTimeDays: 84,
        ...emptyTerms,
        ...terms,
        basis: 'indicative',
      },
    ]);
  });

  it('is the same offer when only the extra charges change', async () => {
    await service.given.catalogue(withTerms('250.50,indicative'));
    const cited = await check();
    await service.flushChecks();
    await service.given.catalogue(withTerms('250.50,indicative,no'));
    service.clock.advance({ minutes: 16 });
    const { status, body } = await order<OrderAcknowledgement>({ checkId: cited.id });
    expect(status).toBe(201);
    const placed = await read(body.orderId);
    expect(placed.product.extraChargesPossible).toBe(false);
  });
});

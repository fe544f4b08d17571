/**
 * Adds a field to the table of offer fields, which other test files must not see.
 * @jest-environment node
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { decodeContent, encodeContent } from '../../src/catalogue/content/content-codec.js';
import { parseCatalogueFiles } from '../../src/catalogue/content/files/csv-reader.js';
import { priceFields } from '../../src/catalogue/content/offer-fields.js';
import { columnsOf } from '../../src/catalogue/content/offers.js';
import { diffCatalogues } from '../../src/catalogue/content/diff.js';
import { diffAsJson, diffInWords, printDiffCsv } from '../../src/catalogue/content/change-lists.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { VersionEffectService } from '../../src/orders/views/version-effect.service.js';
import type { Schema } from '../../src/platform/openapi/description-schemas.js';
import { jsonForm } from '../../src/platform/kernel/stored-form.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { folderOf } from '../support/catalogue.js';
import { textsOf } from '../support/catalogue-files.given.js';
import { newFolder } from '../support/closing.js';
import { type DatabaseSettings, environmentOf, newDatabase } from '../support/databases.js';
import {
  type CatalogueRows,
  catalogueFiles,
  emptyTerms,
  smallCatalogue,
} from '../support/given.js';
import { cliAfter } from '../support/processes.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { COLUMN } from '../support/survey-fee.js';
import { describedSchemas } from '../support/once/described-routes.js';

/** Describes the fee next to each set-up price: answers are compared with the description. */
function describeFee(schema: Schema): void {
  if (!('properties' in schema)) return;
  const { properties = {} } = schema;
  Object.values(properties).forEach(describeFee);
  if (properties.setupPrice) properties.surveyFee = { type: 'number', nullable: true };
}
Object.values(describedSchemas).forEach(describeFee);

/** The small catalogue; INT-1G-12 has this survey fee in ONNET, other products have none. */
function withFee(fee: string): CatalogueRows {
  const isIt = (row: string) => row.startsWith('INT-1G-12,ONNET,standard');
  const before = columnsOf(priceFields).indexOf(COLUMN);
  const cells = (row: string) =>
    [...row.split(','), ...Array<string>(before).fill('')].slice(0, before);
  const prices = smallCatalogue.prices.map((row) =>
    [...cells(row), isIt(row) ? fee : ''].join(','),
  );
  return { prices };
}

function contentOf(rows: CatalogueRows) {
  const { content, faults } = parseCatalogueFiles(catalogueFiles(rows));
  if (!content) throw new Error(JSON.stringify(faults));
  return content;
}

const feeOf = (row: object | undefined) => (row as { surveyFee?: unknown } | undefined)?.surveyFee;

describe('the catalogue code', () => {
  it('reads a new field from CSV, and writes it', () => {
    const content = contentOf(withFee('120.50'));
    expect(content.prices.map(feeOf)).toEqual([null, null, null, 12_050, null]);
    const again = parseCatalogueFiles(textsOf(content));
    expect(again.content?.prices).toEqual(content.prices);
  });

  it('reports a faulty cell of a new field with column and line', () => {
    const { faults } = parseCatalogueFiles(catalogueFiles(withFee('free')));
    expect(faults.shown).toMatchObject([{ file: 'prices.csv', line: 3, column: COLUMN }]);
  });

  it('stores a new field in the content, and reads it back', async () => {
    const contents = ['120.50', '99', ''].map((fee) => encodeContent(contentOf(withFee(fee))));
    const stored = await Promise.all(contents);
    expect(new Set(stored.map(({ hash }) => hash)).size).toBe(3);
    const decoded = await decodeContent(stored[0]!);
    expect(decoded.prices).toEqual(contentOf(withFee('120.50')).prices);
  });

  it('compares a new field, and prints its changes as text, CSV and JSON', () => {
    const [before, after] = [contentOf(withFee('100')), contentOf(withFee('150'))];
    const diff = diffCatalogues(before, after, null);
    expect(diffInWords(diff)).toBe(
      'Survey fees: 1 changed.\n' +
        '  INT-1G-12 in ONNET (standard): 100.00 GBP → 150.00 GBP, +50.0 %\n',
    );
    expect([...printDiffCsv(diff)].join('')).toContain(
      'survey_fee,changed,INT-1G-12,ONNET,standard,100.00 GBP,150.00 GBP,\n',
    );
    const { noChange, lists } = diffAsJson(diff, true);
    expect([noChange, lists.find(({ name }) => name === 'surveyFees')]).toMatchObject([
      false,
      { count: 1, changes: [{ before: '100.00 GBP', after: '150.00 GBP', percent: 50 }] },
    ]);
  });

  it('keeps the hash of a content in which no row has the new field', async () => {
    const files = catalogueFiles(withFee(''));
    const without = { ...files, prices: files.prices.replaceAll(/,(survey_fee)?$/gm, '') };
    expect(without.prices).not.toContain(COLUMN);
    const { content } = parseCatalogueFiles(without);
    expect(await encodeContent(content!)).toEqual(await encodeContent(contentOf(withFee(''))));
  });
});

onOneEngine('the service', (engine) => {
  let database: DatabaseSettings;
  let service: Service;
  let token: string;
  /** The program with the field, in another process. */
  const cli = cliAfter(pathToFileURL('dist/test/support/survey-fee.js').href);
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await cli(environmentOf(database), ...words);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('rror')]);
    return stdout;
  };
  /** Makes a catalogue live in which INT-1G-12 has this survey fee. */
  const publish = (fee: string) => service.given.catalogue(withFee(fee));
  const check = async () => {
    const path = '/product-availability/postcode/EC2A%202BS';
    return (await service.http.get<AvailabilityResult>(path, { token })).body;
  };
  /** The path of an order that was placed at this survey fee, and its row. */
  const orderAt = async (fee: string) => {
    await publish(fee);
    const placed = await order((await check()).id);
    expect(placed.status).toBe(201);
    const id = String(placed.body.orderId);
    const [row] = await service.get(Transactions).read((tx) => tx.find(Order, { where: { id } }));
    return { path: `/product-availability/order/${id}`, row: row! };
  };
  const order = (checkId: string) =>
    service.http.post<Record<string, unknown>>(
      '/product-availability/order',
      { postcode: 'EC2A 2BS', productCode: 'INT-1G-12', checkId },
      { token },
    );
  const shownFee = (products: readonly object[]) =>
    feeOf(products.find((one) => 'productCode' in one && one.productCode === 'INT-1G-12'));

  beforeAll(async () => {
    database = await newDatabase(engine);
    service = await startService(engine, { database });
    token = await service.given.token();
    await run('catalogue', 'import', await folderOf(withFee('100')), '--activate');
    await run('catalogue', 'import', await folderOf(withFee('150')));
    await service.learnChanges();
  });

  it('shows a new field in the changes from the live version', async () => {
    const tried = await run('catalogue', 'import', await folderOf(withFee('160')), '--dry-run');
    expect(tried).toContain(
      'Changes from version 1\nSurvey fees: 1 changed.\n' +
        '  INT-1G-12 in ONNET (standard): 100.00 GBP → 160.00 GBP, +60.0 %\n',
    );
  });

  it('exports a new field with a version', async () => {
    const folder = await newFolder();
    const imported = await run('catalogue', 'import', await folderOf(withFee('77.50')));
    const version = /[Vv]ersion (\d+) is a draft/.exec(imported)![1]!;
    await run('catalogue', 'export', folder, '--version', version);
    const prices = await readFile(join(folder, 'prices.csv'), 'utf8');
    expect(prices).toContain('INT-1G-12,ONNET,standard,550.00,GBP,84,77.50\n');
    expect(await run('catalogue', 'import', folder)).toContain(`Version ${version} is a draft`);
  });

  it('shows a new field in the explanation of an answer', async () => {
    await publish('100');
    const { body } = await service.http.get<{ products: { prices: object[] }[] }>(
      '/catalogue/explain/EC2A%202BS',
      { token: await service.given.staffToken() },
    );
    expect(body.products.flatMap(({ prices }) => prices).map(feeOf)).toContain(100);
    expect(await run('check', 'EC2A 2BS', '--explain')).toContain('84 days, 100.00 GBP');
  });

  it('returns a new field in a check, and keeps it in an order when the catalogue changes', async () => {
    await publish('100');
    expect(shownFee((await check()).availableProducts)).toBe(100);
    const { path, row } = await orderAt('100');
    await publish('150');
    const { body } = await service.http.get<{ product: object }>(path, { token });
    expect([feeOf(body.product), feeOf(row.terms!)]).toEqual([100, 100]);
  });

  it('shows a new field on the order page, and exports it with orders', async () => {
    const { row } = await orderAt('100');
    await publish('150');
    const browser = await StaffBrowser.signedIn(service);
    const { text } = await browser.get(`/staff/orders/${row.reference}`);
    const words = text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(words).toContain('Survey fee 100.00 GBP 150.00 GBP');
    expect(words).toContain('The terms have changed since the order');
    const exported = await service.http.get<string>('/follow-up/orders.csv', {
      token: await service.given.staffToken(),
    });
    expect(exported.body.split('\r\n')[0]).toContain(',surveyFee,');
    expect(exported.body).toMatch(/,84,.*,100,/);
  });

  it('refuses an order that cites an earlier check after the price hold', async () => {
    await publish('150');
    const cited = await check();
    expect(shownFee(cited.availableProducts)).toBe(150);
    await service.flushChecks();
    await publish('175.25');
    service.clock.advance({ minutes: 16 });
    const { status, body } = await order(cited.id);
    const terms = { price: 550, currency: 'GBP', leadTimeDays: 84, ...emptyTerms };
    expect([status, body.code, body.quoted, body.current]).toEqual([
      409,
      'offer-changed',
      { ...terms, surveyFee: 150 },
      { ...terms, surveyFee: 175.25 },
    ]);
    expect(body.detail).toContain('or survey fee has changed');
  });

  it('compares a new field of open orders and of checks whose price holds', async () => {
    const { row } = await orderAt('100');
    await publish('175.25');
    await check();
    await service.flushChecks();
    const draft = await service.get(CatalogueService).complete(2);
    const { orders, heldChanged } = await service.get(VersionEffectService).effect(draft);
    const order = orders.find(({ reference }) => reference === row.reference);
    const fees = [order?.before, order?.after].map((offer) => feeOf(offer ?? {}));
    expect([fees, heldChanged > 0]).toEqual([[175.25, 150], true]);
  });

  it('restores a new field with the content of an earlier version', async () => {
    await publish('150');
    await service.get(VersionsService).restore(1, { accept: 'test' }, operator);
    expect(shownFee((await check()).availableProducts)).toBe(100);
  });

  it('gives an older order the default of a new field', async () => {
    const { path, row } = await orderAt('100');
    const terms: object = { ...row.terms };
    Reflect.deleteProperty(terms, 'surveyFee');
    const stored = JSON.stringify(jsonForm.to(terms));
    await service
      .get(Transactions)
      .run((tx) => tx.query(`UPDATE orders SET terms = '${stored}' WHERE id = '${row.id}'`));
    const { body } = await service.http.get<{ product: object }>(path, { token });
    expect(body.product).toEqual({ ...terms, surveyFee: null });
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { decodeContent, encodeContent } from '../../src/catalogue/content/content-codec.js';
import { parseCatalogueFiles } from '../../src/catalogue/content/csv-reader.js';
import {
  printCoverage,
  printPrices,
  printProducts,
} from '../../src/catalogue/content/csv-writer.js';
import { diffCatalogues } from '../../src/catalogue/content/diff.js';
import { diffAsJson, diffInWords, printDiffCsv } from '../../src/catalogue/content/diff-print.js';
import { operator } from '../../src/audit/audit.service.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { ReplayService } from '../../src/orders/views/replay.service.js';
import { Transactions } from '../../src/database/transactions.js';
import { Order } from '../../src/orders/order.entity.js';
import { folderOf } from '../support/catalogue.js';
import {
  type DatabaseSettings,
  environmentOf,
  newDatabase,
  newFolder,
} from '../support/databases.js';
import { type CatalogueRows, catalogueFiles, smallCatalogue } from '../support/given.js';
import { cliAlone } from '../support/processes.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { COLUMN } from '../support/survey-fee.js';

/** The small catalogue; INT-1G-12 has this survey fee in ONNET, other products have none. */
function withFee(fee: string): CatalogueRows {
  const isIt = (row: string) => row.startsWith('INT-1G-12,ONNET,standard');
  return { prices: smallCatalogue.prices.map((row) => `${row},${isIt(row) ? fee : ''}`) };
}

function contentOf(rows: CatalogueRows) {
  const { content, faults } = parseCatalogueFiles(catalogueFiles(rows));
  if (!content) throw new Error(JSON.stringify(faults));
  return content;
}

const feeOf = (row: object | undefined) => (row as { surveyFee?: unknown } | undefined)?.surveyFee;

describe('a field that is new in the table of offer fields', () => {
  it('is read from the CSV files, and written to them', () => {
    const content = contentOf(withFee('120.50'));
    expect(content.prices.map(feeOf)).toEqual([null, null, null, 12_050, null]);
    const again = parseCatalogueFiles({
      products: printProducts(content.products),
      prices: printPrices(content.prices),
      coverage: [...printCoverage(content.coverage)].join(''),
    });
    expect(again.content?.prices).toEqual(content.prices);
  });

  it('is refused where its cell is wrong, by its column and line', () => {
    const { faults } = parseCatalogueFiles(catalogueFiles(withFee('free')));
    expect(faults.shown).toMatchObject([{ file: 'prices.csv', line: 3, column: COLUMN }]);
  });

  it('makes another content, and comes back from the stored one', async () => {
    const contents = ['120.50', '99', ''].map((fee) => encodeContent(contentOf(withFee(fee))));
    const stored = await Promise.all(contents);
    expect(new Set(stored.map(({ hash }) => hash)).size).toBe(3);
    const decoded = await decodeContent(stored[0]!);
    expect(decoded.prices).toEqual(contentOf(withFee('120.50')).prices);
  });

  it('is compared, and its changes are told in words, as CSV and as JSON', () => {
    const [before, after] = [contentOf(withFee('100')), contentOf(withFee('150'))];
    const diff = diffCatalogues(before, after, null);
    expect(diffInWords(diff)).toBe(
      'Survey fees: 1 changed, biggest moves first.\n' +
        '  INT-1G-12 in ONNET (standard): 100.00 GBP → 150.00 GBP, +50.0 %\n',
    );
    expect([...printDiffCsv(diff)].join('')).toContain(
      'survey_fee,changed,INT-1G-12,ONNET,standard,100.00 GBP,150.00 GBP\n',
    );
    expect([diffAsJson(diff).noChange, diffAsJson(diff)]).toEqual([
      false,
      expect.objectContaining({ surveyFees: { count: 1, list: [expect.anything()] } }),
    ]);
  });

  it('leaves the hash as it was where no row has a value', async () => {
    const files = catalogueFiles(withFee(''));
    const without = { ...files, prices: files.prices.replaceAll(/,(survey_fee)?$/gm, '') };
    expect(without.prices).not.toContain(COLUMN);
    const { content } = parseCatalogueFiles(without);
    expect(await encodeContent(content!)).toEqual(await encodeContent(contentOf(withFee(''))));
  });
});

onBothEngines('a change of a field that is new', (engine) => {
  let database: DatabaseSettings;
  let service: Service;
  let token: string;
  /** The program with the field, as a process of its own. */
  const run = async (...words: string[]) => {
    const fee = pathToFileURL('dist/test/support/survey-fee.js').href;
    const settings = { ...environmentOf(database), NODE_OPTIONS: `--import=${fee}` };
    const { code, stdout, stderr } = await cliAlone(settings, ...words);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('rror')]);
    return stdout;
  };
  const check = async () => {
    const path = '/product-availability/postcode/EC2A%202BS';
    return (await service.http.get<AvailabilityResult>(path, { token })).body;
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

  it('is in the comparison of two versions', async () => {
    expect(await run('catalogue', 'diff', '1', '2')).toBe(
      'From version 1 to version 2\nSurvey fees: 1 changed, biggest moves first.\n' +
        '  INT-1G-12 in ONNET (standard): 100.00 GBP → 150.00 GBP, +50.0 %\n',
    );
  });

  it('is in the export of a version', async () => {
    const folder = await newFolder();
    await run('catalogue', 'export', folder, '--version', '2');
    const prices = await readFile(join(folder, 'prices.csv'), 'utf8');
    expect(prices).toContain('INT-1G-12,ONNET,standard,550.00,GBP,84,150.00\n');
    expect(await run('catalogue', 'import', folder)).toContain('Version 2 is a draft');
  });

  it('is in the explanation of an answer', async () => {
    const { body } = await service.http.get<{ products: { prices: object[] }[] }>(
      '/catalogue/explain/EC2A%202BS',
      { token: await service.given.staffToken() },
    );
    expect(body.products.flatMap(({ prices }) => prices).map(feeOf)).toContain(100);
    expect(await run('check', 'EC2A 2BS', '--explain')).toContain('84 days, 100.00 GBP');
  });

  it('is in the check, and in what an order keeps although the catalogue changes', async () => {
    const checked = await check();
    expect(shownFee(checked.availableProducts)).toBe(100);
    const placed = await order(checked.id);
    expect(placed.status).toBe(201);
    await service.given.catalogue(withFee('150'));
    const path = `/product-availability/order/${String(placed.body.orderId)}`;
    const { body } = await service.http.get<{ product: object }>(path, { token });
    expect(feeOf(body.product)).toBe(100);
    const [row] = await service.get(Transactions).read((tx) => tx.find(Order));
    expect(feeOf(row?.terms)).toBe(100);
  });

  it('is on the page of an order, and in the export of orders', async () => {
    const [row] = await service.get(Transactions).read((tx) => tx.find(Order));
    const browser = await StaffBrowser.signedIn(service);
    const { text } = await browser.get(`/staff/orders/${row!.reference}`);
    const words = text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(words).toContain('Survey fee 100.00 GBP 150.00 GBP');
    expect(words).toContain('It would be quoted differently now.');
    const exported = await service.http.get<string>('/follow-up/orders.csv', {
      token: await service.given.staffToken(),
    });
    expect(exported.body.split('\r\n')[0]).toContain(',leadTimeDays,surveyFee,');
    expect(exported.body).toContain(',84,100,');
  });

  it('refuses an order that cites a check of before, once that no longer holds', async () => {
    const cited = await check();
    expect(shownFee(cited.availableProducts)).toBe(150);
    await service.flushChecks();
    await service.given.catalogue(withFee('175.25'));
    service.clock.advance({ minutes: 16 });
    const { status, body } = await order(cited.id);
    const terms = { price: 550, currency: 'GBP', leadTimeDays: 84 };
    expect([status, body.code, body.quoted, body.current]).toEqual([
      409,
      'offer-changed',
      { ...terms, surveyFee: 150 },
      { ...terms, surveyFee: 175.25 },
    ]);
    expect(body.detail).toContain('Price, lead time or survey fee have changed');
  });

  it('is in the replay of past checks and open orders', async () => {
    await service.flushChecks();
    const { answers, orders } = await service.get(ReplayService).replay(2, 7);
    const changed = [answers[0]?.changes[0], orders[0]?.change];
    expect(
      changed.map((one) => [one?.change, feeOf(one?.before ?? {}), feeOf(one?.after ?? {})]),
    ).toEqual([
      ['survey fee', 175.25, 150],
      ['survey fee', 100, 150],
    ]);
    expect(await run('catalogue', 'replay', '2')).toContain(
      'INT-1G-12 survey fee, 550.00 GBP, 84 days, 100.00 GBP → 550.00 GBP, 84 days, 150.00 GBP',
    );
  });

  it('comes back with the content of an earlier version', async () => {
    await service.get(VersionsService).rollback(1, operator);
    expect(shownFee((await check()).availableProducts)).toBe(100);
  });

  it('needs no column: an order of before the field has what an empty cell means', async () => {
    const transactions = service.get(Transactions);
    const [row] = await transactions.read((tx) => tx.find(Order));
    const terms: object = { ...row!.terms };
    Reflect.deleteProperty(terms, 'surveyFee');
    await transactions.run((tx) =>
      tx.query(`UPDATE orders SET terms = '${JSON.stringify(terms)}'`),
    );
    const path = `/product-availability/order/${row!.id}`;
    const { body } = await service.http.get<{ product: object }>(path, { token });
    expect(body.product).toEqual({ ...terms, surveyFee: null });
  });
});

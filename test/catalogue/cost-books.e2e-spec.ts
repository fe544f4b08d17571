import { beforeAll, expect, it } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getMetadataArgsStorage } from 'typeorm';
import { buffer } from 'node:stream/consumers';
import { operator } from '../../src/platform/audit/audit.service.js';
import { zipOf } from '../../src/catalogue/downloads.service.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { MetricsService } from '../../src/ops/metrics.service.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import type { VersionDiff } from '../../src/catalogue/catalogue-diff.dto.js';
import { formOf, formType } from '../support/catalogue-form.js';
import { book, folderWithBook } from '../support/cost-books.js';
import { newFolder } from '../support/closing.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

onOneEngine('cost books of suppliers', (engine) => {
  let service: Service;
  let token: string;
  const imports = (path: string, base?: 'live') =>
    service.get(ImportService).importFiles(path, {
      label: 'test',
      actor: operator,
      activate: true,
      accept: 'test',
      base,
    });
  const check = async (postcode: string) => {
    const path = `/product-availability/postcode/${encodeURIComponent(postcode)}`;
    const { text, body } = await service.http.get<AvailabilityResult>(path, { token });
    expect(text).not.toMatch(/31337|pxc/i);
    return body.availableProducts.map(({ productCode, price, network, priceUntil }) => [
      productCode,
      price,
      network,
      priceUntil,
    ]);
  };

  beforeAll(async () => {
    service = await startService(engine);
    token = await service.given.token();
    await imports(await folderWithBook());
  });

  it('sell where the operator does not', async () => {
    expect(await check('M1 1AE')).toEqual([
      ['INT-100M-12', 125, 'offNetWithoutBuild', '2026-06-30'],
      ['INT-1G-36', 39_172, 'offNetWithoutBuild', '2026-06-30'],
    ]);
    const here = await check('EC2A 2BS');
    expect(here.map(([code, price]) => [code, price])).toEqual([
      ['INT-100M-12', 208],
      ['INT-1G-12', 550],
      ['INT-1G-36', 450],
    ]);
  });

  it('are named one by one on pages, never as the joined zone of a place', async () => {
    const browser = await StaffBrowser.signedIn(service, { role: 'admin' });
    const number = service.get(CatalogueService).currentNumber!;
    for (const path of [
      `/staff/catalogue/versions/${number}/coverage?place=EC2A`,
      '/staff/check?postcode=EC2A+2BS',
    ]) {
      const { text } = await browser.get(path);
      expect(text).toContain('ONNET, pxc:CITY');
      expect(text).not.toMatch(/ONNET(\+|%2B)pxc/);
    }
  });

  it('are refused if their zones and those of the operator meet in too many ways', async () => {
    const letters = 'ABDEFGHJLNPQRSTUWXYZ';
    const units = Array.from({ length: 66_000 }, (_, i) => {
      const [outward, inward] = [Math.floor(i / 4_000), i % 4_000];
      return `E${outward + 1} ${inward % 10}${letters[Math.floor(inward / 10) % 20]}${letters[Math.floor(inward / 200)]}`;
    });
    const rows = (zoneOf: (i: number) => string) => units.map((unit, i) => `${unit},${zoneOf(i)}`);
    const theirs = rows((i) => `S${i % 300}`);
    const folder = await folderWithBook(
      25,
      { coverage: rows((i) => `O${Math.floor(i / 300)}`) },
      { ...book, 'coverage.csv': ['place,zone', ...theirs, ''].join('\n') },
    );
    await expect(imports(folder)).rejects.toThrow(
      'The zones of coverage.csv and of the suppliers meet in more than 65,534 ways.',
    );
  });

  it('change nothing when their export is imported again', async () => {
    const number = service.get(CatalogueService).currentNumber!;
    const path = join(await newFolder(), 'again.zip');
    const files = await service.get(CatalogueService).files(number);
    await writeFile(path, await buffer(zipOf(files)));
    expect(await imports(path)).toMatchObject({ outcome: 'no-change', version: number });
    expect(await imports(path, 'live')).toMatchObject({ outcome: 'no-change' });
    const folder = join(await newFolder(), 'book');
    const inner = join(folder, 'suppliers', 'pxc');
    await mkdir(inner, { recursive: true });
    for (const [name, text] of Object.entries(book)) await writeFile(join(inner, name), text);
    expect(await imports(folder, 'live')).toMatchObject({ outcome: 'no-change' });
  });

  it('are another version when a margin changes', async () => {
    const before = service.get(CatalogueService).currentNumber!;
    const report = await imports(await folderWithBook(26));
    expect(report).toMatchObject({ outcome: 'active', version: before + 1 });
    expect(report.diff!.rows.margins).toHaveLength(1);
    expect(report.diff!.postcodes.counts).toEqual({ gained: 0, lost: 0, moved: 0 });
    expect(report.diff!.prices.map(({ zone }) => zone)).toContain('pxc:CITY');
    const [row] = service.get(CatalogueService).current.content.costs;
    expect(row).toBeUndefined();
  });

  it('keep their costs inside: answers, documents, stored messages, metrics and logs have none', async () => {
    const said: string[] = [];
    const paths = ['/product-availability/postcode/M1%201AE', '/product-availability/order'];
    const { orderId, token: own } = await service.given.order({
      postcode: 'M1 1AE',
      productCode: 'INT-1G-36',
    });
    const sites = ['M1 1AE', 'EC2A 2BS', 'N1 9GU'].map((postcode) => ({ postcode }));
    const quote = await service.http.post<{ quoteId: string }>(
      '/product-availability/quote',
      { wanted: { bandwidth: 1 }, sites },
      { token: own },
    );
    expect(quote.status).toBe(201);
    const quotePath = `/product-availability/quote/${quote.body.quoteId}`;
    for (const path of [...paths, `${paths[1]}/${orderId}`, quotePath]) {
      said.push((await service.http.get(path, { token: own })).text);
    }
    for (const type of ['text/csv', 'application/pdf']) {
      const headers = { Accept: type };
      said.push((await service.http.get(quotePath, { token: own, headers })).text);
    }
    const staff = await service.given.staffToken();
    for (const path of [
      '/follow-up/orders',
      '/catalogue/versions',
      '/catalogue/explanation?postcode=M1%201AE',
      '/follow-up/orders/export',
    ]) {
      said.push((await service.http.get(path, { token: staff })).text);
    }
    await service.flushChecks();
    said.push((await service.get(MetricsService).read()).text);
    said.push(JSON.stringify(service.log));
    const stored = await service.get(Transactions).read(async (tx) => {
      const tables = getMetadataArgsStorage().tables.flatMap(({ name }) => name ?? []);
      const rows: unknown[] = [];
      for (const table of tables) {
        if (table !== 'catalogue_contents') rows.push(await tx.query(`SELECT * FROM ${table}`));
      }
      return JSON.stringify(rows, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
    });
    // The price of the marked cost is everywhere, so that the search would find the cost.
    expect(said.join()).toMatch(/39(172|485)/);
    expect(stored).toMatch(/39(172|485)/);
    for (const text of [...said, stored]) expect(text).not.toMatch(/31,?337[.,]?13|31337\b/);
  });

  it('stop below the floor, which only holders of margins:read can accept', async () => {
    const folder = await folderWithBook();
    await writeFile(join(folder, 'margins.csv'), 'supplier,products,percent\n*,*,25\n');
    await imports(folder);
    await writeFile(
      join(folder, 'margins.csv'),
      'supplier,products,price_list,percent,floor_percent\n*,*,,25,20\n*,*,trade,20,20\n',
    );
    await writeFile(
      join(folder, 'price_lists.csv'),
      'price_list,based_on,percent\npartner,standard,0\nbronze,standard,-10\n',
    );
    const report = await service
      .get(ImportService)
      .importFiles(folder, { label: 'test', actor: operator });
    expect(report.rails.map(({ rail }) => rail)).toContain('below-floor');
    const path = `/catalogue/versions/${report.version}/activation`;
    const tokenWith = async (scopes: ('catalogue:write' | 'margins:read')[]) => {
      const staff = await service.given.staff({ role: 'commercial' });
      return service.given.token({ staff, scopes });
    };
    const activate = async (scopes: ('catalogue:write' | 'margins:read')[]) => {
      const token = await tokenWith(scopes);
      return service.http.post<{ code: string }>(path, { accept: 'test' }, { token });
    };
    const said = async (scopes: ('catalogue:write' | 'margins:read')[]) => {
      const token = await tokenWith(scopes);
      const replies = [
        await service.http.get(`/catalogue/versions/${report.version}`, { token }),
        await service.http.get('/catalogue/versions', { token }),
        await service.http.post(path, {}, { token }),
      ];
      return replies.map(({ text }) => {
        expect(text).not.toContain('withMargins');
        return /\d+ prices? (?:is|are) below the floor of the margin[^"]*?\)[^"]*?(?=\.[" ])/.exec(
          text,
        )?.[0];
      });
    };
    const below = '2 prices are below the floor of the margin';
    expect(await said(['catalogue:write'])).toEqual(
      Array(3).fill(`${below}, such as INT-100M-12 in pxc:CITY (bronze)`),
    );
    expect(await said(['catalogue:write', 'margins:read'])).toEqual(
      Array(3).fill(
        `${below}, most of all INT-100M-12 in pxc:CITY (bronze) at £112.50: margin 12.5 %, floor 20 %`,
      ),
    );
    const refused = await activate(['catalogue:write']);
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient-scope']);
    expect((await activate(['catalogue:write', 'margins:read'])).status).toBe(200);
    const probe = async (scopes: ('catalogue:write' | 'margins:read')[]) => {
      const files = { priceLists: 'price_list,based_on,percent\nprobe,standard,-12\n' };
      const { text } = await service.http.send({
        ...{ method: 'POST', path: '/catalogue/versions', headers: formType },
        ...{
          body: formOf(files, { base: 'live', dryRun: 'true' }),
          token: await tokenWith(scopes),
        },
      });
      return /are below the floor of the margin[^"]*/.exec(text)?.[0];
    };
    expect(await probe(['catalogue:write'])).not.toMatch(/%|£/);
    expect(await probe(['catalogue:write', 'margins:read'])).toMatch(/: margin .* %, floor 20 %/);
  });

  it('are shown to editors of the catalogue only with margins:read, and only then replaced', async () => {
    const { http, given } = service;
    const [editor, manager] = [
      await given.staffToken('catalogue:write'),
      await given.staffToken('catalogue:write', 'margins:read'),
    ];
    const first = (await imports(await folderWithBook(40))).version!;
    const second = (await imports(await folderWithBook(41))).version!;
    const path = `/catalogue/versions/${second}`;
    const listed = async (own: string) => {
      const { body, text } = await http.get<VersionDiff>(`${path}/diff?from=${first}`, {
        token: own,
      });
      const { count, changes } = body.diff.lists.find(({ name }) => name === 'margins')!;
      return { count, shown: changes.length, isSaid: text.includes('percent 41') };
    };
    expect(await listed(editor)).toEqual({ count: 1, shown: 0, isSaid: false });
    expect(await listed(manager)).toEqual({ count: 1, shown: 1, isSaid: true });
    const status = async (own: string, files: Readonly<Record<string, string>>) => {
      const body = formOf(files, { base: 'live', dryRun: 'true' });
      const request = { method: 'POST', path: '/catalogue/versions', token: own, body };
      return (await http.send({ ...request, headers: formType })).status;
    };
    // At a margin of nothing, the prices would be the costs.
    const margins = 'supplier,products,percent\n*,*,0\n';
    expect(await status(editor, { margins })).toBe(403);
    expect(await status(manager, { margins })).toBe(200);
    expect(await status(editor, { zones: 'zone,label\nONNET,Lit\n' })).toBe(200);
    expect((await http.get(`${path}/files`, { token: editor })).status).toBe(403);
    expect((await http.get(`${path}/files`, { token: manager })).status).toBe(200);
  });

  it('show their margin to managers, and warn before they end', async () => {
    service.clock.advance({ days: 106 });
    const { warnings } = await service.get(ImportService).importFiles(await folderWithBook(), {
      label: 'test',
      actor: operator,
      dryRun: true,
    });
    expect(warnings.find(({ rule }) => rule === 'book-expires')?.examples).toEqual([
      'PXC wholesale (pxc), last day 2026-06-30',
    ]);
    const { body: health } = await service.http.get<{ warnings: string[] }>('/health/ready');
    expect(health.warnings).toContainEqual(
      expect.stringMatching(/^1 cost book has ended, or will/),
    );
    const admin = await StaffBrowser.signedIn(service, { role: 'admin' });
    expect((await admin.get('/staff/catalogue')).text).toContain('PXC wholesale');
    service.clock.advance({ days: 15 });
    const path = '/product-availability/postcode/M1%201AE';
    const { body } = await service.http.get<AvailabilityResult>(path, { token });
    expect(body.availableProducts[0]).toMatchObject({ basis: 'indicative', priceUntil: null });
  });
});

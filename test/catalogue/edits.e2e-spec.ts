import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { operator } from '../../src/platform/audit/audit.service.js';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { adjustmentOf } from '../../src/catalogue/adjustment.js';
import type { AdjustmentBody, ImportView, VersionList } from '../../src/catalogue/catalogue.dto.js';
import { zipOf } from '../../src/catalogue/downloads.service.js';
import { UploadService } from '../../src/catalogue/upload.service.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { VersionPruningService } from '../../src/catalogue/versions/version-pruning.service.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { Problem } from '../../src/platform/problems/problem.js';
import { priced, priceOf } from '../support/catalogue.js';
import { changesIn, formOf, formType, upload } from '../support/catalogue-form.js';
import { newFolder } from '../support/closing.js';
import { catalogueFiles, smallCatalogue } from '../support/given.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

onOneEngine('changes of the catalogue that start from a version', (engine) => {
  let service: Service;
  let staff: string;
  let client: string;

  // Version 1 sells INT-1G-12 at 550.00.
  beforeEach(async () => {
    service = await startService(engine);
    await service.given.catalogue();
    staff = await service.given.staffToken();
    client = await service.given.token();
  });
  afterEach(() => service.close());

  const post = <T = ImportView & { code: string; detail: string }>(
    path: string,
    body: object = {},
  ) => service.http.post<T>(`/catalogue/${path}`, body, { token: staff });
  const adjust = (body: AdjustmentBody) =>
    service.get(UploadService).adjustPrices(...adjustmentOf(body, operator));
  const send = (files: Record<string, string>, fields: Record<string, string> = {}) =>
    service.http.send<ImportView & { code: string; detail: string; faults?: object[] }>({
      method: 'POST',
      path: '/catalogue/versions',
      token: staff,
      headers: formType,
      body: formOf(files, fields),
    });
  const discard = (number: number) =>
    service.http.send<{ code: string; detail: string }>({
      method: 'DELETE',
      path: `/catalogue/versions/${number}`,
      token: staff,
    });
  const activate = (number: number, accept?: string) =>
    post(`versions/${number}/activation`, { accept });
  const coverage = (...rows: string[]) => ({
    coverage: ['place,zone', ...smallCatalogue.coverage, ...rows, ''].join('\n'),
  });

  it('adjust prices, as a draft', async () => {
    const report = await adjust({ percent: 3, priceList: 'standard' });
    expect([report.outcome, report.version, report.comparedWith]).toEqual(['draft', 2, 1]);
    expect(changesIn(report, 'prices').changes.map(({ percent }) => percent)).toEqual([3, 3, 3, 3]);
    expect(await priceOf(service, client)).toBe(550);
    await activate(2);
    expect(await priceOf(service, client)).toBe(566.5);
    const list = await service.http.get<VersionList>('/catalogue/versions', { token: staff });
    expect(list.body.items[0]!.label).toBe('+3 % on standard');
  });

  it('refuse adjustments that change nothing', async () => {
    const dry = await adjust({ percent: 3, dryRun: true });
    expect([dry.outcome, dry.version]).toEqual(['dry-run', null]);
    expect((await adjust({ percent: 0 })).outcome).toBe('no-change');
    const refusal = (body: AdjustmentBody) => adjust(body).catch(({ code }: Problem) => code);
    expect(await refusal({ percent: 3, zone: 'MOON' })).toBe('catalogue-rejected');
    expect(await refusal({ percent: 3, base: 9 })).toBe('not-found');
  });

  it('take missing files from the live version, or from a draft', async () => {
    await adjust({ percent: 3 });
    const onLive = await send(coverage('E1,ONNET'), { base: 'live' });
    expect([onLive.status, onLive.body.version, changesIn(onLive.body, 'prices').count]).toEqual([
      201, 3, 0,
    ]);
    const onDraft = await send(coverage('E1,ONNET'), { base: '2' });
    expect([onDraft.body.version, changesIn(onDraft.body, 'prices').count]).toEqual([4, 5]);
    expect(changesIn(onDraft.body, 'places').kinds).toEqual([{ change: 'gained', count: 1 }]);
    const without = await send(coverage());
    expect([without.status, without.body.detail]).toEqual([
      422,
      'Nothing was imported: the form has no products, no prices.',
    ]);
    const faulty = await send({ products: 'code,name\n' }, { base: 'live' });
    expect([faulty.status, faulty.body.code]).toEqual([422, 'catalogue-rejected']);
    expect((await send(coverage(), { base: 'moon' })).body.code).toBe('validation-error');
    expect((await send({}, { base: 'live' })).status).toBe(422);
  });

  it('download a version whose import changes nothing', async () => {
    const rows = {
      premises: ['100023336956,EC2A 2BS,"Tower, 1st floor",NEARNET'],
      zones: ['NEARNET,Near,onNetWithBuild,,'],
    };
    const { body } = await upload<ImportView>(service.http, staff, rows);
    for (const number of [1, body.version!]) {
      const reply = await service.http.get(`/catalogue/versions/${number}/files`, { token: staff });
      expect([
        reply.status,
        reply.headers['content-type'],
        reply.headers['content-disposition'],
      ]).toEqual([200, 'application/zip', `attachment; filename="catalogue-${number}.zip"`]);
      const zip = () =>
        service
          .get(CatalogueService)
          .files(number)
          .then((files) => buffer(zipOf(files)));
      expect((await zip()).equals(await zip())).toBe(true);
      const path = join(await newFolder(), 'again.zip');
      await writeFile(path, await zip());
      await service
        .get(VersionsService)
        .activate(number, { accept: 'test' }, operator)
        .catch(() => undefined);
      const report = await service
        .get(ImportService)
        .importFiles(path, { label: 'again', actor: operator, base: 'live' });
      expect([report.outcome, report.version]).toEqual(['no-change', number]);
    }
    expect((await service.http.get('/catalogue/versions/9/files', { token: staff })).status).toBe(
      404,
    );
  });

  it('discard drafts only, and never use their numbers again', async () => {
    await adjust({ percent: 3 });
    expect((await discard(2)).status).toBe(200);
    const gone = await service.http.get('/catalogue/versions/2', { token: staff });
    const list = await service.http.get<VersionList>('/catalogue/versions', { token: staff });
    expect([gone.status, list.body.items.map(({ number }) => number)]).toEqual([404, [1]]);
    expect((await discard(2)).status).toBe(404);
    const live = await discard(1);
    expect([live.status, live.body.detail]).toEqual([
      409,
      'Version 1 is active. Only a draft can be discarded.',
    ]);
    const pruning = service.get(VersionPruningService);
    // The newest version keeps its number from being used again.
    expect((await pruning.prune(20, false, operator)).removed).toEqual([]);
    expect((await adjust({ percent: 3 })).version).toBe(3);
    const entries = await service
      .get(Transactions)
      .read((tx) => tx.findBy(AuditEntry, { subjectType: 'catalogue', subjectId: '2' }));
    expect(entries.map(({ action }) => action).sort()).toEqual(['discarded', 'imported']);
    expect((await pruning.prune(20, false, operator)).removed).toEqual([2]);
  });

  it('stop a draft that would undo what went live meanwhile', async () => {
    await adjust({ percent: 3 });
    await send(coverage('E1,ONNET'), { base: 'live' });
    await activate(2);
    const stopped = await activate(3);
    expect([stopped.status, stopped.body.code]).toEqual([409, 'guard-rail']);
    expect(stopped.body.detail).toContain('would undo 5 changes of it');
    const base = await send(coverage(), { base: '3' });
    expect([base.status, base.body.detail]).toEqual([
      409,
      'Version 3 was prepared against version 1, which is no longer live. Make it again from the live version.',
    ]);
    await activate(3, 'the prices stay');
    expect(await priceOf(service, client)).toBe(550);
  });

  it('stop a restore at guard rails until a person gives a reason', async () => {
    await upload(service.http, staff, priced('999.00'));
    await activate(2, 'new rate card');
    const refused = await post('versions/1/activation');
    expect([refused.status, refused.body.code, await priceOf(service, client)]).toEqual([
      409,
      'guard-rail',
      999,
    ]);
    await post('versions/1/activation', { accept: 'it was a mistake' });
    expect(await priceOf(service, client)).toBe(550);
  });

  it('take a zip or files by their own names', async () => {
    const body = (name: string, text: string) =>
      formOf({}, { base: 'live' }).replace(/--$|--\r\n$/, '') +
      `\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n${text}\r\n--boundary-of-a-test--\r\n`;
    const sent = (name: string, text: string) =>
      service.http.send<ImportView & { detail: string }>({
        method: 'POST',
        path: '/catalogue/versions',
        token: staff,
        headers: formType,
        body: body(name, text),
      });
    const { prices } = catalogueFiles(priced('560.00'));
    const renamed = await sent('Prices (1).csv', prices);
    expect([renamed.status, changesIn(renamed.body, 'prices').count]).toEqual([201, 1]);
    const unknown = await sent('rates.csv', prices);
    expect([unknown.status, unknown.body.detail]).toEqual([
      422,
      expect.stringContaining('rates.csv is not a file of a catalogue'),
    ]);
    expect((await sent('rates.zip', 'no zip')).body.detail).toContain('neither a folder nor a zip');
  });
});

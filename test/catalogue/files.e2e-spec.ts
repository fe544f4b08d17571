import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { operator } from '../../src/platform/audit/audit.service.js';
import type { VersionList } from '../../src/catalogue/catalogue.dto.js';
import { printCatalogue } from '../../src/catalogue/content/files/csv-writer.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { UploadService } from '../../src/catalogue/upload.service.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { MalformedRequest } from '../../src/platform/problems/problem.js';
import { folderOf, priced } from '../support/catalogue.js';
import { formOf, formType, upload } from '../support/catalogue-form.js';
import { newFolder } from '../support/closing.js';
import { catalogueFiles } from '../support/given.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { workbookOf } from '../support/workbook.js';
import { zipOf } from '../support/zip.js';

/** Resolves when the method is first called; `end` then resolves when that call has ended. */
function firstCall<K extends string>(
  target: Record<K, (...about: never[]) => Promise<unknown>>,
  method: K,
): Promise<{ readonly end: Promise<PromiseSettledResult<unknown>> }> {
  const whole = target[method].bind(target);
  return new Promise((resolve) => {
    target[method] = (...about) => {
      target[method] = whole;
      const running = whole(...about);
      resolve({ end: Promise.allSettled([running]).then(([end]) => end) });
      return running;
    };
  });
}

describe('an import that takes long', () => {
  const config = { catalogueImportSeconds: 1, catalogueUploadMegabytes: 64 };
  /** Five million faults take some seconds. */
  const form = () => {
    const coverage = `place,zone\n${'x,UK\n'.repeat(5_000_000)}`;
    return formOf({ ...catalogueFiles(), coverage }, { dryRun: 'true' });
  };

  it('stops after the time of the setting, and changes nothing', async () => {
    const service = await startService('sqlite', { config });
    const { status, body } = await service.http.send<{ detail: string }>({
      method: 'POST',
      path: '/catalogue/versions',
      token: await service.given.staffToken(),
      headers: formType,
      body: form(),
    });
    expect([status, body.detail]).toEqual([
      422,
      expect.stringContaining('Nothing was imported: it took more than 1 s.'),
    ]);
  });

  it('stops when its caller closes the connection, and lets another begin', async () => {
    const service = await startService('sqlite', {
      config: { ...config, catalogueImportSeconds: 300 },
    });
    const token = await service.given.staffToken();
    const body = form();
    const socket = connect(service.http.port, '127.0.0.1');
    const head = [
      'POST /catalogue/versions HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      `Content-Type: ${formType['Content-Type']}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    const uploading = firstCall(service.get(UploadService), 'importForm');
    const importing = firstCall(service.get(ImportService), 'importFiles');
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const uploaded = await uploading;
    const small = async () => (await upload(service.http, token, {}, { dryRun: 'true' })).status;
    expect(await small()).toBe(409);
    socket.write(body);
    await importing;
    expect(await small()).toBe(409);
    socket.destroy();
    expect(await uploaded.end).toMatchObject({
      status: 'rejected',
      reason: expect.any(MalformedRequest),
    });
    expect(await small()).toBe(200);
  });
});

onOneEngine('the upload of a catalogue', (engine) => {
  let service: Service;
  let staff: string;
  const send = (body: string, headers: Record<string, string> = formType, token = staff) =>
    service.http.send<{ code: string; detail: string; total: number; faults: object[] }>({
      method: 'POST',
      path: '/catalogue/versions',
      token,
      headers,
      body,
    });

  beforeAll(async () => {
    service = await startService(engine, { config: { catalogueUploadMegabytes: 1 } });
    staff = await service.given.staffToken();
  });

  it('refuses a faulty upload with every fault, and stores nothing', async () => {
    const { status, body } = await send(
      formOf(
        catalogueFiles({ prices: ['INT-1G-12,ONNET,standard,"5,50",GBP,1w', 'X,ONNET,,1,GBP,1'] }),
      ),
    );
    expect([status, body.code, body.total]).toEqual([422, 'catalogue-rejected', 3]);
    expect(body.faults[0]).toEqual({
      file: 'prices.csv',
      line: 2,
      column: 'lead_time_days',
      value: '1w',
      reason: 'A lead time is a whole number of days, 0 to 3650.',
      suggestion: 'Write 7.',
    });
    const list = await service.http.get<VersionList>('/catalogue/versions', { token: staff });
    expect(list.body.items).toEqual([]);
  });

  it.each([
    ['without a file', () => formOf({ products: 'a', prices: 'b' }), 422, 'catalogue-rejected'],
    ['with another file', () => formOf({ streets: 'a' }), 400, 'malformed-request'],
    [
      'with a file twice',
      () => formOf({ prices: 'a' }) + formOf({ prices: 'a' }),
      422,
      'catalogue-rejected',
    ],
    ['cut short', () => formOf(catalogueFiles()).slice(0, 150), 400, 'malformed-request'],
    [
      'with a character that was not UTF-8',
      () => formOf({ ...catalogueFiles(), coverage: 'place,zone\nEC,Z\ufffd\n' }),
      422,
      'catalogue-rejected',
    ],
    ['too large', () => formOf({ prices: 'x'.repeat(1_200_000) }), 413, 'content-too-large'],
    ['with an unknown field', () => formOf(catalogueFiles(), { to: 'x' }), 400, 'validation-error'],
    [
      'with a wrong instant',
      () => formOf(catalogueFiles(), { then: 'soon' }),
      400,
      'validation-error',
    ],
  ])('is refused %s', async (_, form, status, code) => {
    const reply = await send(form());
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  it('is refused while another is being imported, and taken after it', async () => {
    const form = formOf(catalogueFiles(), { dryRun: 'true' });
    // The first import lasts until the others are refused.
    const imports = service.get(ImportService);
    const whole = imports.importFiles.bind(imports);
    const others = Promise.withResolvers<void>();
    jest.spyOn(imports, 'importFiles').mockImplementationOnce(async (...about) => {
      await others.promise;
      return whole(...about);
    });
    let left = 2;
    const one = async () => {
      const reply = await send(form);
      if (reply.status === 409 && (left -= 1) === 0) others.resolve();
      return reply;
    };
    const replies = await Promise.all([one(), one(), one()]);
    jest.restoreAllMocks();
    const codes = replies.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort();
    expect(codes).toEqual(['200 ', '409 import-running', '409 import-running']);
    const refused = replies.find(({ status }) => status === 409)!;
    expect(refused.headers['retry-after']).toBe('10');
    expect((await send(form)).status).toBe(200);
  });

  it('accepts uploads only as a form, and only from staff', async () => {
    const form = formOf(catalogueFiles());
    expect((await send(form, { 'Content-Type': 'text/csv' })).status).toBe(415);
    expect((await send('{}', { 'Content-Type': 'application/json' })).status).toBe(415);
    expect((await send(form, { 'Content-Type': 'multipart/form-data; x=y' })).status).toBe(400);
    expect((await send(form, formType, await service.given.token())).status).toBe(403);
    const noToken = await service.http.send({
      method: 'POST',
      path: '/catalogue/versions',
      headers: formType,
      body: form,
    });
    expect(noToken.status).toBe(401);
  });
});

onOneEngine('the import and export of catalogue files', (engine) => {
  let service: Service;
  const importOf = (path: string) =>
    service
      .get(ImportService)
      .importFiles(path, { label: 'files', actor: operator, activate: true, accept: 'test' });

  beforeAll(async () => {
    service = await startService(engine);
  });

  it('exports files that import as the same content', async () => {
    await importOf(await folderOf({}));
    const { content } = service.get(CatalogueService).current;
    const folder = await newFolder();
    for (const { fileName, chunks } of printCatalogue(content)) {
      await writeFile(join(folder, fileName), [...chunks].join(''));
    }
    expect((await importOf(folder)).outcome).toBe('no-change');
  });

  it('imports files from a zip, also from a folder in it', async () => {
    const path = join(await newFolder(), 'rates.zip');
    const files = Object.entries(catalogueFiles(priced('575.00')));
    await writeFile(path, zipOf(files.map(([name, text]) => [`rates/${name}.csv`, text])));
    await importOf(await folderOf({}));
    const report = await importOf(path);
    expect([report.outcome, report.diff?.prices.length]).toEqual(['active', 1]);
  });

  it.each([
    ['is missing', async () => join(await newFolder(), 'none'), /does not exist/],
    ['is empty', () => newFolder(), /products\.csv is missing[^]*coverage\.csv is missing/],
    [
      'is no zip',
      async () => {
        const path = join(await newFolder(), 'a.zip');
        await writeFile(path, 'not a zip');
        return path;
      },
      /neither a folder nor a zip/,
    ],
    [
      'is a zip without prices',
      async () => {
        const path = join(await newFolder(), 'a.zip');
        await writeFile(path, zipOf([['products.csv', 'x']]));
        return path;
      },
      /has no prices\.csv/,
    ],
    [
      'is a zip with prices twice',
      async () => {
        const path = join(await newFolder(), 'a.zip');
        const files = Object.entries(catalogueFiles(priced('575.00')));
        const { prices } = catalogueFiles(priced('999.00'));
        await writeFile(
          path,
          zipOf([
            ...files.map(([name, text]) => [`new/${name}.csv`, text] as const),
            ['old/prices.csv', prices],
          ]),
        );
        return path;
      },
      /has two files named prices\.csv/,
    ],
    ...[
      ['leads out of the zip', '../../../../x'],
      ['leads out of the zip by a file of a catalogue', '../zones.csv'],
      ['is absolute', '/etc/x'],
    ].map(
      ([what, name]) =>
        [
          `is a zip with a path that ${what}`,
          () =>
            zipFile(
              zipOf([
                ['products.csv', 'x'],
                [name!, 'x'],
              ]),
            ),
          /cannot be read/,
        ] as const,
    ),
    [
      'is a zip that states more files than it has',
      () => {
        const zip = zipOf([['products.csv', 'x']]);
        zip.writeUInt16LE(65_535, zip.length - 14);
        zip.writeUInt16LE(65_535, zip.length - 12);
        return zipFile(zip);
      },
      /cannot be read|neither a folder nor a zip/,
    ],
    [
      'holds a folder in place of a file',
      async () => {
        const folder = await folderOf({});
        await mkdir(join(folder, 'x'));
        const mixed = Buffer.concat([Buffer.from('€€€€ '), Buffer.from([0x81])]);
        await writeFile(join(folder, 'prices.csv'), mixed);
        return folder;
      },
      /prices\.csv: The text is partly UTF-8/,
    ],
    [
      'holds a file twice, also as a workbook',
      async () => {
        const folder = await folderOf({});
        await writeFile(join(folder, 'prices.xlsx'), await workbookOf({ sheets: { A: [['x']] } }));
        return folder;
      },
      /has prices\.csv and prices\.xlsx: remove one of them/,
    ],
  ])('are refused where the path %s', async (_, path, message) => {
    await expect(importOf(await path())).rejects.toThrow(message);
  });
});

async function zipFile(bytes: Buffer): Promise<string> {
  const path = join(await newFolder(), 'a.zip');
  await writeFile(path, bytes);
  return path;
}

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { VersionPruningService } from '../../src/catalogue/versions/version-pruning.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { londonDay } from '../../src/platform/kernel/working-hours.js';
import type { Compatibility, ClientNearNet } from '../../src/platform/kernel/client-options.js';
import { newFolder } from '../support/closing.js';
import { smallCatalogue } from '../support/given.js';
import type { Reply } from '../support/http.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { importPlaces, postcodes, RandomCatalogue, randomNumbers } from './random-catalogue.js';

const PATH = '/product-availability/coverage';
const SEED = Number(process.env.SEED ?? 4711);

type Row = Readonly<Record<string, string | number | boolean | null>>;

interface ReferenceClient {
  version: string | undefined;
  sync(): Promise<void>;
  check(postcode: string, uprn: string | undefined, day: string): Row[];
  constraints(postcode: string, uprn: string | undefined, day: string): Row[];
}

/** The example, without its types. */
async function referenceClient(base: string, token: string): Promise<ReferenceClient> {
  const source = readFileSync(resolve('examples/typescript/coverage.ts'), 'utf8');
  const file = join(await newFolder(), 'coverage.mjs');
  await writeFile(file, stripTypeScriptTypes(source));
  const { Coverage } = (await import(pathToFileURL(file).href)) as {
    Coverage: new (base: string, token: string) => ReferenceClient;
  };
  return new Coverage(base, token);
}

const rowsOf = ({ text }: Pick<Reply<unknown>, 'text'>): Row[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

interface Holder {
  readonly priceList?: string;
  readonly nearNet?: ClientNearNet;
  readonly compatibility?: Compatibility;
}

async function tokenOf({ given }: Service, about: Holder = {}): Promise<string> {
  const client = await given.client(about);
  return given.token({ client, scopes: ['availability:read', 'coverage:read'] });
}

onOneEngine('coverage and price sync', (engine) => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue({
      premises: ['100023336956,EC2A 2BS,"Quay House, East",NEARNET', '100023336957,EC2A 2BS,,-'],
      priceLists: ['gold,standard,-12,0.50'],
    });
  });
  beforeEach(async () => {
    token = await tokenOf(service);
  });

  const get = (path = '', headers: Record<string, string> = {}) =>
    service.http.get<{ code?: string }>(`${PATH}${path}`, { token, headers });
  const versionIn = ({ headers }: Reply<unknown>) => /^W\/"(.*)"$/.exec(headers.etag!)![1]!;

  it('is off without its scope, which no token has by default', async () => {
    for (const path of ['', '/changes?since=AAAAAAAAAAAAAAAA']) {
      const { status, body } = await service.http.get<{ code: string }>(PATH + path, {
        token: await service.given.token({ scopes: ['availability:read'] }),
      });
      expect([status, body.code]).toEqual([403, 'insufficient-scope']);
    }
  });

  it('has places, premises, prices and products, and ends with their number and checksum', async () => {
    const reply = await get();
    const rows = rowsOf(reply);
    expect(reply.headers['content-type']).toBe('application/x-ndjson');
    const areaOf = (place: string) => rows.find((row) => row.place === place)?.area;
    const [onnet, near] = [areaOf('EC2A'), areaOf('N1')];
    expect(rows.slice(0, -1)).toEqual([
      { row: 'place', place: 'N1', area: near },
      { row: 'place', place: 'EC2A', area: onnet },
      { row: 'place', place: 'EC2A 2BR', area: null },
      { row: 'place', place: 'SW1A 1AA', area: onnet },
      {
        ...{ row: 'premises', uprn: '100023336956', postcode: 'EC2A 2BS' },
        ...{ name: 'Quay House, East', area: near },
      },
      { row: 'premises', uprn: '100023336957', postcode: 'EC2A 2BS', name: null, area: null },
      ...rows.filter(({ row }) => row === 'price'),
      ...rows.filter(({ row }) => row === 'product'),
    ]);
    expect(rows.find((row) => row.area === near && row.row === 'price')).toEqual({
      ...{ row: 'price', area: near, productCode: 'INT-1G-12', price: 725, currency: 'GBP' },
      ...{ leadTimeDays: 120, setupPrice: null, basis: 'firm', extraChargesPossible: false },
      ...{ network: null, priceUntil: null, validFrom: null, validUntil: null },
    });
    // What is sold nowhere is not in it.
    expect(rows.filter(({ row }) => row === 'product').map((row) => row.productCode)).toEqual([
      'INT-100M-12',
      'INT-1G-12',
      'INT-1G-36',
    ]);
    const lines = reply.text.trimEnd().split('\n');
    const before = reply.text.slice(0, -(lines.at(-1)!.length + 1));
    expect(rows.at(-1)).toEqual({
      ...{ row: 'end', version: versionIn(reply), rows: lines.length - 1 },
      sha256: createHash('sha256').update(before).digest('hex'),
    });
  });

  it('shows neither zones nor notes', async () => {
    await service.given.catalogue({
      zones: ['ONNET,Lit buildings,onNetWithoutBuild,,Duct is full'],
    });
    const { text } = await get();
    expect(text).toContain('onNetWithoutBuild');
    expect(text).not.toMatch(/ONNET|NEARNET|Lit buildings|Duct/);
  });

  it('has the prices of the own list, derived ones too', async () => {
    const pricesOf = async (priceList: string) => {
      token = await tokenOf(service, { priceList });
      return rowsOf(await get()).flatMap(({ row, price }) => (row === 'price' ? [price] : []));
    };
    await service.given.catalogue({ priceLists: ['gold,standard,-10,'] });
    const standard = await pricesOf('standard');
    expect(await pricesOf('gold')).toEqual(
      standard.map((price) => Math.round(Number(price) * 90) / 100),
    );
    expect(await pricesOf('partner')).toContain(499.5);
  });

  it('is CSV with the same rows if asked for', async () => {
    const json = rowsOf(await get());
    const reply = await get('', { Accept: 'text/csv' });
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    const [header, ...lines] = reply.text.trimEnd().split('\n');
    expect(header).toMatch(/^row,place,area,band,.*,version,rows,sha256$/);
    expect(lines).toHaveLength(json.length);
    expect(lines.filter((line) => line.startsWith('price,'))).toHaveLength(
      json.filter(({ row }) => row === 'price').length,
    );
  });

  it('is compressed for a client that accepts it', async () => {
    const plain = await get();
    const response = await service.http.open(PATH, {
      token,
      headers: { 'Accept-Encoding': 'gzip' },
    });
    expect(response.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'Accept, Accept-Encoding',
      'cache-control': 'private, no-cache',
    });
    expect(gunzipSync(await buffer(response)).toString()).toBe(plain.text);
  });

  it('answers 304 while nothing has changed, and after a restore of the same content', async () => {
    await service.given.catalogue({ coverage: ['EC2A,ONNET', 'N1,NEARNET'] });
    const { etag } = (await get()).headers;
    // As fetch asks.
    const again = () => get('', { 'If-None-Match': etag!, 'Cache-Control': 'no-cache' });
    const { status, headers } = await again();
    expect([status, headers.etag, headers.vary]).toEqual([304, etag, 'Accept, Accept-Encoding']);
    await service.given.catalogue({ coverage: ['EC2A,ONNET'] });
    expect((await again()).status).toBe(200);
    await service.get(VersionsService).restore(null, { accept: 'Mistake.' }, operator);
    expect((await again()).status).toBe(304);
  });

  it('sends a HEAD without a body', async () => {
    const { status, headers, text } = await service.http.send({
      method: 'HEAD',
      path: PATH,
      token,
    });
    expect([status, headers.etag, text]).toEqual([200, (await get()).headers.etag, '']);
  });

  it('sends what has changed: rows to put and to remove', async () => {
    await service.given.catalogue({ coverage: ['EC2A,ONNET', 'EC2A 2BR,-', 'N1,NEARNET'] });
    const before = await get();
    const since = encodeURIComponent(before.headers.etag!);
    const none = rowsOf(await get(`/changes?since=${since}`));
    expect(none.map(({ row, rows }) => [row, rows])).toEqual([['end', 0]]);
    await service.given.catalogue({ coverage: ['EC2A,NEARNET', 'E1,ONNET', 'N1,NEARNET'] });
    const [, near] = rowsOf(before);
    const changes = await get(`/changes?since=${versionIn(before)}`);
    expect(rowsOf(changes).slice(0, -1)).toEqual([
      { row: 'place', op: 'put', place: 'E1', area: expect.any(String) },
      { row: 'place', op: 'put', place: 'EC2A', area: rowsOf(before)[0]!.area },
      { row: 'place', op: 'remove', place: 'EC2A 2BR', area: null },
    ]);
    expect(near).toBeDefined();
    expect(versionIn(changes)).toBe(versionIn(await get()));
  });

  it('is gone where the price list has changed, and where the content was pruned', async () => {
    const own = versionIn(await get());
    const partner = await tokenOf(service, { priceList: 'partner' });
    const others = await service.http.get<{ code: string }>(`${PATH}/changes?since=${own}`, {
      token: partner,
    });
    expect([others.status, others.body.code]).toEqual([410, 'version-gone']);
    await service.given.catalogue({ coverage: ['EC2A,ONNET', 'N1,-'] });
    const older = versionIn(await get());
    for (const place of ['N1P', 'N1A']) {
      await service.given.catalogue({ coverage: ['EC2A,ONNET', `${place},-`] });
    }
    expect((await get(`/changes?since=${older}`)).status).toBe(200);
    await service.get(VersionPruningService).prune(1, false, operator);
    const { status, body } = await get(`/changes?since=${older}`);
    expect([status, body.code]).toEqual([410, 'version-gone']);
  });

  it('is gone where the network has changed', async () => {
    const apart = await startService(engine, { config: { rateLimits: false } });
    await importPlaces(apart);
    const buildBands = ['*,500,950,45,subjectToSurvey,*'];
    await apart.given.catalogue({ coverage: ['EC2A,ONNET'], buildBands });
    const own = await tokenOf(apart, { nearNet: 'all' });
    const ask = (path = '') => apart.http.get<{ code?: string }>(PATH + path, { token: own });
    const since = `/changes?since=${versionIn(await ask())}`;
    await apart.given.catalogue({ coverage: ['EC2A,ONNET', 'N1P,-'], buildBands });
    const { status, body } = await ask(since);
    expect([status, body.code]).toEqual([410, 'version-gone']);
  });

  it('removes the prices by distance of a withdrawn product, and puts no others', async () => {
    const apart = await startService(engine, { config: { rateLimits: false } });
    await importPlaces(apart);
    const buildBands = ['*,500,950,45,subjectToSurvey,*'];
    await apart.given.catalogue({ buildBands });
    const own = await tokenOf(apart, { nearNet: 'all' });
    const before = await apart.http.get(PATH, { token: own });
    const withdrawn = rowsOf(before).filter(
      ({ row, productCode }) => row === 'price' && productCode === 'INT-100M-12',
    );
    const prices = smallCatalogue.prices.filter((row) => !row.startsWith('INT-100M-12'));
    await apart.given.catalogue({ buildBands, prices });
    const path = `${PATH}/changes?since=${versionIn(before)}`;
    const changes = rowsOf(await apart.http.get(path, { token: own }));
    const changedPrices = changes.filter(({ row }) => row === 'price');
    // In the zone, and where building to the place adds to the price.
    expect(withdrawn).toHaveLength(2);
    expect(changedPrices).toEqual(withdrawn.map((row) => ({ ...row, op: 'remove' })));
  });

  it.each(['', '?since=', '?since=12', '?since=W/"AAAA"', '?since=AAAAAAAAAAAAAAAA&x=1'])(
    'refuses changes with the query %j',
    async (query) => {
      const { status, body } = await get(`/changes${query}`);
      expect([status, body.code]).toEqual([400, 'validation-error']);
    },
  );
});

describe('limits of coverage sync', () => {
  it('are four whole downloads and sixty of changes an hour', async () => {
    const service = await startService('sqlite');
    await service.given.catalogue();
    const token = await tokenOf(service);
    const get = (path: string, headers = {}) =>
      service.http.get<{ code: string; detail: string }>(PATH + path, { token, headers });
    const etag = (await get('')).headers.etag!;
    const since = `/changes?since=${encodeURIComponent(etag)}`;
    for (let i = 0; i < 3; i++) {
      expect((await get('')).status).toBe(200);
      // It says only whether there is something new.
      await service.http.send({ method: 'HEAD', path: PATH, token });
    }
    const { status, headers, body } = await get('');
    expect([status, body.detail]).toEqual([429, 'The limit is 4 whole downloads an hour.']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_000);
    expect((await get('', { 'If-None-Match': etag })).status).toBe(304);
    for (let i = 0; i < 60; i++) expect((await get(since)).status).toBe(200);
    expect((await get(since)).body.detail).toBe('The limit is 60 downloads of changes an hour.');
  });
});

/** The register, with positions on a grid that is one kilometre wide. */
onOneEngine('the reference client', (engine) => {
  const holders: readonly Holder[] = [
    { priceList: 'standard', nearNet: 'all' },
    { priceList: 'partner' },
    { priceList: 'own', nearNet: 'all' },
  ];

  const long = Number(process.env.VERSIONS ?? 0);
  const versions = long || 10;
  // With prices by distance, each version costs a thread for its network, and a client a whole download.
  const withBands = Math.ceil((long || 14) / 2);

  it(
    `answers 10,000 postcodes as the service does, after ${versions} random versions with lost webhooks`,
    async () => {
      const service = await startService(engine, { config: { rateLimits: false } });
      const { http, given, clock } = service;
      const below = randomNumbers(SEED);
      const catalogue = new RandomCatalogue(below);
      await given.catalogue(catalogue.rows);
      const clients = await Promise.all(
        holders.map(async (holder) => {
          const token = await tokenOf(service, holder);
          return { token, own: await referenceClient(`http://127.0.0.1:${http.port}`, token) };
        }),
      );
      const compare = async (places: readonly { postcode: string; uprn?: string }[]) => {
        const day = londonDay(clock.now());
        const counts = { products: 0, near: 0, constraints: 0 };
        for (const [nth, { token, own }] of clients.entries()) {
          // Of three clients, each asks for a third of the places.
          const its = places.filter((_, i) => i % clients.length === nth);
          for (let at = 0; at < its.length; at += 100) {
            const asked = its.slice(at, at + 100);
            const { body } = await http.post<{ results: AvailabilityResult[] }>(
              '/product-availability/postcodes',
              { places: asked },
              { token },
            );
            const expected = body.results.map(({ availableProducts }) => availableProducts);
            const found = asked.map(({ postcode, uprn }) => own.check(postcode, uprn, day));
            expect(found).toEqual(expected);
            const stated = asked.map(({ postcode, uprn }) => own.constraints(postcode, uprn, day));
            const shown = body.results.map(({ constraints }, i) => constraints ?? stated[i]!);
            expect(stated).toEqual(shown);
            counts.constraints += shown.flat().length;
            counts.products += expected.flat().length;
            counts.near += body.results.filter(({ nearest }) => nearest !== null).length;
          }
        }
        return counts;
      };
      const all = postcodes.map((postcode) => ({ postcode }));
      let synced = 0;
      for (let version = 1; version <= versions; version++) {
        if (version === versions - withBands) {
          await importPlaces(service);
          catalogue.hasBands = true;
        }
        for (let i = 0; i <= below(4); i++) catalogue.change();
        if (below(10) > 0) await given.catalogue(catalogue.rows);
        else await service.get(VersionsService).restore(null, { accept: 'At random.' }, operator);
        if (below(12) === 0) clock.advance({ days: 1 });
        // Two of three webhooks are lost.
        if (below(3) > 0 && version < versions) continue;
        synced += 1;
        for (const { own } of clients) await own.sync();
        if (version % 10 === 0) await compare(all.filter((_, i) => i % 100 === version % 100));
      }
      expect(synced).toBeGreaterThan(versions / 5);
      const listed = catalogue.rows.premises!.map((row) => row.split(',')).slice(0, 200);
      await compare(listed.map(([uprn, postcode]) => ({ postcode: postcode!, uprn: uprn! })));
      const { products, near, constraints } = await compare(all);
      expect([products > 3_000, near > 100, constraints > 100]).toEqual([true, true, true]);
    },
    240_000 + 10_000 * long,
  );
});

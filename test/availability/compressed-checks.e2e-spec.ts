import { beforeAll, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import http, { type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import {
  importPlaces,
  postcodes,
  RandomCatalogue,
  randomNumbers,
} from '../coverage-sync/random-catalogue.js';
import { newFolder } from '../support/closing.js';
import { onBothEntrances } from '../support/entrances.js';
import { type Service, startService } from '../support/service.js';

const SEED = Number(process.env.SEED ?? 4711);
const FILTERS = ['', '?bandwidth=1', '?term=36', '?service=internet', '?basis=indicative&term=12'];
const SMALL_TOO = 'gzip, identity;q=0';

/** Each reads a gzip file, and prints its text. */
const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
  gunzip: ['gunzip', '-c', 'FILE'],
  python: ['python3', '-c', 'import gzip, sys; sys.stdout.buffer.write(gzip.open("FILE").read())'],
  java: ['java', 'Unzip.java', 'FILE'],
};
const UNZIP = `import java.io.*; import java.util.zip.*;
class Unzip { public static void main(String[] a) throws IOException {
  new GZIPInputStream(new FileInputStream(a[0])).transferTo(System.out); } }`;

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

onBothEntrances(
  'a compressed check',
  (engine) => {
    let service: Service;
    let token: string;

    beforeAll(async () => {
      service = await startService(engine, { config: { rateLimits: false } });
      const codes = Array.from({ length: 48 }, (_, i) => `INT-${i + 1}G-12`);
      await service.given.catalogue({
        products: codes.map((code, i) => `${code},Internet à la carte – 日本,${i + 1},100,12`),
        prices: codes.map((code, i) => `${code},ONNET,standard,${100 + i}.50,GBP,84`),
      });
      token = await service.given.token();
    });

    const pathOf = (postcode: string, filter = '') =>
      `/product-availability/postcode/${encodeURIComponent(postcode)}${filter}`;

    /** The bytes as they arrive. */
    async function ask(
      path: string,
      accepted?: string,
      { by = token, method = 'GET', from = service } = {},
    ): Promise<Received> {
      const headers = {
        Authorization: `Bearer ${by}`,
        ...(accepted !== undefined && { 'Accept-Encoding': accepted }),
      };
      const to = { host: '127.0.0.1', port: from.http.port, path, method, headers };
      const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
        http.get(to, resolve).on('error', reject);
      });
      const bytes = await buffer(response);
      return { status: response.statusCode!, headers: response.headers, bytes };
    }

    /** Each check has another id. */
    const comparable = (bytes: Buffer) =>
      bytes.toString().replace(/^\{"id":"\w{10}"/, '{"id":"0123456789"');

    it('is what it is uncompressed, for all kinds of catalogues, price lists, dates and filters', async () => {
      const own = await startService(engine, { config: { rateLimits: false } });
      const { given, clock } = own;
      await importPlaces(own);
      const below = randomNumbers(SEED);
      const catalogue = new RandomCatalogue(below);
      catalogue.hasBands = true;
      const holders = [
        { priceList: 'standard' },
        { priceList: 'partner', nearNet: 'all' },
        { priceList: 'own', compatibility: '0.2' },
      ] as const;
      const tokens: string[] = [];
      for (const holder of holders) {
        const client = await given.client(holder);
        tokens.push(await given.token({ client }));
      }
      const sandbox = await given.token({ kind: 'test' });
      const counts = { products: 0, near: 0 };
      for (let version = 0; version < 4; version += 1) {
        await given.catalogue(catalogue.rows);
        const covered = catalogue.rows.coverage!.map((row) => row.split(',')[0]!);
        const places = [...covered.filter((one) => postcodes.includes(one)).slice(0, 10)];
        for (let i = 0; i < 5; i += 1) places.push(postcodes[below(postcodes.length)]!);
        const asked: [path: string, by: string][] = places.flatMap((place, i) =>
          tokens.map((by): [string, string] => [pathOf(place, FILTERS[i % FILTERS.length]), by]),
        );
        for (const unit of ['1AA', '1BE', '1BH']) asked.push([pathOf(`ZZ99 ${unit}`), sandbox]);
        for (const row of catalogue.rows.premises!.slice(0, 5)) {
          const [uprn, place] = row.split(',');
          const query = `?postcode=${encodeURIComponent(place!)}`;
          asked.push([`/product-availability/premises/${uprn}${query}`, tokens[1]!]);
        }
        for (const [path, by] of asked) {
          const plain = await ask(path, undefined, { by, from: own });
          const packed = await ask(path, SMALL_TOO, { by, from: own });
          expect([path, packed.status, packed.headers['content-encoding']]).toEqual([
            ...[path, 200, 'gzip'],
          ]);
          const text = comparable(plain.bytes);
          expect(comparable(gunzipSync(packed.bytes))).toBe(text);
          counts.products += text.split('"productCode"').length - 1;
          counts.near += text.includes('"distanceMetres"') ? 1 : 0;
        }
        clock.advance({ days: 20 });
        for (let i = 0; i < 100; i += 1) catalogue.change();
      }
      expect([counts.products > 100, counts.near > 5]).toEqual([true, true]);
    }, 120_000);

    it('is read by the decoders of other programs', async () => {
      const folder = await newFolder();
      writeFileSync(join(folder, 'Unzip.java'), UNZIP);
      const { headers, bytes } = await ask(pathOf('EC2A 2BS'), 'gzip');
      const length = Number(headers['content-length']);
      expect([bytes.length, length < 2_000]).toEqual([length, true]);
      const text = gunzipSync(bytes).toString();
      expect((JSON.parse(text) as { availableProducts: [] }).availableProducts).toHaveLength(48);
      writeFileSync(join(folder, 'check.gz'), bytes);
      for (const [name, [program, ...written]] of Object.entries(programs)) {
        const rest = written.map((one) => one.replace('FILE', 'check.gz'));
        try {
          expect(execFileSync(program, rest, { cwd: folder }).toString()).toBe(text);
        } catch (error) {
          if ((error as { code?: string }).code !== 'ENOENT') throw error;
          process.stderr.write(`No ${program}: what ${name} reads is not tested.\n`);
        }
      }
      const response = await fetch(`http://127.0.0.1:${service.http.port}${pathOf('EC2A 2BS')}`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(response.headers.get('content-encoding')).toBe('gzip');
      expect(comparable(Buffer.from(await response.arrayBuffer()))).toBe(
        comparable(Buffer.from(text)),
      );
    }, 60_000);

    it.each<[accepted: string | undefined, encoding: string | undefined]>([
      [undefined, undefined],
      ['gzip', 'gzip'],
      ['GZIP; q=0.5', 'gzip'],
      ['gzip, deflate, br, zstd', 'gzip'],
      ['br', undefined],
      ['gzip;q=0', undefined],
      ['gzip;q=0, *', undefined],
      ['gzip ; q=0.000', undefined],
      ['identity', undefined],
      ['*', undefined],
      ['*;q=0', undefined],
      ['identity;q=0, *', 'gzip'],
      ['gzip, identity;q=0', 'gzip'],
    ])('follows Accept-Encoding %j: %j', async (accepted, encoding) => {
      const { status, headers } = await ask(pathOf('EC2A 2BS'), accepted);
      expect([status, headers['content-encoding'], headers.vary]).toEqual([
        ...[200, encoding, 'Accept-Encoding'],
      ]);
    });

    it('is sent as it is where it is small, unless the client refuses that', async () => {
      const { headers } = await ask(pathOf('AB10 1AB'), 'gzip');
      expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
      const forced = await ask(pathOf('AB10 1AB'), SMALL_TOO);
      expect(gunzipSync(forced.bytes).toString()).toContain('"notCovered"');
    });

    it('answers HEAD with the headers of the compressed answer, without a body', async () => {
      const get = await ask(pathOf('EC2A 2BS'), 'gzip');
      const head = await ask(pathOf('EC2A 2BS'), 'gzip', { method: 'HEAD' });
      const names = ['content-type', 'content-length', 'content-encoding', 'vary'] as const;
      expect(names.map((name) => head.headers[name])).toEqual(
        names.map((name) => get.headers[name]),
      );
      expect(head.bytes.length).toBe(0);
    });
  },
  ['sqlite'],
);

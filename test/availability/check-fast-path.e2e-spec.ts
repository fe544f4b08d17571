import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AccessService } from '../../src/clients/access.service.js';
import type { LeanExpressAdapter } from '../../src/platform/http/lean-express.adapter.js';
import type { RawRequest } from '../support/http.js';
import { type Service, startService } from '../support/service.js';

const path = '/product-availability/postcode/EC2A2BS';
const premises = '/product-availability/premises/100023336956';

/** That both entrances give the same answers is tested where checks, access and limits are. */
describe('The fast path of a check', () => {
  let service: Service;
  let token: string;
  let inFrontOfExpress: (request: Partial<RawRequest>) => Promise<boolean>;

  beforeAll(async () => {
    service = await startService('sqlite', { config: { lookupsPerMinute: 100 } });
    await service.given.catalogue({ premises: ['100023336956,EC2A 2BS,Quay House,ONNET'] });
    token = await service.given.token();
    const express = service.app.getHttpAdapter().getInstance() as unknown as { handle(): void };
    const handle = jest.spyOn(express, 'handle');
    inFrontOfExpress = async (request) => {
      handle.mockClear();
      await service.http.send({ method: 'GET', path, token, ...request });
      return handle.mock.calls.length === 0;
    };
  });

  // Passport accepts the token, which is recognised until a client or a token changes.
  beforeEach(() => service.http.get(path, { token }));

  it('answers a valid check before Express', async () => {
    expect(await inFrontOfExpress({})).toBe(true);
    expect(await inFrontOfExpress({ path: path.replace('EC2A2BS', 'zz1%201zz') })).toBe(false);
    expect(await inFrontOfExpress({ path: path.replace('EC2A2BS', '%20n19gu') })).toBe(true);
    expect(await inFrontOfExpress({ path: `${path}?bandwidth=0.1&service=Internet` })).toBe(true);
    for (const query of ['EC2A2BS', 'ec2a%202bs', 'EC2A+2BS']) {
      expect(await inFrontOfExpress({ path: `${premises}?postcode=${query}` })).toBe(true);
    }
  });

  it.each<[string, Partial<RawRequest>]>([
    ['another method', { method: 'HEAD' }],
    ['an empty query', { path: `${path}?` }],
    ['an invalid filter', { path: `${path}?term=0` }],
    ['a filter in a second query', { path: `${path}?term=12?basis=firm` }],
    ['a repeated filter', { path: `${path}?term=12&term=12` }],
    ['an escaped filter', { path: `${path}?service=Inter%6Eet` }],
    ['a further segment', { path: `${path}/` }],
    ['premises without a postcode', { path: premises }],
    ['premises and a filter', { path: `${premises}?postcode=EC2A2BS&term=12` }],
    ['premises and an invalid postcode', { path: `${premises}?postcode=EC2A` }],
    ['premises at another postcode', { path: `${premises}?postcode=EC2A2BT` }],
    ['an invalid UPRN', { path: `${premises}x?postcode=EC2A2BS` }],
    ['an invalid postcode', { path: path.replace('2BS', '') }],
    ['an unknown token', { token: 'nonsense' }],
    ['a second token', { headers: { Authorization: ['Bearer a', 'Bearer b'] } }],
  ])('leaves a request with %s to the full pipeline', async (_what, request) => {
    expect(await inFrontOfExpress(request)).toBe(false);
  });

  it('leaves a request without exactly one Host header to the full pipeline, which refuses it', async () => {
    const answerTo = (...headers: string[]) =>
      service.http.sendBytes(
        [`GET ${path} HTTP/1.1`, `Authorization: Bearer ${token}`, ...headers, '', ''].join('\r\n'),
      );
    expect(await answerTo('Host: a')).toMatch(/^HTTP\/1.1 200 /);
    expect(await answerTo()).toMatch(/^HTTP\/1.1 400 /);
    expect(await answerTo('Host: a', 'Host: a')).toMatch(/^HTTP\/1.1 400 /);
    expect(await answerTo('Host: a', 'HOST: b')).toMatch(/^HTTP\/1.1 400 /);
  });

  it('writes its headers as the full pipeline does, and closes the connection in the same cases', async () => {
    const { rules } = service.app.getHttpAdapter() as unknown as LeanExpressAdapter;
    const headOf = async (address: string, [version, ...headers]: readonly string[]) => {
      const lines = [`GET ${address} HTTP/${version}`, 'Host: a', ...headers];
      const request = [...lines, `Authorization: Bearer ${token}`, '', ''].join('\r\n');
      // A second request ends a connection that stays open.
      const last = 'GET /health/live HTTP/1.0\r\nHost: a\r\n\r\n';
      const [head = ''] = (await service.http.sendBytesAndStay(request + last)).split('\r\n\r\n');
      return head.replaceAll(/(?<=^(?:X-Request-Id|Date|RateLimit): ).*$/gm, '');
    };
    const requests = [
      ['1.1'],
      ['1.1', 'Connection: close'],
      ['1.0'],
      ['1.0', 'Connection: keep-alive'],
    ];
    const connections = [];
    for (const closing of [false, true]) {
      rules.closing = closing;
      for (const request of requests) {
        const head = await headOf(path, request);
        expect(head).toBe(await headOf(`/${path}`, request));
        connections.push(/^Connection: (\S+)/m.exec(head)?.[1]);
      }
    }
    rules.closing = false;
    expect(connections).toEqual([
      ...['keep-alive', 'close', 'close', 'keep-alive'],
      ...['close', 'close', 'close', 'close'],
    ]);
  });

  it('sends texts of the operator that are not ASCII in full', async () => {
    const own = await startService('sqlite', { config: { salesContact: 'Zoë, 0800 – “sales”' } });
    const name = '1G Internet à la carte – 日本';
    await own.given.catalogue({
      products: [`INT-1G-12,${name},1,10,12`],
      prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84'],
    });
    for (const compatibility of ['0.3', '0.2'] as const) {
      const client = await own.given.client({ name: compatibility, compatibility });
      const ownToken = await own.given.token({ client });
      const answers = [];
      for (const query of ['', '', '?term=12']) {
        const { status, body } = await own.http.get<{
          message: string;
          availableProducts: { name: string }[];
        }>(path + query, { token: ownToken });
        answers.push([status, body.message, body.availableProducts.map((product) => product.name)]);
      }
      const message =
        '1 product is available at EC2A 2BS. To order, place an order request or contact Zoë, 0800 – “sales”.';
      expect(answers).toEqual(answers.map(() => [200, message, [name]]));
    }
  });

  it('announces the end of compatibility 0.2 to its clients, on both ways, and in the log', async () => {
    const own = await startService('sqlite');
    await own.given.catalogue();
    const ends = async (compatibility: '0.2' | '0.3') => {
      const name = `Follows ${compatibility}`;
      const client = await own.given.client({ name, compatibility });
      const ownToken = await own.given.token({ client });
      const seen = [];
      for (const address of [path, path, '/product-availability/me']) {
        const { headers } = await own.http.get(address, { token: ownToken });
        seen.push([headers.deprecation, headers.sunset]);
      }
      return seen;
    };
    const announced = ['@1795824000', 'Fri, 31 Dec 2027 23:59:59 GMT'];
    expect(await ends('0.2')).toEqual([announced, announced, announced]);
    const nothing = [undefined, undefined];
    expect(await ends('0.3')).toEqual([nothing, nothing, nothing]);
    own.get(AccessService).warnOfOlderVersions();
    const warning = own.log.lines.findLast((line) => line.includes('Compatibility 0.2 ends'));
    expect(warning).toContain('Follows 0.2');
    expect(warning).not.toContain('Follows 0.3');
  });

  it('leaves an unknown token, or one without the scope, to the full pipeline', async () => {
    const unknown = await service.given.token();
    expect(await inFrontOfExpress({ token: unknown })).toBe(false);
    expect(await inFrontOfExpress({ token: unknown })).toBe(true);
    const withoutScope = await service.given.token({ scopes: ['orders:read'] });
    await inFrontOfExpress({ token: withoutScope });
    expect(await inFrontOfExpress({ token: withoutScope })).toBe(false);
  });

  it('leaves a check beyond the limit to the full pipeline, which counts it once', async () => {
    const own = await service.given.token();
    const statuses = new Map<number, number>();
    for (let i = 0; i < 102; i += 1) {
      const { status } = await service.http.get(path, { token: own });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([
      [200, 100],
      [429, 2],
    ]);
    expect(await inFrontOfExpress({ token: own })).toBe(false);
  });
});

import { afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { QUOTE, quotesOf, sites } from '../support/quotes.js';
import { stopWindows } from '../support/rate-limits.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

onOneEngine('quotes that are read', (engine) => {
  let service: Service;

  beforeAll(async () => {
    service = await startService(engine, { config: { lookupsPerMinute: 100 } });
    await service.given.catalogue();
  });
  afterEach(() => void jest.restoreAllMocks());

  /** A new client with a quote of so many sites. */
  async function withQuote(count: number) {
    const token = await service.given.token();
    const client = quotesOf(service, token);
    const id = await client.made({ wanted: { bandwidth: 1 }, sites: Array(count).fill(sites[0]) });
    const read = async (query = '', headers: Record<string, string> = {}) => {
      const answer = await service.http.get(`${QUOTE}/${id}${query}`, { token, headers });
      const left = /;r=(\d+);/.exec(String(answer.headers.ratelimit))?.[1];
      return { ...answer, left: Number(left), etag: String(answer.headers.etag) };
    };
    return { client, id, read, token };
  }

  it('count as one check for every ten lines', async () => {
    stopWindows();
    const { read } = await withQuote(95);
    // Made: 10 checks.
    expect((await read('?limit=10')).left).toBe(89);
    expect((await read('?limit=11')).left).toBe(87);
    expect((await read('?limit=50&cursor=90')).left).toBe(86);
    expect((await read('')).left).toBe(76);
    let left = 76;
    for (const Accept of ['text/csv', 'application/pdf']) {
      for (const path of ['', '/proposal']) {
        expect((await read(path, { Accept })).left).toBe((left -= 10));
      }
    }
  });

  it.each(['', '/proposal'])('as CSV (%s) begin with a byte order mark if asked', async (path) => {
    stopWindows();
    const { id, token } = await withQuote(1);
    const startOf = async (query: string) => {
      const headers = { Authorization: `Bearer ${token}`, Accept: 'text/csv' };
      const address = `http://127.0.0.1:${service.http.port}${QUOTE}/${id}${path}${query}`;
      const bytes = Buffer.from(await (await fetch(address, { headers })).arrayBuffer());
      return bytes.subarray(0, 4).toString();
    };
    const plain = await startOf('');
    expect(await startOf('?bom=yes')).toBe(`\uFEFF${plain.slice(0, 1)}`);
    expect(plain).toMatch(/^\w{4}$/);
  });

  it('are refused where too few checks are left', async () => {
    stopWindows();
    const { read } = await withQuote(900);
    expect([(await read('?limit=90')).left, (await read('?limit=1')).left]).toEqual([1, 0]);
    const { status, headers } = await read('?limit=1');
    expect([status, headers.etag]).toEqual([429, undefined]);
  });

  it.each(['application/json', 'text/csv', 'application/pdf'])(
    'as %s are not sent again before they change',
    async (type) => {
      const { client, id, read } = await withQuote(2);
      for (const path of type === 'application/json' ? ['', '?limit=1'] : ['', '/proposal']) {
        const known = await read(path, { Accept: type });
        const again = () => read(path, { Accept: type, 'If-None-Match': known.etag });
        expect(known.headers['cache-control']).toBe('private, no-cache');
        expect(await again()).toMatchObject({ status: 304, etag: known.etag, text: '' });
      }
      const { etag } = await read('', { Accept: type });
      await client.accept(id, { lines: ['1'] });
      const changed = await read('', { Accept: type, 'If-None-Match': etag });
      expect([changed.status, changed.etag === etag]).toEqual([200, false]);
    },
  );

  it('have a version for each range of lines and each type, and 304 counts as one check', async () => {
    stopWindows();
    const { read } = await withQuote(95);
    const asked = [
      ['', 'application/json'],
      ['?limit=1', 'application/json'],
      ['', 'text/csv'],
    ];
    const etags = await Promise.all(
      asked.map(async ([query, Accept]) => (await read(query, { Accept: Accept! })).etag),
    );
    expect(new Set(etags).size).toBe(3);
    const before = (await read('?limit=1')).left;
    const headers = { Accept: 'text/csv', 'If-None-Match': etags[2]! };
    expect(await read('', headers)).toMatchObject({ status: 304, left: before - 1 });
  });
});

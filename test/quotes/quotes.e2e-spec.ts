import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { XLSX } from '../../src/platform/http/attachment.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { QuoteAcknowledgement, QuoteView } from '../../src/quotes/record/quotes.dto.js';
import { FakeClock } from '../support/fake-clock.js';
import { QUOTE, quoteRequest, type QuoteRefusal, quotesOf, sites } from '../support/quotes.js';
import { stopWindows } from '../support/rate-limits.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { workbookOf } from '../support/workbook.js';

const config = { rateLimits: false };

onOneEngine('quotes', (engine) => {
  let service: Service;
  let clock: FakeClock;
  let token: string;
  let client: ReturnType<typeof quotesOf>;

  beforeAll(async () => {
    clock = new FakeClock();
    service = await startService(engine, { config, clock });
    await service.given.catalogue();
    token = await service.given.token();
    client = quotesOf(service, token);
  });

  it('leave the database its whole time, however long the sites have taken', async () => {
    await client.send();
    const transactions = service.get(Transactions);
    const arrived = transactions.arrived.bind(transactions);
    const spy = jest.spyOn(transactions, 'arrived').mockImplementationOnce((request) => {
      jest.spyOn(performance, 'now').mockReturnValueOnce(performance.now() - 10_000);
      arrived(request);
    });
    expect((await client.send()).status).toBe(201);
    expect(spy).toHaveBeenCalledTimes(1);
    jest.restoreAllMocks();
  });

  it('answer each site in its place', async () => {
    const { status, headers, body } = await client.send();
    const { quoteId, quoteReference, message } = body;
    expect([status, headers.location]).toEqual([201, `${QUOTE}/${quoteId}`]);
    expect(message).toBe(`Your quote ${quoteReference} has 7 sites: 2 have a price.`);
    const quote = await client.read(quoteId);
    expect(quote).toMatchObject({
      ...{ quoteId, quoteReference, reference: 'RFQ-118', state: 'open', nextCursor: null },
      customer: 'Fernhill Schools Trust',
      validUntil: '2026-04-01T09:00:00.000Z',
      counts: {
        ...{ priced: 2, notAvailable: 3, invalid: 2 },
        ...{ enquired: 0, offered: 0, ordered: 0, unableToProvide: 0 },
      },
      totals: [
        { currency: 'GBP', basis: 'firm', lines: 2, monthly: 1_175, setup: null, contract: null },
      ],
    });
    expect(quote.lines.map(({ lineId, site, state }) => [lineId, site, state])).toEqual([
      ['1', 'HQ', 'priced'],
      ['2', 'Depot', 'priced'],
      ['3', 'Mast', 'notAvailable'],
      ['4', 'Fast', 'notAvailable'],
      ['5', 'Closed', 'notAvailable'],
      ['6', 'Typo', 'invalid'],
      ['7', 'Wide', 'invalid'],
    ]);
    const [hq, depot, mast, fast, closed, typo, wide] = quote.lines;
    expect(hq).toMatchObject({
      ...{ postcode: 'EC2A 2BS', held: true, notes: 'Ask for Ola.', problem: null, was: null },
      wanted: { bandwidth: 1, term: 36 },
      product: { productCode: 'INT-1G-36', price: 450, leadTimeDays: 84, priceUntil: null },
      alternatives: [{ productCode: 'INT-1G-12' }],
      reasons: [],
    });
    expect(depot).toMatchObject({
      product: { productCode: 'INT-1G-12', price: 725 },
      wanted: { bandwidth: 1, term: 12 },
    });
    expect([mast, fast, closed].map((line) => line!.reasons.map(({ code }) => code))).toEqual([
      ['notCovered'],
      ['noMatch'],
      ['excluded'],
    ]);
    expect(typo!.problem).toMatchObject({ code: 'invalid-postcode' });
    expect(typo!.problem!.detail).toContain('EC2A 2DS');
    expect(wide).toMatchObject({ postcode: 'EC2A 2BS', wanted: null, product: null });
    expect(wide!.problem).toEqual({
      code: 'validation-error',
      detail: expect.stringContaining('wanted.bandwidth: Enter a number of Gbit/s'),
    });
  });

  it('are refused as a whole only for what is wrong with the whole', async () => {
    const pointers = async (body: object) =>
      (await client.send(body)).body.errors?.map(({ pointer }) => pointer);
    expect(await pointers({ ...quoteRequest, sites: [] })).toEqual(['/sites']);
    expect(await pointers({ ...quoteRequest, sites: Array(2_001).fill(sites[0]) })).toEqual([
      '/sites',
    ]);
    expect(await pointers({ ...quoteRequest, sites: ['EC2A 2BS'] })).toEqual(['/sites']);
    expect(await pointers({ ...quoteRequest, wanted: { bandwidth: 0 } })).toEqual([
      '/wanted/bandwidth',
    ]);
    expect(await pointers({ ...quoteRequest, extra: 1 })).toEqual(['/extra']);
    const reader = await service.given.token({ scopes: ['orders:read'] });
    expect((await quotesOf(service, reader).send()).status).toBe(403);
  });

  it('say which bandwidth is missing, and which property a row does not have', async () => {
    const rows = [
      { postcode: 'EC2A 2BS' },
      { postcode: 'EC2A 2BS', speed: 1 },
      { site: 'No place' },
    ];
    const { lines } = await client.read(await client.made({ sites: rows }));
    expect(lines.map(({ problem }) => problem!.detail)).toEqual([
      expect.stringContaining('No bandwidth is given'),
      'speed: This property is not known; remove it.',
      'postcode: This is required.',
    ]);
  });

  it('are found only by their client, and listed newest first', async () => {
    const own = quotesOf(service, await service.given.token());
    const ids: string[] = [];
    for (const reference of ['ONE', 'TWO', 'THREE']) {
      clock.advance({ minutes: 1 });
      ids.unshift(await own.made({ ...quoteRequest, reference }));
    }
    const all = await own.list();
    expect(all.items.map(({ quoteId }) => quoteId)).toEqual(ids);
    expect(all.items[0]).not.toHaveProperty('lines');
    const first = await own.list('?limit=2');
    const rest = await own.list(`?limit=2&cursor=${first.nextCursor}`);
    expect([...first.items, ...rest.items].map(({ quoteId }) => quoteId)).toEqual(ids);
    expect((await own.list('?reference=TWO')).items.map(({ quoteId }) => quoteId)).toEqual([
      ids[1],
    ]);
    expect((await own.list('?state=expired')).items).toEqual([]);
    expect((await own.list('?state=open')).items).toHaveLength(3);
    const since = all.items[1]!.createdAt as unknown as string;
    expect((await own.list(`?updatedSince=${since}`)).items).toHaveLength(2);
    expect(await client.read(ids[0]!)).toMatchObject({ code: 'not-found' });
    expect((await client.accept(ids[0]!, { lines: ['1'] })).status).toBe(404);
    expect((await client.ask(ids[0]!)).status).toBe(404);
    expect((await client.copy(ids[0]!)).status).toBe(404);
  });

  it('of one reference are listed in pages', async () => {
    const own = quotesOf(service, await service.given.token());
    const ids: string[] = [];
    for (const reference of ['ONE', 'TWO', 'ONE']) {
      clock.advance({ minutes: 1 });
      ids.unshift(await own.made({ ...quoteRequest, reference }));
    }
    const first = await own.list('?reference=ONE&limit=1');
    const last = await own.list(`?reference=ONE&limit=1&cursor=${first.nextCursor}`);
    const listed = [...first.items, ...last.items].map(({ quoteId }) => quoteId);
    expect([listed, last.nextCursor]).toEqual([[ids[0], ids[2]], null]);
  });

  it('give their lines in pages', async () => {
    const many = Array.from({ length: 1_200 }, (_, i) => ({
      site: `S${i + 1}`,
      postcode: 'N1 1AA',
    }));
    const id = await client.made({ wanted: { bandwidth: 1 }, sites: many });
    const seen: string[] = [];
    let cursor: string | null = '0';
    let pages = 0;
    while (cursor !== null) {
      const quote: QuoteView = await client.read(id, `?cursor=${cursor}`);
      seen.push(...quote.lines.map(({ site }) => site!));
      expect([quote.counts.priced, quote.totals[0]!.lines]).toEqual([1_200, 1_200]);
      cursor = quote.nextCursor;
      pages += 1;
    }
    expect([seen, pages]).toEqual([many.map(({ site }) => site), 3]);
    expect((await client.read(id, '?limit=501')).code).toBe('validation-error');
    expect((await client.read(id, '?cursor=x')).code).toBe('validation-error');
  });

  it('that are copied count as checks, as new ones do', async () => {
    const apart = await startService(engine, { config: { lookupsPerMinute: 6 } });
    stopWindows();
    await apart.given.catalogue();
    const own = quotesOf(apart, await apart.given.token());
    const made = (count: number) =>
      own.made({ wanted: { bandwidth: 1 }, sites: Array(count).fill(sites[0]) });
    // Three checks, and one.
    const [long, short] = [await made(21), await made(10)];
    const refused = await own.copy(long);
    expect([refused.status, refused.body.code]).toEqual([429, 'rate-limited']);
    expect([(await own.copy(short)).status, (await own.copy(short)).status]).toEqual([201, 201]);
    expect((await own.copy(short)).status).toBe(429);
    jest.restoreAllMocks();
  });

  it('repeat the first answer to a key, and refuse another body with it', async () => {
    const [first, again] = [
      await client.send(quoteRequest, 'q-1'),
      await client.send(quoteRequest, 'q-1'),
    ];
    expect(again.body).toEqual(first.body);
    expect([first, again].map(({ headers }) => headers['idempotent-replayed'])).toEqual([
      undefined,
      'true',
    ]);
    const other = await client.send({ ...quoteRequest, reference: 'OTHER' }, 'q-1');
    expect([other.status, other.body.code]).toEqual([422, 'idempotency-key-reused']);
    const order = await service.http.post<QuoteRefusal>(
      '/product-availability/order',
      { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' },
      { token, headers: { 'Idempotency-Key': 'q-1' } },
    );
    expect(order.body.code).toBe('idempotency-key-reused');
  });

  it('of the sandbox have their own keys', async () => {
    const holder = await service.given.client();
    const [live, test] = [
      quotesOf(service, await service.given.token({ client: holder })),
      quotesOf(service, await service.given.token({ client: holder, kind: 'test' })),
    ];
    const place = { wanted: { bandwidth: 1 }, sites: [{ postcode: 'ZZ99 1AA' }] };
    const replies = [
      await test.send(place, 'q-2'),
      await live.send(quoteRequest, 'q-2'),
      await test.send(place, 'q-2'),
    ];
    expect(replies.map(({ status, headers }) => [status, headers['idempotent-replayed']])).toEqual([
      [201, undefined],
      [201, undefined],
      [201, 'true'],
    ]);
    expect(replies[2]!.body).toEqual(replies[0]!.body);
  });

  it('have products of the wanted service only', async () => {
    const apart = await startService(engine, { config: { rateLimits: false } });
    await apart.given.catalogue({
      products: [
        'ETH-1G-12,1G Ethernet,1,1,12,,,Ethernet',
        'INT-1G-12,1G Internet,1,1,12,,,Internet',
      ],
      prices: ['INT-1G-12,ONNET,standard,1.00,GBP,9', 'ETH-1G-12,ONNET,standard,2.00,GBP,9'],
    });
    const own = quotesOf(apart, await apart.given.token());
    const [first, second, third] = [{}, { service: 'ethernet' }, { service: 'Dark fibre' }];
    const id = await own.made({
      wanted: { bandwidth: 1, service: 'Internet' },
      sites: [first, second, third].map((wanted) => ({ postcode: 'EC2A 2BS', wanted })),
    });
    const { lines } = await own.read(id);
    expect(lines.map(({ product }) => product?.service ?? null)).toEqual([
      'Internet',
      'Ethernet',
      null,
    ]);
    expect(lines[2]).toMatchObject({ state: 'notAvailable', reasons: [{ code: 'noMatch' }] });
    const copied = await own.read((await own.copy(id)).body.quoteId);
    expect(copied.lines.map(({ wanted }) => wanted!.service)).toEqual([
      'Internet',
      'ethernet',
      'Dark fibre',
    ]);
  });

  describe('as a spreadsheet', () => {
    const upload = (text: string | Buffer, query = '', type = 'text/csv') =>
      service.http.send<QuoteAcknowledgement & QuoteRefusal & { detail: string }>({
        ...{ method: 'POST', path: `${QUOTE}${query}`, token, body: text },
        headers: { 'Content-Type': type },
      });
    const rows =
      'Site;Postcode;Bandwidth\r\nHQ;ec2a 2bs;1G\r\n=1+1;N1 1AA;100M\r\nTypo;EC2A 20S;\r\n';

    it('are answered as from JSON, with what the query says of all sites', async () => {
      const query = '?reference=RFQ-9&customer=Fernhill&bandwidth=1&term=12';
      const { status, body } = await upload(rows, query, 'text/csv; charset=utf-8');
      expect([status, body.message]).toEqual([201, expect.stringContaining('3 sites: 2 have')]);
      const quote = await client.read(body.quoteId);
      expect(quote).toMatchObject({ reference: 'RFQ-9', customer: 'Fernhill' });
      expect(quote.lines).toMatchObject([
        { site: 'HQ', wanted: { bandwidth: 1, term: 12 }, product: { productCode: 'INT-1G-12' } },
        { site: '=1+1', wanted: { bandwidth: 0.1, term: 12 }, state: 'priced' },
        { site: 'Typo', state: 'invalid', problem: { code: 'invalid-postcode' } },
      ]);
    });

    it('are read from a workbook, with columns that are chosen and left out', async () => {
      const sheets = {
        Read: [['me']],
        Sites: [
          ['Our libraries'],
          [],
          ['Library name', 'Region', 'Site postcode', 'Speed'],
          ['Leigh', 'N', 'EC2A 2BS', '1 Gig'],
          ['Hale', 'S', 'N1 1AA', 100],
        ],
      };
      const query = '?sheet=sites&ignoreOtherColumns=true&columns=site:Library%20name';
      const sent = await workbookOf({ sheets });
      const { status, body } = await upload(sent, query, XLSX);
      expect([status, body.ignoredColumns]).toEqual([201, ['Region']]);
      expect((await client.read(body.quoteId)).lines).toMatchObject([
        { site: 'Leigh', state: 'priced', wanted: { bandwidth: 1 } },
        {
          ...{ site: 'Hale', postcode: 'N1 1AA', state: 'invalid' },
          problem: {
            code: 'validation-error',
            detail: expect.stringContaining('100 Gbit/s, or did you mean 100 Mbit/s?'),
          },
        },
      ]);
      expect((await upload(sent, '?sheet=Sties', XLSX)).body.detail).toBe(
        'There is no sheet of this name. The sheets are Read, Sites.',
      );
      expect((await upload(rows, '?sheet=Sites')).body.detail).toContain('Only a workbook');
      expect((await upload(rows, '?columns=HQ')).body.errors).toMatchObject([
        { pointer: '/columns', code: 'not-allowed' },
      ]);
    });

    it('are read from the CSV of a quote, once it is corrected', async () => {
      const { body } = await upload(rows, '?bandwidth=1');
      const path = `${QUOTE}/${body.quoteId}`;
      const { text } = await service.http.get<string>(path, {
        token,
        headers: { Accept: 'text/csv' },
      });
      const again = await upload(text.replace('EC2A 20S', 'EC2A 2BS'), '?bandwidth=1');
      expect(again.status).toBe(201);
      expect((await client.read(again.body.quoteId)).lines).toMatchObject([
        { site: 'HQ', wanted: { bandwidth: 1 } },
        { site: '=1+1', wanted: { bandwidth: 0.1 } },
        { site: 'Typo', state: 'priced' },
      ]);
    });

    it.each(['application/vnd.ms-excel', 'application/csv', 'text/tab-separated-values'])(
      'are read as %s, as Windows calls CSV',
      async (type) => {
        expect((await upload(rows, '?bandwidth=1', type)).status).toBe(201);
      },
    );

    it('are sent whole as CSV, without formulas', async () => {
      const { body } = await upload(rows, '?bandwidth=1');
      const reply = await service.http.get<string>(`${QUOTE}/${body.quoteId}`, {
        token,
        headers: { Accept: 'text/csv' },
      });
      expect(reply.headers).toMatchObject({
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': `attachment; filename="${body.quoteReference}.csv"`,
        vary: 'Accept, Accept-Encoding',
      });
      const lines = reply.text.trimEnd().split('\r\n');
      expect(lines).toHaveLength(4);
      expect(lines[0]).toMatch(
        /^line,site,postcode,uprn,wanted_bandwidth,wanted_term,wanted_service,state,product/,
      );
      expect(lines[1]).toMatch(
        /^1,HQ,EC2A 2BS,,1,,,priced,INT-1G-12,1G Internet on a 10G bearer,1,12,550,/,
      );
      expect(lines[2]).toMatch(/^2,'=1\+1,N1 1AA,,0.1,,,priced,INT-1G-12,/);
      expect(lines[3]).toMatch(/^3,Typo,EC2A 20S,,,,,invalid,,/);
      const held = lines[0]!.split(',').indexOf('held');
      expect(lines.slice(1).map((line) => line.split(',')[held])).toEqual(['yes', 'yes', '']);
    });

    it('are refused as a whole where the text cannot be read', async () => {
      const refused = async (text: string | Buffer, query = '', type = 'text/csv') => {
        const { status, body } = await upload(text, query, type);
        return [status, body.code, body.detail ?? body.errors];
      };
      expect((await upload('site,colour\nHQ,red\n')).body.errors).toEqual([
        {
          pointer: '/sites',
          code: 'required',
          detail: expect.stringContaining('columns=postcode'),
        },
        {
          ...{ pointer: '/sites', code: 'unknown-property' },
          detail: '"colour" (column B) is not a column of a list of sites.',
        },
        {
          ...{ pointer: '/sites', code: 'not-allowed' },
          detail: expect.stringContaining('ignoreOtherColumns=true'),
        },
      ]);
      const empty = 'Line 1, column 1: There is no row that names the columns.';
      expect(await refused('')).toEqual([400, 'malformed-request', empty]);
      expect(await refused('{"sites":[\n{"postcode" "E1"}]}', '', 'application/json')).toEqual([
        ...[400, 'malformed-request', 'The body is not well-formed JSON: line 2, column 13.'],
      ]);
      expect((await refused('postcode\n')).slice(0, 2)).toEqual([400, 'validation-error']);
      expect((await refused(rows, '?bandwidth=fast')).slice(0, 2)).toEqual([
        400,
        'validation-error',
      ]);
      const long = `postcode\n${'EC2A 2BS\n'.repeat(2_001)}`;
      expect((await refused(long, '?bandwidth=1')).slice(0, 2)).toEqual([400, 'validation-error']);
      expect((await refused(Buffer.alloc(512 * 1_024 + 1, 'a'))).slice(0, 2)).toEqual([
        413,
        'content-too-large',
      ]);
      expect((await refused(rows, '', 'text/plain')).slice(0, 2)).toEqual([
        415,
        'unsupported-media-type',
      ]);
    });
  });
});

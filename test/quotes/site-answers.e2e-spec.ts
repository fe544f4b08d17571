import { beforeAll, describe, expect, it } from '@jest/globals';
import { ClientsService } from '../../src/clients/clients.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import type { QuoteAcknowledgement } from '../../src/quotes/record/quotes.dto.js';
import { FakeClock } from '../support/fake-clock.js';
import { QUOTE, quotesOf } from '../support/quotes.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

onOneEngine('the sites of a quote', (engine) => {
  let service: Service;
  let clock: FakeClock;
  let token: string;
  let client: ReturnType<typeof quotesOf>;
  const hq = { postcode: 'EC2A 2BS' };

  beforeAll(async () => {
    clock = new FakeClock();
    service = await startService(engine, { config: { rateLimits: false }, clock });
    await service.given.catalogue({
      premises: ['70,EC2A 2BS,Mill,ONNET', '100023336956,EC2A 2BS,Loft,ONNET'],
    });
    token = await service.given.token();
    client = quotesOf(service, token);
  });

  const linesOf = async (sites: readonly object[], more: object = { wanted: { bandwidth: 1 } }) =>
    (await client.read(await client.made({ ...more, sites }))).lines;

  it('want what they say themselves, and otherwise what the quote says', async () => {
    const wanted = { bandwidth: 1, term: 36, service: 'Internet' };
    const own = [{}, { bandwidth: 0.1 }, { term: 12 }, { service: 'Ethernet' }];
    const sites = own.map((one) => ({ ...hq, wanted: one }));
    expect((await linesOf([hq, ...sites], { wanted })).map((line) => line.wanted)).toEqual(
      [{}, ...own].map((one) => ({ ...wanted, ...one })),
    );
    const [alone] = await linesOf([{ ...hq, wanted: { bandwidth: 0.1 } }], {});
    expect(alone!.wanted).toEqual({ bandwidth: 0.1, term: null, service: null });
    const nothing = { bandwidth: null, term: null, service: null };
    const [general] = await linesOf([{ ...hq, wanted: nothing }], { wanted });
    expect(general!.wanted).toEqual(wanted);
    const [missing] = await linesOf([hq], { wanted: nothing });
    expect(missing).toMatchObject({ state: 'invalid', product: null });
    expect(missing!.problem!.detail).toContain('No bandwidth is given');
  });

  it('are kept as they were sent, and printed in canonical form', async () => {
    const details = { floor: '2' };
    const about = { site: 'Mill', uprn: '070', notes: 'Ring.\nTwice.', details };
    const [full, bare] = await linesOf([{ ...about, postcode: ' ec2a2bs ' }, hq]);
    expect(full).toMatchObject({ ...about, ...hq, uprn: '70', problem: null });
    expect(bare).toMatchObject({ site: null, uprn: null, notes: null, details: null });
  });

  it('with a fault keep what can be kept of the row', async () => {
    const kept = async (row: object) => {
      const [line] = await linesOf([row]);
      const { site, postcode, uprn, notes, state, wanted } = line!;
      expect([state, wanted]).toEqual(['invalid', null]);
      return { site, postcode, uprn, notes };
    };
    const long = 'x'.repeat(3_000);
    expect(await kept({ site: long, postcode: long, uprn: '1'.repeat(300), notes: long })).toEqual({
      ...{ site: 'x'.repeat(120), postcode: 'x'.repeat(257), uprn: '1'.repeat(257) },
      notes: 'x'.repeat(2_000),
    });
    expect(await kept({ site: 7, postcode: 12345, uprn: 100023336956, notes: 1.5 })).toEqual({
      ...{ site: '7', postcode: '12345', uprn: '100023336956', notes: '1.5' },
    });
    expect(await kept({ site: ['a'], postcode: true, uprn: null, notes: {} })).toEqual({
      ...{ site: null, postcode: '', uprn: null, notes: null },
    });
  });

  it('with a fault say all that is wrong, as a single check would', async () => {
    const [uprn, both, postcode] = await linesOf([
      { ...hq, uprn: 'x' },
      { ...hq, site: 'a\nb', wanted: { bandwidth: 1, term: 0 } },
      { postcode: 'EC2A' },
    ]);
    expect([uprn, both, postcode].map((line) => line!.problem!.code)).toEqual([
      ...['invalid-uprn', 'validation-error', 'invalid-postcode'],
    ]);
    expect(uprn!.problem!.detail).toMatch(/^[A-Z].*\.$/);
    expect(both!.problem!.detail).toMatch(/^site: Use one line.*\. wanted\.term: .*1 to 120\.$/);
    expect(postcode!.problem!.detail).toMatch(/^This is too short for a postcode/);
  });

  it.each([
    [1, 'has 1 site: 1 has a price.'],
    [1_000, 'has 1,000 sites: 1,000 have a price.'],
  ])('are counted in the answer: %i', async (count, words) => {
    const sites = Array.from({ length: count }, () => hq);
    const { body } = await client.send({ wanted: { bandwidth: 1 }, sites });
    expect(body.message).toBe(`Your quote ${body.quoteReference} ${words}`);
  });

  it('have what the query says only where the body does not say it', async () => {
    const query = '?reference=Q&customer=Query&bandwidth=0.1&term=12&service=Ethernet';
    const post = async (body: object) => {
      const reply = await service.http.post<QuoteAcknowledgement>(`${QUOTE}${query}`, body, {
        token,
      });
      const quote = await client.read(reply.body.quoteId);
      return [quote.reference, quote.customer, quote.lines[0]!.wanted];
    };
    expect(await post({ sites: [hq] })).toEqual([
      ...['Q', 'Query', { bandwidth: 0.1, term: 12, service: 'Ethernet' }],
    ]);
    const wanted = { bandwidth: 1, service: 'Internet' };
    const nothing = { bandwidth: null, term: null, service: null };
    for (const wanted of [nothing, null]) {
      expect(await post({ reference: null, customer: null, wanted, sites: [hq] })).toEqual([
        ...['Q', 'Query', { bandwidth: 0.1, term: 12, service: 'Ethernet' }],
      ]);
    }
    expect(await post({ reference: 'B', customer: 'Body', wanted, sites: [hq] })).toEqual([
      ...['B', 'Body', { bandwidth: 1, term: 12, service: 'Internet' }],
    ]);
  });

  it('have the prices of the list of their client', async () => {
    const partner = await service.given.client({ priceList: 'partner' });
    const own = quotesOf(service, await service.given.token({ client: partner }));
    const id = await own.made({ wanted: { bandwidth: 1 }, sites: [hq] });
    const [line] = (await own.read(id)).lines;
    expect([line!.product!.productCode, line!.product!.price]).toEqual(['INT-1G-12', 499.5]);
    const { body } = await own.accept(id, { lines: ['1'] });
    expect((await own.orderOf(body.orders[0]!.orderId)).product.price).toBe(499.5);
  });

  it('that are copied keep all but their prices and faults', async () => {
    const site = {
      ...hq,
      site: 'Mill',
      uprn: '70',
      notes: 'Ring.',
      details: { floor: '2' },
    };
    const wanted = { bandwidth: 1, term: 12 };
    const id = await client.made({
      ...{ reference: 'RFQ-1', customer: 'Fernhill', wanted },
      sites: [site, { postcode: 'AB10 1AB' }, { postcode: 'EC2A' }],
    });
    const { status, headers, body } = await client.copy(id);
    expect([status, headers.location]).toEqual([201, `${QUOTE}/${body.quoteId}`]);
    expect(body.message).toContain('3 sites: 1 has a price.');
    const [before, after] = [await client.read(id), await client.read(body.quoteId)];
    expect(after).toMatchObject({ reference: 'RFQ-1', customer: 'Fernhill' });
    expect(after.lines.map(({ was }) => was)).toEqual([
      { productCode: 'INT-1G-12', term: 12, price: 550, setupPrice: null, currency: 'GBP' },
      ...[null, null],
    ]);
    expect(after.lines.slice(0, 2)).toEqual(
      before.lines.slice(0, 2).map((line, i) => ({ ...line, was: after.lines[i]!.was })),
    );
    expect(after.lines[2]).toMatchObject({ postcode: 'EC2A', state: 'invalid' });
    const bare = await client.read(
      (await client.copy(await client.made({ sites: [hq] }))).body.quoteId,
    );
    expect([bare.reference, bare.customer]).toEqual([null, null]);
  });

  it('that are copied are answered once their fault is gone', async () => {
    const apart = await startService(engine, { config: { rateLimits: false } });
    await apart.given.catalogue({ premises: ['70,N1 1AA,Mill,ONNET'] });
    const reseller = await apart.given.client();
    const own = quotesOf(apart, await apart.given.token({ client: reseller }));
    const details = { floor: '2', interconnect: 'NNI-LON1' };
    const wanted = { bandwidth: 1, term: 36 };
    const about = [{ uprn: '70' }, { details }, { details: { floor: 7 } }];
    const id = await own.made({ wanted, sites: about.map((one) => ({ ...hq, ...one })) });
    const { lines } = await own.read(id);
    expect(lines.map(({ problem, wanted: shown }) => [problem?.code, shown])).toEqual([
      ['uprn-not-at-postcode', null],
      ['unknown-interconnect', null],
      ['validation-error', null],
    ]);
    await apart.given.catalogue({ premises: ['70,EC2A 2BS,Mill,ONNET'] });
    const interconnect = { code: 'NNI-LON1', label: 'Telehouse North' };
    await apart.get(ClientsService).addInterconnect(reseller.id, interconnect, operator);
    const copied = (await own.read((await own.copy(id)).body.quoteId)).lines;
    expect(copied.slice(0, 2)).toMatchObject([
      { state: 'priced', uprn: '70', wanted, details: null, product: { term: 36 } },
      { state: 'priced', uprn: null, wanted, details, product: { term: 36 } },
    ]);
    expect(copied[2]!.problem!.detail).toContain('No bandwidth is given');
  });

  it('that are copied with a UPRN or postcode that is too long stay invalid', async () => {
    const wanted = { bandwidth: 1, term: 36 };
    const far = `EC2A 2BS${' '.repeat(40)}2`;
    const id = await client.made({
      ...{ wanted, sites: [{ ...hq, uprn: '1000233369567' }, { postcode: far }] },
    });
    const before = (await client.read(id)).lines;
    expect(before).toMatchObject([
      { state: 'invalid', uprn: '1000233369567', problem: { code: 'invalid-uprn' } },
      { state: 'invalid', postcode: far, problem: { code: 'invalid-postcode' } },
    ]);
    expect((await client.read((await client.copy(id)).body.quoteId)).lines).toEqual(before);
  });

  it('in the sandbox can fail as their checks do', async () => {
    const tester = quotesOf(service, await service.given.token({ kind: 'test' }));
    const sites = ['ZZ99 1AF', 'ZZ99 1AA'].map((postcode) => ({ postcode }));
    const id = await tester.made({ wanted: { bandwidth: 1, term: 12 }, sites });
    expect(
      (await tester.read(id)).lines.map(({ state, problem }) => [state, problem?.code]),
    ).toEqual([
      ['invalid', 'unavailable'],
      ['priced', undefined],
    ]);
  });

  describe('with the track of their products', () => {
    it.each([
      ['all', true],
      ['staff', false],
    ] as const)('where the operator publishes it: %s', async (publishTrack, isPublished) => {
      const apart = await startService(engine, { config: { rateLimits: false, publishTrack } });
      await apart.given.catalogue();
      const own = quotesOf(apart, await apart.given.token());
      const id = await own.made({ wanted: { bandwidth: 1, term: 36 }, sites: [hq, hq] });
      const shown = (await own.read(id)).lines.flatMap(({ product, alternatives }) => [
        ...[product!, ...alternatives],
      ]);
      expect(shown.map((product) => 'track' in product)).toEqual(Array(4).fill(isPublished));
    });
  });
});

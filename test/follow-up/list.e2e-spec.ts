import { beforeAll, describe, expect, it } from '@jest/globals';
import type { FieldError } from '../../src/platform/problems/problem.js';
import type { FollowUpPage } from '../../src/queue/lists/list.dto.js';
import { expectProblem } from '../support/problems.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { emptyTerms, smallCatalogue } from '../support/given.js';
import { postAsStaff } from '../support/moves.js';

onBothEngines('the list of orders to follow up', (engine) => {
  let service: Service;
  let staffToken: string;
  beforeAll(async () => {
    service = await startService(engine);
    await service.given.catalogue();
    staffToken = await service.given.staffToken('follow-up:read');
  });

  const list = (query: string) =>
    service.http.get<FollowUpPage>(`/follow-up/orders?${query}`, { token: staffToken });
  const idsOf = async (query: string) =>
    (await list(query)).body.items.map(({ orderId }) => orderId);

  it('is empty before the first order', async () => {
    const fresh = await startService(engine);
    const token = await fresh.given.staffToken('follow-up:read');
    const { status, body } = await fresh.http.get<FollowUpPage>('/follow-up/orders', { token });
    const none = { items: [], nextCursor: null, total: 0, totalIsExact: true };
    expect([status, body]).toEqual([200, none]);
  });

  it('has the orders received from one instant to before another', async () => {
    service.clock.advance({ days: 1 });
    const { orderId } = await service.given.order();
    const at = service.clock.now();
    const next = new Date(at.getTime() + 1).toISOString();
    const within = (from: string, to: string) =>
      idsOf(`view=all&receivedFrom=${from}&receivedTo=${to}`);
    const [start, instant] = [new Date(at.getTime() - 1).toISOString(), at.toISOString()];
    expect([await within(instant, next), await within(start, instant)]).toEqual([[orderId], []]);
  });

  it('leaves out possible duplicates, or shows only them', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    const first = (await service.given.order({ token })).orderId;
    const second = (await service.given.order({ token })).orderId;
    const of = (duplicates: string) => idsOf(`view=all&client=${client.id}${duplicates}`);
    expect(await of('')).toEqual([first, second]);
    expect(await of('&duplicates=none')).toEqual([first]);
    expect(await of('&duplicates=only')).toEqual([second]);
  });

  it('names orders without a next step, not those that no one has contacted', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    const sam = await service.given.token({ staff: await service.given.staff() });
    const post = (id: string, name: string, body: object) =>
      postAsStaff(service.http, `/follow-up/orders/${id}/${name}`, body, { token: sam });
    const [waiting, claimed, contacted, scheduled] = [
      await service.given.order({ token }),
      ...(await Promise.all([1, 2, 3].map(() => service.given.order({ token })))),
    ].map(({ orderId }) => orderId);
    for (const id of [claimed, contacted, scheduled]) await post(id!, 'claim', { version: 0 });
    for (const id of [contacted, scheduled]) {
      await post(id!, 'logContact', { version: 1, channel: 'phone', result: 'reached' });
    }
    const nextActionAt = new Date(service.clock.now().getTime() + 3_600_000);
    const reason = 'callback_agreed';
    await post(scheduled!, 'schedule', { version: 2, nextActionAt, reason });
    expect(await idsOf(`view=no-next-step&client=${client.id}`)).toEqual([contacted]);
    // All open orders by what is due next: the overdue ones first, on each page.
    const byNext = `&client=${client.id}&sort=next`;
    const all = await idsOf(`view=open${byNext}`);
    expect(all).toEqual([scheduled, waiting, claimed, contacted]);
    expect((await idsOf(`view=all${byNext}`))[0]).toBe(contacted);
    const paged: string[] = [];
    let cursor = '';
    do {
      const { body } = await list(`view=open${byNext}&limit=1${cursor}`);
      paged.push(...body.items.map(({ orderId }) => orderId));
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    expect(paged).toEqual(all);
  });

  it('shows product, client, terms and age of an order', async () => {
    const client = await service.given.client({ name: 'Example Reseller Ltd' });
    const { orderId } = await service.given.order({
      token: await service.given.token({ client }),
      reference: 'PO-4711',
      contact: { name: 'Ada Lovelace', phone: '+44 20 7946 0958' },
      notes: 'Weekdays only.',
    });
    const receivedAt = service.clock.now().toISOString();
    service.clock.advance({ hours: 2, milliseconds: 1_999 });
    const { status, body } = await list(`client=${client.id}`);
    expect([status, body]).toMatchObject([
      200,
      {
        items: [
          {
            orderId,
            reference: expect.stringMatching(/^ORD-[0-9A-HJKMNP-TV-Z]{6}$/),
            state: 'waiting',
            receivedAt,
            ageSeconds: 7_201,
            postcode: 'EC2A 2BS',
            product: {
              productCode: 'INT-1G-12',
              name: '1G Internet on a 10G bearer',
              bandwidthProvisioned: 1,
              bandwidthCapacity: 10,
              term: 12,
              price: 550,
              currency: 'GBP',
              leadTimeDays: 84,
              ...emptyTerms,
            },
            zone: 'ONNET',
            client: {
              id: client.id,
              name: 'Example Reseller Ltd',
              contactName: 'Grace Hopper',
              contactEmail: 'grace@reseller.example',
              contactPhone: '+44 20 7946 0123',
            },
            contact: { name: 'Ada Lovelace', phone: '+44 20 7946 0958' },
            clientReference: 'PO-4711',
            notes: 'Weekdays only.',
            checkId: null,
            possibleDuplicateOf: null,
            ownerId: null,
            version: 0,
          },
        ],
        nextCursor: null,
      },
    ]);
  });

  it('starts with the order that has waited longest', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    const ids = [];
    for (let i = 0; i < 3; i += 1) {
      ids.push((await service.given.order({ token })).orderId);
      service.clock.advance({ minutes: 1 });
    }
    expect(await idsOf(`client=${client.id}`)).toEqual(ids);
  });

  it('without an owner has closed orders, too, that no one owned', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    const [open, cancelled] = [
      await service.given.order({ token, reference: 'A' }),
      await service.given.order({ token, reference: 'B' }),
    ];
    const path = `/product-availability/order/${cancelled.orderId}/cancellation`;
    expect((await service.http.post(path, {}, { token })).status).toBe(200);
    const ids = await idsOf(`client=${client.id}&view=all&owner=none`);
    expect(ids).toEqual([open.orderId, cancelled.orderId]);
  });

  it('can be filtered by client and by state', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    const { orderId } = await service.given.order({ token });
    await service.given.order();
    expect(await idsOf(`client=${client.id}`)).toEqual([orderId]);
    expect(await idsOf(`client=${client.id}&state=won,waiting`)).toEqual([orderId]);
    expect(await idsOf(`client=${client.id}&state=won&state=waiting`)).toEqual([orderId]);
    expect(await idsOf(`client=${client.id}&state=won`)).toEqual([]);
    expect(await idsOf('client=019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90')).toEqual([]);
    expect((await idsOf('limit=200')).length).toBeGreaterThan(1);
  });

  it('can be filtered by family, bandwidth and term, and sorted by price', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    const ids: string[] = [];
    for (const productCode of ['INT-1G-12', 'INT-100M-12', 'INT-1G-36']) {
      ids.push((await service.given.order({ token, productCode })).orderId);
    }
    const [fast, slow, long] = ids;
    const found = (query: string) => idsOf(`client=${client.id}&${query}`);
    expect(await found('family=INT&sort=received')).toEqual(ids);
    expect(await found('family=ETH')).toEqual([]);
    expect(await found('bandwidth=0.1')).toEqual([slow]);
    expect(await found('bandwidth=1&term=36')).toEqual([long]);
    const { items } = (await list(`client=${client.id}&sort=-price`)).body;
    const prices = items.map(({ product }) => product!.price);
    expect([items.length, prices]).toEqual([3, [...prices].sort((a, b) => b - a)]);
    const first = (await list(`client=${client.id}&sort=-price&limit=2`)).body;
    const rest = await found(`sort=-price&limit=2&cursor=${first.nextCursor}`);
    expect([...first.items.map(({ orderId }) => orderId), ...rest].sort()).toEqual([...ids].sort());
    expect(await found('sort=next')).toEqual([fast, slow, long]);
    for (const query of ['bandwidth=wide', 'bandwidth=0', 'term=1.5', 'term=-1']) {
      expect([query, (await list(query)).status]).toEqual([query, 400]);
    }
  });

  it('can be filtered by the basis of the price, and exported with that filter', async () => {
    const { prices } = smallCatalogue;
    const [firm, , , survey, indicative] = prices;
    const fresh = await startService(engine);
    await fresh.given.catalogue({
      prices: [firm, `${survey},120,subjectToSurvey`, `${indicative},,indicative`],
    });
    const token = await fresh.given.token();
    const ids: Record<string, string> = {};
    for (const [basis, productCode, postcode] of [
      ['firm', 'INT-100M-12', 'EC2A 2BS'],
      ['subjectToSurvey', 'INT-1G-36', 'EC2A 2BS'],
      ['indicative', 'INT-1G-12', 'N1 9GU'],
    ] as const) {
      ids[basis] = (await fresh.given.order({ token, productCode, postcode })).orderId;
    }
    const staff = { token: await fresh.given.staffToken('follow-up:read') };
    for (const [basis, orderId] of Object.entries(ids)) {
      const query = `view=open&basis=${basis}`;
      const { body } = await fresh.http.get<FollowUpPage>(`/follow-up/orders?${query}`, staff);
      expect(body.items.map((item) => [item.orderId, item.product?.basis])).toEqual([
        [orderId, basis],
      ]);
      expect(body.total).toBe(1);
      const csv = await fresh.http.get<string>(`/follow-up/orders.csv?${query}`, staff);
      const [header, row, end] = csv.text.split('\r\n');
      const column = header!.split(',').indexOf('basis');
      expect([row!.split(',')[0], row!.split(',')[column], end]).toEqual([orderId, basis, '']);
    }
  });

  it('has each order once in its pages, even orders of the same instant', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    const placed: string[] = [];
    for (const wait of [0, 0, 0, 1, 1]) {
      service.clock.advance({ seconds: wait });
      placed.push((await service.given.order({ token })).orderId);
    }
    const pages: string[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = `client=${client.id}&limit=2${cursor && `&cursor=${cursor}`}`;
      const { body } = await list(query);
      pages.push(body.items.map(({ orderId }) => orderId));
      cursor = body.nextCursor;
      expect(pages.length).toBeLessThan(5);
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(placed);
    const whole = await list(`client=${client.id}&limit=5`);
    expect([whole.body.items.length, whole.body.nextCursor]).toEqual([5, null]);
  });

  describe('is refused', () => {
    it.each([
      ['limit=0', '/limit'],
      ['limit=201', '/limit'],
      ['limit=ten', '/limit'],
      ['limit=1.5', '/limit'],
      ['state=lost-in-thought', '/state'],
      ['client=Example', '/client'],
      ['basis=maybe', '/basis'],
      ['cursor=nonsense', '/cursor'],
      ['cursor=a&cursor=b', '/cursor'],
      ['colour=red', '/colour'],
    ])('for %s', async (query, pointer) => {
      const reply = await list(query);
      expectProblem(reply, 'validation-error');
      const { errors } = reply.body as unknown as { errors: FieldError[] };
      expect(errors.map((error) => error.pointer)).toEqual([pointer]);
    });

    it('for an API client', async () => {
      const token = await service.given.token();
      const reply = await service.http.get('/follow-up/orders', { token });
      expectProblem(reply, 'insufficient-scope');
    });
  });
});

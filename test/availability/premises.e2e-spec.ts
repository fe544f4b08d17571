import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import type {
  AvailabilityResult,
  ListedPremisesPage,
} from '../../src/availability/availability.dto.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import type { ClientOrder, OrderAcknowledgement } from '../../src/orders/record/orders.dto.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { VersionEffectService } from '../../src/orders/views/version-effect.service.js';
import { smallCatalogue } from '../support/given.js';
import { onBothEntrances } from '../support/entrances.js';
import { type Service, startService } from '../support/service.js';

type Row = AvailabilityResult & { readonly code?: string };

const TOWER = '100023336956';
const MILL = '4294967296';
const HUT = '42';

const rows = {
  ...smallCatalogue,
  prices: [...smallCatalogue.prices, 'INT-1G-12,LIT,standard,300.00,GBP,5'],
  premises: [
    `${TOWER},EC2A 2BS,Finsbury Tower,LIT`,
    `${MILL},EC2A 2BS,The Mill,-,,,wayleaveRefused`,
    `${HUT},AB10 1AB,,LIT`,
  ],
  zones: ['LIT,Lit buildings,onNetWithoutBuild,,,,surveyRequired|businessPark'],
  constraintTexts: ['businessPark,Ask at the gate.'],
};

const OF_ZONE = [
  {
    code: 'surveyRequired',
    text: 'A survey of the site is needed before the service can be built.',
  },
  { code: 'businessPark', text: 'Ask at the gate.' },
];
const REFUSED = [
  {
    code: 'wayleaveRefused',
    text: 'The owner has refused consent to an installation (a wayleave).',
  },
];

const check = (uprn: string, postcode = 'EC2A 2BS') =>
  `/product-availability/premises/${uprn}?postcode=${encodeURIComponent(postcode)}`;

onBothEntrances('premises', (engine) => {
  let service: Service;
  let token: string;
  let clientId: string;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue(rows);
    const client = await service.given.client({ name: 'Reseller of premises' });
    clientId = client.id;
    token = await service.given.token({ client });
  });

  const get = <T = Row>(path: string) => service.http.get<T>(path, { token });
  const order = <T = OrderAcknowledgement & { readonly code: string }>(
    about: object,
    by = { token },
  ) =>
    service.http.post<T>(
      '/product-availability/order',
      { postcode: 'EC2A 2BS', productCode: 'INT-1G-12', ...about },
      by,
    );
  const storedOrder = (id: string) =>
    service.get(Transactions).read((tx) => tx.findOneByOrFail(Order, { id }));

  describe('that are listed', () => {
    it('have their own products, and the answer can be read again', async () => {
      const { status, body } = await get(check(`0${TOWER}`.slice(-12)));
      expect(status).toBe(200);
      expect(body).toMatchObject({
        postcode: 'EC2A 2BS',
        premises: { uprn: TOWER, name: 'Finsbury Tower' },
        granularity: 'premises',
        reasons: [],
        availableProducts: [
          { productCode: 'INT-1G-12', price: 300, leadTimeDays: 5, network: 'onNetWithoutBuild' },
        ],
      });
      expect(Object.keys(body).slice(0, 5)).toEqual([
        'id',
        'message',
        'postcode',
        'premises',
        'availableProducts',
      ]);
      const again = () => get(`/product-availability/check/${body.id}`);
      expect((await again()).body).toEqual(body);
      await service.flushChecks();
      expect((await again()).body).toEqual(body);
    });

    it('may be excluded, or sold to where the postcode is not covered', async () => {
      expect((await get(check(MILL))).body).toMatchObject({
        granularity: 'premises',
        availableProducts: [],
        reasons: [{ code: 'excluded' }],
      });
      const hut = (await get(check('0042', 'ab101ab'))).body;
      expect(hut).toMatchObject({ premises: { uprn: HUT, name: null }, reasons: [] });
      expect(hut.availableProducts).toHaveLength(1);
    });

    it('are refused with another postcode', async () => {
      const { status, body } = await get(check(TOWER, 'EC2A 2BR'));
      expect([status, body.code]).toEqual([422, 'uprn-not-at-postcode']);
    });

    it('do not change the answer for the postcode', async () => {
      const { body } = await get('/product-availability/postcode/EC2A2BS');
      expect(body).not.toHaveProperty('premises');
      expect([body.granularity, body.availableProducts.length]).toEqual(['postcode', 3]);
    });
  });

  it('that are not listed get the answer for the postcode', async () => {
    const { body } = await get(check('43'));
    expect(body).toMatchObject({
      premises: { uprn: '43', name: null },
      granularity: 'postcode',
      reasons: [{ code: 'premisesNotListed' }],
    });
    expect(body.availableProducts).toHaveLength(3);
    const { reasons } = (await get(check('43', 'M1 1AA'))).body;
    expect(reasons.map(({ code }) => code)).toEqual(['notCovered', 'premisesNotListed']);
  });

  it.each([
    [check('x1'), 'invalid-uprn'],
    [check('0'), 'invalid-uprn'],
    [check('1234567890123'), 'invalid-uprn'],
    [check('42', 'EC2A'), 'invalid-postcode'],
    ['/product-availability/premises/42', 'validation-error'],
  ])('%s is answered 400', async (path, code) => {
    const { status, body } = await get(path);
    expect([status, body.code]).toEqual([400, code]);
  });

  it('at a postcode are listed in pages', async () => {
    const list = (query = '', postcode = 'EC2A2BS') =>
      get<ListedPremisesPage>(`/product-availability/postcode/${postcode}/premises${query}`);
    const mill = { uprn: MILL, name: 'The Mill', network: null, constraints: REFUSED };
    const tower = {
      ...{ uprn: TOWER, name: 'Finsbury Tower', network: 'onNetWithoutBuild' },
      constraints: OF_ZONE,
    };
    expect((await list()).body).toEqual({ items: [mill, tower], nextCursor: null });
    const first = (await list('?limit=1')).body;
    expect(first.items).toEqual([mill]);
    const second = (await list(`?limit=1&cursor=${first.nextCursor}`)).body;
    expect(second).toEqual({ items: [tower], nextCursor: null });
    expect((await list('', 'N11AA')).body).toEqual({ items: [], nextCursor: null });
    expect((await list('?cursor=x')).status).toBe(400);
  });

  it('have what makes them less than plain, but not for the earliest clients', async () => {
    const constraintsOf = async (path: string, by = { token }) => {
      const { text } = await service.http.get<Row>(path, by);
      return /,"nearest":null(.*)}$/.exec(text)?.[1];
    };
    expect([
      await constraintsOf(check(TOWER)),
      await constraintsOf(check(MILL)),
      await constraintsOf('/product-availability/postcode/EC2A2BS'),
    ]).toEqual(
      [OF_ZONE, REFUSED, []].map((constraints) => `,"constraints":${JSON.stringify(constraints)}`),
    );
    const client = await service.given.client({ compatibility: '0.2' });
    const older = { token: await service.given.token({ client }) };
    expect(await constraintsOf(check(TOWER), older)).toBe('');
    const listed = await service.http.get<ListedPremisesPage>(
      '/product-availability/postcode/EC2A2BS/premises',
      older,
    );
    expect(listed.body.items.map((one) => Object.keys(one))).toEqual([
      ['uprn', 'name', 'network'],
      ['uprn', 'name', 'network'],
    ]);
  });

  it('are checked with postcodes at once', async () => {
    const send = (body: object) =>
      service.http.post<{ results: Row[]; errors?: object[] }>(
        '/product-availability/postcodes',
        body,
        { token },
      );
    const { body } = await send({
      places: [
        { postcode: 'EC2A 2BS' },
        { postcode: 'EC2A 2BS', uprn: TOWER },
        { postcode: 'EC2A 2BR', uprn: TOWER },
        { postcode: 'EC2A 2BS', uprn: 'tower' },
        { postcode: 'nowhere', uprn: TOWER },
      ],
    });
    expect(body.results.map(({ code, granularity }) => code ?? granularity)).toEqual([
      'postcode',
      'premises',
      'uprn-not-at-postcode',
      'invalid-uprn',
      'invalid-postcode',
    ]);
    const place = { postcode: 'EC2A 2BS' };
    // A client may send null for the list that it does not use.
    for (const right of [
      { places: [place], postcodes: null },
      { places: null, postcodes: ['N1 1AA'] },
    ]) {
      expect((await send(right)).status).toBe(200);
    }
    for (const wrong of [
      {},
      { places: null, postcodes: null },
      { places: [] },
      { places: [1] },
      { places: [place], postcodes: ['N1 1AA'] },
    ]) {
      expect((await send(wrong)).status).toBe(400);
    }
    expect((await send({ places: ['N1 1AA'] })).body.errors).toEqual([
      { pointer: '/places', code: 'wrong-type', detail: 'Each place must be an object.' },
      { pointer: '/places/0', code: 'wrong-type', detail: 'Must be an object.' },
    ]);
    const tooMany: object[] = Array.from({ length: 101 }, () => place);
    // Refused by its length, before its places are read.
    expect((await send({ places: tooMany.with(0, { postcode: 7 }) })).body.errors).toEqual([
      { pointer: '/places', code: 'too-long', detail: 'Must have at most 100 places.' },
    ]);
  });

  describe('of an order', () => {
    it('give it their price and zone', async () => {
      const { status, body } = await order({ uprn: `0${TOWER}`.slice(-12) });
      expect(status).toBe(201);
      expect(await storedOrder(body.orderId)).toMatchObject({
        uprn: Number(TOWER),
        zone: 'LIT',
        amountMinor: 30_000,
      });
      const path = `/product-availability/order/${body.orderId}`;
      expect((await get<ClientOrder>(path)).body).toMatchObject({
        uprn: TOWER,
        postcode: 'EC2A 2BS',
      });
    });

    it('come from the cited check, and its price holds', async () => {
      const { id } = (await get(check(TOWER))).body;
      const { body } = await order({ checkId: id });
      expect(await storedOrder(body.orderId)).toMatchObject({ uprn: Number(TOWER), checkId: id });
      expect((await order({ checkId: id, uprn: MILL })).body).toMatchObject({
        code: 'unknown-check',
        detail: expect.stringContaining('The cited check is of other premises,'),
      });
    });

    it('are named where nothing is sold to them, and not their postcode', async () => {
      const named = /^No products are available at [A-Z][^,]*, EC2A 2BS\./;
      expect((await get(check(MILL))).body.message).toMatch(named);
      expect((await order({ uprn: MILL })).body).toMatchObject({
        code: 'product-not-available',
        detail: expect.stringMatching(named),
      });
    });

    it('do not get the price of a check of the postcode', async () => {
      const { id } = (await get('/product-availability/postcode/EC2A2BS')).body;
      for (const uprn of [TOWER, MILL]) {
        const { status, body } = await order({ checkId: id, uprn });
        expect([status, body]).toMatchObject([
          422,
          {
            code: 'unknown-check',
            detail: expect.stringContaining('The cited check is of the whole postcode,'),
          },
        ]);
        expect(body).not.toHaveProperty('quoted');
      }
      expect((await order({ checkId: id, uprn: '43' })).status).toBe(201);
    });

    it('must be at its postcode, and sold to', async () => {
      expect((await order({ uprn: HUT })).body.code).toBe('uprn-not-at-postcode');
      expect((await order({ uprn: MILL })).body.code).toBe('product-not-available');
      const { body } = await order({ uprn: 'tower' });
      expect(body).toMatchObject({ errors: [{ pointer: '/uprn', code: 'invalid-uprn' }] });
    });

    it('tell orders for two premises at one postcode apart', async () => {
      // A client without other orders there: one without premises could be the same as any of these.
      const by = { token: await service.given.token() };
      const [one, other] = [await order({ uprn: '101' }, by), await order({ uprn: '102' }, by)];
      const [first, second] = [
        await storedOrder(one.body.orderId),
        await storedOrder(other.body.orderId),
      ];
      expect(second.possibleDuplicateOf).not.toBe(first.id);
      const again = await storedOrder((await order({ uprn: '0101' }, by)).body.orderId);
      expect(again.possibleDuplicateOf).toBe(first.id);
    });

    it('are found, exported, audited and erased', async () => {
      const { body } = await order({ uprn: '777' });
      const staff = await service.given.staffToken();
      const found = async () =>
        (
          await service.http.get<{ items: { orderId: string }[] }>(
            '/follow-up/orders?view=all&q=0777',
            { token: staff },
          )
        ).body.items.map(({ orderId }) => orderId);
      expect(await found()).toEqual([body.orderId]);
      const { text } = await service.http.get(
        `/follow-up/orders.csv?view=all&client=${clientId}&q=777`,
        { token: staff },
      );
      const [header = '', line = ''] = text.split('\r\n');
      expect(line.split(',')[header.split(',').indexOf('uprn')]).toBe('777');
      const entry = () =>
        service
          .get(Transactions)
          .read((tx) =>
            tx.findOneByOrFail(AuditEntry, { subjectId: body.orderId, action: 'received' }),
          );
      expect((await entry()).details).toMatchObject({ uprn: '777' });
      const { fields } = await service.get(ErasureService).erase(body.orderId, operator);
      expect(fields).toContain('uprn');
      expect((await storedOrder(body.orderId)).uprn).toBeNull();
      expect((await entry()).details).toMatchObject({ uprn: '(erased)' });
      expect(await found()).toEqual([]);
    });
  });

  it('are explained', async () => {
    const staff = await service.given.staffToken();
    const { body } = await service.http.get<{ zone: string; reason: string; levels: object[] }>(
      `/catalogue/explain/EC2A2BS?uprn=${TOWER}`,
      { token: staff },
    );
    expect(body).toMatchObject({
      zone: 'LIT',
      reason: `The premises ${TOWER} are in the zone LIT.`,
    });
    expect(body.levels[0]).toEqual({
      level: 'premises',
      place: 'EC2A 2BS',
      uprn: TOWER,
      zone: 'LIT',
      decides: true,
    });
    const elsewhere = await service.http.get<{ code: string }>(
      `/catalogue/explain/EC2A2BS?uprn=${HUT}`,
      { token: staff },
    );
    expect([elsewhere.status, elsewhere.body.code]).toEqual([422, 'uprn-not-at-postcode']);
  });

  it('are compared with another version', async () => {
    const dearer = rows.prices.map((row) =>
      row.replace('LIT,standard,300.00', 'LIT,standard,310.00'),
    );
    const { version } = await service.given.catalogue({ ...rows, prices: dearer });
    const back = await service.given.catalogue(rows);
    const draft = await service.get(CatalogueService).complete(version);
    const changed = async () => (await service.get(VersionEffectService).effect(draft)).heldChanged;
    const before = await changed();
    await get(check(TOWER));
    await service.flushChecks();
    expect([back.version === version, await changed()]).toEqual([false, before + 1]);
  });
});

import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AccessService } from '../../src/clients/access.service.js';
import type { ClientCaller } from '../../src/platform/access/caller.js';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import {
  SANDBOX_READY_DATE,
  SANDBOX_RETRY,
  SANDBOX_UPRNS,
  sandboxCaseAt,
  sandboxPostcodes,
  SLOW_ANSWER,
} from '../../src/platform/kernel/sandbox-postcodes.js';
import { RateLimitsService } from '../../src/platform/limits/rate-limits.service.js';
import type { ClientOrder, ClientOrderPage } from '../../src/orders/record/orders.dto.js';
import { SandboxService } from '../../src/catalogue/sandbox/sandbox.service.js';
import { until } from '../support/catalogue.js';
import { contact, Integrator, ORDER, type Problem } from '../support/integrator.js';
import { expectProblem } from '../support/problems.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { emptyTerms } from '../support/given.js';

onOneEngine('The sandbox', (engine) => {
  let service: Service;
  let it_: Integrator;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    it_ = await Integrator.at(service);
  });

  it('sells three products at ZZ99 1AA, in any spelling, and none at the postcodes without products', async () => {
    for (const spelling of ['ZZ99 1AA', 'zz991aa', ' zZ99\u00a01aA ']) {
      const { status, body } = await it_.check(spelling);
      expect([status, body.postcode]).toEqual([200, 'ZZ99 1AA']);
      expect(
        body.availableProducts.map((it) => [it.productCode, it.price, it.leadTimeDays]),
      ).toEqual([
        ['TEST-100M-12', 208, 10],
        ['TEST-1G-12', 550, 84],
        ['TEST-1G-36', 450, 84],
      ]);
      expect(body.message).toMatch(/^3 products are available at ZZ99 1AA\./);
    }
    for (const postcode of ['ZZ99 1AB', 'ZZ99 1AD']) {
      const { status, body } = await it_.check(postcode);
      expect([status, body.availableProducts]).toEqual([200, []]);
    }
  });

  it('answers an ordinary postcode like a live token', async () => {
    const [test, live] = [await it_.check('EC2A 2BS'), await it_.check('EC2A 2BS', it_.live)];
    expect(test.body.availableProducts).toEqual(live.body.availableProducts);
    expect([test.status, live.status, test.body.availableProducts.length]).toEqual([200, 200, 3]);
    const again = await it_.check('EC2A 2BS'); // the fast answer now
    expect(again.body.availableProducts).toEqual(live.body.availableProducts);
  });

  it('has the misspelt key and whole bandwidths for a client with compatibility 0.2', async () => {
    const old = await Integrator.at(service, { compatibility: '0.2' });
    const { body } = await old.check('ZZ99 1AA');
    const whole = { bandwidthProvisioned: 1, bandwidthCapacity: 10, bandwidthCapactity: 10 };
    expect(body.availableProducts).toEqual([
      expect.objectContaining(whole),
      expect.objectContaining(whole),
    ]);
  });

  it('refuses other postcodes in its area, and lists the test postcodes', async () => {
    const reply = await it_.check('ZZ99 9ZZ');
    expectProblem(reply, 'invalid-postcode');
    const page = (await service.http.get('/docs/sandbox')).text;
    for (const { postcode } of sandboxPostcodes) {
      expect([reply.body.detail, page]).toEqual(Array(2).fill(expect.stringContaining(postcode)));
    }
    expect((await it_.order({ postcode: 'ZZ99 9ZZ' })).body.code).toBe('validation-error');
  });

  it.each(sandboxPostcodes.map(({ postcode }) => postcode))(
    'does not exist for a live token: %s',
    async (postcode) => {
      const [known, unknown] = [
        await it_.check(postcode, it_.live),
        await it_.check('ZZ99 9ZZ', it_.live),
      ];
      expectProblem(known, 'invalid-postcode');
      expect(known.body.detail).toBe(unknown.body.detail);
      expect(known.body.detail).toMatch(/^Only test tokens can use the postcodes of the sandbox/);
      const order = await it_.order({ postcode }, it_.live);
      expect([order.status, order.body.errors]).toEqual([
        400,
        [{ pointer: '/postcode', code: 'invalid-postcode', detail: unknown.body.detail }],
      ]);
    },
  );

  it('simulates an outage and a limit, for checks and for orders', async () => {
    for (const reply of [await it_.check('ZZ99 1AF'), await it_.order({ postcode: 'ZZ99 1AF' })]) {
      expectProblem(reply, 'unavailable');
      expect(reply.headers['retry-after']).toBe(String(SANDBOX_RETRY));
    }
    const look = await it_.check('ZZ99 1AG');
    expectProblem(look, 'rate-limited');
    const told = ['retry-after', 'ratelimit', 'ratelimit-policy'] as const;
    expect(told.map((name) => look.headers[name])).toEqual([
      '2',
      '"look-ups";r=0;t=2',
      '"look-ups";q=600;w=60, "burst";q=100;w=1',
    ]);
    const order = await it_.order({ postcode: 'ZZ99 1AG' });
    expectProblem(order, 'rate-limited');
    expect(told.map((name) => order.headers[name])).toEqual([
      '2',
      '"orders";r=0;t=2',
      '"orders";q=60;w=60',
    ]);
  });

  it('accepts and refuses orders like the live service', async () => {
    const placed = await it_.order({ reference: 'PO-1', contact });
    expect([placed.status, placed.headers.location]).toEqual([
      201,
      `${ORDER}/${placed.body.orderId}`,
    ]);
    expect(placed.body.message).toMatch(
      /^Your order request was received\. Its reference is ORD-\w{6}\. It is a test: no one will contact you\.$/,
    );
    const { status, body } = await it_.read(placed.body.orderId);
    expect([status, body.state, body.product.price, body.postcode]).toEqual([
      200,
      'acknowledged',
      550,
      'ZZ99 1AA',
    ]);
    const outcomes: unknown[] = [];
    for (const about of [
      { productCode: 'NONE' },
      { productCode: 'TEST-100G-60' },
      { productCode: 'INT-1G-12' },
      { postcode: 'ZZ99 1AB' },
      { postcode: 'ZZ99 1AD' },
      { postcode: 'EC2A 2BS' },
      { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' },
      { checkId: '0000000000' },
    ]) {
      const reply = await it_.order(about);
      outcomes.push(reply.body.code ?? reply.status);
    }
    expect(outcomes).toEqual([
      'unknown-product',
      'product-not-available',
      'unknown-product',
      'product-not-available',
      'product-not-available',
      'unknown-product',
      201,
      'unknown-check',
    ]);
  });

  it('changes the price at ZZ99 1AH between a check and its order', async () => {
    const { id } = (await it_.check('ZZ99 1AH')).body;
    const cited = await it_.order({ postcode: 'ZZ99 1AH', checkId: id });
    expectProblem(cited, 'offer-changed');
    expect(cited.body).toMatchObject({
      quoted: { price: 550, currency: 'GBP', leadTimeDays: 84, ...emptyTerms },
      current: { price: 577.5, currency: 'GBP', leadTimeDays: 98, ...emptyTerms },
    });
    const placed = await it_.order({ postcode: 'ZZ99 1AH' });
    expect(placed.status).toBe(201);
    expect((await it_.read(placed.body.orderId)).body.product.price).toBe(577.5);
    const other = (await it_.check('ZZ99 1AA')).body.id;
    service.clock.advance({ hours: 2 });
    expect((await it_.order({ checkId: other })).status).toBe(201);
  });

  it.each([
    ['ZZ99 1AA', 'firm', false, null, [null, null, null]],
    ['ZZ99 1AJ', 'subjectToSurvey', true, 'onNetWithBuild', [0, 250, 250]],
    ['ZZ99 1AL', 'indicative', true, 'offNetWithBuild', [null, null, null]],
  ] as const)('sells at %s on the basis "%s", and keeps it in the order', async (...expected) => {
    const [postcode, basis, extraChargesPossible, network, setupPrices] = expected;
    const { availableProducts: products, id: checkId } = (await it_.check(postcode)).body;
    const terms = products.map((it) => [
      it.basis,
      it.extraChargesPossible,
      it.network,
      it.setupPrice,
    ]);
    expect(terms).toEqual(
      setupPrices.map((setupPrice) => [basis, extraChargesPossible, network, setupPrice]),
    );
    for (const about of [{ postcode }, { postcode, checkId }]) {
      const placed = await it_.order(about);
      expect(placed.status).toBe(201);
      const { product } = (await it_.read(placed.body.orderId)).body;
      expect(products).toContainEqual({ ...product, productCode: 'TEST-1G-12', priceUntil: null });
    }
  });

  it('sells nothing yet at ZZ99 1AN, and says from which day on it will', async () => {
    const { status, body } = await it_.check('ZZ99 1AN');
    const detail = 'Products can be ordered here from 1 January 2099.';
    expect([status, body.availableProducts, body.reasons]).toEqual([
      200,
      [],
      [{ code: 'planned', detail, readyDate: SANDBOX_READY_DATE }],
    ]);
    expectProblem(await it_.order({ postcode: 'ZZ99 1AN' }), 'product-not-available');
  });

  it('sells at listed premises of ZZ99 1AP on another basis, or not at all', async () => {
    const [firm, excluded] = [String(SANDBOX_UPRNS.firm), String(SANDBOX_UPRNS.excluded)];
    const path = (rest: string) => `/product-availability/${rest}`;
    const { body: listed } = await service.http.get<{ items: object[] }>(
      path('postcode/ZZ99%201AP/premises'),
      { token: it_.test },
    );
    expect(listed.items).toMatchObject([{ uprn: firm }, { uprn: excluded }]);
    const basisAt = async (uprn: string) => {
      const { body } = await service.http.get<AvailabilityResult>(
        path(`premises/${uprn}?postcode=ZZ99%201AP`),
        { token: it_.test },
      );
      return [body.granularity, [...new Set(body.availableProducts.map((one) => one.basis))]];
    };
    expect(await basisAt(firm)).toEqual(['premises', ['firm']]);
    expect(await basisAt(excluded)).toEqual(['premises', []]);
    expect(await basisAt('12')).toEqual(['postcode', ['subjectToSurvey']]);
    const order = (uprn: string) => it_.order({ postcode: 'ZZ99 1AP', uprn });
    const placed = await order(firm);
    expect((await it_.read(placed.body.orderId)).body).toMatchObject({
      uprn: firm,
      product: { basis: 'firm', setupPrice: 0 },
    });
    expectProblem(await order(excluded), 'product-not-available');
  });

  it('separates checks: each token reads and cites its own only', async () => {
    const test = (await it_.check('EC2A 2BS')).body;
    const live = (await it_.check('EC2A 2BS', it_.live)).body;
    const sandbox = (await it_.check('ZZ99 1AA')).body;
    const read = (id: string, token: string) =>
      service.http.get<Problem>(`/product-availability/check/${id}`, { token });
    for (const flush of [false, true]) {
      if (flush) await service.flushChecks();
      expect((await read(test.id, it_.test)).body).toEqual(test);
      expect((await read(sandbox.id, it_.test)).body).toEqual(sandbox);
      expect((await read(live.id, it_.live)).body).toEqual(live);
      expectProblem(await read(test.id, it_.live), 'not-found');
      expectProblem(await read(live.id, it_.test), 'not-found');
    }
    const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
    const crossed = await it_.order({ ...wish, checkId: live.id });
    expectProblem(crossed, 'unknown-check');
    expectProblem(await it_.order({ ...wish, checkId: test.id }, it_.live), 'unknown-check');
  });

  it('separates orders: each token sees its own only', async () => {
    const own = await Integrator.at(service);
    const test = (await own.order()).body.orderId;
    const live = (await service.given.order({ token: own.live })).orderId;
    expectProblem(await own.read(test, own.live), 'not-found');
    expectProblem(await own.read(live, own.test), 'not-found');
    const list = async (token: string) =>
      (await service.http.get<ClientOrderPage>(ORDER, { token })).body.items.map(
        (it) => it.orderId,
      );
    expect([await list(own.test), await list(own.live)]).toEqual([[test], [live]]);
    const cancel = (id: string, token: string) =>
      service.http.post<ClientOrder>(`${ORDER}/${id}/cancellation`, { reason: 'No.' }, { token });
    expectProblem(await cancel(test, own.live), 'not-found');
    expectProblem(await cancel(live, own.test), 'not-found');
    const cancelled = await cancel(test, own.test);
    expect(cancelled.body).toMatchObject({
      state: 'cancelled',
      stateChanges: [{ state: 'acknowledged' }, { state: 'cancelled', cancelledBy: 'client' }],
    });
    expect((await cancel(test, own.test)).status).toBe(200);
    const stranger = await Integrator.at(service);
    expectProblem(await stranger.read(test), 'not-found');
    expectProblem(await stranger.advance(test), 'not-found');
  });

  it('separates idempotency keys, and replays its own', async () => {
    const key = { 'Idempotency-Key': `k${'x'.repeat(254)}` };
    const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
    const [test, live] = [
      await it_.order(wish, it_.test, key),
      await it_.order(wish, it_.live, key),
    ];
    expect([test.status, live.status]).toEqual([201, 201]);
    expect(test.body.orderId).not.toBe(live.body.orderId);
    const again = await it_.order(wish, it_.test, key);
    expect([again.headers['idempotent-replayed'], again.body]).toEqual(['true', test.body]);
    const other = await it_.order({ ...wish, notes: 'x' }, it_.test, key);
    expectProblem(other, 'idempotency-key-reused');
    const together = await Promise.all(
      [1, 2, 3].map(() => it_.order(wish, it_.test, { 'Idempotency-Key': 'together' })),
    );
    const made = together.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => body.orderId)).size).toBe(1);
  });

  it('advances an order state by state until it has ended', async () => {
    const { orderId } = (await it_.order()).body;
    const states: unknown[] = [];
    for (const target of [{ to: null }, undefined, { to: 'rejected' }]) {
      service.clock.advance({ seconds: 1 });
      const { status, body } = await it_.advance(orderId, target);
      states.push([status, body.state, body.code]);
    }
    expect(states).toEqual([
      [200, 'inProgress', undefined],
      [200, 'accepted', undefined],
      [409, 'accepted', 'order-moved'],
    ]);
    const { body } = await it_.read(orderId);
    expect(body.stateChanges.map(({ state }) => state)).toEqual([
      'acknowledged',
      'inProgress',
      'accepted',
    ]);
    expect(body.updatedAt).toBe(body.stateChanges.at(-1)?.at);
  });

  it.each([
    ['inProgress', ['acknowledged', 'inProgress']],
    ['accepted', ['acknowledged', 'inProgress', 'accepted']],
    ['rejected', ['acknowledged', 'inProgress', 'rejected']],
    ['cancelled', ['acknowledged', 'cancelled']],
    ['closed', ['acknowledged', 'inProgress', 'closed']],
  ])('moves an order on to %s where that is asked for', async (to, way) => {
    const { orderId } = (await it_.order()).body;
    const { status, body } = await it_.advance(orderId, { to });
    expect([status, body.stateChanges.map(({ state }) => state)]).toEqual([200, way]);
    expect((await it_.advance(orderId, { to })).body.code).toBe('order-moved');
  });

  it('advances an order once for concurrent requests', async () => {
    const { orderId } = (await it_.order()).body;
    const replies = await Promise.all(
      [1, 2, 3, 4].map(() => it_.advance(orderId, { to: 'cancelled' })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  it('refuses to advance a live order, with a live token, or with a wrong body', async () => {
    const { orderId: live } = await service.given.order({ token: it_.live });
    const { orderId: test } = (await it_.order()).body;
    for (const [id, token] of [
      [live, it_.live],
      [test, it_.live],
      [live, it_.test],
    ] as const) {
      expectProblem(await it_.advance(id, undefined, token), 'not-found');
    }
    expectProblem(await it_.advance(test, { to: 'waiting' }), 'validation-error');
    expectProblem(await it_.advance(test, { state: 'accepted' }), 'validation-error');
    expect((await it_.read(test)).body.state).toBe('acknowledged');
    expect((await it_.read(live, it_.live)).body.state).toBe('acknowledged');
  });
});

describe('A slow response of the sandbox', () => {
  it('does not delay other requests, and counts as in flight while it lasts', async () => {
    const service = await startService('sqlite', { config: { inFlight: 2 } });
    await service.given.catalogue();
    const own = await Integrator.at(service);
    await own.check('EC2A 2BS');
    const caller = service.get(AccessService).recognise(`Bearer ${own.test}`) as ClientCaller;
    const sandbox = service.get(SandboxService);
    const delay = sandbox.delay.bind(sandbox);
    const others = Promise.withResolvers<void>();
    jest.spyOn(sandbox, 'delay').mockImplementation(async (postcode) => {
      await delay(postcode);
      if (sandboxCaseAt(postcode) === 'slow') await others.promise;
    });
    const begun = performance.now();
    let answered = 0;
    const slow = [
      own.check('ZZ99 1AE'),
      own.order({ postcode: 'ZZ99 1AE' }, own.test, { 'Idempotency-Key': 'slow' }),
    ].map((reply) => reply.finally(() => (answered += 1)));
    await until(
      () => !service.get(RateLimitsService).hasRoom(caller),
      30,
      'both slow requests run',
    );
    const third = await own.order();
    expectProblem(third, 'rate-limited');
    expect(third.headers['ratelimit-policy']).toContain('"in-flight";q=2');
    expect((await own.check('EC2A 2BS', own.live)).status).toBe(200);
    expect(answered).toBe(0);
    others.resolve();
    const [checked, placed] = await Promise.all(slow);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(SLOW_ANSWER - 20);
    expect([checked?.status, placed?.status]).toEqual([200, 201]);
    expect((await own.order()).status).toBe(201);
  });
});

describe('The limits of the sandbox', () => {
  it('are those of the client, counted separately from live requests', async () => {
    const service = await startService('sqlite', {
      config: { lookupsPerMinute: 2, ordersPerMinute: 1 },
    });
    await service.given.catalogue();
    const own = await Integrator.at(service);
    const statuses = async (token: string) => {
      const looks = [];
      for (let n = 0; n < 3; n += 1) looks.push((await own.check('EC2A 2BS', token)).status);
      const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
      for (let n = 0; n < 2; n += 1) looks.push((await own.order(wish, token)).status);
      return looks;
    };
    expect([await statuses(own.test), await statuses(own.live)]).toEqual([
      [200, 200, 429, 201, 429],
      [200, 200, 429, 201, 429],
    ]);
  });
});

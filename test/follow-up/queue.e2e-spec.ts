import { beforeAll, expect, it } from '@jest/globals';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { tablesOf } from '../../src/reports/drawing/report-table.js';
import { allTabs } from '../../src/reports/tables/tabs.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import type { FollowUpPage } from '../../src/queue/lists/list.dto.js';
import type { BulkResult } from '../../src/orders/staff/moves.dto.js';
import { StaleClaimsService } from '../../src/queue/waiting/waiting-orders.service.js';
import type { ClientOrder, ClientOrderPage } from '../../src/orders/record/orders.dto.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { emptyTerms } from '../support/given.js';
import { askReport } from '../support/reports.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

onBothEngines('the follow-up queue', (engine) => {
  const rule = ruleOn(engine);
  let service: Service;
  let sam: { id: string; token: string };
  let eve: { id: string; token: string };
  let boss: { id: string; token: string };

  const person = async (name: string, role: 'agent' | 'manager') => {
    const staff = await service.given.staff({ name, role });
    return { id: staff.id, token: await service.given.token({ staff }) };
  };

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    sam = await person('Sam Poole', 'agent');
    eve = await person('Eve Moor', 'agent');
    boss = await person('Bo Ross', 'manager');
  });

  const post = <T = FollowUpOrder>(who: { token: string }, path: string, body: object = {}) =>
    postAsStaff<T>(service.http, `/follow-up/${path}`, body, { token: who.token });
  const get = <T>(who: { token: string }, path: string) =>
    service.http.get<T>(`/follow-up/${path}`, { token: who.token });
  const move = async (who: { token: string }, id: string, name: string, body: object = {}) => {
    const { version } = (await get<OrderDetail>(who, `orders/${id}`)).body.order;
    return post(who, `orders/${id}/${name}`, { version, ...body });
  };
  const listed = async (who: { token: string }, query: string) =>
    (await get<FollowUpPage>(who, `orders?${query}`)).body;
  const ids = (page: FollowUpPage) => page.items.map(({ orderId }) => orderId);

  rule('takes an order from receipt to its end, with a full timeline', async () => {
    const { orderId, token } = await service.given.order({ contact: { name: 'Zoë Müller' } });
    expect((await move(sam, orderId, 'claim')).body).toMatchObject({
      state: 'in_progress',
      ownerName: 'Sam Poole',
      version: 1,
    });
    await move(sam, orderId, 'logContact', { channel: 'phone', result: 'no_answer' });
    const at = new Date(service.clock.now().getTime() + 120_000).toISOString();
    const scheduled = await move(sam, orderId, 'schedule', {
      nextActionAt: at,
      reason: 'retry_no_answer',
    });
    expect([scheduled.status, scheduled.body.nextActionAt, scheduled.body.due]).toEqual([
      200,
      at,
      false,
    ]);
    expect(ids(await listed(sam, 'view=due'))).not.toContain(orderId);
    service.clock.advance({ minutes: 2 });
    expect(ids(await listed(sam, 'view=due'))).toContain(orderId);

    const given = await move(sam, orderId, 'handOver', { ownerId: eve.id, note: '=1+1' });
    expect([given.status, given.body.ownerName]).toEqual([200, 'Eve Moor']);
    expect((await move(sam, orderId, 'lose', { reason: 'price' })).status).toBe(403);
    const lost = await move(eve, orderId, 'lose', { reason: 'not_serviceable' });
    expect([lost.status, lost.body.state]).toEqual([200, 'lost']);
    const seen = () =>
      service.http.get<ClientOrder>(`/product-availability/order/${orderId}`, { token });
    expect((await seen()).body.stateChanges.map(({ state, reason }) => [state, reason])).toEqual([
      ['acknowledged', undefined],
      ['inProgress', undefined],
      ['rejected', 'notServiceable'],
    ]);
    const reopened = await move(boss, orderId, 'reopen', { reason: 'A new duct.' });
    expect([reopened.status, reopened.body.state, reopened.body.ownerName]).toEqual([
      200,
      'in_progress',
      'Eve Moor',
    ]);
    expect((await seen()).body.state).toBe('inProgress');

    const detail = (await get<OrderDetail>(boss, `orders/${orderId}`)).body;
    expect(detail.timeline.map(({ action, actorName }) => [action, actorName]).slice(1)).toEqual([
      ['claimed', 'Sam Poole'],
      ['contact_logged', 'Sam Poole'],
      ['scheduled', 'Sam Poole'],
      ['handed_over', 'Sam Poole'],
      ['lost', 'Eve Moor'],
      ['reopened', 'Bo Ross'],
    ]);
    expect(detail.offerNow).toEqual({
      ...{ price: 550, currency: 'GBP', leadTimeDays: 84, ...emptyTerms },
      differs: false,
    });
  });

  it('tells the second caller who claimed the order first', async () => {
    const { orderId } = await service.given.order();
    await post(sam, `orders/${orderId}/claim`, { version: 0 });
    const { status, body } = await post(eve, `orders/${orderId}/claim`, { version: 0 });
    expect([status, body]).toMatchObject([
      409,
      {
        code: 'order-moved',
        state: 'in_progress',
        ownerId: sam.id,
        ownerName: 'Sam Poole',
        version: 1,
      },
    ]);
  });

  it.each([
    [
      'schedule',
      { nextActionAt: '2020-01-01T00:00:00Z', reason: 'callback_agreed' },
      '/nextActionAt',
    ],
    ['schedule', { nextActionAt: 'soon', reason: 'callback_agreed' }, '/nextActionAt'],
    ['lose', { reason: 'other' }, '/note'],
    ['lose', { reason: 'boredom' }, '/reason'],
    ['release', { reason: ' ' }, '/reason'],
    ['logContact', { channel: 'pigeon', result: 'reached' }, '/channel'],
  ])('refuses to %s with %j', async (name, body, pointer) => {
    const { orderId } = await service.given.order();
    await move(sam, orderId, 'claim');
    const reply = await move(sam, orderId, name, body);
    expect([reply.status, reply.body]).toMatchObject([400, { errors: [{ pointer }] }]);
  });

  it('pages through a list without losing or repeating an order', async () => {
    for (let n = 0; n < 5; n += 1) await service.given.order();
    const all = await listed(boss, 'view=all&limit=200');
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await listed(boss, `view=all&limit=3${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...ids(page));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(ids(all));
    expect([all.total, all.totalIsExact]).toEqual([seen.length, true]);
  });

  it('assigns several orders with a result for each', async () => {
    const one = await service.given.order();
    const two = await service.given.order();
    await move(sam, two.orderId, 'claim');
    const orders = [one, two].map(({ orderId }) => ({ orderId, version: 0 }));
    const body = { orders, ownerId: eve.id };
    const refused = await post<BulkResult>(sam, 'moves', { move: 'assign', ...body });
    expect(refused.body.results.map(({ problem }) => problem?.code)).toEqual([
      'not-permitted',
      'order-moved',
    ]);
    const done = await post<BulkResult>(boss, 'moves', { move: 'assign', ...body });
    expect(done.body.results.map(({ moved, problem }) => [moved, problem?.code])).toEqual([
      [true, undefined],
      [false, 'order-moved'],
    ]);
    const unknown = await post(boss, 'moves', { move: 'assign', ...body, ownerId: one.orderId });
    expect([unknown.status, unknown.body]).toMatchObject([422, { code: 'unknown-person' }]);
  });

  rule('cancels many at once, with a reason and a result for each', async () => {
    const token = await service.given.token();
    const [one, two] = [await service.given.order({ token }), await service.given.order({ token })];
    const gone = '01920000-0000-7000-8000-000000000000';
    await move(sam, two.orderId, 'claim');
    const orders = [one.orderId, two.orderId, gone].map((orderId) => ({ orderId, version: 0 }));
    const body = { orders, reason: 'invalid_request', note: 'A faulty script.' };
    const codes = ({ results }: BulkResult) =>
      results.map(({ moved, version, problem }) => [moved, version, problem?.code]);
    const byAgent = await post<BulkResult>(eve, 'moves', { move: 'cancel', ...body });
    expect(codes(byAgent.body)[0]).toEqual([false, null, 'not-permitted']);
    const done = await post<BulkResult>(boss, 'moves', { move: 'cancel', ...body });
    expect([done.status, codes(done.body), done.body.moved, done.body.failed]).toEqual([
      200,
      [
        [true, 1, undefined],
        [false, null, 'order-moved'],
        [false, null, 'not-found'],
      ],
      1,
      2,
    ]);
    const { order } = (await get<OrderDetail>(boss, `orders/${one.orderId}`)).body;
    expect([order.state, order.closeReason]).toEqual(['cancelled', 'invalid_request']);
    expect((await move(boss, one.orderId, 'undo', { version: 1 })).body.state).toBe('waiting');
  });

  rule('cancels none for another reason without a note, or for no reason', async () => {
    const { orderId } = await service.given.order();
    const orders = [{ orderId, version: 0 }];
    const other = await post<BulkResult>(boss, 'moves', {
      move: 'cancel',
      orders,
      reason: 'other',
    });
    expect(other.body.results[0]).toMatchObject({
      moved: false,
      problem: { code: 'validation-error' },
    });
    expect((await post(boss, 'moves', { move: 'cancel', orders })).status).toBe(400);
    expect((await get<OrderDetail>(boss, `orders/${orderId}`)).body.order.state).toBe('waiting');
  });

  rule('gives no order to a member who has left, alone or with others', async () => {
    const leaver = await person('Lee Vale', 'agent');
    await service.get(StaffService).setEnabled(leaver.id, false, operator);
    const { orderId: waiting } = await service.given.order();
    const { orderId: owned } = await service.given.order();
    await move(eve, owned, 'claim');
    const to = { ownerId: leaver.id, note: 'Please take it.' };
    const single = [
      await move(boss, waiting, 'assign', { ownerId: leaver.id }),
      await move(eve, owned, 'handOver', to),
    ];
    const many = [
      await post(boss, 'moves', {
        move: 'assign',
        ...to,
        orders: [{ orderId: waiting, version: 0 }],
      }),
      await post(boss, 'moves', {
        move: 'handOver',
        ...to,
        orders: [{ orderId: owned, version: 1 }],
      }),
    ];
    const refused = [422, 'unknown-person'];
    expect([
      [...single, ...many].map(({ status, body }) => [status, (body as { code?: string }).code]),
      (await get<OrderDetail>(boss, `orders/${waiting}`)).body.order.ownerId,
      (await get<OrderDetail>(boss, `orders/${owned}`)).body.order.ownerId,
    ]).toEqual([[refused, refused, refused, refused], null, eve.id]);
  });

  it('marks duplicates of the same client only, and never in a cycle', async () => {
    const token = await service.given.token();
    const [a, b] = [await service.given.order({ token }), await service.given.order({ token })];
    const other = await service.given.order();
    expect((await move(sam, a.orderId, 'duplicate', { of: other.orderId })).status).toBe(400);
    expect((await move(sam, b.orderId, 'duplicate', { of: a.orderId })).body.state).toBe(
      'duplicate',
    );
    expect((await move(sam, a.orderId, 'duplicate', { of: b.orderId })).status).toBe(400);
    const { possibleDuplicates } = (await get<OrderDetail>(sam, `orders/${a.orderId}`)).body;
    expect(possibleDuplicates.map(({ orderId }) => orderId)).toEqual([b.orderId]);
  });

  it('lets the API client list its orders and cancel one', async () => {
    const token = await service.given.token();
    const one = await service.given.order({ token });
    service.clock.advance({ minutes: 5 });
    const two = await service.given.order({ token });
    const list = (query = '') =>
      service.http.get<ClientOrderPage>(`/product-availability/order${query}`, { token });
    expect((await list()).body.items.map(({ orderId }) => orderId)).toEqual([
      two.orderId,
      one.orderId,
    ]);
    const first = (await list('?limit=1')).body;
    const second = (await list(`?limit=1&cursor=${first.nextCursor}`)).body;
    expect([second.items[0]?.orderId, second.nextCursor]).toEqual([one.orderId, null]);

    service.clock.advance({ minutes: 5 });
    const path = `/product-availability/order/${one.orderId}/cancellation`;
    const stranger = await service.given.token();
    expect((await service.http.post(path, { reason: 'x' }, { token: stranger })).status).toBe(404);
    expect((await service.http.post(path, { reason: 7 }, { token })).status).toBe(400);
    const off = await service.http.post<ClientOrder>(path, { reason: 'Moved.' }, { token });
    expect([off.status, off.body.state, off.body.stateChanges.at(-1)]).toMatchObject([
      200,
      'cancelled',
      { state: 'cancelled', cancelledBy: 'client' },
    ]);
    expect((await service.http.post(path, { reason: 'Moved.' }, { token })).status).toBe(200);
    const since = service.clock.now().toISOString();
    expect((await list(`?updatedSince=${since}`)).body.items.map(({ orderId }) => orderId)).toEqual(
      [one.orderId],
    );

    await move(sam, two.orderId, 'claim');
    await move(sam, two.orderId, 'win', { externalReference: 'CRM-1' });
    const late = await service.http.post(
      `/product-availability/order/${two.orderId}/cancellation`,
      { reason: 'x' },
      { token },
    );
    expect([late.status, late.body]).toMatchObject([
      200,
      { state: 'accepted', delivery: { cancellationRequestedAt: expect.any(String) } },
    ]);
    expect(JSON.stringify(late.body)).not.toContain('Sam');
  });

  it('releases stale claims once, and keeps claims with recent activity', async () => {
    const stale = await service.given.order();
    const noted = await service.given.order();
    for (const { orderId } of [stale, noted]) await move(sam, orderId, 'claim');
    service.clock.advance({ hours: 23 });
    await post(sam, `orders/${noted.orderId}/note`, { note: 'Still on it.' });
    service.clock.advance({ hours: 6 });
    await Promise.all([1, 2].map(() => service.get(StaleClaimsService).releaseStale()));
    const { order, timeline } = (await get<OrderDetail>(sam, `orders/${stale.orderId}`)).body;
    expect([order.state, order.ownerId]).toEqual(['waiting', null]);
    expect(timeline.filter(({ action }) => action === 'released')).toHaveLength(1);
    expect(timeline.at(-1)).toMatchObject({ actorType: 'system' });
    expect((await get<OrderDetail>(sam, `orders/${noted.orderId}`)).body.order.state).toBe(
      'in_progress',
    );
  });

  it('exports exactly the list, without spreadsheet formulas, and records it in the audit trail', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    for (const notes of ['=1+1', 'plain, "quoted"\r\nlines'])
      await service.given.order({ token, notes });
    const query = `view=all&client=${client.id}`;
    const csv = await get<string>(sam, `orders.csv?${query}`);
    expect(csv.headers['content-type']).toMatch(/^text\/csv/);
    expect(csv.body).toContain(`,'=1+1,`);
    expect(csv.body).toContain(`,"plain, ""quoted""\r\nlines",`);
    const lines = String(csv.body)
      .trim()
      .split(/\r\n(?=[0-9a-f-]{36},)/)
      .slice(1);
    expect(lines.map((line) => line.slice(0, 36))).toEqual(ids(await listed(sam, query)));
    const entries = await service
      .get(Transactions)
      .read((tx) =>
        tx.find(AuditEntry, { where: { subjectType: 'export' }, order: { id: 'ASC' } }),
      );
    expect(entries.map(({ action, actorName }) => [action, actorName])).toEqual([
      ['began', 'Sam Poole'],
      ['ended', 'Sam Poole'],
    ]);
    expect(entries[1]?.details).toEqual({ rows: 2, complete: true });
  });

  it('answers every report', async () => {
    const { orderId } = await service.given.order();
    await move(sam, orderId, 'claim');
    await move(sam, orderId, 'lose', { reason: 'price' });
    const asked = (table: string) => askReport(service, boss.token, table);
    const named = allTabs.flatMap(tablesOf).map(({ name }) => name);
    const empty = new Set(['enquiries', 'charges', 'quotes', 'delivered', 'margins']);
    for (const name of named.filter((one) => !empty.has(one))) {
      const { status, items } = await asked(name);
      expect([name, status]).toEqual([name, 200]);
      expect([name, items.length > 0]).toEqual([name, true]);
    }
    const total = (await listed(boss, 'view=all')).total;
    const { items } = await asked('daily');
    expect(items.reduce((sum, { arrived }) => sum + Number(arrived), 0)).toBe(total);
    expect(items.at(-1)?.backlog).toBe((await listed(boss, 'view=open')).total);
    expect((await asked('daily?from=2020-01-01&to=2026-01-01')).status).toBe(400);
    expect((await get(boss, 'reports/moon')).status).toBe(404);
  });

  rule('streams changes until the token is revoked', async () => {
    const staff = await service.given.staff();
    const issued = await service.given.issuedToken({ staff });
    const { token } = issued;
    const stream = (await service.http.open('/follow-up/changes', { token })).setEncoding('utf8');
    const chunks = stream[Symbol.asyncIterator]();
    // A heartbeat has no number.
    const nextNumber = async (): Promise<number> => {
      const { value, done } = (await chunks.next()) as IteratorResult<string, undefined>;
      const [, number] = /"number":(\d+)/.exec(value ?? '') ?? [];
      return number !== undefined || done ? Number(number) : nextNumber();
    };
    const before = await nextNumber();
    await service.given.order();
    expect(await nextNumber()).toBeGreaterThan(before);
    await service.get(TokensService).revoke(issued.id, operator);
    // If the stream does not end, the test times out.
    while (!(await chunks.next()).done);
  });
});

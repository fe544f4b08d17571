import { beforeAll, expect, it } from '@jest/globals';
import { ReportSourcesService } from '../../src/reports/report-sources.service.js';
import { age } from '../../src/reports/tables/people.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import { askReport, type ReportRow } from '../support/reports.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

/**
 * A dozen orders and nine checks whose times are written down here; each report is compared with what
 * was counted by hand. Working hours are 09:00 to 17:00 in London, first contact is due within four.
 * Summer time began on Sunday 29 March 2026 at 01:00 UTC.
 *
 * | order | received (UTC)   | what, where          | first contact      | by now (Tue 31 12:30 UTC)     |
 * | ----- | ---------------- | -------------------- | ------------------ | ----------------------------- |
 * | o1    | Wed 25 Mar 09:00 | 1G-12, EC            | Wed 10:00, in time | won Thu 13:00                 |
 * | o2    | Wed 25 Mar 09:30 | 1G-12, N             | Thu 12:00, late    | in progress, Eve              |
 * | o3    | Wed 25 Mar 16:00 | 1G-36, EC            | Thu 14:00, late    | lost Thu, reopened Mon, Sam   |
 * | o4    | Wed 25 Mar 23:30 | 100M-12, EC          |                    | cancelled Thu 15:30           |
 * | o11   | Thu 26 Mar 09:00 | 1G-12, EC            |                    | waiting, due since Thu 13:00  |
 * | o5    | Fri 27 Mar 16:30 | 1G-12, EC            | Mon 08:30, in time | call-back due, Sam            |
 * | o12   | Sat 28 Mar 10:00 | 1G-12, EC            |                    | waiting, due since Mon 12:00  |
 * | o6    | Sun 29 Mar 00:30 | 1G-12, N             |                    | duplicate of o2, Mon 09:00    |
 * | o7    | Sun 29 Mar 23:30 | 1G-12, EC (Mon 00:30 in London) |         | lost Mon 10:00                |
 * | o8    | Tue 31 Mar 08:00 | 1G-12, EC            |                    | in progress, Eve, due 12:00   |
 * | o9    | Tue 31 Mar 09:00 | 1G-12, EC            |                    | waiting, warned 12:00         |
 * | o10   | Tue 31 Mar 10:30 | 1G-12, EC            |                    | waiting                       |
 */
onBothEngines('each report, by value', (engine) => {
  let service: Service;
  let client: string;
  const people: Record<string, { id: string; token: string }> = {};
  const orders: Record<string, string> = {};

  const until = (time: string) => {
    const milliseconds = Date.parse(time) - service.clock.now().getTime();
    expect(milliseconds).toBeGreaterThanOrEqual(0);
    service.clock.advance({ milliseconds });
  };
  const receive = async (name: string, time: string, about: object = {}) => {
    until(time);
    orders[name] = (await service.given.order({ token: client, ...about })).orderId;
  };
  const move = async (who: string, order: string, name: string, body: object = {}) => {
    const { token } = people[who]!;
    const path = `/follow-up/orders/${orders[order]}`;
    const { version } = (await service.http.get<OrderDetail>(path, { token })).body.order;
    const { status, body: said } = await postAsStaff(
      service.http,
      `${path}/${name}`,
      { version, ...body },
      { token },
    );
    expect([order, name, status, status === 200 ? '' : said]).toEqual([order, name, 200, '']);
  };
  const contact = async (who: string, order: string) => {
    await move(who, order, 'claim');
    await move(who, order, 'logContact', { channel: 'phone', result: 'reached' });
  };
  const check = async (postcode: string) => {
    const path = `/product-availability/postcode/${encodeURIComponent(postcode)}`;
    expect((await service.http.get(path, { token: client })).status).toBe(200);
  };
  const report = (table: string) => askReport(service, people.boss!.token, table);
  const range = 'from=2026-03-25&to=2026-03-31';
  /** Monthly prices: 208 for 100M-12, 550 for 1G-12 in EC and 725 in N, 450 for 1G-36. */
  const pounds = (amount: number) => (amount === 0 ? [] : [{ currency: 'GBP', amount }]);

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false, staleClaimHours: 0 } });
    await service.given.catalogue();
    client = await service.given.token();
    for (const [key, name, role] of [
      ['boss', 'Bo Ross', 'manager'],
      ['eve', 'Eve Moor', 'agent'],
      ['sam', 'Sam Poole', 'agent'],
    ] as const) {
      const staff = await service.given.staff({ name, role });
      people[key] = { id: staff.id, token: await service.given.token({ staff }) };
    }
    until('2026-03-24T23:59:59Z');
    await check('EC2A 2BS');
    until('2026-03-25T00:00:00Z');
    for (const postcode of ['EC2A 2BS', 'EC2A 2BS', 'EC2A 2BS', 'N1 1AA', 'N1 1AA', 'AB10 1AA']) {
      await check(postcode);
    }
    await check('EC2A 2BR');
    await receive('o1', '2026-03-25T09:00Z');
    await receive('o2', '2026-03-25T09:30Z', { postcode: 'N1 1AA' });
    until('2026-03-25T10:00Z');
    await contact('sam', 'o1');
    await receive('o3', '2026-03-25T16:00Z', { productCode: 'INT-1G-36' });
    await receive('o4', '2026-03-25T23:30Z', { productCode: 'INT-100M-12' });
    await receive('o11', '2026-03-26T09:00Z');
    until('2026-03-26T12:00Z');
    await contact('eve', 'o2');
    until('2026-03-26T13:00Z');
    await move('sam', 'o1', 'win');
    until('2026-03-26T14:00Z');
    await contact('sam', 'o3');
    until('2026-03-26T15:00Z');
    await move('sam', 'o3', 'lose', { reason: 'price' });
    until('2026-03-26T15:30Z');
    await move('boss', 'o4', 'cancel', { reason: 'test_request' });
    await receive('o5', '2026-03-27T16:30Z');
    await receive('o12', '2026-03-28T10:00Z');
    await receive('o6', '2026-03-29T00:30Z', { postcode: 'N1 1AA' });
    await receive('o7', '2026-03-29T23:30Z');
    await check('AB10 1AA');
    until('2026-03-30T08:30Z');
    await contact('sam', 'o5');
    until('2026-03-30T09:00Z');
    await move('eve', 'o6', 'duplicate', { of: orders.o2 });
    until('2026-03-30T09:30Z');
    await move('sam', 'o5', 'schedule', {
      nextActionAt: '2026-03-31T09:00:00Z',
      reason: 'callback_agreed',
    });
    until('2026-03-30T10:00Z');
    await move('eve', 'o7', 'claim');
    await move('eve', 'o7', 'lose', { reason: 'not_serviceable' });
    until('2026-03-30T10:30Z');
    await move('boss', 'o3', 'reopen', { reason: 'A better price.' });
    await receive('o8', '2026-03-31T08:00Z');
    await receive('o9', '2026-03-31T09:00Z');
    await receive('o10', '2026-03-31T10:30Z');
    until('2026-03-31T12:15Z');
    await move('eve', 'o8', 'claim');
    until('2026-03-31T12:30Z');
    await service.flushChecks();
  });

  it('open orders by age', async () => {
    const { items } = await report('age');
    expect(items.map(({ group, orders: n, amounts }) => [group, n, amounts])).toEqual([
      ['contacted', 3, pounds(1725)], // o2, o3, o5
      ['in time', 1, pounds(550)], // o10
      ['nearly late', 1, pounds(550)], // o9
      ['late up to 1 day', 1, pounds(550)], // o8
      ['late 1-3 days', 1, pounds(550)], // o12
      ['later', 1, pounds(550)], // o11
      ['enquiry', 0, []],
    ]);
    const filter = { owner: people.sam!.id, family: 'INT', bandwidth: 1 };
    const narrow = await age.count(service.get(ReportSourcesService), filter);
    expect(narrow.map(({ orders: n }) => n)).toEqual([2, 0, 0, 0, 0, 0, 0]); // o3, o5
  });

  it.each([
    [
      range,
      [
        ['2026-03-25', 4, 0, 4],
        ['2026-03-26', 1, 2, 3], // o1 and o4 closed; o3 was reopened
        ['2026-03-27', 1, 0, 4],
        ['2026-03-28', 1, 0, 5],
        ['2026-03-29', 1, 0, 6],
        ['2026-03-30', 1, 2, 5],
        ['2026-03-31', 3, 0, 8],
      ],
    ],
    ['from=2026-03-30&to=2026-03-30', [['2026-03-30', 1, 2, 5]]],
    [
      'from=2026-03-24&to=2026-03-25',
      [
        ['2026-03-24', 0, 0, 0],
        ['2026-03-25', 4, 0, 4],
      ],
    ],
    ['from=2026-04-01&to=2026-04-01', [['2026-04-01', 0, 0, 8]]],
  ])('arrived, closed and backlog a day, %s', async (query, days) => {
    const { items } = await report(`daily?${query}`);
    const rows = items.map(({ day, arrived, closed, backlog }) => [day, arrived, closed, backlog]);
    expect(rows).toEqual(days);
  });

  it('the prices of the orders that arrived each day', async () => {
    const { items } = await report(`daily?${range}`);
    const amounts = [1933, 550, 550, 550, 725, 550, 1650].map(pounds);
    expect(items.map((row) => row.amounts)).toEqual(amounts);
  });

  it('reports the last 28 days, today included, where no days are named', async () => {
    const { items } = await report('daily');
    expect([items.length, items[0]?.day, items.at(-1)?.day]).toEqual([
      28,
      '2026-03-04',
      '2026-03-31',
    ]);
    expect((await report('daily?to=2026-03-28')).items[0]?.day).toBe('2026-03-01');
  });

  it('time to first contact a week', async () => {
    const { items } = await report(`first-contact?${range}`);
    expect(items).toEqual([
      {
        week: '2026-03-23',
        received: 8,
        contacted: 4,
        medianMinutes: 60, // of 60 (o1), 60 (o5), 360 (o3) and 630 (o2)
        p90Minutes: 630,
        inTime: 0.25, // o1 and o5 of all eight: o4 and o6 are closed, o11 and o12 past the deadline
      },
      {
        week: '2026-03-30',
        received: 4,
        contacted: 0,
        medianMinutes: null,
        p90Minutes: null,
        inTime: 0, // of o7, closed, and o8, past the deadline
      },
    ]);
  });

  it('outcomes by product', async () => {
    const none = {
      ...{ received: 0, open: 0, won: 0, lost: 0, cancelled: 0, duplicate: 0 },
      wonAmounts: pounds(0),
    };
    const { items } = await report(`outcomes?${range}`);
    expect(items).toEqual([
      {
        ...none,
        productCode: 'INT-1G-12',
        received: 10,
        open: 7, // o2, o5, o8 to o12
        won: 1,
        lost: 1,
        duplicate: 1,
        amounts: pounds(5850),
        wonAmounts: pounds(550),
      },
      { ...none, productCode: 'INT-100M-12', received: 1, cancelled: 1, amounts: pounds(208) },
      { ...none, productCode: 'INT-1G-36', received: 1, open: 1, amounts: pounds(450) },
    ]);
    const narrow = await report(`outcomes?${range}&bandwidth=1&term=36`);
    expect(narrow.items.map(({ productCode }) => productCode)).toEqual(['INT-1G-36']);
  });

  it('lost reasons', async () => {
    expect((await report(`lost-reasons?${range}`)).items).toEqual([
      { reason: 'not_serviceable', orders: 1, share: 1, amounts: pounds(550) },
    ]);
    expect((await report('lost-reasons?from=2026-03-25&to=2026-03-29')).items).toEqual([]);
  });

  it('open, due and late by person', async () => {
    expect((await report('people')).items).toEqual([
      { staffId: people.boss!.id, name: 'Bo Ross', open: 0, due: 0, late: 0, amounts: [] },
      // o2; o8 late
      {
        staffId: people.eve!.id,
        name: 'Eve Moor',
        open: 2,
        due: 0,
        late: 1,
        amounts: pounds(1275),
      },
      // o3; o5 due
      {
        staffId: people.sam!.id,
        name: 'Sam Poole',
        open: 2,
        due: 1,
        late: 0,
        amounts: pounds(1000),
      },
    ]);
  });

  it('the main figures, and those of as many days before', async () => {
    const current = {
      received: 12,
      amounts: pounds(6508),
      contacted: 4,
      contacts: 4,
      medianMinutes: 60,
      p90Minutes: 630,
      inTime: 0.2, // o1 and o5 of ten: not o9 and o10, which still have time
      won: 1,
      lost: 1, // o7; o3 was reopened
      wonShare: 0.5,
      wonAmounts: pounds(550),
    };
    const nothing = {
      ...{ received: 0, contacted: 0, contacts: 0, won: 0, lost: 0 },
      ...{ medianMinutes: null, p90Minutes: null, inTime: null, wonShare: null },
      ...{ amounts: [], wonAmounts: [] },
    };
    expect((await report(`summary?${range}`)).items).toEqual([
      { period: 'current', ...current },
      { period: 'before', ...nothing },
    ]);
    const next = await report('summary?from=2026-04-01&to=2026-04-07');
    expect(next.items).toEqual([
      { period: 'current', ...nothing },
      { period: 'before', ...current },
    ]);
    const others = await report(`summary?from=2026-04-01&to=2026-04-07&client=${people.eve!.id}`);
    expect(others.items[1]).toEqual({ period: 'before', ...nothing });
  });

  it('figures by person', async () => {
    const { items } = await report(`by-person?${range}`);
    expect(
      items.map((row) => [row.name, row.received, row.contacts, row.medianMinutes, row.inTime]),
    ).toEqual([
      ['Eve Moor', 3, 1, 630, 0], // o2, o7, o8
      // o1, o3, o5; the cancelled and the duplicate order had no owner
      ['Sam Poole', 3, 3, 60, 0.6667],
    ]);
    expect(items.map((row) => [row.won, row.lost, row.wonShare, row.wonAmounts])).toEqual([
      [0, 1, 0, []],
      [1, 0, 1, pounds(550)],
    ]);
  });

  it('figures by client, within a filter', async () => {
    const { items } = await report(`by-client?${range}`);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ received: 12, contacted: 4, won: 1, lost: 1 });
    const clientId = String(items[0]!.clientId);
    const received = async (filter: string) =>
      (await report(`by-client?${range}&${filter}`)).items.map((row) => row.received);
    expect(await received(`client=${clientId}`)).toEqual([12]);
    expect(await received(`owner=${people.eve!.id}`)).toEqual([3]);
    expect(await received('family=INT&bandwidth=1')).toEqual([11]);
    expect(await received('family=ETH')).toEqual([]);
    expect((await report(`by-client?${range}&term=1.5`)).status).toBe(400);
    expect(await received(`client=${people.eve!.id}`)).toEqual([]);
    const checks = async (id: string) =>
      (await report(`demand?${range}&client=${id}`)).items.map((row) => row.checks);
    expect([await checks(clientId), await checks(people.eve!.id)]).toEqual([[4, 2, 2], []]);
    const watch = (method: string) =>
      service.http.send({ method, path: '/product-availability/watch/LS1%204AP', token: client });
    const watched = async (id: string) =>
      (await report(`demand?${range}&client=${id}`)).items.map((row) => row.watched);
    await watch('PUT');
    expect([await watched(clientId), await watched(people.eve!.id)]).toEqual([[0, 0, 0, 1], []]);
    await watch('DELETE');
    expect((await report('by-client?client=me')).status).toBe(400);
  });

  it('arrivals by weekday and hour in London', async () => {
    const { items } = await report(`arrivals?${range}`);
    expect(items).toHaveLength(24);
    const some = items.filter((row) => Object.values(row).some((n) => typeof n === 'number' && n));
    const days = (row: ReportRow) => Object.values(row).slice(1);
    expect(some.map((row) => [row.hour, ...days(row)])).toEqual([
      ['00:00', 1, 0, 0, 0, 0, 0, 1], // o7, o6
      ['09:00', 0, 1, 2, 1, 0, 0, 0], // o1, o2
      ['10:00', 0, 1, 0, 0, 0, 1, 0],
      ['11:00', 0, 1, 0, 0, 0, 0, 0],
      ['16:00', 0, 0, 1, 0, 1, 0, 0],
      ['23:00', 0, 0, 1, 0, 0, 0, 0],
    ]);
  });

  it('conversion', async () => {
    const steps = async (query: string) =>
      (await report(`conversion?${query}`)).items.map((row) => Object.values(row));
    expect(await steps(range)).toEqual([
      ['checks', 8, null, null],
      ['checksWithProducts', 5, 0.625, null],
      ['orders', 11, 2.2, pounds(5783)], // without o6, a duplicate
      ['won', 1, 0.0909, pounds(550)],
    ]);
    expect(await steps('from=2026-01-01&to=2026-01-02')).toEqual([
      ['checks', 0, null, null],
      ['checksWithProducts', 0, null, null],
      ['orders', 0, null, []],
      ['won', 0, null, []],
    ]);
    expect(await steps(`${range}&bandwidth=1&term=36`)).toEqual([
      ['orders', 1, null, pounds(450)],
      ['won', 0, 0, []],
    ]);
  });

  it('demand and coverage by postcode area', async () => {
    expect((await report(`demand?${range}`)).items).toEqual([
      {
        area: 'EC',
        checks: 4,
        checksWithoutProduct: 1,
        served: 0.75,
        orders: 10,
        amounts: pounds(5058),
        watched: 0,
      },
      {
        area: 'N',
        checks: 2,
        checksWithoutProduct: 0,
        served: 1,
        orders: 2,
        amounts: pounds(1450),
        watched: 0,
      },
      {
        area: 'AB',
        checks: 2,
        checksWithoutProduct: 2,
        served: 0,
        orders: 0,
        amounts: [],
        watched: 0,
      },
    ]);
  });
});

onBothEngines('the share of orders contacted in time', (engine) => {
  it('counts an order closed without contact as missed even before its deadline', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    const token = await service.given.staffToken();
    const inTime = async () => {
      const { items } = await askReport(service, token, 'first-contact');
      return items.at(-1);
    };
    const { orderId } = await service.given.order();
    expect(await inTime()).toMatchObject({ received: 1, contacted: 0, inTime: null });
    const path = `/follow-up/orders/${orderId}`;
    const { http } = service;
    const claim = await postAsStaff(http, `${path}/claim`, { version: 0 }, { token });
    expect([claim.status, await inTime()]).toMatchObject([200, { inTime: null }]);
    const lost = { version: 1, reason: 'price' };
    const lose = await postAsStaff(http, `${path}/lose`, lost, { token });
    expect([lose.status, await inTime()]).toMatchObject([
      200,
      { received: 1, contacted: 0, inTime: 0 },
    ]);
  });
});

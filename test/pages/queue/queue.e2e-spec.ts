import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { onOneEngine, type Service, startService } from '../../support/service.js';
import { StaffBrowser } from '../../support/staff-browser.js';
import { claimedOrder, rowsOf, textOf, titleOf, waitingOrder } from './orders.given.js';
import { faults } from '../../support/admin-pages.js';

onOneEngine('the queue as a page', (engine) => {
  let service: Service;
  let browser: StaffBrowser;
  let token: string;
  beforeEach(async () => {
    service = await startService(engine);
    await service.given.catalogue();
    const client = await service.given.client({ name: `Mr <b>"Q" & A's` });
    token = await service.given.token({ client });
    browser = await StaffBrowser.signedIn(service, { name: 'Sam Poole' });
  });
  afterEach(() => service.close());

  it('says that nothing is waiting, and when the next call-back is due', async () => {
    const kim = await StaffBrowser.signedIn(service, { name: 'Kim' });
    const empty = await kim.get('/staff/queue');
    expect([empty.status, titleOf(empty.text)]).toEqual([200, 'Waiting 0']);
    expect(empty.text).toContain('<title>Waiting 0 – Product Availability</title>');
    expect(textOf(empty.text)).toContain(
      'No orders are waiting. You have no call-backs in the next 24 hours.',
    );
    const { reference } = await claimedOrder(service, kim, { token });
    const form = {
      version: '1',
      nextActionAt: '2026-03-02T14:00',
      reason: 'callback_agreed',
    };
    const { status } = await kim.post(`/staff/orders/${reference}/schedule`, form);
    expect(status).toBe(303);
    expect(textOf((await kim.get('/staff/queue')).text)).toContain(
      'No orders are waiting. You have a call-back at 14:00.',
    );
  });

  it('is the home page', async () => {
    const { status, headers } = await browser.get('/staff');
    expect([status, headers.location]).toEqual([303, '/staff/queue']);
  });

  it('lists waiting orders, oldest first, with texts escaped', async () => {
    const first = await waitingOrder(service, { token });
    service.clock.advance({ minutes: 5 });
    const second = await waitingOrder(service, { token, postcode: 'SW1A 1AA' });
    const { text } = await browser.get('/staff/queue');
    expect(rowsOf(text)).toEqual([first.reference, second.reference]);
    expect(titleOf(text)).toBe('Waiting 2');
    expect(text).toContain('Mr &lt;b>&quot;Q&quot; &amp; A');
    expect(text.match(/aria-sort="[a-z]+"/g)).toEqual(['aria-sort="ascending"']);
    expect(text.match(/<th scope="col"/g)).toHaveLength(10);
    expect(textOf(text)).toContain(
      `${first.reference} Last note Mr <b>"Q" & A's Grace Hopper EC2A 2BS INT 1G 12 mo £550.00`,
    );
    expect(textOf(text)).toContain('Waiting due in 4 h first contact – Unassigned');
    const places = ['', '?view=open', '?view=all'].map(async (query) => {
      const { text } = await browser.get(`/staff/queue${query}`);
      return /href="([^"]*)" aria-current="page"/.exec(text)?.[1];
    });
    expect(await Promise.all(places)).toEqual([
      '/staff/queue',
      '/staff/queue?view=open',
      undefined,
    ]);
    const turned = await browser.get('/staff/queue?sort=-received');
    expect(rowsOf(turned.text)).toEqual([second.reference, first.reference]);
  });

  it('has the counts of its views in the navigation', async () => {
    await waitingOrder(service, { token });
    await waitingOrder(service, { token });
    await claimedOrder(service, await StaffBrowser.signedIn(service, { name: 'Kim' }), { token });
    const { text } = await browser.get('/staff/queue?view=closed');
    expect(textOf(text)).toContain('Waiting 2 Mine 0 Due 0 Late 0 All open 3 Deliveries 0 Closed');
    const deliveries = textOf((await browser.get('/staff/queue?view=date-at-risk')).text);
    expect(deliveries).toContain('Date at risk 0 Requests to cancel 0 Waiting for the client 0');
    expect(deliveries).not.toContain('Import updates');
  });

  it('counts the due calls of a member, and those of the team for managers', async () => {
    const kim = await StaffBrowser.signedIn(service, { name: 'Kim' });
    const boss = await StaffBrowser.signedIn(service, { name: 'Ada', role: 'manager' });
    for (const member of [kim, kim, browser]) {
      const { reference } = await claimedOrder(service, member, { token });
      const form = { version: '1', nextActionAt: '2026-03-02T10:00', reason: 'callback_agreed' };
      await member.post(`/staff/orders/${reference}/schedule`, form);
    }
    service.clock.advance({ hours: 3 });
    const dueOf = async (member: StaffBrowser, path: string) => {
      const again = await StaffBrowser.signedIn(service, {}, member.member);
      return /Due ([\d of]+) Late/.exec(textOf((await again.get(path)).text))?.[1];
    };
    expect(await dueOf(kim, '/staff/queue')).toBe('2');
    expect(await dueOf(browser, '/staff/check')).toBe('1');
    expect(await dueOf(boss, '/staff/reports')).toBe('0 of 3');
    expect(await dueOf(boss, '/staff/audit')).toBe('0 of 3');
    const mine = await (
      await StaffBrowser.signedIn(service, {}, kim.member)
    ).get('/staff/queue?view=due&owner=me');
    expect([rowsOf(mine.text).length, titleOf(mine.text)]).toEqual([2, 'Due 2']);
    expect(mine.text).not.toContain('Remove filter');
  });

  it('sorts open orders by what is due next, and by price', async () => {
    const due = await claimedOrder(service, browser, { token });
    const cheap = await waitingOrder(service, { token, productCode: 'INT-100M-12' });
    service.clock.advance({ minutes: 1 });
    const later = await claimedOrder(service, browser, { token, productCode: 'INT-1G-36' });
    const schedule = (reference: string, nextActionAt: string) =>
      browser.post(`/staff/orders/${reference}/schedule`, {
        version: '1',
        nextActionAt,
        reason: 'callback_agreed',
      });
    await schedule(due.reference, '2026-03-03T10:00');
    await schedule(later.reference, '2026-03-02T09:30');
    const rows = async (query: string) => {
      const { text } = await browser.get(`/staff/queue?${query}`);
      expect(text.match(/aria-sort="[a-z]+"/g)).toHaveLength(1);
      return rowsOf(text);
    };
    const byNext = [later, cheap, due].map(({ reference }) => reference);
    expect(await rows('view=open')).toEqual(byNext);
    expect(await rows('view=open&sort=-next')).toEqual([...byNext].reverse());
    expect(await rows('view=mine')).toEqual([later.reference, due.reference]);
    expect(await rows('view=open&sort=received')).toEqual(
      [due, cheap, later].map(({ reference }) => reference),
    );
    const log = { version: '2', channel: 'phone', result: 'no_answer' };
    await browser.post(`/staff/orders/${due.reference}/contact`, log);
    // In the list of all, what has no next step is last.
    expect(await rows('view=open')).toEqual(byNext);
    expect(await rows('view=mine')).toEqual([due.reference, later.reference]);
    expect(await rows('view=no-next-step')).toEqual([due.reference]);
    const none = await browser.get('/staff/queue?view=no-next-step&owner=none');
    expect(rowsOf(none.text)).toEqual([]);
    const mine = await browser.get('/staff/queue?view=mine');
    expect(mine.text).toContain('href="/staff/queue?view=no-next-step&amp;owner=me"');
    const byPrice = [due, later, cheap]
      .sort((a, b) => b.product!.price - a.product!.price)
      .map(({ reference }) => reference);
    expect(await rows('view=open&sort=-price')).toEqual(byPrice);
    expect(await rows('view=open&sort=price')).toEqual([...byPrice].reverse());
    const { text } = await browser.get('/staff/queue?view=closed');
    expect(text).not.toContain('sort=-price');
  });

  it('filters by family, bandwidth and term, and counts the filters on the button', async () => {
    const fast = await waitingOrder(service, { token });
    const slow = await waitingOrder(service, { token, productCode: 'INT-100M-12' });
    const long = await waitingOrder(service, { token, productCode: 'INT-1G-36' });
    const cases: [string, string[], string][] = [
      ['family=INT', [fast.reference, slow.reference, long.reference], '1'],
      ['family=ETH', [], '1'],
      ['bandwidth=0.1', [slow.reference], '1'],
      ['bandwidth=1&term=12', [fast.reference], '2'],
      ['family=INT&bandwidth=1&term=36', [long.reference], '3'],
    ];
    for (const [query, references, active] of cases) {
      const { text } = await browser.get(`/staff/queue?view=open&${query}`);
      expect([query, rowsOf(text).sort()]).toEqual([query, references.sort()]);
      expect([query, textOf(text)]).toEqual([
        query,
        expect.stringContaining(`Filter ${active} active`),
      ]);
      const csv = await browser.get(`/staff/queue.csv?view=open&${query}`);
      expect([query, csv.text.trim().split('\r\n').length]).toEqual([query, 1 + references.length]);
    }
    const { text } = await browser.get('/staff/queue?view=open&bandwidth=0.1&term=12&family=INT');
    expect(textOf(text)).toContain('Product family: Internet (INT) Remove');
    expect(textOf(text)).toContain('Bandwidth: 100 Mbit/s Remove Term: 12 months Remove');
    const form = /<form action="\/staff\/queue">.*?<\/form>/s.exec(text)![0];
    expect([...form.matchAll(/<label[^>]*>([^<]*)/g)].map(([, label]) => label)).toEqual([
      ...['Words, client or postcode', 'Kind', 'Owner', 'Client', 'Constraint'],
      ...['Product family', 'Bandwidth', 'Term', 'Received from', 'Received to'],
    ]);
    const wrong = await browser.get('/staff/queue?bandwidth=fast&term=0&from=1.1.2027');
    expect(faults(wrong)).toEqual([
      400,
      {
        'bandwidth-filter': 'Choose an option from the list.',
        'term-filter': 'Choose an option from the list.',
        'from-filter': 'Enter a day, such as 2026-11-21.',
      },
    ]);
    expect(wrong.text).toMatch(/<input type="text"[^>]*value="1\.1\.2027"/);
  });

  it('says how late an order is in working time', async () => {
    const late = await waitingOrder(service, { token });
    service.clock.advance({ days: 1 });
    browser = await StaffBrowser.signedIn(service, {}, browser.member);
    const { text } = await browser.get('/staff/queue?view=late');
    expect(rowsOf(text)).toContain(late.reference);
    expect(text).toContain('<span class="by late">late by');
  });

  it('is filtered by its address, and exported with the same filter', async () => {
    const there = await waitingOrder(service, { token });
    const before = await browser.get('/staff/queue?view=all');
    expect(rowsOf(before.text)).toEqual([there.reference]);
    const here = await waitingOrder(service, { token, postcode: 'N1 9GU' });
    const address = '/staff/queue?view=all&area=N&product=INT-1G-12&owner=none';
    const { text } = await browser.get(address);
    expect(rowsOf(text)).toEqual([here.reference]);
    expect(text).toContain(
      'href="/staff/queue.csv?view=all&amp;owner=none&amp;product=INT-1G-12&amp;area=N"',
    );
    const csv = await browser.get(address.replace('queue?', 'queue.csv?'));
    expect([csv.status, csv.headers['content-type'], csv.headers['content-disposition']]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
      'attachment; filename="orders.csv"',
    ]);
    const lines = csv.text.trim().split('\r\n');
    expect([lines.length, lines[1]!.includes(here.reference)]).toEqual([2, true]);
    const none = await browser.get('/staff/queue?area=ZE');
    expect(textOf(none.text)).toContain('No orders match these filters. Clear filters');
  });

  it('clears the filters of due calls, but keeps whose calls they are', async () => {
    for (const list of ['/staff/queue?view=due', '/staff/queue?view=due&owner=me']) {
      const { text } = await browser.get(`${list}&area=ZE`);
      const links = [...text.matchAll(/href="([^"]*)">Clear filters/g)].map(([, href]) => href);
      expect(links).toEqual(Array(2).fill(list.replace('&', '&amp;')));
    }
  });

  it('marks open orders that need a firm offer, and filters by the basis of the price', async () => {
    await service.given.catalogue({
      prices: [
        'INT-1G-12,ONNET,standard,550.00,GBP,84',
        'INT-1G-12,NEARNET,standard,725.00,GBP,120,,indicative',
      ],
    });
    await waitingOrder(service, { token });
    const { reference } = await waitingOrder(service, { token, postcode: 'N1 9GU' });
    const all = await browser.get('/staff/queue');
    expect(rowsOf(all.text)).toHaveLength(2);
    expect(all.text.match(/<small> Price to be confirmed<\/small>/g)).toHaveLength(1);
    const address = '/staff/queue?view=open&basis=indicative';
    const { text } = await browser.get(address);
    expect(rowsOf(text)).toEqual([reference]);
    expect(textOf(text)).toContain('Basis of the price: indicative, to be confirmed Remove');
    expect(text).toContain('href="/staff/queue.csv?view=open&amp;basis=indicative"');
    const csv = await browser.get(address.replace('queue?', 'queue.csv?'));
    const lines = csv.text.trim().split('\r\n');
    expect([lines.length, lines[1]!.includes(reference)]).toEqual([2, true]);
    const won = await claimedOrder(service, browser, { token, postcode: 'N1 9GU' });
    const prices = { price: '725.00', setupPrice: '100' };
    await browser.post(`/staff/orders/${won.reference}/win`, {
      version: String(won.version),
      ...prices,
    });
    const closed = await browser.get('/staff/queue?view=closed&basis=indicative');
    expect(rowsOf(closed.text)).toEqual([won.reference]);
    expect(closed.text).not.toContain('<small> Price to be confirmed');
    expect((await browser.get('/staff/queue?basis=maybe')).status).toBe(400);
  });

  it('filters by days in London', async () => {
    const { reference } = await waitingOrder(service, { token });
    const { text } = await browser.get('/staff/queue?view=all&from=2026-03-02&to=2026-03-02');
    expect(rowsOf(text)).toEqual([reference]);
    const later = await browser.get('/staff/queue?view=all&from=2027-01-01');
    expect(rowsOf(later.text)).toEqual([]);
  });

  it('is split into pages', async () => {
    const other = await service.given.token();
    for (let i = 0; i < 51; i += 1) await service.given.order({ token: other });
    const first = await browser.get('/staff/queue?view=open');
    const [, next] = /href="([^"]*cursor=[^"]*)" rel="next"/.exec(first.text) ?? [];
    const second = await browser.get(next!.replaceAll('&amp;', '&'));
    const both = [...rowsOf(first.text), ...rowsOf(second.text)];
    expect(rowsOf(first.text)).toHaveLength(50);
    expect(new Set(both).size).toBe(both.length);
    expect(titleOf(first.text)).toBe(`All open ${both.length}`);
    expect(second.text).toContain('First page');
    expect((await browser.get('/staff/queue?cursor=nonsense')).status).toBe(400);
  });
});

describe('several orders of the queue', () => {
  let service: Service;
  let sam: StaffBrowser;
  let kim: StaffBrowser;
  beforeAll(async () => {
    service = await startService('sqlite');
    await service.given.catalogue();
    sam = await StaffBrowser.signedIn(service, { name: 'Sam', role: 'manager' });
    kim = await StaffBrowser.signedIn(service, { name: 'Kim' });
  });

  const send = (browser: StaffBrowser, fields: [string, string][]) =>
    browser.send({
      method: 'POST',
      path: '/staff/queue/bulk?view=open',
      body: new URLSearchParams(fields).toString(),
      headers: {
        'Sec-Fetch-Site': 'same-origin',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
    });

  it('are assigned one by one, with a result for each', async () => {
    const free = await waitingOrder(service);
    const taken = await claimedOrder(service, kim);
    const reply = await send(sam, [
      ['order', `${free.reference}.0`],
      ['order', `${taken.reference}.0`],
      ['order', 'ORD-000000.0'],
      ['order', 'nonsense'],
      ['ownerId', kim.member.id],
      ['move', 'assign'],
    ]);
    expect(reply.status).toBe(200);
    const text = textOf(reply.text);
    expect(text).toContain('1 order assigned to Kim, 1 not.');
    expect(text).toContain(`${free.reference} assigned`);
    expect(text).toContain(`${taken.reference} : The order has moved on: it is in progress, held`);
    expect(reply.text).toMatch(new RegExp(`value="${taken.reference}.1" checked`));
    expect(reply.text).not.toMatch(new RegExp(`value="${free.reference}.1" checked`));
  });

  it('are handed over only with a note', async () => {
    const mine = await claimedOrder(service, kim);
    const ticked: [string, string] = ['order', `${mine.reference}.1`];
    const without = await send(kim, [ticked, ['move', 'hand-over'], ['ownerId', sam.member.id]]);
    expect(without.status).toBe(422);
    expect(textOf(without.text)).toContain('Enter a handover note.');
    expect(without.text).toMatch(new RegExp(`value="${mine.reference}.1" checked`));
    expect(without.text).toContain(`<option value="${sam.member.id}" selected`);
    const unselected = await send(kim, [
      ['move', 'hand-over'],
      ['note', 'I <i>am</i> away'],
    ]);
    expect(unselected.status).toBe(422);
    expect(textOf(unselected.text)).toContain('Select at least one order.');
    expect(unselected.text).toContain('value="I &lt;i>am&lt;/i> away"');
    const both: [string, string][] = [
      ['ownerId', sam.member.id],
      ['note', 'I am away'],
    ];
    const done = await send(kim, [ticked, ['move', 'hand-over'], ...both]);
    expect(textOf(done.text)).toContain('1 order handed over to Sam.');
  });

  it('are cancelled by a manager, with a reason and a result for each', async () => {
    const free = await waitingOrder(service);
    const taken = await claimedOrder(service, kim);
    const cancel = (browser: StaffBrowser, reason: string) => {
      const ticked = [free, taken].map(({ reference }) => `${reference}.0`);
      const boxes = ticked.map((value): [string, string] => ['order', value]);
      return send(browser, [...boxes, ['move', 'cancel'], ['reason', reason]]);
    };
    for (const [reason, fault] of Object.entries({ '': 'Choose a reason.', other: 'Add a note' })) {
      const { status, text } = await cancel(sam, reason);
      expect([status, textOf(text)]).toEqual([422, expect.stringContaining(fault)]);
    }
    expect((await kim.get('/staff/queue')).text).not.toContain('value="cancel"');
    expect(textOf((await cancel(kim, 'test_request')).text)).toContain(
      '0 orders cancelled, 2 not.',
    );
    const { text } = await cancel(sam, 'invalid_request');
    expect(textOf(text)).toContain('1 order cancelled, 1 not. Clients with a webhook are notified');
    expect(textOf(text)).toContain(`${free.reference} cancelled`);
    expect(text).toMatch(new RegExp(`value="${taken.reference}.1" checked`));
  });

  it('are not assigned by an agent', async () => {
    const free = await waitingOrder(service);
    const page = await kim.get('/staff/queue');
    expect(page.text).not.toContain('value="assign"');
    const reply = await send(kim, [
      ['order', `${free.reference}.0`],
      ['ownerId', kim.member.id],
      ['move', 'assign'],
    ]);
    expect(textOf(reply.text)).toContain(`${free.reference} : This move is for managers.`);
  });
});

describe('the settings of a person', () => {
  let browser: StaffBrowser;
  beforeAll(async () => {
    const service = await startService('sqlite');
    await service.given.catalogue();
    await service.given.order();
    browser = await StaffBrowser.signedIn(service);
  });

  it('keep compact rows in a cookie', async () => {
    const back = '/staff/queue?view=all&area=EC';
    const reply = await browser.post('/staff/rows', { rows: 'compact', back });
    expect([reply.status, reply.headers.location]).toEqual([303, back]);
    expect((await browser.get('/staff/queue')).text).toContain('class="queue compact"');
    await browser.post('/staff/rows', { rows: 'normal' });
    expect((await browser.get('/staff/queue')).text).not.toContain('class="queue compact"');
  });

  it.each(['//elsewhere.example', 'https://elsewhere.example', '/staff/queue?a\r\nb', '/staff'])(
    'do not redirect to %j',
    async (back) => {
      const { headers } = await browser.post('/staff/rows', { rows: 'normal', back });
      expect(headers.location).toBe('/staff/queue');
    },
  );

  it('keep the keyboard shortcuts off in a cookie', async () => {
    expect(textOf((await browser.get('/staff/keys')).text)).toContain('Turn off shortcuts');
    const reply = await browser.post('/staff/keys', { keys: 'off' });
    expect([reply.status, reply.headers.location]).toEqual([303, '/staff/keys?said=keys-off']);
    expect(reply.headers['set-cookie']?.[0]).toMatch(
      /^keys=off; Path=\/staff; Max-Age=31536000; SameSite=Lax(; Secure)?$/,
    );
    const { text } = await browser.get('/staff/keys?said=keys-off');
    expect(textOf(text)).toContain('Keyboard shortcuts are off.');
    expect(textOf(text)).toContain('Turn on shortcuts');
  });
});

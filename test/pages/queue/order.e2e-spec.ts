import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { FollowUpOrder } from '../../../src/orders/staff/follow-up.dto.js';
import { onOneEngine, type Service, startService } from '../../support/service.js';
import { StaffBrowser } from '../../support/staff-browser.js';
import { claimedOrder, orderNow, textOf, titleOf, waitingOrder } from './orders.given.js';

onOneEngine('an order worked through its page', (engine) => {
  let service: Service;
  let sam: StaffBrowser;
  let kim: StaffBrowser;
  beforeAll(async () => {
    service = await startService(engine);
    await service.given.catalogue();
    sam = await StaffBrowser.signedIn(service, { name: 'Sam', role: 'manager' });
    kim = await StaffBrowser.signedIn(service, { name: 'Kim' });
  });

  const move = (browser: StaffBrowser, order: FollowUpOrder, path: string, fields = {}) =>
    browser.post(`/staff/orders/${order.reference}/${path}`, {
      version: String(order.version),
      ...fields,
    });

  it('makes every move by form, and each result page confirms it', async () => {
    const token = await service.given.token();
    const twin = await waitingOrder(service, { token });
    let order = await waitingOrder(service, { token });
    const steps: [StaffBrowser, string, Record<string, string>, string, string][] = [
      [kim, 'claim', {}, 'claim', 'This order is now yours. Return to queue'],
      [
        kim,
        'contact',
        { channel: 'phone', result: 'no_answer', note: 'Rang twice.' },
        'contact',
        'Kim logged a contact by phone: no answer. 09:00',
      ],
      [
        kim,
        'schedule',
        { nextActionAt: '2026-03-03T10:00', reason: 'retry_no_answer' },
        'schedule',
        'Scheduled : try again on Tue 3 Mar, 10:00',
      ],
      [kim, 'resume', {}, 'resume', 'In progress , 1 contact'],
      [
        kim,
        'hand-over',
        { ownerId: sam.member.id, note: 'Speaks French.' },
        'hand-over',
        'Kim handed this over to Sam.',
      ],
      [kim, 'note', { note: 'Good luck!' }, 'note', 'Kim added a note. 09:00'],
      [sam, 'release', { reason: 'Too many.' }, 'release', 'Sam returned this to the queue.'],
      [sam, 'assign', { ownerId: kim.member.id }, 'assign', 'Sam assigned this to Kim.'],
      [kim, 'win', { externalReference: 'SF-88231' }, 'win', 'Closed as won. Undo z'],
      [kim, 'reopen', { reason: 'Not yet signed.' }, 'reopen', 'Order reopened.'],
      [kim, 'lose', { reason: 'price' }, 'lose', 'Kim closed this as lost: price.'],
      [sam, 'reopen', { reason: 'A new price.' }, 'reopen', 'A new price.'],
      [
        sam,
        'cancel',
        { reason: 'client_request' },
        'cancel',
        'Sam cancelled this: client request.',
      ],
      [sam, 'reopen', { reason: 'A mistake.' }, 'reopen', 'A mistake.'],
      [sam, 'duplicate', { of: twin.reference.toLowerCase() }, 'duplicate', 'This is a duplicate.'],
    ];
    for (const [browser, path, fields, said, words] of steps) {
      const reply = await move(browser, order, path, fields);
      const saved = path === 'claim' ? '' : `&saved=${order.reference}/${path}`;
      const next = `/staff/orders/${order.reference}?said=${said}${saved}`;
      expect([path, reply.status, reply.headers.location]).toEqual([path, 303, next]);
      const page = await browser.get(next);
      expect([path, page.status, textOf(page.text)]).toEqual([
        path,
        200,
        expect.stringContaining(words),
      ]);
      order = await orderNow(service, order.orderId);
    }
    expect(order).toMatchObject({ state: 'duplicate', duplicateOf: twin.orderId });
  });

  it('is taken by only one of two members', async () => {
    const order = await waitingOrder(service);
    const replies = await Promise.all([kim.post('/staff/take-next'), sam.post('/staff/take-next')]);
    const locations = replies.map(({ headers }) => headers.location);
    expect(new Set(locations).size).toBe(2);
    expect(locations).toContain(`/staff/orders/${order.reference}?said=taken-waiting`);
    while (locations.at(-1) !== '/staff/queue?said=nothing-to-take') {
      locations.push((await kim.post('/staff/take-next')).headers.location);
    }
    const page = await kim.get(locations.at(-1)!);
    expect(textOf(page.text)).toContain(
      'Nothing to take: no orders are waiting and you have no call-backs due.',
    );
  });

  it('names the colleague who claimed it first, and offers the next one', async () => {
    const order = await waitingOrder(service);
    await move(sam, order, 'claim');
    service.clock.advance({ seconds: 20 });
    const late = await move(kim, order, 'claim');
    expect(late.status).toBe(409);
    expect(textOf(late.text)).toContain('Sam claimed this 20 s ago.');
    expect(late.text).toMatch(
      /<form method="post" action="\/staff\/take-next"><button type="submit">/,
    );
    expect(await orderNow(service, order.orderId)).toMatchObject({ ownerName: 'Sam', version: 1 });
  });

  it('keeps typed values when it has changed but the move is still possible', async () => {
    const order = await claimedOrder(service, kim);
    await move(kim, order, 'contact', { channel: 'email', result: 'emailed' });
    const note = 'Said "yes" </textarea><script>alert(1)</script>';
    const late = await move(kim, order, 'lose', { reason: 'competitor', note });
    expect(late.status).toBe(409);
    expect(textOf(late.text)).toContain('You logged a contact: emailed just now.');
    expect(late.text).toContain('<option value="competitor" selected');
    expect(late.text).toContain(
      'Said &quot;yes&quot; &lt;/textarea>&lt;script>alert(1)&lt;/script>',
    );
    expect(late.text).toContain('name="version" value="2"');
    const again = await move(kim, { ...order, version: 2 }, 'lose', { reason: 'competitor', note });
    expect(again.status).toBe(303);
  });

  it('offers typed values as a note when the move is no longer possible', async () => {
    const order = await claimedOrder(service, kim);
    await move(sam, order, 'hand-over', { ownerId: sam.member.id, note: 'I take it.' });
    const note = 'They want 36 months.';
    const late = await move(kim, order, 'win', { externalReference: 'SF-1', note });
    expect(late.status).toBe(409);
    expect(textOf(late.text)).toContain('Sam handed this over to Sam just now.');
    expect(late.text).toContain(`action="/staff/orders/${order.reference}/note"`);
    expect(late.text).toContain('SF-1\n\nThey want 36 months.</textarea>');
    expect(late.text).not.toContain('Close as won</button>');
    // A script shows the form if it has kept what was typed.
    const opened = await kim.get(`/staff/orders/${order.reference}/win`);
    const form = `data-takes-over="${order.reference}/win" data-takes-fields="externalReference note" hidden`;
    expect([opened.status, opened.text]).toEqual([409, expect.stringContaining(form)]);
  });

  it('shows all faults of a form, and keeps its values', async () => {
    const order = await claimedOrder(service, kim);
    const empty = await move(kim, order, 'contact', { note: 'I <b>rang</b>' });
    expect(empty.status).toBe(422);
    expect(empty.text).toContain('<a href="#channel">Choose a channel.</a>');
    expect(empty.text).toContain('<a href="#result">Choose an outcome.</a>');
    expect(empty.text).toContain('I &lt;b>rang&lt;/b></textarea>');
    expect(empty.text).toContain(`name="version" value="${order.version}"`);
    const cases: [string, Record<string, string>, string][] = [
      ['lose', { reason: 'other' }, 'Add a note to explain the reason.'],
      [
        'schedule',
        { nextActionAt: '2020-01-01T10:00', reason: 'callback_agreed' },
        'Enter a time in the future.',
      ],
      ['hand-over', { ownerId: kim.member.id, note: 'hm' }, 'Choose an option from the list.'],
      ['hand-over', { ownerId: 'nonsense', note: 'hm' }, 'Choose an option from the list.'],
      ['duplicate', { of: 'ORD-000000' }, 'There is no order with this reference.'],
      ['duplicate', { of: order.reference }, 'An order cannot be a duplicate of itself.'],
      ['note', { note: 'x'.repeat(2_001) }, 'Use at most 2,000 characters; these are 2,001.'],
    ];
    for (const [path, fields, fault] of cases) {
      const reply = await move(kim, order, path, fields);
      expect([path, reply.status, textOf(reply.text)]).toEqual([
        path,
        422,
        expect.stringContaining(fault),
      ]);
    }
    expect((await orderNow(service, order.orderId)).version).toBe(order.version);
  });

  it('shows the suggested times of a form, and a typed one again with its fault', async () => {
    const order = await claimedOrder(service, kim);
    const form = await kim.get(`/staff/orders/${order.reference}/schedule`);
    expect(textOf(form.text)).toMatch(/When Next working day: .* In a week: .* Pick a time/);
    expect(form.text).not.toContain('<datalist');
    const typed = { nextActionAt: 'own', 'nextActionAt-own-text': '2020-01-01T10:00' };
    const { status, text } = await move(kim, order, 'schedule', typed);
    expect(status).toBe(422);
    expect(text).toContain(
      '<a href="#nextActionAt-own-text"><b>When: </b>Enter a time in the future',
    );
    expect(text).toMatch(
      /value="2020-01-01T10:00"[^>]*id="nextActionAt-own-text"[^>]*aria-invalid/,
    );
    expect(text).toMatch(/value="own" checked/);
  });

  it('refuses a form without a version, and a member without permission', async () => {
    const order = await claimedOrder(service, kim);
    const { reference } = order;
    expect((await kim.post(`/staff/orders/${reference}/win`)).status).toBe(409);
    const eve = await StaffBrowser.signedIn(service, { name: 'Eve' });
    const refused = await move(eve, order, 'win', { note: 'Mine!' });
    expect(refused.status).toBe(403);
    expect(textOf(refused.text)).toContain("This move is for the order's owner.");
    expect(refused.text).toContain('Mine!</textarea>');
    expect((await orderNow(service, order.orderId)).state).toBe('in_progress');
  });
});

describe('the page of an order', () => {
  let service: Service;
  let kim: StaffBrowser;
  beforeAll(async () => {
    service = await startService('sqlite');
    await service.given.catalogue();
  });
  beforeEach(async () => {
    kim = await StaffBrowser.signedIn(service, { name: 'Kim' });
  });

  it('redirects from its id and from a reference in lower case', async () => {
    const { reference, orderId } = await waitingOrder(service);
    const page = await kim.get(`/staff/orders/${reference}`);
    expect([page.status, titleOf(page.text)]).toEqual([
      200,
      expect.stringMatching(`^${reference}, Reseller`),
    ]);
    for (const spelt of [reference.toLowerCase(), orderId]) {
      const { status, headers } = await kim.get(`/staff/orders/${spelt}`);
      expect([status, headers.location]).toEqual([303, `/staff/orders/${reference}`]);
    }
  });

  it.each(['ORD-000000', 'nonsense', '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90', '%3Cscript%3E'])(
    'is a 404 page for the unknown order %s',
    async (reference) => {
      const reply = await kim.get(`/staff/orders/${reference}`, { Accept: 'text/html' });
      expect([reply.status, textOf(reply.text)]).toEqual([
        404,
        expect.stringContaining('There is no order with this id.'),
      ]);
      const form = await kim.get(`/staff/orders/${reference}/win`, { Accept: 'text/html' });
      expect(form.status).toBe(404);
    },
  );

  it('answers 404 for unknown moves', async () => {
    const { reference } = await waitingOrder(service);
    for (const move of ['receive', 'logContact', 'constructor', 'x']) {
      const { status } = await kim.get(`/staff/orders/${reference}/${move}`);
      expect([move, status]).toEqual([move, 404]);
      const sent = await kim.post(`/staff/orders/${reference}/${move}`, { version: '0' });
      expect([move, sent.status]).toEqual([move, 404]);
    }
  });

  it('shows ordered and current terms, and the contacts of the client', async () => {
    const client = await service.given.client({ name: 'Example & Sons' });
    const token = await service.given.token({ client });
    const { reference } = await waitingOrder(service, {
      token,
      reference: 'PO <4711>',
      notes: 'Ring <b>first</b>\nthen come',
      contact: { name: 'Ada', phone: '+44 (0)20 7946 0958', email: 'a&b?c=d@example.com' },
    });
    await service.given.catalogue({
      prices: [
        'INT-1G-12,ONNET,standard,599.50,GBP,90,250',
        'INT-100M-12,ONNET,standard,208.00,GBP,10,0',
      ],
    });
    const { text } = await kim.get(`/staff/orders/${reference}`);
    const words = textOf(text);
    // A set-up price that was not stated has not risen.
    expect(text.match(/>now [^<]*</g)).toEqual(['>now £599.50 (+£49.50, +9.0 %)<']);
    expect(words).toContain('Monthly price (excl. VAT) £550.00 £599.50');
    expect(words).toContain('Lead time 84 days 90 days');
    expect(words).toContain('The terms have changed since the order');
    expect(text).toContain('href="tel:+442079460958"');
    expect(text).toContain('href="mailto:a%26b%3Fc%3Dd@example.com"');
    expect(text).toContain('data-copy="+44 (0)20 7946 0958"');
    expect(text).toContain('Ring &lt;b>first&lt;/b>\nthen come');
    expect(words).toContain('Client reference PO <4711>');
    expect(words).toContain('Grace Hopper, Example & Sons');
    expect(text).not.toContain('<b>');
  });

  it('shows the basis of the price as ordered and today, and asks for a firm offer', async () => {
    const fresh = await startService('sqlite');
    const browser = await StaffBrowser.signedIn(fresh, { name: 'Kim' });
    const price = 'INT-1G-12,ONNET,standard,550.00,GBP,84';
    const pageOf = async ({ reference }: FollowUpOrder) =>
      textOf((await browser.get(`/staff/orders/${reference}`)).text);
    await fresh.given.catalogue({ prices: [price] });
    const token = await fresh.given.token();
    const check = await fresh.http.get<{ id: string }>(
      '/product-availability/postcode/EC2A%202BS',
      { token },
    );
    const firm = await waitingOrder(fresh, { token, checkId: check.body.id });
    const before = await pageOf(firm);
    expect(before).toContain('Terms unchanged since the order.');
    expect(before).toContain(': 1 product (catalogue version ');
    expect(before).not.toContain('As ordered');

    await fresh.given.catalogue({ prices: [`${price},250,subjectToSurvey`] });
    const words = await pageOf(firm);
    expect(words).toContain('Set-up price (excl. VAT) not stated £250.00');
    expect(words).toContain('Basis firm subject to survey');
    expect(words).toContain('The terms have changed since the order Term As ordered Current');
    expect(words).not.toContain('Price to be confirmed');

    await fresh.given.catalogue({ prices: [`${price},,indicative`] });
    const open = await waitingOrder(fresh, { token: await fresh.given.token() });
    expect(await pageOf(open)).toContain('£550.00 Price to be confirmed Set-up price not stated');
    await fresh.close();
  });

  it('names the zone by its label in the live catalogue', async () => {
    const { reference } = await waitingOrder(service);
    const shown = async () => textOf((await kim.get(`/staff/orders/${reference}`)).text);
    expect(await shown()).toContain('Zone ONNET');
    await service.given.catalogue({ zones: ['ONNET,Lit by our own fibre,onNetWithoutBuild,,'] });
    expect(await shown()).toContain('Zone Lit by our own fibre (ONNET)');
    await service.given.catalogue();
  });

  it('links to related orders and possible duplicates', async () => {
    await waitingOrder(service); // another client's, at the same postcode
    const token = await service.given.token();
    const first = await waitingOrder(service, { token });
    const second = await waitingOrder(service, { token });
    const elsewhere = await waitingOrder(service, { token, postcode: 'SW1A 1AA' });
    const { text } = await kim.get(`/staff/orders/${second.reference}`);
    expect(textOf(text)).toContain(`This may be a duplicate.`);
    expect(text).toContain(`<a href="/staff/orders/${first.reference}">`);
    expect(text).toContain(`<a href="/staff/orders/${elsewhere.reference}">`);
    expect(textOf(text)).toContain('Orders of other clients at EC2A 2BS');
    const form = await kim.get(`/staff/orders/${second.reference}/duplicate`);
    expect(form.text).toContain(`value="${first.reference}"`);
  });

  it('counts the orders of other clients at the postcode, however many this client has there', async () => {
    const postcode = 'N1C 4AG';
    for (let n = 0; n < 11; n += 1) await waitingOrder(service, { postcode });
    const token = await service.given.token();
    const own = await waitingOrder(service, { token, postcode });
    for (let n = 0; n < 10; n += 1) await waitingOrder(service, { token, postcode });
    const { text } = await kim.get(`/staff/orders/${own.reference}`);
    expect(textOf(text)).toContain('Orders of other clients at N1C 4AG: 11 ');
  });

  it('shows only the actions that are possible', async () => {
    const order = await waitingOrder(service);
    const labels = (text: string) =>
      [...text.matchAll(/data-key="([cshwle])"/g)].map(([, key]) => key);
    const before = labels((await kim.get(`/staff/orders/${order.reference}`)).text);
    expect(before).toEqual(['c', 'e']);
    const more = async (browser: StaffBrowser) => {
      const { text } = await browser.get(`/staff/orders/${order.reference}`);
      return textOf(/<details class="menu more">.*?<\/details>/s.exec(text)?.[0] ?? '').trim();
    };
    expect(await more(kim)).toBe('More Amend Mark as duplicate');
    const manager = await StaffBrowser.signedIn(service, { name: 'Mo', role: 'manager' });
    expect(await more(manager)).toBe('More Amend Assign Mark as duplicate Cancel order');
    await kim.post(`/staff/orders/${order.reference}/claim`, { version: '0' });
    const after = labels((await kim.get(`/staff/orders/${order.reference}`)).text);
    expect(after).toEqual(['h', 's', 'w', 'l', 'e']);
    const form = await kim.get(`/staff/orders/${order.reference}/claim`);
    expect(form.status).toBe(409);
    expect(textOf(form.text)).toContain('An order that is in progress cannot be claimed.');
  });

  it('says what someone who does not own it can do', async () => {
    const order = await waitingOrder(service);
    const mo = await StaffBrowser.signedIn(service, { name: 'Mo' });
    const advice = async () => {
      const { text } = await mo.get(`/staff/orders/${order.reference}`);
      return /<p class="intro">([^<]*)<\/p>/.exec(text)?.[1];
    };
    expect(await advice()).toBe(
      'Claim this order before you call, so that no one else calls too. Or add a note.',
    );
    await kim.post(`/staff/orders/${order.reference}/claim`, { version: '0' });
    expect(await advice()).toBe('Kim owns this order. You can add a note.');
    await kim.post(`/staff/orders/${order.reference}/win`, { version: '1' });
    expect(await advice()).toBe('This order is closed. You can add a note.');
  });

  it('is among the call-backs of the next 24 hours that a queue without due orders names', async () => {
    const mo = await StaffBrowser.signedIn(service, { name: 'Mo' });
    const whatNext = async () =>
      textOf(
        /<div class="empty[^]*?<\/div>/.exec((await mo.get('/staff/queue?view=due')).text)![0],
      );
    const schedule = async (browser: StaffBrowser, at: string) => {
      const { reference } = await claimedOrder(service, browser);
      const sent = { version: '1', nextActionAt: at, reason: 'callback_agreed' };
      const { status } = await browser.post(`/staff/orders/${reference}/schedule`, sent);
      expect(status).toBe(303);
    };
    const none = await whatNext();
    await schedule(mo, '2026-03-03T15:00');
    await schedule(kim, '2026-03-02T15:00');
    expect(await whatNext()).toBe(none);
    await schedule(mo, '2026-03-02T16:30');
    expect(await whatNext()).toContain('16:30');
    expect(await whatNext()).not.toBe(none);
  });

  it('names other viewers for half a minute after their last request', async () => {
    const { reference } = await waitingOrder(service);
    const sam = await StaffBrowser.signedIn(service, { name: 'Sam <i>' });
    expect(textOf((await kim.get(`/staff/orders/${reference}`)).text)).not.toContain('viewing');
    const seen = await sam.get(`/staff/orders/${reference}`);
    expect(textOf(seen.text)).toContain('Kim is viewing this.');
    expect(textOf((await kim.get(`/staff/orders/${reference}`)).text)).toContain(
      'Sam <i> is viewing this.',
    );
    service.clock.advance({ seconds: 31 });
    expect(textOf((await sam.get(`/staff/orders/${reference}`)).text)).not.toContain('viewing');
  });

  it('shows no text from the address', async () => {
    const { reference } = await waitingOrder(service);
    const { text } = await kim.get(`/staff/orders/${reference}?said=%3Cscript%3Ealert(1)`);
    expect(text).not.toContain('alert(1)');
  });
});

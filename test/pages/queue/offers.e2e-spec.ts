import { expect, it } from '@jest/globals';
import { dear, line, OfferDesk } from '../../support/offers.js';
import { StaffBrowser } from '../../support/staff-browser.js';
import { textOf } from './orders.given.js';

const typed = (offer: typeof line, number: number) =>
  Object.fromEntries(
    Object.entries(offer).map(([name, value]) => [`${name}-${number}`, `${value}`]),
  );

/** What a line of text starts with. */
function valueIn(text: string, name: string): string | undefined {
  const input = new RegExp(`<input[^>]* name="${name}"`).exec(text)?.[0];
  return input && (/ value="([^"]*)"/.exec(input)?.[1] ?? '');
}

/** The hidden fields of the last form of a page. */
function hiddenIn(text: string): Record<string, string> {
  const form = text.slice(text.lastIndexOf('<form'));
  const fields = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name, value]) => [name!, value!]));
}

async function openDesk(): Promise<OfferDesk> {
  const desk = await OfferDesk.open('sqlite');
  await desk.newClient();
  return desk;
}

it('staff record that the client accepts an offer, and come to the order', async () => {
  const desk = await openDesk();
  const author = await StaffBrowser.signedIn(desk.service, {}, desk.staff.agent.member);
  const ada = await StaffBrowser.signedIn(desk.service, {}, desk.staff.manager.member);
  const { id, offers } = await desk.offered([line, line]);
  const path = (await ada.get(`/staff/orders/${id}`)).headers.location!.replace(/\?.*/, '');
  const reference = path.split('/').at(-1)!;
  expect(textOf((await ada.get(path)).text)).toContain('Record acceptance of BESPOKE-');
  const own = textOf((await author.get(path)).text);
  expect(own).toContain('A colleague records the acceptance.');
  expect(own).not.toContain('Record acceptance');
  const form = `${path}/acceptance?offer=${offers[1]!.offerId}`;
  expect(textOf((await ada.get(form)).text)).toContain(
    'The order is placed at exactly these terms, and the other offers count as declined.',
  );
  // The script shows these pages as dialogs, with the focus in their first field.
  const dialogs = (await ada.get(path)).text.matchAll(/<a [^>]*href="([^"]*)" data-dialog/g);
  for (const [, href = ''] of dialogs) {
    const { text } = await ada.get(href);
    expect([href, text.includes('data-dialog-form')]).toEqual([href, true]);
  }
  const blank = await ada.post(form, { by: ' ' });
  expect([blank.status, textOf(blank.text)]).toEqual([
    422,
    expect.stringContaining('Enter the name of the person.'),
  ]);
  const recorded = await ada.post(form, { by: 'Ada Lovelace' });
  const { location } = recorded.headers;
  expect([recorded.status, location]).toEqual([
    303,
    expect.stringMatching(/^\/staff\/orders\/ORD-\w{6}\?said=offer-accepted&saved=/),
  ]);
  expect((await ada.post(form, { by: 'Ada Lovelace' })).headers.location).toBe(location);
  const order = textOf((await ada.get(location!)).text);
  expect(order).toContain('Acceptance recorded. This is the order.');
  const page = textOf((await ada.get(path)).text);
  expect(page).toContain('recorded that Ada Lovelace accepted an offer: BESPOKE-');
  expect(page).not.toContain('Record acceptance');
  const late = await ada.post(`${path}/acceptance?offer=${offers[0]!.offerId}`, { by: 'Ada' });
  expect([late.status, textOf(late.text)]).toEqual([409, expect.stringContaining(reference)]);
});

it('offers are made, approved and withdrawn on pages, without scripts', async () => {
  const desk = await openDesk();
  const { agent, manager } = desk.staff;
  const ada = await StaffBrowser.signedIn(desk.service, {}, agent.member);
  const grace = await StaffBrowser.signedIn(desk.service, {}, manager.member);
  const id = await desk.enquiry({ postcode: 'N5 1AA' });
  const location = (await ada.get(`/staff/orders/${id}`)).headers.location!;
  const path = location.replace(/\?.*/, '');
  expect((await ada.get(path)).text).toContain('Make an offer');

  const form = (await ada.get(`${path}/answer`)).text;
  expect(textOf(form)).toContain('The catalogue has no price for this at N5 1AA: enter the price.');
  expect([valueIn(form, 'bandwidthProvisioned-1'), valueIn(form, 'price-1')]).toEqual(['2', '']);
  const send = async (fields: Record<string, string>) =>
    ada.post(`${path}/answer`, {
      version: `${await desk.versionOf(id)}`,
      currency: 'GBP',
      ...fields,
    });
  const wrong = await send({ ...typed(line, 1), 'price-1': 'cheap', 'name-3': 'Another' });
  expect([wrong.status, textOf(wrong.text)]).toEqual([
    422,
    expect.stringContaining('Offer 1, monthly price (excl. VAT): Enter an amount'),
  ]);
  expect(wrong.text).toContain('value="cheap"');
  const written = { ...typed(line, 1), ...typed(dear, 2), 'note-1': 'Two\nlines.' };
  const check = await send(written);
  expect([check.status, await desk.states(id)]).toEqual([200, []]);
  const checked = textOf(check.text);
  expect(checked).toContain('Check before you send');
  // The codes are chosen when the offers are sent.
  expect(checked).not.toContain('BESPOKE-');
  expect(checked).toMatch(
    /List price £[\d,.]+ a month \(INT-1G-\d+, ONNET\), £[\d,.]+ over the term: this offer is \d+ % above it/,
  );
  expect(checked).toContain(
    'Total over the term £14,399.76 £49,200.00, above the limit of £25,000.00',
  );
  expect(checked).toContain('A manager has to approve this first');
  expect(check.text).toContain('>Send for approval</button>');
  const hidden = hiddenIn(check.text);
  const again = await send({ ...hidden, change: 'yes' });
  expect([again.status, again.text.includes('value="549.99"')]).toEqual([200, true]);
  const sent = await send(hidden);
  expect([sent.status, sent.headers.location]).toEqual([
    303,
    `${path}?said=answer-awaits&saved=${encodeURIComponent(`${path.split('/').at(-1)}/answer`)}`,
  ]);
  expect(await desk.states(id)).toEqual(['awaitingApproval', 'awaitingApproval']);

  expect((await ada.get('/staff/approvals')).status).toBe(403);
  const reference = path.split('/').at(-1)!;
  const approvals = await grace.get('/staff/approvals');
  expect(textOf(approvals.text)).toContain(`Refuse the offers for ${reference}`);
  expect(textOf(approvals.text)).toContain(
    'Total over the term £14,399.76 £49,200.00, above the limit of £25,000.00 List price £',
  );
  const decide = (fields: Record<string, string>) =>
    grace.post('/staff/approvals', { reference, answer: '1', ...fields });
  const blank = await decide({ decision: 'refuse', reason: ' ' });
  expect([blank.status, textOf(blank.text)]).toEqual([
    422,
    expect.stringContaining('Enter a reason.'),
  ]);
  const approved = await decide({ decision: 'approve' });
  expect(approved.headers.location).toBe('/staff/approvals?said=answer-approved');
  const approvedPage = textOf((await grace.get(approved.headers.location!)).text);
  expect(approvedPage).toContain('Approved. The offer will be sent in 10 seconds.');
  expect(approvedPage).toContain(`${reference}: Approve offers Undo z`);
  const late = await decide({ decision: 'refuse', reason: 'Below our cost.' });
  expect([late.status, textOf(late.text)]).toEqual([
    409,
    expect.stringContaining('You wrote: Below our cost.'),
  ]);

  const listed = async () => {
    const list = textOf((await ada.get('/staff/queue?view=all')).text);
    return [reference, /ORD-\w+/.exec(list)?.[0]].map(
      (one) => one && new RegExp(`${one} .*?(£[\\d,.]+|–)`).exec(list)?.[1],
    );
  };
  expect(await listed()).toEqual(['£2,000.00', undefined]);
  const { offers } = await desk.read(id);
  const withdrawal = `${path}/withdrawal?offer=${offers[0]!.offerId}`;
  expect((await ada.get(withdrawal)).status).toBe(200);
  const withdrawn = await ada.post(withdrawal, { note: 'Too cheap.' });
  expect(withdrawn.headers.location).toBe(
    `${path}?said=offer-withdrawn&saved=${encodeURIComponent(withdrawal.replace('/staff/orders/', ''))}`,
  );
  expect((await ada.post(withdrawal, {})).status).toBe(409);
  const page = textOf((await ada.get(path)).text);
  for (const words of [
    'asked for approval of offers: BESPOKE-',
    'approved offers: BESPOKE-',
    'Too cheap.',
    'Withdrawn',
  ]) {
    expect(page).toContain(words);
  }
  const accepted = await desk.accept(id, offers[1]!.offerId);
  expect(accepted.status).toBe(201);
  expect(await listed()).toEqual(['£2,000.00', '£2,000.00']);
  const bespoke = await ada.get('/staff/queue?view=all&family=BESPOKE');
  expect(bespoke.text).toContain('<option value="BESPOKE" selected>Bespoke offers (BESPOKE)');
  expect([bespoke.text.includes('ORD-'), bespoke.text.includes('ENQ-')]).toEqual([true, false]);
  const order = (await ada.get(`/staff/orders/${accepted.body.orderId}`)).headers.location!;
  expect((await ada.get(order)).text).toMatch(
    new RegExp(`accepted a bespoke offer with these terms: <a href="/staff/orders/${id}">view the`),
  );
  expect((await ada.get(`${path}/answer`)).status).toBe(409);
  const others = /id="of-client"><summary>([^<]*)/;
  expect(others.exec((await ada.get(path)).text)?.[1]).toMatch(/^Other orders of /);
  await desk.enquiry({ postcode: 'N5 1AA', reference: 'RFQ-2' });
  expect(others.exec((await ada.get(path)).text)?.[1]).toMatch(/^Other orders and enquiries of /);
  expect(textOf((await ada.get('/staff/search?q=N5')).text)).toContain('Orders and enquiries for');
});

it('an offer is checked, sent, undone and written again on pages', async () => {
  const desk = await openDesk();
  const ada = await StaffBrowser.signedIn(desk.service, {}, desk.staff.agent.member);
  const id = await desk.enquiry({ wanted: { bandwidth: 1, term: 36 } });
  const path = (await ada.get(`/staff/orders/${id}`)).headers.location!.replace(/\?.*/, '');
  const form = (await ada.get(`${path}/answer`)).text;
  expect(textOf(form)).toContain('Filled in from the catalogue: 1G Internet on a 10G bearer');
  expect(valueIn(form, 'price-1')).toBe('450.00');

  const post = async (fields: Record<string, string>) =>
    ada.post(`${path}/answer`, { currency: 'GBP', ...fields });
  const version = `${await desk.versionOf(id)}`;
  const cheap = await post({ version, ...typed({ ...line, price: 20, setupPrice: 0 }, 1) });
  expect(textOf(cheap.text)).toContain(
    '96 % below the list price of £10,800.00 (INT-1G-36, ONNET)',
  );
  const check = await post({ version, ...typed(line, 1) });
  expect(check.text).toContain('>Send offer</button>');
  const sent = await post(hiddenIn(check.text));
  expect(sent.headers.location).toContain('said=answer-sent&');
  const offered = textOf((await ada.get(sent.headers.location!)).text);
  expect(offered).toContain('The offer will be sent in 10 seconds.');
  expect(offered).toContain('Undo z');

  const undone = await ada.post(`${path}/undo`, { version: `${await desk.versionOf(id)}` });
  const after = textOf((await ada.get(undone.headers.location!)).text);
  expect(after).toContain('Undone. The client was not notified.');
  expect(after).toContain('undid “Send offers”');
  expect(after).toContain('Make an offer');
  expect((await desk.read(id)).offers).toEqual([]);
  const rewritten = (await ada.get(`${path}/answer`)).text;
  expect(textOf(rewritten)).toContain('Filled in from your last offers');
  expect(valueIn(rewritten, 'price-1')).toBe('549.99');
});

import { expect, it } from '@jest/globals';
import { dear, line, OfferDesk } from '../../support/offers.js';
import { StaffBrowser } from '../../support/staff-browser.js';
import { textOf } from './orders.given.js';

const typed = (offer: typeof line, number: number) =>
  Object.fromEntries(
    Object.entries(offer).map(([name, value]) => [`${name}-${number}`, `${value}`]),
  );

async function openDesk(): Promise<OfferDesk> {
  const desk = await OfferDesk.open('sqlite');
  await desk.newClient();
  return desk;
}

it('staff record that the client accepts an offer, and come to the order', async () => {
  const desk = await openDesk();
  const ada = await StaffBrowser.signedIn(desk.service, {}, desk.staff.agent.member);
  const { id, offers } = await desk.offered([line, line]);
  const path = (await ada.get(`/staff/orders/${id}`)).headers.location!.replace(/\?.*/, '');
  const reference = path.split('/').at(-1)!;
  expect(textOf((await ada.get(path)).text)).toContain('Record acceptance of BESPOKE-');
  const form = `${path}/acceptance?offer=${offers[1]!.offerId}`;
  expect(textOf((await ada.get(form)).text)).toContain(
    'The order is placed at exactly these terms, and the other offers count as declined.',
  );
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

  const form = textOf((await ada.get(`${path}/answer`)).text);
  expect(form).toContain('The form starts from INT-1G-12 of the zone NEARNET');
  const send = async (fields: Record<string, string>) =>
    ada.post(`${path}/answer`, {
      version: `${await desk.versionOf(id)}`,
      currency: 'GBP',
      ...fields,
    });
  const wrong = await send({ ...typed(line, 1), 'price-1': 'cheap', 'name-3': 'Another' });
  expect([wrong.status, textOf(wrong.text)]).toEqual([
    422,
    expect.stringContaining('Offer 1, Price a month, excluding VAT: must be a number'),
  ]);
  expect(wrong.text).toContain('value="cheap"');
  const sent = await send({ ...typed(line, 1), ...typed(dear, 2) });
  expect([sent.status, sent.headers.location]).toEqual([
    303,
    `${path}?said=answer-awaits&saved=${encodeURIComponent(`${path.split('/').at(-1)}/answer`)}`,
  ]);
  expect(await desk.states(id)).toEqual(['awaitingApproval', 'awaitingApproval']);

  expect((await ada.get('/staff/approvals')).status).toBe(403);
  const reference = path.split('/').at(-1)!;
  const approvals = await grace.get('/staff/approvals');
  expect(textOf(approvals.text)).toContain(`Refuse the answer to ${reference}`);
  const totals = [...textOf(approvals.text).matchAll(/Over the term (.*?) Valid/g)];
  expect(totals.map(([, total]) => total)).toEqual([
    '£14,399.76',
    '£49,200.00, above the limit of £25,000.00',
  ]);
  const decide = (fields: Record<string, string>) =>
    grace.post('/staff/approvals', { reference, answer: '1', ...fields });
  const blank = await decide({ decision: 'refuse', reason: ' ' });
  expect([blank.status, textOf(blank.text)]).toEqual([
    422,
    expect.stringContaining('Enter a reason.'),
  ]);
  const approved = await decide({ decision: 'approve' });
  expect(approved.headers.location).toBe('/staff/approvals?said=answer-approved');
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
    'asked for approval of an answer',
    'approved an answer',
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
  expect(textOf((await ada.get(order)).text)).toContain(
    'accepted a bespoke offer with these terms',
  );
  expect((await ada.get(`${path}/answer`)).status).toBe(409);
  const others = /<h2 id="of-client">([^<]*)/;
  expect(others.exec((await ada.get(path)).text)?.[1]).toMatch(/^Other orders of /);
  await desk.enquiry({ postcode: 'N5 1AA', reference: 'RFQ-2' });
  expect(others.exec((await ada.get(path)).text)?.[1]).toMatch(/^Other orders and enquiries of /);
  expect(textOf((await ada.get('/staff/search?q=N5')).text)).toContain('Orders and enquiries for');
});

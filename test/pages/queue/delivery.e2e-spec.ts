import { expect, it } from '@jest/globals';
import type { OrderDetail } from '../../../src/orders/staff/detail.dto.js';
import { startService } from '../../support/service.js';
import { StaffBrowser } from '../../support/staff-browser.js';
import { claimedOrder, orderNow, rowsOf, textOf } from './orders.given.js';

it('deliveries are changed on pages, listed by what they need, and told in the timeline', async () => {
  const service = await startService('sqlite');
  await service.given.catalogue({
    prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,0,subjectToSurvey'],
  });
  const kim = await StaffBrowser.signedIn(service, { name: 'Kim', role: 'manager' });
  const token = await service.given.token({ staff: kim.member });
  const { orderId, reference } = await claimedOrder(service, kim);
  const path = `/staff/orders/${reference}`;
  const order = async () =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${orderId}`, { token })).body.order;
  const post = async (route: string, sent: Record<string, string>) =>
    kim.post(`${path}/${route}`, { version: `${(await order()).version}`, ...sent });
  const listed = async (view: string) =>
    rowsOf((await kim.get(`/staff/queue?view=${view}`)).text).length;

  expect((await kim.get(`${path}/delivery`)).status).toBe(404);
  await post('win', {});
  const panel = textOf((await kim.get(path)).text);
  expect(panel).toContain('Committed date none yet');
  expect((await post('delivery/done', { milestone: 'surveyed' })).headers.location).toContain(
    'said=delivery-changed',
  );
  expect((await order()).delivery!.milestones[0]).toMatchObject({ doneOn: '2026-03-02' });
  const started = (await kim.get(path)).text;
  expect(textOf(started)).toContain('Milestones Milestone Planned for Done on Surveyed 2 Mar');
  expect(textOf(started)).toContain(
    'Not planned yet: Wayleave granted, Built, Appointment booked, Installed, Tested, Live.',
  );
  const keys = [...started.matchAll(/name="milestone"[^>]*value="(\w+)"/g)].map(([, code]) => code);
  expect(keys).toEqual(['wayleave', 'built', 'appointment', 'installed', 'tested', 'live']);
  const nothing = await post('delivery/done', {});
  expect([nothing.status, nothing.text]).toEqual([
    422,
    expect.stringContaining('Choose a milestone: surveyed'),
  ]);
  const stale = await post('delivery/done', { milestone: 'built', version: '1' });
  expect([stale.status, textOf(stale.text)]).toEqual([
    409,
    expect.stringContaining('Change the delivery'),
  ]);
  // The refused button typed nothing into this form, whose values are those of the order.
  expect(stale.text).not.toContain('data-typed');

  const sent = {
    'surveyed-doneOn': '2026-03-02',
    'installed-plannedFor': '2026-04-01',
    committedDate: '2026-03-27',
    party: 'client',
    what: 'Name a site contact.',
    serviceId: 'CCT-1',
  };
  const tooLate = await post('delivery', { ...sent, 'built-doneOn': '2026-03-03' });
  expect([tooLate.status, textOf(tooLate.text)]).toEqual([
    422,
    expect.stringContaining('A milestone is done today or earlier'),
  ]);
  const unsaid = await post('delivery', { ...sent, what: '' });
  expect([unsaid.status, unsaid.text]).toEqual([422, expect.stringContaining('href="#what"')]);
  expect((await post('delivery', sent)).status).toBe(303);
  expect((await order()).delivery).toMatchObject({
    committedDate: '2026-03-27',
    serviceId: 'CCT-1',
    waitingFor: { party: 'client', what: 'Name a site contact.' },
  });
  const form = (await kim.get(`${path}/delivery`)).text;
  for (const [name, value] of Object.entries({ ...sent, 'surveyed-plannedFor': '' })) {
    expect(form.match(new RegExp(`name="${name}"`, 'g'))?.length).toBe(1);
    if (name !== 'party' && value !== '') expect(form).toContain(`value="${value}"`);
  }
  const seen = textOf((await kim.get(path)).text);
  for (const words of [
    'Committed date 27 Mar',
    'the client: Name a site contact.',
    'Kim changed the delivery: Surveyed: 2 March 2026.',
    'Installed: planned for 1 April 2026; committed for 27 March 2026; waiting for the client (Name a site contact.); service CCT-1.',
  ]) {
    expect(seen).toContain(words);
  }
  expect(await listed('waiting-for-client')).toBe(1);
  expect(await listed('date-at-risk')).toBe(1);
  expect(await listed('closed&waitingFor=operator')).toBe(0);
  expect(await listed('closed&waitingFor=client')).toBe(1);
  const moved = { ...sent, committedDate: '2026-03-26', 'installed-plannedFor': '2026-03-20' };
  await post('delivery', { ...moved, party: '' });
  expect(textOf((await kim.get(path)).text)).toContain('Committed date 26 Mar, before: 27 Mar');
  expect([await listed('waiting-for-client'), await listed('date-at-risk')]).toEqual([0, 0]);
  const { version } = await order();
  service.clock.advance({ days: 19 });
  const lee = await StaffBrowser.signedIn(service, { name: 'Lee', role: 'agent' });
  const later = await lee.get('/staff/queue?view=date-at-risk');
  expect(rowsOf(later.text)).toEqual([expect.stringContaining(reference)]);
  expect((await lee.get(path)).text).toContain(`action="${path}/delivery/done"`);
  await lee.post(`${path}/delivery/done`, { version: `${version}`, milestone: 'live' });
  const ended = (await lee.get(path)).text;
  expect(textOf(ended)).toContain('Live 21 Mar');
  for (const words of ['delivery/done', 'Not planned yet']) {
    expect(ended).not.toContain(words);
  }
  const mo = await StaffBrowser.signedIn(service, { name: 'Mo', role: 'manager' });
  const send = async (route: string, sent: Record<string, string>) =>
    mo.post(`${path}/${route}`, { version: `${(await order()).version}`, ...sent });
  const reason = 'Not agreed after all.';
  expect((await mo.get(path)).text).not.toContain(`${path}/reopen`);
  const refused = await send('reopen', { reason });
  expect([refused.status, textOf(refused.text)]).toEqual([
    409,
    expect.stringContaining('remove the day on which Live was done'),
  ]);
  // A day that was wrong can be removed again.
  expect(ended).toContain('Change delivery');
  await send('delivery', { ...moved, 'live-doneOn': '' });
  const corrected = (await mo.get(path)).text;
  expect(corrected).toContain(`${path}/reopen`);
  expect((await send('reopen', { reason })).status).toBe(303);
});

it('updates of many deliveries are previewed, refused and imported on a page', async () => {
  const service = await startService('sqlite');
  await service.given.catalogue({
    prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,0,firm'],
  });
  const kim = await StaffBrowser.signedIn(service, { name: 'Kim', role: 'manager' });
  const { reference } = await claimedOrder(service, kim);
  const page = '/staff/delivery-updates';
  const updates = `order,milestone,done\n${reference},surveyed,2026-03-02`;
  const send = (then: string, file = '') => {
    const form = new FormData();
    form.append('updates', file === '' ? updates : '');
    form.append('then', then);
    form.append('file', new Blob([file]), file === '' ? '' : 'updates.csv');
    return kim.upload(page, form);
  };
  const refused = await send('import');
  expect([refused.status, textOf(refused.text)]).toEqual([
    422,
    expect.stringMatching(
      /Nothing is imported: 1 fault in 1 row .* line 2, order ORD.*The order is not accepted\./,
    ),
  ]);
  expect(refused.text).toContain('surveyed,2026-03-02</textarea>');
  const damaged = await send('', 'PK\x03\x04 damaged');
  expect([damaged.status, /id="updates-fault"[^>]*>([^<]*)</.exec(damaged.text)?.[1]]).toEqual([
    422,
    expect.stringContaining('The workbook is damaged'),
  ]);
  const long = await send('', updates + '\nORD-AAAAAA,surveyed,2026-03-02'.repeat(3_000));
  expect(long.status).toBe(422);
  expect(long.text).not.toContain('ORD-AAAAAA,surveyed');
  await kim.post(`/staff/orders/${reference}/win`, { version: '1' });
  const previewed = (await send('', updates)).text;
  expect(previewed).toContain('Import 1 change</button>');
  const preview = textOf(previewed);
  expect(preview).toContain('Updates Or paste the rows.');
  expect(preview).toContain('1 row about 1 order: 1 would change, 0 are so already.');
  expect(preview).toContain('Surveyed: 2 March 2026');
  const done = await send('import');
  expect(done.text).not.toContain('value="import"');
  expect(textOf(done.text)).toContain('1 row about 1 order: 1 changed, 0 are so already.');
  const twice = await send('', `${updates}\n${reference},surveyed,2026-03-02\n`);
  expect(textOf(twice.text)).toContain('2 rows about 1 order: 0 would change, 1 is so already.');
  expect(textOf((await kim.get(`/staff/orders/${reference}`)).text)).toContain(
    'Kim changed the delivery: Surveyed: 2 March 2026.',
  );
});

it('requests to cancel are listed and answered on pages', async () => {
  const service = await startService('sqlite');
  await service.given.catalogue({
    prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,0,firm'],
  });
  const kim = await StaffBrowser.signedIn(service, { name: 'Kim', role: 'agent' });
  const lee = await StaffBrowser.signedIn(service, { name: 'Lee', role: 'agent' });
  const client = await service.given.token({ days: 30 });
  const { orderId } = await service.given.order({ token: client });
  const { reference } = await orderNow(service, orderId);
  const path = `/staff/orders/${reference}`;
  await kim.post(`${path}/claim`, { version: '0' });
  await kim.post(`${path}/win`, { version: '1' });
  await service.http.post(
    `/product-availability/order/${orderId}/cancellation`,
    {},
    { token: client },
  );
  const rows = rowsOf((await kim.get('/staff/queue?view=cancellation-requests')).text);
  expect(rows).toEqual([expect.stringContaining(reference)]);
  expect(textOf((await lee.get(path)).text)).toContain('The owner or a manager answers.');
  expect(
    (await lee.post(`${path}/cancellation-answer`, { version: '3', accept: 'yes' })).status,
  ).toBe(403);
  const charged = await kim.post(`${path}/cancellation-answer`, {
    version: '3',
    accept: 'yes',
    amount: '120',
  });
  expect(charged.headers.location).toContain('said=cancellation-answered');
  expect(textOf((await kim.get(path)).text)).toContain('A charge awaits the answer of the client');
  const again = await kim.post(`${path}/cancellation-answer`, { version: '4', accept: 'no' });
  expect([again.status, textOf(again.text)]).toEqual([
    409,
    expect.stringContaining('withdraw it, or record the answer'),
  ]);
});

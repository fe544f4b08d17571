import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { operator } from '../../../src/platform/audit/audit.service.js';
import { readSmtpUrl } from '../../../src/platform/config/addresses.js';
import type { OrderDetail } from '../../../src/orders/staff/detail.dto.js';
import { WebhooksService } from '../../../src/platform/notifications/webhooks.service.js';
import { startService } from '../../support/service.js';
import { StaffBrowser } from '../../support/staff-browser.js';
import { claimedOrder, orderNow, textOf } from './orders.given.js';

const answer = { accept: 'yes', by: 'Ada Lovelace' };

it('extra charges are proposed, answered and withdrawn on pages, and explained in the timeline', async () => {
  const service = await startService('sqlite');
  await service.given.catalogue({
    prices: [
      'INT-1G-12,ONNET,standard,550.00,GBP,84,0,subjectToSurvey',
      'INT-100M-12,ONNET,standard,208.00,GBP,10,0,firm',
    ],
  });
  const kim = await StaffBrowser.signedIn(service, { name: 'Kim', role: 'manager' });
  const token = await service.given.token({ staff: kim.member });
  const { orderId, reference } = await claimedOrder(service, kim);
  const path = `/staff/orders/${reference}`;
  const detail = async () =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${orderId}`, { token })).body;
  const propose = async (category: string, amount: string, version?: number) => {
    const seen = version ?? (await detail()).order.version;
    const sent = { category, amount, note: 'Dig.', dueAt: '2099-01-01T10:00' };
    return kim.post(`${path}/charge`, { ...sent, version: `${seen}` });
  };

  const form = await kim.get(`${path}/charge`);
  expect([form.status, form.text]).toEqual([
    200,
    expect.stringContaining('value="2026-03-09T23:59"'),
  ]);
  const wrong = await propose('survey', '0');
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('Enter an amount')]);
  for (const [category, amount] of [
    ['construction', '1,250.50'],
    ['survey', '75'],
  ] as const) {
    const { status, headers } = await propose(category, amount);
    expect([status, headers.location]).toEqual([
      303,
      expect.stringContaining('charge-proposed-call&'),
    ]);
  }
  const stale = await propose('other', '5', 1);
  expect([stale.status, stale.text]).toEqual([409, expect.stringContaining('Nothing was saved')]);
  expect(textOf((await kim.get(path)).text)).toContain(
    'Extra charges £1,325.50 awaiting an answer since',
  );

  const [dig, survey] = (await detail()).charges;
  const ofDig = `${path}/charges/${dig!.chargeId}/answer`;
  const seenByProposer = textOf((await kim.get(path)).text);
  expect(seenByProposer).toContain('You wrote this, so you cannot record that the client');
  expect(seenByProposer).not.toContain('Record answer');
  const own = textOf((await kim.get(ofDig)).text);
  expect([own.includes('Record rejection'), own.includes('Accepts the charge')]).toEqual([
    true,
    false,
  ]);
  const alone = await kim.post(ofDig, answer);
  expect([alone.status, textOf(alone.text)]).toEqual([
    403,
    expect.stringContaining('a colleague does, or the client by the API'),
  ]);
  const lee = await StaffBrowser.signedIn(service, { name: 'Lee', role: 'agent' });
  expect(textOf((await lee.get(path)).text)).toContain('Record answer');
  await kim.post(`${path}/charges/${survey!.chargeId}/withdraw`);
  const answers = [answer, answer, { ...answer, accept: 'no' }];
  const draft = ofDig.replace('/staff/orders/', '');
  const ends: unknown[] = [];
  for (const sent of answers) ends.push((await lee.post(ofDig, sent)).headers.location);
  expect(ends).toEqual(
    ['answered', 'answered', 'ended'].map(
      (end) => `${path}?said=charge-${end}&saved=${encodeURIComponent(draft)}`,
    ),
  );
  const after = textOf((await kim.get(path)).text);
  for (const words of [
    '£1,250.50 Construction. Accepted by Ada Lovelace',
    'Kim proposed an extra charge: construction, £1,250.50.',
    'Lee recorded that Ada Lovelace accepted an extra charge',
    'Kim withdrew an extra charge: survey, £75.00.',
  ]) {
    expect(after).toContain(words);
  }
  const report = await kim.get('/staff/reports/charges.csv');
  expect(report.text.split('\r\n').slice(0, 3)).toEqual([
    'Category,Proposed,Accepted,Rejected,Lapsed,Withdrawn,Awaiting an answer,GBP proposed,GBP accepted',
    'Construction,1,1,0,0,0,0,1250.5,1250.5',
    'Survey,1,0,0,0,1,0,75,0',
  ]);
  const firm = await claimedOrder(service, kim, { productCode: 'INT-100M-12' });
  const { text } = await kim.get(`/staff/orders/${firm.reference}`);
  expect(textOf(text)).not.toContain('Extra charges');
});

it('open charges can be withdrawn also where no further ones can be proposed', async () => {
  const service = await startService('sqlite', { config: { rateLimits: false } });
  await service.given.catalogue({
    prices: [
      'INT-1G-12,ONNET,standard,550.00,GBP,84,0,subjectToSurvey',
      'INT-100M-12,ONNET,standard,208.00,GBP,10,0,firm',
    ],
  });
  const kim = await StaffBrowser.signedIn(service, { name: 'Kim', role: 'agent' });
  const lee = await StaffBrowser.signedIn(service, { name: 'Lee', role: 'agent' });
  const token = await service.given.token();
  const send = async (orderId: string, route: string, sent: Record<string, string>) => {
    const { reference, version } = await orderNow(service, orderId);
    const path = `/staff/orders/${reference}/${route}`;
    expect((await kim.post(path, { version: `${version}`, ...sent })).status).toBe(303);
  };
  const charge = { category: 'survey', amount: '75', note: 'Dig.', dueAt: '2099-01-01T10:00' };

  const firm = await claimedOrder(service, kim, { token, productCode: 'INT-100M-12' });
  await send(firm.orderId, 'win', {});
  const own = `/product-availability/order/${firm.orderId}/cancellation`;
  await service.http.post(own, {}, { token });
  await send(firm.orderId, 'cancellation-answer', { accept: 'yes', amount: '1200' });

  const live = await claimedOrder(service, kim, { token });
  await send(live.orderId, 'win', {});
  await send(live.orderId, 'charge', charge);
  await send(live.orderId, 'delivery/done', { milestone: 'live' });

  for (const { orderId, reference } of [firm, live]) {
    const page = `/staff/orders/${reference}`;
    const { text } = await kim.get(page);
    expect(text).not.toContain(`href="${page}/charge"`);
    const [withdraw] = /[\w/-]+\/withdraw/.exec(text) ?? [];
    expect(withdraw).toContain(`${page}/charges/`);
    expect((await lee.get(page)).text).not.toContain('/withdraw"');
    expect((await kim.post(withdraw!, {})).status).toBe(303);
    expect((await orderNow(service, orderId)).chargesAwaiting).toBe(0);
  }
});

it('the call panel keeps what was typed when an open charge stops the order from being won', async () => {
  const service = await startService('sqlite');
  await service.given.catalogue({
    prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,0,subjectToSurvey'],
  });
  const kim = await StaffBrowser.signedIn(service, { name: 'Kim', role: 'agent' });
  const { orderId, reference } = await claimedOrder(service, kim);
  const path = `/staff/orders/${reference}`;
  const charge = { category: 'survey', amount: '75', note: 'Dig.', dueAt: '2099-01-01T10:00' };
  await kim.post(`${path}/charge`, { ...charge, version: '1' });
  const { version } = await orderNow(service, orderId);
  const call = {
    version: `${version}`,
    outcome: 'reached',
    next: 'win',
    note: 'She agreed to all.',
  };
  const refused = await kim.post(`${path}/call`, call);
  expect([refused.status, textOf(refused.text)]).toEqual([
    409,
    expect.stringContaining('withdraw it, or record the answer'),
  ]);
  expect(refused.text).toContain('She agreed to all.</textarea>');
  expect((await orderNow(service, orderId)).version).toBe(version);
});

describe('a page says that the client is notified', () => {
  const notified = 'The client is notified.';
  const unreached = 'No email or webhook reaches the client: call them.';
  const email = {
    smtp: readSmtpUrl('smtp://localhost:1') ?? null,
    mailFrom: { name: 'Orders', address: 'orders@operator.example' },
  };
  const webhook = { webhookKey: randomBytes(32), webhookNetworks: ['127.0.0.0/8'] };

  it.each([
    ['where neither email nor webhooks are on', {}, false, unreached],
    ['where email is on', email, false, notified],
    ['where only the operator has a webhook', webhook, false, unreached],
    ['where the client has a webhook', webhook, true, notified],
  ])('only if it is: %s', async (_where, config, hasWebhook, said) => {
    const service = await startService('sqlite', { config });
    await service.given.catalogue({
      prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,0,subjectToSurvey'],
    });
    const kim = await StaffBrowser.signedIn(service, { name: 'Kim', role: 'manager' });
    const { reference, client, version } = await claimedOrder(service, kim);
    if ('webhookKey' in config) {
      const webhooks = service.get(WebhooksService);
      await webhooks.add('https://127.0.0.2/hook', null, operator);
      const owner = { clientId: client.id, isTest: false };
      if (hasWebhook) await webhooks.add('https://127.0.0.1/hook', owner, operator);
    }
    const path = `/staff/orders/${reference}`;
    const charge = { category: 'survey', amount: '75', note: 'Dig.', dueAt: '2099-01-01T10:00' };
    const { headers } = await kim.post(`${path}/charge`, { ...charge, version: `${version}` });
    expect(textOf((await kim.get(headers.location!)).text)).toContain(`Charge proposed. ${said}`);
    const [, id] = /charges\/([\w-]+)\/withdraw/.exec((await kim.get(path)).text)!;
    const withdrawn = await kim.post(`${path}/charges/${id}/withdraw`, {});
    const page = await kim.get(withdrawn.headers.location!);
    expect(textOf(page.text)).toContain(`Charge withdrawn. ${said}`);
  });
});

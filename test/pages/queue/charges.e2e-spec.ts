import { expect, it } from '@jest/globals';
import type { OrderDetail } from '../../../src/follow-up/queue/detail.dto.js';
import { startService } from '../../support/service.js';
import { StaffBrowser } from '../../support/staff-browser.js';
import { claimedOrder, textOf } from './orders.given.js';

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
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('Write an amount')]);
  for (const [category, amount] of [
    ['construction', '1,250.50'],
    ['survey', '75'],
  ] as const) {
    const { status, headers } = await propose(category, amount);
    expect([status, headers.location]).toEqual([303, expect.stringContaining('charge-proposed')]);
  }
  const stale = await propose('other', '5', 1);
  expect([stale.status, stale.text]).toEqual([409, expect.stringContaining('Nothing was saved')]);
  expect(textOf((await kim.get(path)).text)).toContain(
    'Extra charges £1,325.50 awaiting an answer since',
  );

  const [dig, survey] = (await detail()).charges;
  const ofDig = `${path}/charges/${dig!.chargeId}/answer`;
  await kim.post(`${path}/charges/${survey!.chargeId}/withdraw`);
  const answers = [answer, answer, { ...answer, accept: 'no' }];
  const draft = ofDig.replace('/staff/orders/', '');
  const ends: unknown[] = [];
  for (const sent of answers) ends.push((await kim.post(ofDig, sent)).headers.location);
  expect(ends).toEqual(
    ['answered', 'answered', 'ended'].map(
      (end) => `${path}?said=charge-${end}&saved=${encodeURIComponent(draft)}`,
    ),
  );
  const after = textOf((await kim.get(path)).text);
  for (const words of [
    '£1,250.50 Construction. Accepted by Ada Lovelace',
    'Kim proposed an extra charge: construction, £1,250.50.',
    'Kim recorded that Ada Lovelace accepted an extra charge',
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

import { expect, it } from '@jest/globals';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { ChargesService } from '../../src/orders/charges/charges.service.js';
import { MailServer } from '../support/mail-server.js';
import { startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

it('emails about charges reach the client, never the contact of the order, and answers reach sales', async () => {
  const mail = await MailServer.start();
  const service = await startService('sqlite', {
    config: {
      smtp: readSmtpUrl(`smtp://localhost:${mail.port}`) ?? null,
      mailFrom: { name: 'Orders', address: 'orders@operator.example' },
      salesInbox: [{ name: '', address: 'sales@operator.example' }],
      reminderTimes: [],
    },
  });
  await service.given.catalogue({
    prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,0,subjectToSurvey'],
  });
  const token = await service.given.token();
  const sam = await service.given.token({ staff: await service.given.staff() });
  const { orderId } = await service.given.order({
    token,
    acceptExtraUpTo: 100,
    contact: { name: 'Ada Lovelace', email: 'ada@customer.example' },
  });
  const path = `/follow-up/orders/${orderId}`;
  await postAsStaff(service.http, `${path}/claim`, { version: 0 }, { token: sam });
  let version = 1;
  const propose = async (amount: number) => {
    const body = { version, category: 'survey', amount, note: 'The duct is full.' };
    const reply = await service.http.post<OrderDetail>(`${path}/charges`, body, { token: sam });
    expect(reply.status).toBe(201);
    ({ version } = reply.body.order);
    return reply.body.charges.at(-1)!.chargeId;
  };
  const received = async () => {
    await service.get(DeliveryService).deliverDue();
    return mail.mails.splice(0).map(({ to, source }) => {
      expect(source).not.toContain('ada@customer.example');
      bodies.push(source.replaceAll('=\r\n', '').replaceAll('\r\n', ' '));
      return [to[0], /^Subject: ([^:\r]+)/m.exec(source)?.[1]];
    });
  };
  const bodies: string[] = [];
  await service.get(DeliveryService).deliverDue();
  mail.mails.splice(0);

  await propose(100);
  expect(await received()).toEqual([['grace@reseller.example', 'Extra charge proposed']]);
  const [first, second] = [await propose(250), await propose(75)];
  expect(await received()).toHaveLength(2);
  const answer = { accept: false, by: 'Grace' };
  const own = `/product-availability/order/${orderId}/charge/${first}/answer`;
  expect((await service.http.post(own, answer, { token })).status).toBe(200);
  expect(await received()).toEqual([['sales@operator.example', 'Extra charge rejected']]);
  await service.http.post(`${path}/charges/${second}/withdrawal`, {}, { token: sam });
  expect(await received()).toEqual([['grace@reseller.example', 'Extra charge withdrawn']]);
  const { order } = (await service.http.get<OrderDetail>(path, { token: sam })).body;
  ({ version } = order);
  const third = await propose(50);
  service.clock.advance({ days: 8 });
  await service.get(ChargesService).endOverdue();
  expect(await received()).toEqual([['grace@reseller.example', 'Extra charge lapsed']]);
  const heard = { accept: true, by: 'Grace' };
  const late = await service.http.post(`${path}/charges/${third}/answer`, heard, { token: sam });
  expect([late.status, await received()]).toEqual([409, []]);
  expect(bodies.at(-1)).toContain('The order stays open');

  const { body } = await service.http.get<OrderDetail>(path, { token: sam });
  await postAsStaff(service.http, `${path}/win`, { version: body.order.version }, { token: sam });
  version = body.order.version + 1;
  await propose(60);
  service.clock.advance({ days: 8 });
  await received();
  await service.get(ChargesService).endOverdue();
  expect((await received()).sort()).toEqual([
    ['grace@reseller.example', 'Extra charge lapsed'],
    ['sales@operator.example', 'Extra charge lapsed'],
  ]);
  const [words] = bodies.slice(-2).filter((source) => source.includes('remains accepted'));
  expect(words).not.toContain('stays open');
});

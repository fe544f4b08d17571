import { expect, it } from '@jest/globals';
import { startService } from '../../support/service.js';
import { StaffBrowser } from '../../support/staff-browser.js';
import { claimedOrder, orderNow, textOf, waitingOrder } from './orders.given.js';

it('says after "Save and take next" what was saved, with Undo', async () => {
  const service = await startService('sqlite');
  await service.given.catalogue();
  const kim = await StaffBrowser.signedIn(service, { name: 'Kim', role: 'agent' });
  const order = await claimedOrder(service, kim);
  await waitingOrder(service);
  const call = { version: '1', outcome: 'reached', next: 'pick', then: 'next' };
  const due = { at: '2099-12-03T14:00' };
  const saved = await kim.post(`/staff/orders/${order.reference}/call`, { ...call, ...due });
  const { text } = await kim.get(saved.headers.location!);
  expect(textOf(text)).toContain(`${order.reference}: call back on 3 Dec 2099 Undo`);
  expect(text).toContain(`action="/staff/orders/${order.reference}/undo"`);
  await kim.post(`/staff/orders/${order.reference}/undo`, { version: '3' });
  expect(await orderNow(service, order.orderId)).toMatchObject({
    ...{ state: 'in_progress', contactAttempts: 0, nextActionAt: null },
  });
  await waitingOrder(service);
  const note = { version: '4', note: 'Rings on Friday.', then: 'next' };
  const noted = await kim.post(`/staff/orders/${order.reference}/call`, note);
  expect(textOf((await kim.get(noted.headers.location!)).text)).toContain(
    `${order.reference}: note added. This order is now yours.`,
  );
});

import { expect, it } from '@jest/globals';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { StaffCaller } from '../../src/platform/access/caller.js';
import { TelephoneService } from '../../src/telephone/telephone.service.js';
import { onOneEngine, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

const survey = { category: 'survey', amount: 250, note: 'The duct is full.' };

onOneEngine('the acceptance of an extra charge by phone', (engine) => {
  it('is recorded by another person than the proposer, who can record a rejection', async () => {
    const service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue({
      prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,0,subjectToSurvey'],
    });
    const person = async (name: string, role: 'agent' | 'manager') =>
      service.given.token({ staff: await service.given.staff({ name, role }) });
    const sam = await person('Sam Poole', 'agent');
    const eve = await person('Eve Hill', 'agent');
    const bo = await person('Bo Ross', 'manager');
    const { orderId: id, token } = await service.given.order();
    const path = `/follow-up/orders/${id}`;
    const post = (by: string, to: string, body: object) =>
      postAsStaff<OrderDetail & { code?: string }>(service.http, `${path}/${to}`, body, {
        token: by,
      });
    const propose = async (by: string) => {
      const { body } = await service.http.get<OrderDetail>(path, { token: by });
      const { version } = body.order;
      return (await post(by, 'charges', { version, ...survey })).body.charges.at(-1)!.chargeId;
    };
    const record = (by: string, chargeId: string, accept: boolean) =>
      post(by, `charges/${chargeId}/answer`, { accept, by: 'Ada Lovelace' });
    const seenByClient = async () =>
      (await service.http.get<object>(`/product-availability/order/${id}`, { token })).body;

    await post(sam, 'claim', { version: 0 });
    const ofAgent = await propose(sam);
    const ofManager = await propose(bo);
    for (const [proposer, chargeId] of [
      [sam, ofAgent],
      [bo, ofManager],
    ] as const) {
      const { status, body } = await record(proposer, chargeId, true);
      expect([status, body.code]).toEqual([403, 'not-permitted']);
    }
    const message = { text: 'What is it for?' };
    await service.http.post(`/product-availability/order/${id}/message`, message, { token });
    const open = { state: 'awaitingResponse' };
    expect(await seenByClient()).toMatchObject({ charges: [open, open] });

    const accepted = { state: 'accepted', answeredBy: 'Ada Lovelace' };
    expect((await record(eve, ofAgent, true)).body.charges[0]).toMatchObject(accepted);
    // The proposer repeats what the colleague has recorded.
    expect((await record(sam, ofAgent, true)).status).toBe(200);
    const { charges, order } = (await record(bo, ofManager, false)).body;
    expect(charges[1]!.state).toBe('rejected');
    // The wait for the charges has ended, also under the message of the client.
    expect(order).toMatchObject({ state: 'in_progress', nextActionReason: 'client_wrote' });
    const late = await record(bo, ofManager, true);
    expect([late.status, late.body.code]).toEqual([409, 'charge-answered']);
    expect(JSON.stringify(await seenByClient())).not.toContain('proposerId');
  });

  it('needs another person also where the proposer typed what the order accepts in advance', async () => {
    const service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue({
      prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,0,subjectToSurvey'],
    });
    const [sam, bo] = [await service.given.staff(), await service.given.staff({ role: 'manager' })];
    const { id: staffId, name } = sam;
    const me: StaffCaller = {
      ...{ kind: 'staff', staffId, tokenId: staffId, name, role: 'agent', scopes: new Set() },
    };
    const client = await service.given.client();
    const telephone = service.get(TelephoneService);
    const check = await telephone.record('EC2A 2BS', '', client.id, me);
    const asked = { productCode: 'INT-1G-12', name: 'Ada', acceptExtraUpTo: 500 };
    const found = await telephone.findForOrder(check.id);
    const { orderId } = await telephone.place(found, asked, crypto.randomUUID(), me);
    const path = `/follow-up/orders/${orderId}`;
    const proposedBy = async (staff: typeof sam) => {
      const token = await service.given.token({ staff });
      const { body } = await service.http.get<OrderDetail>(path, { token });
      const sent = { version: body.order.version, ...survey };
      return (
        await service.http.post<OrderDetail>(`${path}/charges`, sent, { token })
      ).body.charges.at(-1);
    };
    expect(await proposedBy(sam)).toMatchObject({ state: 'awaitingResponse' });
    expect(await proposedBy(bo)).toMatchObject({ state: 'accepted' });
  });
});

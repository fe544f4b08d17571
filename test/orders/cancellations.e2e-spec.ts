import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import type { EnquiryAcknowledgement } from '../../src/orders/record/enquiries.dto.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { ChargesService } from '../../src/orders/charges/charges.service.js';
import { DeliveryImportService } from '../../src/orders/delivery/delivery-import.service.js';
import { MovesService } from '../../src/orders/moves/moves.service.js';
import { LIVE } from '../../src/platform/database/sides.js';
import { ordersOn } from '../../src/orders/record/order-tables.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';
import { type CatalogueRows, smallCatalogue } from '../support/given.js';
import { postAsStaff } from '../support/moves.js';
import { StaffBrowser } from '../support/staff-browser.js';

onBothEngines('a cancellation by the client', (engine) => {
  const rule = ruleOn(engine);
  let service: Service;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
  });
  beforeEach(() => service.clock.reset());

  rule('takes a reason, an empty object or no body', async () => {
    await service.given.catalogue();
    const token = await service.given.token();
    const cancel = (path: string, body?: string) =>
      service.http.send<ClientOrder & { code: string; errors: object[] }>({
        method: 'POST',
        path: `/product-availability/${path}/cancellation`,
        token,
        ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body }),
      });
    const paths = async () => {
      const { orderId } = await service.given.order({ token });
      const enquiry = await service.http.post<EnquiryAcknowledgement>(
        '/product-availability/enquiry',
        { postcode: 'EC2A 2BS', wanted: { bandwidth: 10 } },
        { token },
      );
      return [`order/${orderId}`, `enquiry/${enquiry.body.enquiryId}`];
    };
    for (const body of [undefined, '{}', '{"reason":"Moved."}', '{"reason":null}']) {
      for (const path of await paths()) {
        const { status, body: cancelled } = await cancel(path, body);
        expect([status, cancelled.state]).toEqual([200, 'cancelled']);
        expect((await cancel(path, body)).status).toBe(200);
      }
    }
    const [order] = await paths();
    for (const body of ['[]', '{"why":"Moved."}', `{"reason":"${'x'.repeat(501)}"}`]) {
      expect((await cancel(order!, body)).body.code).toBe('validation-error');
    }
  });

  rule('does not find an accepted enquiry as an order', async () => {
    await service.given.catalogue();
    const token = await service.given.token();
    const wanted = { postcode: 'EC2A 2BS', wanted: { bandwidth: 10 } };
    const { body } = await service.http.post<EnquiryAcknowledgement>(
      '/product-availability/enquiry',
      wanted,
      { token },
    );
    await service.get(Transactions).run((all) => {
      const tx = ordersOn(all, LIVE);
      return tx.update(tx.orders, { id: body.enquiryId }, { state: 'won' });
    });
    const path = `/product-availability/order/${body.enquiryId}/cancellation`;
    expect((await service.http.post(path, {}, { token })).status).toBe(404);
  });

  rule('is answered with a charge only where it ends the order; null means missing', async () => {
    await service.given.catalogue();
    const token = await service.given.token();
    const staff = await service.given.token({ staff: await service.given.staff() });
    const asked = async () => {
      const { orderId } = await service.given.order({ token });
      const path = `/follow-up/orders/${orderId}`;
      await postAsStaff(service.http, `${path}/claim`, { version: 0 }, { token: staff });
      await postAsStaff(service.http, `${path}/win`, { version: 1 }, { token: staff });
      const own = `/product-availability/order/${orderId}/cancellation`;
      await service.http.post(own, { reason: null }, { token });
      const answer = (body: object) =>
        service.http.post<FollowUpOrder & { errors?: object[] }>(
          `${path}/cancellation-answer`,
          { version: 3, ...body },
          { token: staff },
        );
      return { path, answer };
    };
    const { path, answer } = await asked();
    expect(await answer({ accept: false, amount: 250 })).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            pointer: '/amount',
            code: 'not-allowed',
            detail: 'A charge is only possible if the order is cancelled.',
          },
        ],
      },
    });
    const kept = await answer({ accept: false, amount: null, note: null });
    expect([kept.status, kept.body.state]).toEqual([200, 'won']);
    const { timeline } = (await service.http.get<OrderDetail>(path, { token: staff })).body;
    const entries = timeline.filter(({ action }) => action.startsWith('cancellation_'));
    expect(entries.map(({ details }) => details)).toEqual([{}, {}]);
    const found = await service.http.get<{ items: object[] }>('/follow-up/orders?q=null', {
      token: staff,
    });
    expect(found.body.items).toEqual([]);
    const ended = await (await asked()).answer({ accept: true, amount: null, note: null });
    expect([ended.status, ended.body.state]).toEqual([200, 'cancelled']);
  });

  const accepted = async (rows: CatalogueRows = {}) => {
    await service.given.catalogue({ ...smallCatalogue, ...rows });
    const token = await service.given.token({ days: 3_650 });
    const { orderId } = await service.given.order({ token });
    const manager = await service.given.staff({ role: 'manager' });
    const staff = await service.given.token({ staff: manager });
    const path = `/follow-up/orders/${orderId}`;
    const detail = async () => (await service.http.get<OrderDetail>(path, { token: staff })).body;
    const move = async (name: string, body: object = {}) => {
      const { version } = (await detail()).order;
      return postAsStaff(service.http, `${path}/${name}`, { version, ...body }, { token: staff });
    };
    await move('claim');
    await move('win');
    const own = `/product-availability/order/${orderId}`;
    const read = async () => (await service.http.get<ClientOrder>(own, { token })).body;
    const post = (name: string, body: object = {}) =>
      service.http.post<ClientOrder & { code?: string }>(`${own}/${name}`, body, { token });
    return { orderId, manager, detail, move, read, post };
  };

  rule('waits for the answer to a second charge after the first, until it is live', async () => {
    const { detail, move, read, post } = await accepted();
    await post('cancellation');
    const answer = { accept: true, amount: 250 };
    expect((await move('cancellation-answer', answer)).status).toBe(200);
    service.clock.advance({ days: 30 });
    expect((await move('cancellation-answer', answer)).status).toBe(200);
    await service.get(ChargesService).endOverdue();
    expect(await read()).toMatchObject({
      delivery: { cancellationRequestedAt: '2026-03-02T09:00:00.000Z' },
      charges: [{ state: 'lapsed' }, { state: 'awaitingResponse' }],
    });
    const { reference } = (await detail()).order;
    const file = `order,milestone,done\n${reference},live,2026-03-02\n`;
    await service.get(DeliveryImportService).run(file, operator);
    const { charges } = await read();
    expect(charges.map(({ state }) => state)).toEqual(['lapsed', 'withdrawn']);
    const late = await post(`charge/${charges[1]!.chargeId}/answer`, { accept: true });
    expect([late.status, late.body.code]).toEqual([409, 'charge-answered']);
    expect(await read()).toMatchObject({ state: 'accepted', delivery: { liveOn: '2026-03-02' } });
  });

  rule('ends the order when its client accepts the charge, by the client', async () => {
    const { detail, move, read, post } = await accepted();
    await post('cancellation');
    await move('cancellation-answer', { accept: true, amount: 250 });
    const [charge] = (await read()).charges;
    const answered = await post(`charge/${charge!.chargeId}/answer`, { accept: true });
    expect([answered.status, (await read()).state]).toEqual([200, 'cancelled']);
    const { timeline } = await detail();
    const ends = timeline.filter(({ action }) => action === 'cancelled');
    expect(ends.map(({ actorType }) => actorType)).toEqual(['client']);
  });

  const cancellation = ['*,accepted,,1,', '*,surveyed,,2,50', '*,built,,3,'];
  const surveyed = { milestones: [{ code: 'surveyed', doneOn: '2026-03-02' }] };

  rule('at or below what the client accepts ends the order at once, with the charge', async () => {
    const { detail, move, read, post } = await accepted({ cancellation });
    expect((await read()).delivery?.cancellation).toEqual({
      ...{ amount: 550, currency: 'GBP', after: 'accepted' },
    });
    expect((await move('delivery', surveyed)).status).toBe(200);
    // The table of the version in which it was placed counts.
    await service.given.catalogue({ ...smallCatalogue, cancellation: ['*,accepted,,100,'] });
    const cost = { amount: 1_150, currency: 'GBP' };
    expect((await read()).delivery?.cancellation).toEqual({ ...cost, after: 'surveyed' });
    const refused = await post('cancellation', { acceptUpTo: 1_149.99 });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: 'cancellation-costs-more', cancellation: cost },
    ]);
    expect(await read()).toMatchObject({
      ...{ state: 'accepted', charges: [] },
      delivery: { cancellationRequestedAt: null },
    });
    for (let times = 1; times <= 2; times += 1) {
      const { status, body } = await post('cancellation', { acceptUpTo: 1_150, reason: 'Moved.' });
      expect([status, body]).toMatchObject([
        200,
        {
          state: 'cancelled',
          charges: [{ category: 'cancellation', amount: 1_150, state: 'accepted' }],
          delivery: { cancellation: null, cancellationRequestedAt: null },
        },
      ]);
    }
    const { timeline } = await detail();
    const ends = timeline.filter(({ action }) => /^(cancelled|charge_)/.test(action));
    expect(ends.map(({ action, actorType }) => [action, actorType])).toEqual([
      ['charge_proposed', 'system'],
      ['charge_accepted', 'client'],
      ['cancelled', 'client'],
    ]);
  });

  rule('is a request where a person says what it costs, or where it says no more', async () => {
    const { read, post, move } = await accepted({
      cancellation: ['ETH-*,accepted,,1,'],
    });
    expect((await read()).delivery?.cancellation).toBeNull();
    const asked = await post('cancellation', { acceptUpTo: 10_000 });
    expect(asked.body).toMatchObject({
      state: 'accepted',
      delivery: { cancellationRequestedAt: expect.any(String) },
    });
    // Then what staff ask for counts.
    await move('cancellation-answer', { accept: true, amount: 250 });
    expect((await post('cancellation', { acceptUpTo: 249 })).body).toMatchObject({
      ...{ code: 'cancellation-costs-more', cancellation: { amount: 250 } },
    });
    const ended = await post('cancellation', { acceptUpTo: 250 });
    expect(ended.body).toMatchObject({
      ...{ state: 'cancelled', charges: [{ amount: 250, state: 'accepted' }] },
    });
  });

  rule('that is free needs no charge', async () => {
    const { read, post } = await accepted({ cancellation: ['*,accepted'] });
    expect((await read()).delivery?.cancellation).toMatchObject({ amount: 0 });
    const faults = await post('cancellation', { acceptUpTo: -1 });
    expect([faults.status, faults.body.code]).toEqual([400, 'validation-error']);
    const ended = await post('cancellation', { acceptUpTo: 0 });
    expect(ended.body).toMatchObject({ state: 'cancelled', charges: [] });
  });

  rule('is answered by staff with the amount of the catalogue, unless they change it', async () => {
    const { detail, manager, read, post } = await accepted({ cancellation });
    await post('cancellation');
    const { reference, version } = (await detail()).order;
    const browser = await StaffBrowser.signedIn(service, {}, manager);
    const path = `/staff/orders/${reference}/cancellation-answer`;
    const { text } = await browser.get(path);
    expect(text).toContain('value="550.00"');
    expect(text).toContain('by cancellation.csv of the catalogue in which it was ordered');
    expect((await browser.get(`/staff/orders/${reference}`)).text).toContain('£550.00 of an');
    // The amount that the form starts with does not count where the delivery goes on.
    const fields = { version: String(version), amount: '550.00' };
    const kept = await browser.post(path, { ...fields, accept: 'no' });
    expect([kept.status, (await read()).charges]).toEqual([303, []]);
    await post('cancellation');
    const again = { ...fields, version: String((await detail()).order.version), accept: 'yes' };
    expect((await browser.post(path, again)).status).toBe(303);
    expect((await read()).charges).toMatchObject([{ category: 'cancellation', amount: 550 }]);
  });

  if (engine === 'postgres') {
    it('while staff reopen the order cancels it, and shows nothing of its owner', async () => {
      const { orderId, manager, detail, read, post } = await accepted();
      const { version } = (await detail()).order;
      const held = Promise.withResolvers<void>();
      const cancelling = held.promise.then(() => post('cancellation'));
      await service.get(Transactions).run(async (tx) => {
        await service.get(MovesService).makeWithin(ordersOn(tx, LIVE), {
          ...{ orderId, version, move: { name: 'reopen', reason: 'Not agreed after all.' } },
          mover: { kind: 'staff', id: manager.id, name: manager.name, manager: true },
        });
        held.resolve();
        // Until the cancellation waits for this transaction.
        const isBlocked = async () => {
          const [row] = await tx.query<{ waiting: number }[]>(
            `SELECT count(*) AS waiting FROM pg_locks
             WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`,
          );
          return row!.waiting > 0;
        };
        while (!(await isBlocked()));
      });
      const { status, body } = await cancelling;
      expect([status, body.code, body.state]).toEqual([200, undefined, 'cancelled']);
      expect(JSON.stringify(body)).not.toContain(manager.name);
      expect((await read()).state).toBe('cancelled');
    });
  }
});

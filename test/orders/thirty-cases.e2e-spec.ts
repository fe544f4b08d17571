import { beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Message, MessagePage } from '../../src/orders/conversation/messages.dto.js';
import { ClientRemindersService } from '../../src/orders/delivery/client-reminders.service.js';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import { postAsStaff } from '../support/moves.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

interface Answer extends Omit<ClientOrder, 'enquiryId'>, Message {
  readonly enquiryId: string;
  readonly code: string;
  readonly errors?: readonly { readonly pointer: string }[];
}

/** The keys that a member of staff presses for it on the order page, beside the text that they type. */
const keys = { reply: ['r', 'Ctrl+Enter'], settle: ['f'] } as const;

const PAGE = 'docs/api/what-a-delivery-needs.md';
const DAY_SECONDS = 86_400;

onOneEngine('what a delivery needs', (engine) => {
  let service: Service;
  let token: string;
  let sam: string;
  let pressed: string[];

  beforeAll(async () => {
    service = await startService(engine, {
      config: { rateLimits: false, webhookKey: randomBytes(32) },
    });
    await service.given.catalogue({ cancellation: ['*,accepted,,,25'] });
    const staff = await service.given.staff({ name: 'Sam Poole', role: 'manager' });
    sam = await service.given.token({ staff });
    token = await service.given.token({ days: 3_650 });
  });

  const address = (id: string, kind = 'order') => `/product-availability/${kind}/${id}`;
  const send = (path: string, body: object, key?: string) =>
    service.http.post<Answer>(path, body, {
      token,
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
    });
  const write = (id: string, text: string, about: object = {}, key?: string) =>
    send(`${address(id)}/message`, { text, ...about }, key);
  const amend = (id: string, body: object, kind = 'order') =>
    send(`${address(id, kind)}/amendment`, body);
  const read = async (id: string, kind = 'order') =>
    (await service.http.get<Answer>(address(id, kind), { token })).body;
  const messages = async (id: string) => {
    const path = `${address(id)}/message`;
    const { items } = (await service.http.get<MessagePage>(path, { token })).body;
    return items.map(({ from, text }) => `${from}: ${text}`);
  };
  const detail = async (id: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token: sam })).body;
  /** A member of staff does it as they see the order now. */
  const staff = async (id: string, move: string, body: object = {}) => {
    const { version } = (await detail(id)).order;
    pressed.push(...(move in keys ? keys[move as keyof typeof keys] : []));
    const path = `/follow-up/orders/${id}/${move}`;
    const { status, body: answer } = await postAsStaff<FollowUpOrder>(
      service.http,
      path,
      { version, ...body },
      { token: sam },
    );
    if (status !== 200) throw new Error(`${move}: ${status} ${JSON.stringify(answer)}`);
  };
  const isDue = async (id: string) => (await detail(id)).order.due;
  const ordered = async (about: object = {}) =>
    (await service.given.order({ token, ...about })).orderId;
  const accepted = async (about: object = {}) => {
    const id = await ordered(about);
    await staff(id, 'claim');
    await staff(id, 'win');
    return id;
  };
  const waiting = async (what: string) => {
    const id = await accepted();
    await staff(id, 'delivery', { waitingFor: { party: 'client', what } });
    return id;
  };
  const enquired = async () => {
    const { body } = await send('/product-availability/enquiry', { postcode: 'EC2A 2BS' });
    return body.enquiryId;
  };

  /** By the words of the page. */
  const cases: Readonly<Record<string, () => Promise<void>>> = {
    async 'The site contact is missing'() {
      const id = await waiting('Name a site contact.');
      const siteContact = { name: 'Grace Hopper', phone: '+44 161 496 0000' };
      expect((await amend(id, { details: { siteContact } })).body.details).toEqual({ siteContact });
      await write(id, 'The site contact is named now.', { answersWaiting: true });
      expect((await read(id)).delivery!.waitingFor!.party).toBe('operator');
      await staff(id, 'settle');
      expect(await isDue(id)).toBe(false);
    },
    async 'The floor was wrong'() {
      const id = await accepted({ details: { floor: '2' } });
      expect((await amend(id, { details: { floor: '3' } })).body.details).toEqual({ floor: '3' });
      expect(await isDue(id)).toBe(true);
    },
    async 'A phone number has changed'() {
      const id = await ordered({ contact: { name: 'Ada Lovelace', phone: '020 7946 0958' } });
      await amend(id, { contact: { name: 'Ada Lovelace', phone: '020 7946 0000' } });
      expect((await detail(id)).order.contact).toEqual({
        name: 'Ada Lovelace',
        phone: '020 7946 0000',
      });
    },
    async 'The contact has left'() {
      const id = await ordered({ contact: { name: 'Ada Lovelace' } });
      await amend(id, { contact: null });
      expect((await detail(id)).order.contact).toEqual({});
    },
    async 'Your own reference has changed'() {
      const id = await ordered({ reference: 'PO-1' });
      await amend(id, { reference: 'PO-30-CASES' });
      const path = '/product-availability/order?reference=PO-30-CASES';
      const list = await service.http.get<{ items: ClientOrder[] }>(path, { token });
      expect(list.body.items.map(({ orderId }) => orderId)).toEqual([id]);
    },
    async 'Engineers can come on some days only'() {
      const id = await accepted();
      const preferredDays = { days: ['mon', 'thu'], note: 'After 10:00.' };
      expect((await amend(id, { preferredDays })).body.preferredDays).toEqual(preferredDays);
    },
    async 'Any day is right again'() {
      const id = await accepted();
      await amend(id, { preferredDays: { days: ['fri'] } });
      expect((await amend(id, { preferredDays: null })).body.preferredDays).toBeNull();
    },
    async 'A member of the amendment is wrong'() {
      const id = await accepted();
      const { status, body } = await amend(id, { preferredDays: { days: ['monday'] } });
      expect([status, body.errors![0]!.pointer]).toEqual([400, '/preferredDays/days']);
    },
    async 'Nothing changes'() {
      const id = await accepted({ reference: 'PO-2' });
      const { version } = (await detail(id)).order;
      expect((await amend(id, { reference: 'PO-2' })).status).toBe(200);
      expect([(await detail(id)).order.version, await isDue(id)]).toEqual([version, false]);
    },
    async 'Two amendments at once'() {
      const id = await accepted();
      const both = [amend(id, { reference: 'PO-3' }), amend(id, { details: { floor: '4' } })];
      expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
      expect(await read(id)).toMatchObject({ reference: 'PO-3', details: { floor: '4' } });
    },
    async 'The equipment is already installed'() {
      const id = await accepted();
      await staff(id, 'delivery', { milestones: [{ code: 'installed', doneOn: '2026-03-02' }] });
      const { status, body } = await amend(id, { details: { floor: '5' } });
      expect([status, body.code]).toEqual([409, 'order-moved']);
      expect((await write(id, 'The floor is 5.')).status).toBe(201);
    },
    async 'An enquiry was wrong'() {
      const id = await enquired();
      const { body } = await amend(id, { reference: 'RFQ-9' }, 'enquiry');
      expect([body.reference, (await read(id, 'enquiry')).reference]).toEqual(['RFQ-9', 'RFQ-9']);
    },
    async 'The enquiry is closed'() {
      const id = await enquired();
      await send(`${address(id, 'enquiry')}/cancellation`, {});
      const { status, body } = await amend(id, { reference: 'RFQ-9' }, 'enquiry');
      expect([status, body.code]).toEqual([409, 'enquiry-moved']);
    },
    async 'You have a question'() {
      const id = await ordered();
      await staff(id, 'claim');
      await write(id, 'Does the price include a router?');
      expect(await isDue(id)).toBe(true);
      await staff(id, 'reply', { text: 'Yes, a managed one.' });
      expect(await messages(id)).toEqual([
        'client: Does the price include a router?',
        'operator: Yes, a managed one.',
      ]);
      expect(await isDue(id)).toBe(false);
    },
    async 'The operator has a question'() {
      const id = await accepted();
      await staff(id, 'reply', { text: 'Is there a lift?' });
      await write(id, 'Yes, for goods.');
      await staff(id, 'settle');
      expect(await messages(id)).toEqual(['operator: Is there a lift?', 'client: Yes, for goods.']);
    },
    async 'You only say thank you'() {
      const id = await accepted();
      await write(id, 'Thank you.');
      await staff(id, 'settle');
      expect(await isDue(id)).toBe(false);
    },
    async 'The landlord has to agree'() {
      const id = await waiting('Send the letter of the landlord.');
      await write(id, 'The landlord has it, and writes to you.', { answersWaiting: true });
      await staff(id, 'delivery', { waitingFor: { party: 'thirdParty', what: 'Landlord.' } });
      await staff(id, 'settle');
      expect((await read(id)).delivery!.waitingFor!.party).toBe('thirdParty');
    },
    async 'The survey has moved'() {
      const id = await accepted();
      await staff(id, 'delivery', { milestones: [{ code: 'surveyed', plannedFor: '2026-03-12' }] });
      await staff(id, 'reply', { text: 'The survey is on 12 March now.' });
      const { milestones } = (await read(id)).delivery!;
      expect(milestones.find(({ code }) => code === 'surveyed')!.plannedFor).toBe('2026-03-12');
    },
    async 'You cannot be there on that day'() {
      const id = await accepted();
      await write(id, 'No one is in on 12 March. The 16th is fine.');
      await staff(id, 'delivery', { milestones: [{ code: 'surveyed', plannedFor: '2026-03-16' }] });
      await staff(id, 'reply', { text: 'The survey is on 16 March.' });
      expect(await isDue(id)).toBe(false);
    },
    async 'You forget to answer'() {
      const id = await waiting('Name a site contact.');
      service.clock.advance({ seconds: 8 * DAY_SECONDS });
      await service.get(ClientRemindersService).remind();
      expect((await read(id)).delivery!.waited.client).toBeGreaterThan(4);
    },
    async 'You answer after the reminder'() {
      const id = await waiting('Name a site contact.');
      service.clock.advance({ seconds: 8 * DAY_SECONDS });
      await write(id, 'It is Grace Hopper.', { answersWaiting: true });
      await staff(id, 'settle');
      expect((await read(id)).delivery!.waitingFor!.party).toBe('operator');
    },
    async 'No one waits for you'() {
      const id = await accepted();
      const { status, body } = await write(id, 'Done.', { answersWaiting: true });
      expect([status, body.code]).toEqual([409, 'not-waiting']);
    },
    async 'Two messages at once'() {
      const id = await accepted();
      await Promise.all([write(id, 'One'), write(id, 'Two')]);
      expect((await messages(id)).sort()).toEqual(['client: One', 'client: Two']);
      await staff(id, 'settle');
      expect(await isDue(id)).toBe(false);
    },
    async 'The answer to your message was lost'() {
      const id = await accepted();
      const first = await write(id, 'Once.', {}, `once-${id}`);
      const again = await write(id, 'Once.', {}, `once-${id}`);
      expect([again.body.messageId, await messages(id)]).toEqual([
        first.body.messageId,
        ['client: Once.'],
      ]);
    },
    async 'The text is too long'() {
      const { status, body } = await write(await accepted(), 'x'.repeat(2_001));
      expect([status, body.errors!.map(({ pointer }) => pointer)]).toEqual([400, ['/text']]);
    },
    async 'The order is closed'() {
      const id = await ordered();
      await send(`${address(id)}/cancellation`, {});
      await write(id, 'Could you keep the ducts open?');
      expect([(await read(id)).state, await isDue(id)]).toEqual(['cancelled', true]);
      await staff(id, 'reply', { text: 'For a year.' });
      expect(await isDue(id)).toBe(false);
    },
    async 'The order was closed long ago'() {
      const id = await ordered();
      await send(`${address(id)}/cancellation`, {});
      service.clock.advance({ seconds: 30 * DAY_SECONDS });
      const { status, body } = await write(id, 'Hello?');
      expect([status, body.code]).toEqual([409, 'order-moved']);
    },
    async 'Twelve orders have the same question'() {
      const ids = await Promise.all(Array.from({ length: 12 }, () => ordered()));
      const orders = await Promise.all(
        ids.map(async (orderId) => ({ orderId, version: (await detail(orderId)).order.version })),
      );
      pressed.push('x', 'r', 'Ctrl+Enter');
      const body = { move: 'reply', text: 'Which days suit you?', orders };
      await service.http.post('/follow-up/moves', body, { token: sam });
      for (const id of ids) expect(await messages(id)).toEqual(['operator: Which days suit you?']);
    },
    async 'Cancelling is cheap'() {
      const id = await accepted();
      const { status, body } = await send(`${address(id)}/cancellation`, { acceptUpTo: 100 });
      expect([status, body.state]).toEqual([200, 'cancelled']);
    },
    async 'Cancelling is dear'() {
      const id = await accepted();
      const { status, body } = await send(`${address(id)}/cancellation`, { acceptUpTo: 1 });
      expect([status, body.code]).toEqual([409, 'cancellation-costs-more']);
      expect((await read(id)).state).toBe('accepted');
    },
  };

  it.each(Object.keys(cases))('%s', async (name) => {
    service.clock.reset();
    pressed = [];
    await cases[name]!();
    expect(pressed.length).toBeLessThanOrEqual(3);
  });

  it('are the thirty cases of the page', () => {
    const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| (\d+) +\| (.+?) +\|/gm);
    const named = [...rows].map(([, number, name]) => `${number} ${name}`);
    expect(named).toEqual(Object.keys(cases).map((name, i) => `${i + 1} ${name}`));
    expect(named).toHaveLength(30);
  });
});

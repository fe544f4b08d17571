import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import type { Message, MessagePage } from '../../src/orders/conversation/messages.dto.js';
import { inChromium, Seat } from '../support/browser.js';
import { later } from '../support/closing.js';
import { pack, wheel } from '../support/packages.js';
import { type Service, startService } from '../support/service.js';
import { storedDrafts } from './stored-drafts.js';

const hasPython = spawnSync('python3', ['--version']).status === 0;

/** A client that uses the package for Python: it runs each line that it reads, and prints the answer. */
const CLIENT = `
import json, sys
from product_availability import ProductAvailability, every
client = ProductAvailability(sys.argv[1], sys.argv[2])
for line in sys.stdin:
    print(json.dumps(eval(line)), flush=True)
`;

inChromium('a conversation with a client', () => {
  let service: Service;
  let seat: Seat;
  let token: string;
  beforeAll(async () => {
    service = await startService('sqlite', { config: { staffKey: randomBytes(32) } });
    await service.given.catalogue();
    const member = await service.given.member({ name: 'Sam Poole', role: 'manager' });
    seat = await Seat.open(service, { member });
    token = await service.given.token();
  });
  afterAll(() => seat.close());

  const order = async () => (await service.given.order({ token })).orderId;
  const write = (id: string, text: string) =>
    service.http.post<Message>(`/product-availability/order/${id}/message`, { text }, { token });
  const messages = async (id: string) => {
    const path = `/product-availability/order/${id}/message`;
    const { items } = (await service.http.get<MessagePage>(path, { token })).body;
    return items.map(({ from, text }) => `${from}: ${text}`);
  };
  const open = (id: string) => seat.goTo(`/staff/orders/${id}`);
  const shown = (text: string | RegExp) => seat.page.getByText(text).first().waitFor();
  const dialog = () => seat.page.locator('dialog[open]');
  const field = () => dialog().locator('textarea');
  const press = async (...keys: string[]) => {
    for (const key of keys) await seat.page.keyboard.press(key);
  };
  /** The last key leads to another page. */
  const pressAndGo = async (...keys: string[]) => {
    const there = seat.page.waitForEvent('load');
    await press(...keys);
    await there;
  };
  const reply = async (text: string) => {
    await press('r');
    await field().waitFor();
    await seat.page.keyboard.type(text);
    await pressAndGo('Control+Enter');
  };

  it('is answered by r, and taken back by z: what the client wrote is due again', async () => {
    const id = await order();
    await write(id, 'May we have the second floor?');
    await open(id);
    await shown('May we have the second floor?');
    await reply('Yes, you may.');
    await shown('The message will be sent in 10 seconds.');
    expect(await seat.page.locator('.notice', { hasText: 'Client wrote' }).count()).toBe(0);
    await pressAndGo('z');
    await shown('Undone.');
    await seat.page.locator('.notice', { hasText: 'Client wrote' }).waitFor();
    expect(await messages(id)).toEqual(['client: May we have the second floor?']);
    await reply('Yes, the second floor.');
    service.clock.advance({ seconds: 10 });
    expect((await messages(id)).at(-1)).toBe('operator: Yes, the second floor.');
  });

  it('is settled by f where it needs no answer', async () => {
    const id = await order();
    await write(id, 'Thank you.');
    await open(id);
    await pressAndGo('f');
    await shown('The message needs no answer.');
    expect(await seat.page.locator('.notice', { hasText: 'Client wrote' }).count()).toBe(0);
  });

  it('keeps a draft of the answer over Escape and another page, and asks nothing but a text', async () => {
    const id = await order();
    await open(id);
    await press('r');
    await field().fill('We call on');
    await press('Escape');
    await dialog().getByRole('button', { name: 'Close', exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    await seat.goTo('/staff/queue');
    await open(id);
    await press('r');
    expect(await field().inputValue()).toBe('We call on');
    await field().fill('');
    await pressAndGo('Control+Enter');
    seat.forgive(/status of 422/);
    await shown('Enter a message.');
    expect(await messages(id)).toEqual([]);
    await seat.page.locator('main textarea').fill('We call on Monday.');
    await pressAndGo('Control+Enter');
    await shown('The message will be sent in 10 seconds.');
    expect([await messages(id), await storedDrafts(seat)]).toEqual([
      ['operator: We call on Monday.'],
      [],
    ]);
  });

  it('keeps a text of 2,001 characters, and says that it is too long', async () => {
    const id = await order();
    const text = `${'All of this. '.repeat(153)}Too much.!!!`;
    await open(id);
    await press('r');
    await field().fill(text);
    await pressAndGo('Control+Enter');
    await shown(/^Use at most 2,000 characters; these are 2,001\./);
    const kept = seat.page.locator('main textarea');
    expect([text.length, await kept.inputValue()]).toEqual([2_001, text]);
    seat.forgive(/status of 422/);
    await kept.fill(text.slice(0, 2_000));
    await pressAndGo('Control+Enter');
    expect(await messages(id)).toEqual([`operator: ${text.slice(0, 2_000)}`]);
  });

  it('has one answer for several orders of a client, and none for orders of two', async () => {
    const client = await service.given.client();
    token = await service.given.token({ client });
    const ids = [await order(), await order(), await order()];
    const other = (await service.given.order({})).orderId;
    const { page } = seat;
    const send = async (path: string) => {
      await seat.goTo(path);
      await page.getByLabel('Select all rows').check();
      await page.getByLabel('Message to their client').fill('We are closed\non Friday.');
      const there = page.waitForEvent('load');
      await page.getByRole('button', { name: 'Send message' }).click();
      await there;
    };
    await send('/staff/queue');
    seat.forgive(/status of 422/);
    const kept = page.getByLabel('Message to their client');
    expect([await kept.inputValue(), await messages(ids[0]!)]).toEqual([
      'We are closed\non Friday.',
      [],
    ]);
    await send(`/staff/queue?client=${client.id}`);
    expect(await page.locator('#bulk-outcome').innerText()).toBe('3 orders got the message.');
    for (const id of ids)
      expect(await messages(id)).toEqual(['operator: We are closed\non Friday.']);
    await open(other);
    expect(await page.locator('.timeline').innerText()).not.toContain('closed');
  });

  it('shows an amendment by staff with both values, and a form that is still right', async () => {
    const { page } = seat;
    const id = await order();
    await open(id);
    await page.locator('summary', { hasText: 'More' }).click();
    await page.getByRole('link', { name: 'Amend' }).click();
    await dialog().getByLabel('Floor').fill('2');
    await dialog().getByLabel('Preferred days').fill('someday');
    await pressAndGo('Control+Enter');
    seat.forgive(/status of 422/);
    await shown(/^Each day must be one of/);
    expect(await page.getByLabel('Floor').inputValue()).toBe('2');
    await page.getByLabel('Preferred days').fill('Thursday, Monday');
    await pressAndGo('Control+Enter');
    await shown('Order amended. The client sees it.');
    expect(await page.locator('.timeline').innerText()).toMatch(/floor \(none → 2\)/);
    const path = `/product-availability/order/${id}`;
    const { body } = await service.http.get<ClientOrder>(path, { token });
    expect([body.details, body.preferredDays]).toEqual([{ floor: '2' }, { days: ['mon', 'thu'] }]);
  });

  (hasPython ? it : it.skip)(
    'leads an order from its request to the live service, with three questions',
    async () => {
      await pack();
      token = await service.given.token();
      const base = `http://127.0.0.1:${service.http.port}`;
      const env = { ...process.env, PYTHONPATH: wheel };
      const python = spawn('python3', ['-c', CLIENT, base, token], {
        env,
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      later(() => Promise.resolve(python.kill()));
      const answers = createInterface(python.stdout)[Symbol.asyncIterator]();
      const asClient = async <T>(request: string): Promise<T> => {
        python.stdin.write(`${request}\n`);
        return JSON.parse((await answers.next()).value as string) as T;
      };
      const { page } = seat;
      let keys = 0;
      /** Staff press keys, of which the last one leads to another page. */
      const staff = async (...pressed: string[]) => {
        keys += pressed.length;
        await pressAndGo(...pressed);
      };
      const answer = async (text: string) => {
        keys += 2;
        await reply(text);
      };
      const { orderId } = await asClient<{ orderId: string }>(
        `client.place_order({"postcode": "EC2A 2BS", "productCode": "INT-1G-12"}, key="walk")`,
      );
      const ask = (text: string, about = '') =>
        asClient(`client.send_order_message("${orderId}", {"text": "${text}"${about}})`);
      const read = () => asClient<ClientOrder>(`client.read_order("${orderId}")`);

      await ask('Can the line end on the second floor?');
      await open(orderId);
      await answer('Yes. We note it.');
      await staff('c');
      await staff('w', 'Enter');
      expect((await read()).state).toBe('accepted');

      await page.getByRole('link', { name: 'Change delivery' }).click();
      await dialog().getByLabel('Waiting for').selectOption('client');
      await dialog().getByLabel('What they have to do').fill('Name a site contact.');
      await staff('Control+Enter');
      expect((await read()).delivery!.waitingFor).toMatchObject({ party: 'client' });
      await asClient(
        `client.amend_order("${orderId}", {"details": {"floor": "2", "siteContact": {"name": "Grace Hopper", "phone": "020 7946 0958"}}})`,
      );
      await ask('Grace Hopper. May she park at the door?', ', "answersWaiting": True');
      await open(orderId);
      await shown('Grace Hopper. May she park at the door?');
      await answer('She may.');

      await staff('v', '1', 'Enter');
      await ask('When do you connect us?');
      await open(orderId);
      await answer('Today.');
      await staff('v', '7', 'Enter');

      service.clock.advance({ seconds: 10 });
      const live = await read();
      expect([live.state, live.delivery!.liveOn, live.delivery!.waitingFor, keys]).toEqual([
        'accepted',
        '2026-03-02',
        null,
        16,
      ]);
      expect(
        (await asClient<Message[]>(`list(every(client.list_order_messages, "${orderId}"))`)).map(
          ({ from }) => from,
        ),
      ).toEqual(['client', 'operator', 'client', 'operator', 'client', 'operator']);
    },
  );
});

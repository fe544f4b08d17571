import { expect, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { later } from '../support/closing.js';
import { newDatabase } from '../support/databases.js';
import { Http, type Reply } from '../support/http.js';
import { fill, type Shop, versions } from './old-version.js';
import { Instance } from './processes.js';

const MINUTES = Number(process.env.MINUTES ?? 0.5);
/** Milliseconds between two actions of a client or staff member. */
const PAUSE = 50;
const OLD = [41_560, 41_561];
const NEW = 41_562;
const ORDER = '/product-availability/order';

interface Claimed {
  readonly orderId: string;
  readonly version: number;
}

/** The actions of clients and staff, each step on another instance than the previous one. */
class Load {
  readonly failures: string[] = [];
  readonly orders: string[] = [];
  /** The number of responses by action and status. */
  readonly seen: Record<string, number> = {};
  steps = 0;
  private turn = 0;
  private key = 0;

  constructor(
    private readonly shop: Shop,
    private readonly instances: Http[],
  ) {}

  add(instance: Http): void {
    this.instances.push(instance);
  }

  async runUntil(end: () => boolean): Promise<void> {
    const act = async (what: () => Promise<unknown>) => {
      while (!end()) {
        await what().catch((error: unknown) => this.failures.push(String(error)));
        await wait(PAUSE);
      }
    };
    await Promise.all([
      act(() => this.check()),
      act(() => this.check()),
      act(() => this.order()),
      act(() => this.followUp()),
      act(() => this.read()),
    ]);
  }

  private get next(): Http {
    return this.instances[(this.turn += 1) % this.instances.length]!;
  }

  /** Records unexpected responses. */
  private async expecting<T>(
    what: string,
    statuses: readonly number[],
    reply: Promise<Reply<T>>,
  ): Promise<Reply<T>> {
    const { status, text } = await reply;
    this.steps += 1;
    this.seen[`${what} ${status}`] = (this.seen[`${what} ${status}`] ?? 0) + 1;
    if (!statuses.includes(status)) {
      this.failures.push(`${what}: ${status} ${text.slice(0, 200)}`);
    }
    return reply;
  }

  private async check(): Promise<void> {
    const { token } = this.shop;
    const path = '/product-availability/postcode/EC2A2BS';
    const { body } = await this.expecting(
      'check',
      [200],
      this.next.get<{ id: string }>(path, { token }),
    );
    if (this.steps % 20 !== 0) return;
    // Its record is written later, depending on the load.
    const again = `/product-availability/check/${body.id}`;
    let reply = await this.next.get(again, { token });
    for (let i = 0; i < 50 && reply.status === 404; i += 1) {
      await wait(100);
      reply = await this.next.get(again, { token });
    }
    await this.expecting('check again', [200], Promise.resolve(reply));
  }

  private async order(): Promise<void> {
    const headers = { 'Idempotency-Key': `order-${(this.key += 1)}` };
    const body = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12', notes: 'ring in the morning' };
    const options = { token: this.shop.token, headers };
    const place = () => this.next.post<{ orderId: string }>(ORDER, body, options);
    const placed = await this.expecting('order', [201], place());
    if (placed.status !== 201) return;
    const { orderId } = placed.body;
    this.orders.push(orderId);
    const replayed = await this.expecting('the same order', [201], place());
    if (replayed.body.orderId !== orderId) this.failures.push(`${orderId} was doubled`);
    if (this.key % 5 === 0) {
      const cancellation = this.next.post(
        `${ORDER}/${orderId}/cancellation`,
        { reason: 'no longer needed' },
        { token: this.shop.token },
      );
      await this.expecting('cancellation', [200, 409], cancellation);
    }
  }

  private async followUp(): Promise<void> {
    const token = this.shop.staff;
    const list = this.next.get('/follow-up/orders?view=waiting&limit=20', { token });
    await this.expecting('list', [200], list);
    const taking = this.next.post<{ order: Claimed | null }>('/follow-up/take-next', {}, { token });
    const { body } = await this.expecting('take next', [200], taking);
    if (!body.order) return;
    const { orderId: id, version } = body.order;
    const move = async (name: string, about: object) => {
      const path = `/follow-up/orders/${id}/moves`;
      const moved = this.next.post<Claimed>(path, { move: name, ...about }, { token });
      return this.expecting(name, [200, 409], moved);
    };
    const contact = { version, channel: 'phone', result: 'no_answer' };
    const contacted = await move('logContact', contact);
    if (!contacted.body.version) return;
    const at = new Date(Date.now() + 86_400_000).toISOString();
    await move('schedule', {
      version: contacted.body.version,
      nextActionAt: at,
      reason: 'retry_no_answer',
    });
    await this.expecting('detail', [200], this.next.get(`/follow-up/orders/${id}`, { token }));
  }

  private async read(): Promise<void> {
    const { token } = this.shop;
    await this.expecting('own orders', [200], this.next.get(`${ORDER}?limit=10`, { token }));
    const id = this.orders[Math.floor(Math.random() * this.orders.length)];
    if (id === undefined) return;
    await this.expecting('own order', [200], this.next.get(`${ORDER}/${id}`, { token }));
  }
}

test(
  `the old and the new version answer side by side on one schema, for ${MINUTES} minutes`,
  async () => {
    const { old, next } = versions();
    const { databaseUrl } = await newDatabase('postgres', 'empty');
    const settings = { DATABASE_URL: databaseUrl! };
    const environment = {
      ...settings,
      ALLOW_INSECURE: 'no-rate-limits',
      LOG_LEVEL: 'warn',
      DRAIN_SECONDS: '1',
    };
    const shop = fill(old, settings);
    const olds = OLD.map((port) => new Instance(port, environment, old.folder));
    await Promise.all(olds.map((instance) => instance.start()));
    const clients = [...OLD, NEW].map((port) => new Http(port));
    later(() => Promise.resolve(clients.forEach((http) => http.close())));
    const load = new Load(shop, clients.slice(0, OLD.length));
    let done = false;
    const running = load.runUntil(() => done);
    await wait(2_000);
    const before = load.steps;

    // It migrates while the old instances answer.
    const current = new Instance(NEW, environment, next.folder, next.options);
    await current.start();
    load.add(clients[OLD.length]!);
    await wait(MINUTES * 60_000);
    done = true;
    await running;

    const stored = [];
    for (const id of load.orders) {
      const replies = await Promise.all(
        clients.map((http) => http.get(`${ORDER}/${id}`, { token: shop.token })),
      );
      stored.push(new Set(replies.map(({ status }) => status)));
    }
    expect(stored.filter((statuses) => !(statuses.size === 1 && statuses.has(200)))).toEqual([]);
    process.stdout.write(
      `${old.name} and ${next.name} side by side for ${MINUTES} minutes: ${load.steps} requests (${before} before the migration), ${load.orders.length} orders, ${load.failures.length} failures\n${JSON.stringify(load.seen)}\n`,
    );
    expect(load.failures.slice(0, 10)).toEqual([]);
    expect(before).toBeGreaterThan(0);
    for (const instance of [...olds, current]) expect(await instance.stop()).toBe(0);
  },
  (MINUTES + 5) * 60_000,
);

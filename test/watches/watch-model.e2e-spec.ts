import { beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import '../support/seed.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { WatchEvaluationService } from '../../src/watches/watch-evaluation.service.js';
import type { ClientWatch } from '../../src/watches/watches.dto.js';
import { newDatabase } from '../support/databases.js';
import { Integrator } from '../support/integrator.js';
import { type Service, startService } from '../support/service.js';

/** Postcodes, each sold in its own zone, or not at all. */
const UNITS = ['LS1 4AP', 'LS1 4AB', 'YO1 7HH', 'N1 1AA'];
const DAY = 86_400_000;

/** What a catalogue says of a place: its price and its days until it is ready; null where it is not sold. */
type Sold = { readonly price: number; readonly inDays: number } | null;
/** By unit; `readyAt` is 0 where it is sold at once. */
type ModelCatalogue = readonly ({ readonly price: number; readonly readyAt: number } | null)[];

type Step =
  | { readonly do: 'publish'; readonly sold: readonly Sold[] }
  | { readonly do: 'restore'; readonly back: number }
  | { readonly do: 'wait'; readonly days: number }
  | { readonly do: 'put'; readonly unit: number; readonly maxPrice: number | null }
  | { readonly do: 'delete'; readonly unit: number };

const unit = fc.nat(UNITS.length - 1);
const price = fc.integer({ min: 1, max: 4 }).map((n) => n * 100);
const sold = fc.option(fc.record({ price, inDays: fc.constantFrom(0, 0, 2, 5) }));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('publish' as const),
    sold: fc.array(sold, { minLength: UNITS.length, maxLength: UNITS.length }),
  }),
  fc.record({ do: fc.constant('restore' as const), back: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('put' as const), unit, maxPrice: fc.option(price) }),
  fc.record({ do: fc.constant('delete' as const), unit }),
);

interface ModelWatch {
  readonly maxPrice: number | null;
  state: 'open' | 'served';
}

/** The rules in a few lines, without a database, an outbox or an evaluation. */
class Model {
  now = 0;
  live: ModelCatalogue = [];
  readonly published: { readonly number: number; readonly content: ModelCatalogue }[] = [];
  readonly watches = new Map<number, ModelWatch>();
  readonly fired: string[] = [];

  isMet(at: number, maxPrice: number | null): boolean {
    const here = this.live[at];
    return !!here && here.readyAt <= this.now && (maxPrice === null || here.price <= maxPrice);
  }

  put(at: number, maxPrice: number | null): void {
    const met = this.isMet(at, maxPrice);
    this.watches.set(at, { maxPrice, state: met ? 'served' : 'open' });
  }

  change(): void {
    for (const [at, watch] of this.watches) {
      if (watch.state !== 'open' || !this.isMet(at, watch.maxPrice)) continue;
      watch.state = 'served';
      this.fired.push(UNITS[at]!);
    }
  }
}

let service: Service;
let other: Service;

beforeAll(async () => {
  const database = await newDatabase('sqlite');
  const webhooks = { webhookKey: randomBytes(32), webhookNetworks: ['127.0.0.0/8'] };
  const config = { rateLimits: false, ...webhooks };
  service = await startService('sqlite', { database, config });
  other = await startService('sqlite', { database, config, clock: service.clock });
});

async function publish(content: ModelCatalogue): Promise<number> {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const rows = content.flatMap((one, i) =>
    one ? [{ ...one, zone: `Z${i}`, unit: UNITS[i]! }] : [],
  );
  const { version } = await service.given.catalogue({
    prices: [
      'INT-1G-12,ONNET,standard,1.00,GBP,1',
      ...rows.map(({ zone, price: amount }) => `INT-1G-12,${zone},standard,${amount}.00,GBP,1`),
    ],
    coverage: ['EC2A,ONNET', ...rows.map(({ zone, unit: at }) => `${at},${zone}`)],
    zones: rows.map(({ zone, readyAt }) => `${zone},,,${readyAt > 0 ? day(readyAt) : ''},`),
  });
  return version;
}

async function take(one: Step, model: Model, client: Integrator): Promise<void> {
  const path = (at: number) => `/product-availability/watch/${encodeURIComponent(UNITS[at]!)}`;
  const { live: token } = client;
  switch (one.do) {
    case 'publish': {
      model.live = one.sold.map((here) => {
        if (!here) return null;
        const midnight = Math.floor(model.now / DAY) * DAY;
        return { price: here.price, readyAt: here.inDays && midnight + here.inDays * DAY };
      });
      model.published.push({ number: await publish(model.live), content: model.live });
      break;
    }
    case 'restore': {
      const target = model.published.at(-1 - one.back);
      if (!target) return;
      const { number } = await service
        .get(VersionsService)
        .restore(target.number, { accept: 'test' }, operator);
      model.live = target.content;
      model.published.push({ number, content: target.content });
      break;
    }
    case 'wait':
      service.clock.advance({ days: one.days });
      model.now += one.days * DAY;
      break;
    case 'put': {
      const body = JSON.stringify({ maxPrice: one.maxPrice });
      const headers = { 'Content-Type': 'application/json' };
      const put = { method: 'PUT', path: path(one.unit), token, headers, body };
      model.put(one.unit, one.maxPrice);
      const answer = (await service.http.send<ClientWatch>(put)).body;
      expect(answer.state).toBe(model.watches.get(one.unit)!.state);
      return;
    }
    case 'delete':
      await service.http.send({ method: 'DELETE', path: path(one.unit), token });
      model.watches.delete(one.unit);
      return;
  }
  await other.learnChanges();
  const [first, second] = [service, other].map((by) => by.get(WatchEvaluationService));
  await Promise.all([first!.evaluate(), second!.evaluate(), first!.evaluate()]);
  model.change();
}

async function firedFor(clientId: string): Promise<string[]> {
  const rows = await service.get(Transactions).read((tx) =>
    tx.query<{ body: string }[]>(
      `SELECT m.body FROM outbox_messages m JOIN webhook_endpoints e ON e.id = m.endpoint_id
       WHERE e.client_id = '${clientId}' AND m.kind = 'watch.served' ORDER BY m.id`,
    ),
  );
  return rows.flatMap(({ body }) =>
    (JSON.parse(body) as { data: { places: { postcode: string }[] } }).data.places.map(
      ({ postcode }) => postcode,
    ),
  );
}

it('watches fire exactly when a model does, over random catalogues, restores and ready dates', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
      const client = await Integrator.at(service);
      const owner = { clientId: client.client.id, isTest: false };
      await service.get(WebhooksService).add('http://127.0.0.1:9/hook', owner, operator);
      const model = new Model();
      model.now = service.clock.now().getTime();
      await take({ do: 'publish', sold: UNITS.map(() => null) }, model, client);
      for (const one of steps) await take(one, model, client);
      expect((await firedFor(owner.clientId)).sort()).toEqual(model.fired.sort());
    }),
    { numRuns: 12 },
  );
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { v7 as uuid } from 'uuid';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { randomCrockford } from '../../src/platform/kernel/crockford.js';
import { Problem } from '../../src/platform/problems/problem.js';
import type { StaffCaller } from '../../src/platform/access/caller.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { TakeNextService } from '../../src/queue/lists/take-next.service.js';
import { MovesService } from '../../src/orders/moves/moves.service.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { OrderMoved } from '../../src/orders/record/orders.errors.js';
import { newDatabase } from '../support/databases.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { type Cast, holdInvariants, Model, moveOf, moverOf, steps } from './sequences.js';

/** Random sequences of moves on each engine; `SEQUENCES=10000` is the long round. */
const SEQUENCES = Number(process.env.SEQUENCES ?? 100);
const { seed } = fc.readConfigureGlobal();

const newReference = () => `X${randomCrockford(9)}`;

/** New waiting orders, as copies of a placed one. */
async function waitingCopies(service: Service, of: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuid());
  await service.get(Transactions).run(async (tx) => {
    const original = await tx.findOneByOrFail(Order, { id: of });
    for (let i = 0; i < ids.length; i += 100) {
      const group = ids.slice(i, i + 100);
      const copies = group.map((id) => ({
        ...original,
        ...{ state: 'waiting' as const, ownerId: null, claimedAt: null, version: 0 },
        id,
        reference: newReference(),
      }));
      await tx.insert(Order, copies);
    }
  });
  return ids;
}

onBothEngines('moves', (engine) => {
  let service: Service;
  let cast: Cast;

  beforeAll(async () => {
    // The clock leaps for months, so the rule about stale claims would also move orders.
    service = await startService(engine, { config: { rateLimits: false, staleClaimHours: 0 } });
    await service.given.catalogue();
    const { orderId } = await service.given.order();
    const people = [
      await service.given.staff({ name: 'Sam' }),
      await service.given.staff({ name: 'Eve' }),
      await service.given.staff({ name: 'Bo', role: 'manager' }),
    ].map(({ id, name }) => ({ id, name }));
    const original = await service
      .get(Transactions)
      .read((tx) => tx.findOneByOrFail(Order, { id: orderId }));
    cast = { people, clientId: original.clientId, originalId: orderId };
  });

  it(`behave like the model in ${SEQUENCES} random sequences (seed ${seed})`, async () => {
    const orders = await waitingCopies(service, cast.originalId, SEQUENCES * 2 + 100);
    await fc.assert(
      fc.asyncProperty(steps, async (life) => {
        const orderId = orders.pop() ?? (await waitingCopies(service, cast.originalId, 1))[0]!;
        const model = new Model(cast);
        let made = 0;
        for (const step of life) {
          service.clock.advance({ hours: step.hours });
          const now = service.clock.now();
          const version = step.stale && model.version > 0 ? model.version - 1 : model.version;
          const done = await service
            .get(MovesService)
            .make({
              orderId,
              version,
              move: moveOf(step, cast, now),
              mover: moverOf(cast, step.by),
            })
            .then(
              () => true,
              (error: unknown) => {
                if (error instanceof Problem) return false;
                throw error;
              },
            );
          expect([step, done]).toEqual([step, model.make(step, now.getTime())]);
          if (done) made += 1;
        }
        const [order, entries] = await service
          .get(Transactions)
          .read(async (tx) => [
            await tx.findOneByOrFail(Order, { id: orderId }),
            await tx.countBy(AuditEntry, { subjectType: 'order', subjectId: orderId }),
          ]);
        holdInvariants(order);
        expect([order.state, order.ownerId, order.version, entries]).toEqual([
          model.state,
          model.owner,
          made,
          made,
        ]);
      }),
      { numRuns: SEQUENCES },
    );
  }, 1_200_000);

  describe('that make two orders duplicates of each other', () => {
    /** Two waiting orders, and a move with outdated data that makes one a duplicate of the other. */
    const pair = async () => {
      const [first, second] = (await waitingCopies(service, cast.originalId, 2)).sort();
      const mark = (orderId: string, of: string) =>
        service.get(MovesService).make({
          orderId,
          version: 0,
          move: {
            name: 'duplicate',
            of: { id: of, kind: 'order', clientId: cast.clientId, state: 'waiting' },
          },
          mover: moverOf(cast, 0),
        });
      return { first: first!, second: second!, mark };
    };
    const statesOf = async (...ids: string[]) => {
      const orders = await service
        .get(Transactions)
        .read((tx) => Promise.all(ids.map((id) => tx.findOneByOrFail(Order, { id }))));
      return orders.map(({ state }) => state);
    };

    it('are refused if the original became a duplicate after it was read', async () => {
      const { first, second, mark } = await pair();
      await mark(first, second);
      await expect(mark(second, first)).rejects.toBeInstanceOf(OrderMoved);
      expect(await statesOf(first, second)).toEqual(['duplicate', 'waiting']);
      const other = await pair();
      await mark(other.second, other.first);
      await expect(mark(other.first, other.second)).rejects.toBeInstanceOf(OrderMoved);
      expect(await statesOf(other.first, other.second)).toEqual(['waiting', 'duplicate']);
    });

    it('succeed for one of the two at the same time', async () => {
      for (let n = 0; n < 10; n += 1) {
        const { first, second, mark } = await pair();
        const race =
          n % 2
            ? [mark(first, second), mark(second, first)]
            : [mark(second, first), mark(first, second)];
        const results = await Promise.allSettled(race);
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        expect((await statesOf(first, second)).sort()).toEqual(['duplicate', 'waiting']);
      }
    });
  });

  it('gives each of 40 concurrent callers an order until none is left', async () => {
    await waitingCopies(service, cast.originalId, 40);
    const caller: StaffCaller = {
      ...{ kind: 'staff', tokenId: cast.people[0]!.id, name: 'Sam', role: 'agent' },
      staffId: cast.people[0]!.id,
      scopes: new Set(),
    };
    const take = () => service.get(TakeNextService).take(caller);
    const taken = await Promise.all(Array.from({ length: 40 }, take));
    expect(new Set(taken.map(({ order }) => order?.orderId)).size).toBe(40);
    expect(taken.every(({ order }) => order !== null)).toBe(true);
  });
});

describe('three instances on one PostgreSQL', () => {
  it('give 16 workers different orders, and each order once', async () => {
    const database = await newDatabase('postgres');
    const config = { rateLimits: false };
    const services: Service[] = [];
    for (let n = 0; n < 3; n += 1) {
      services.push(await startService('postgres', { database, config }));
    }
    const [first] = services as [Service];
    await first.given.catalogue();
    const { orderId } = await first.given.order();
    const count = Number(process.env.TAKEN ?? 300);
    await waitingCopies(first, orderId, count - 1);
    const staff = await first.given.staff();
    const caller: StaffCaller = {
      kind: 'staff',
      staffId: staff.id,
      tokenId: staff.id,
      name: staff.name,
      role: 'agent',
      scopes: new Set(),
    };
    const taken: string[] = [];
    const worker = async (service: Service) => {
      for (;;) {
        const { order } = await service.get(TakeNextService).take(caller);
        if (!order) return;
        taken.push(order.orderId);
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, n) => worker(services[n % 3]!)));
    expect([taken.length, new Set(taken).size]).toEqual([count, count]);
    const claims = await first
      .get(Transactions)
      .read((tx) => tx.countBy(AuditEntry, { action: 'claimed' }));
    expect(claims).toBe(count);
  });

  it('let one of many win a race for the same order', async () => {
    const database = await newDatabase('postgres');
    const services = [
      await startService('postgres', { database, config: { rateLimits: false } }),
      await startService('postgres', { database, config: { rateLimits: false } }),
      await startService('postgres', { database, config: { rateLimits: false } }),
    ];
    const [first] = services as [Service];
    await first.given.catalogue();
    const { orderId } = await first.given.order();
    const mover = {
      kind: 'staff',
      id: (await first.given.staff()).id,
      name: 'S',
      manager: false,
    } as const;
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) =>
        services[n % 3]!.get(MovesService).make({
          orderId,
          version: 0,
          move: { name: 'claim' },
          mover,
        }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

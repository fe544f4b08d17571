import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import type { ApiClient } from '../../src/clients/api-client.entity.js';
import { REQUEST_DEADLINE, Transactions } from '../../src/platform/database/transactions.js';
import { RateLimitsService } from '../../src/platform/limits/rate-limits.service.js';
import { IdempotencyKey } from '../../src/orders/placing/idempotency-key.entity.js';
import { TermsService } from '../../src/orders/placing/terms.service.js';
import type { FollowUpPage } from '../../src/queue/lists/list.dto.js';
import type { OrderAcknowledgement } from '../../src/orders/record/orders.dto.js';
import { expectProblem, outcome, problem } from '../support/problems.js';
import { acknowledged, path, wanted } from '../support/placing.js';
import { onBothEngines, type Service, startService } from '../support/service.js';

onBothEngines('an order request, repeated', (engine) => {
  let service: Service;
  let client: ApiClient;
  let token: string;
  let staffToken: string;
  beforeAll(async () => {
    service = await startService(engine, { config: { ordersPerMinute: 10_000 } });
    await service.given.catalogue();
    client = await service.given.client();
    token = await service.given.token({ client });
    staffToken = await service.given.staffToken();
  });

  const order = (body: unknown, key?: string, as = token) =>
    service.http.post<OrderAcknowledgement>(path, body, {
      token: as,
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
    });
  const queued = async (of: Pick<ApiClient, 'id'>) =>
    (
      await service.http.get<FollowUpPage>(`/follow-up/orders?limit=200&client=${of.id}`, {
        token: staffToken,
      })
    ).body.items;
  const auditOf = (id: string) =>
    service
      .get(Transactions)
      .read((tx) => tx.findBy(AuditEntry, { subjectType: 'order', subjectId: id }));

  describe('that is retried', () => {
    const queueLength = async () => (await queued(client)).length;

    it('with the same key gets the first response, in any spelling of key and body', async () => {
      const first = await order({ ...wanted, reference: 'R' }, 'replay-1');
      const before = await queueLength();
      const reordered = { reference: 'R', productCode: 'INT-1G-12', postcode: 'ec2a2bs' };
      for (const [body, key] of [
        [{ ...wanted, reference: 'R' }, 'replay-1'],
        [reordered, '"replay-1"'],
      ] as const) {
        const again = await order(body, key);
        expect([again.status, again.text]).toEqual([201, first.text]);
        expect([again.headers['idempotent-replayed'], again.headers.location]).toEqual([
          'true',
          first.headers.location,
        ]);
      }
      expect(first.headers).not.toHaveProperty('idempotent-replayed');
      expect([await queueLength(), (await auditOf(first.body.orderId)).length]).toEqual([
        before,
        1,
      ]);
    });

    it('with the same key and a different body is refused', async () => {
      await order(wanted, 'reused-1');
      for (const other of [{ productCode: 'INT-1G-36' }, { notes: 'Now!' }, { contact: {} }])
        expect(outcome(await order({ ...wanted, ...other }, 'reused-1'))).toEqual(
          problem('idempotency-key-reused'),
        );
    });

    it('with another token of the client is the same order, but not for another client', async () => {
      const first = await order(wanted, 'scope-1');
      const rotated = await service.given.token({ client });
      expect((await order(wanted, 'scope-1', rotated)).text).toBe(first.text);
      const other = await order(wanted, 'scope-1', await service.given.token());
      expect(outcome(other)).toEqual(acknowledged);
      expect(other.body.orderId).not.toBe(first.body.orderId);
    });

    it('many times at once with one key creates one order', async () => {
      const own = await service.given.client();
      const as = await service.given.token({ client: own });
      const replies = await Promise.all(
        Array.from({ length: 8 }, () => order(wanted, 'at-once', as)),
      );
      const orders = await queued(own);
      expect(orders).toHaveLength(1);
      const fresh = replies.filter(
        ({ status, headers }) => status === 201 && headers['idempotent-replayed'] === undefined,
      );
      expect(fresh).toHaveLength(1);
      for (const reply of replies) {
        if (reply.status === 201) expect(reply.body.orderId).toBe(orders[0]?.orderId);
        else expectProblem(reply, 'request-in-progress');
      }
      expect((await order(wanted, 'at-once', as)).text).toBe(fresh[0]?.text);
    });

    it('after a refused first request creates an order', async () => {
      const failed = await order({ ...wanted, productCode: 'INT-2G-12' }, 'failed-first');
      expect(failed.status).toBe(422);
      const reply = await order(wanted, 'failed-first');
      expect(outcome(reply)).toEqual(acknowledged);
      expect(reply.headers).not.toHaveProperty('idempotent-replayed');
    });

    it('30 days later, when the product is no longer sold, still gets the first response', async () => {
      const first = await order(wanted, 'late-1');
      service.clock.advance({ days: 30 });
      await service.given.catalogue({ prices: ['INT-1G-36,ONNET,standard,450.00,GBP,84'] });
      const again = await order(wanted, 'late-1');
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect((await order(wanted, 'late-2')).status).toBe(422);
      await service.given.catalogue();
    });

    if (engine === 'sqlite') {
      it('is not stored once its deadline, which runs from its arrival, has passed', async () => {
        // Two steps before the order is stored take half of the time each.
        const half = REQUEST_DEADLINE / 2;
        const now = performance.now.bind(performance);
        const [limits, terms] = [service.get(RateLimitsService), service.get(TermsService)];
        const [enter, termsFor] = [limits.enter.bind(limits), terms.for.bind(terms)];
        jest.spyOn(limits, 'enter').mockImplementation((caller) => {
          jest.spyOn(performance, 'now').mockImplementation(() => now() + half);
          return enter(caller);
        });
        jest.spyOn(terms, 'for').mockImplementation((...about) => {
          jest.spyOn(performance, 'now').mockImplementation(() => now() + 2 * half);
          return termsFor(...about);
        });
        const before = await queueLength();
        expect((await order(wanted, 'late-3')).status).toBe(503);
        jest.restoreAllMocks();
        expect(await queueLength()).toBe(before);
      });
    }

    it.each(['', '""', 'two words', '"open', 'a,b', 'k'.repeat(256), 'key/1', 'cl\u00e9'])(
      'is refused with the invalid key %j',
      async (key) => {
        expect(outcome(await order(wanted, key))).toEqual(problem('malformed-request'));
      },
    );

    it('is refused with two keys', async () => {
      const headers = { 'Idempotency-Key': ['one', 'two'] };
      expectProblem(await service.http.post(path, wanted, { token, headers }), 'malformed-request');
    });

    it('may have a key of 255 characters', async () => {
      expect(outcome(await order(wanted, 'k.:_-'.repeat(51)))).toEqual(acknowledged);
    });
  });

  describe('without a key', () => {
    it('is marked as a possible duplicate of an equal order within 24 hours', async () => {
      const own = await service.given.client();
      const as = await service.given.token({ client: own });
      const place = async (about: object = {}) =>
        (await order({ ...wanted, ...about }, undefined, as)).body.orderId;
      const first = await place({ notes: 'first' });
      const otherProduct = await place({ productCode: 'INT-1G-36' });
      const otherPlace = await place({ postcode: 'SW1A 1AA' });
      await service.given.order();
      service.clock.advance({ hours: 23, minutes: 59, seconds: 59 });
      const second = await place({ notes: 'second' });
      service.clock.advance({ hours: 24, seconds: 1 });
      const third = await place();
      const twins = (await queued(own)).map((it) => [it.orderId, it.possibleDuplicateOf]);
      expect(Object.fromEntries(twins)).toEqual({
        [first]: null,
        [otherProduct]: null,
        [otherPlace]: null,
        [second]: first,
        [third]: null,
      });
    });
  });

  if (engine === 'postgres') {
    it('waits for another instance that stores the same key, and gets its answer', async () => {
      const { databaseUrl, sqliteFile } = service.config;
      const other = await startService(engine, { database: { databaseUrl, sqliteFile } });
      const first = await order(wanted, 'elsewhere');
      const transactions = other.get(Transactions);
      let waiting: ReturnType<typeof order> | undefined;
      await transactions.run(async (tx) => {
        const key = await tx.findOneByOrFail(IdempotencyKey, { key: 'elsewhere' });
        await tx.insert(IdempotencyKey, { ...key, key: 'being-stored' });
        waiting = order(wanted, 'being-stored');
        // Until its statement waits for this transaction.
        const isBlocked = async () => {
          const [row] = await tx.query<{ waiting: number }[]>(
            `SELECT count(*) AS waiting FROM pg_stat_activity
             WHERE datname = current_database() AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`,
          );
          return row!.waiting > 0;
        };
        while (!(await isBlocked()));
      });
      const reply = await waiting!;
      expect([reply.status, reply.text]).toEqual([201, first.text]);
      expect(reply.headers['idempotent-replayed']).toBe('true');
    });
  }
});

import { DAY } from '../kernel/time.js';
import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In, IsNull, LessThanOrEqual, Not, LessThan } from 'typeorm';
import { isUuid } from '../kernel/uuid.js';
import type { AuditAction } from '../audit/audit-actions.js';
import { type Actor, AuditService } from '../audit/audit.service.js';
import { Clock } from '../kernel/clock.js';
import { groupsOf, inTurns } from '../kernel/turns.js';
import { Refused } from '../problems/refused.js';
import { newId } from '../database/new-id.js';
import { countStates } from '../database/state-counts.js';
import type { Tx } from '../database/engine/tx.js';
import { Transactions } from '../database/transactions.js';
import { DELIVERY_PERIOD } from './messages/backoff.js';
import { ChannelsService } from './channels.service.js';
import { EndpointHealthService } from './endpoint-health.service.js';
import {
  type MessageState,
  messageStates,
  OutboxMessage,
} from './messages/outbox-message.entity.js';
import { SANDBOX } from '../database/sides.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';

/** Milliseconds after which another worker may try; longer than any delivery. */
export const LEASE = 120_000;
/** Milliseconds for which delivered and discarded messages are kept. */
const KEEP = 30 * DAY;
/** Due messages to read, of which some may have to wait for their endpoint. */
const CANDIDATES = 64;
const PRUNE_SIZE = 500;
/** Messages that a person changes in one transaction: on SQLite, orders wait for its end. */
const CHANGE_SIZE = 200;
const EXPIRED = 'The receiver has failed until the time for this message was over.';

export interface ClaimRules {
  readonly channel: string;
  readonly forClient: boolean;
  readonly most: number;
  /** The number of running deliveries, by endpoint. */
  readonly running: ReadonlyMap<string, number>;
  readonly mostPerEndpoint: number;
}

type Settlement =
  | { readonly state: 'waiting'; readonly dueAt: Date; readonly lastError: string }
  | { readonly state: 'delivered' }
  | { readonly state: 'dead' | 'discarded'; readonly lastError: string };

export interface UndeliveredMessages {
  readonly waiting: number;
  readonly dead: number;
  /** The newest message with a failed attempt. */
  readonly failed: OutboxMessage | null;
}

/** Claims, settles, lists and prunes the messages of the outbox. */
@Injectable()
export class OutboxRepository {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly channels: ChannelsService,
    private readonly endpoints: EndpointHealthService,
  ) {}

  /** Claims due messages, oldest first, for the length of a lease. No other worker gets them. */
  async claim(rules: ClaimRules): Promise<OutboxMessage[]> {
    const { channel, forClient, running, mostPerEndpoint } = rules;
    const now = this.clock.now();
    const { candidates, limits } = await this.transactions.read(async (tx) => {
      const limits = await this.endpoints.limits(tx);
      const busy = [...new Set([...running.keys(), ...limits.keys()])].filter(
        (id) => (running.get(id) ?? 0) >= (limits.get(id) ?? mostPerEndpoint),
      );
      const query = tx
        .createQueryBuilder(OutboxMessage, 'm')
        .select(['m.id', 'm.endpointId'])
        .where('m.channel = :channel', { channel })
        .andWhere('m.forClient = :forClient', { forClient })
        .andWhere(`m.state = 'waiting'`)
        .andWhere('m.dueAt <= :now', { now: now.getTime() })
        .orderBy('m.dueAt', 'ASC')
        .addOrderBy('m.id', 'ASC')
        .take(CANDIDATES);
      if (busy.length > 0) {
        query.andWhere('(m.endpointId IS NULL OR m.endpointId NOT IN (:...busy))', { busy });
      }
      return { candidates: await query.getMany(), limits };
    });
    const ids = choose(candidates, rules, limits);
    if (ids.length === 0) return [];
    const claim = newId();
    return this.transactions.run(async (tx) => {
      await tx
        .createQueryBuilder()
        .update(OutboxMessage)
        .set({
          claim,
          dueAt: new Date(now.getTime() + LEASE),
          attempts: () => 'attempts + 1',
        })
        .where({ id: In(ids), state: 'waiting', dueAt: LessThanOrEqual(now) })
        .execute();
      return tx.find(OutboxMessage, { where: { id: In(ids), claim }, order: { id: 'ASC' } });
    });
  }

  /** Stores the result of a delivery. @returns false if another worker holds the lease by now */
  async settle({ id, claim }: OutboxMessage, settlement: Settlement): Promise<boolean> {
    const now = this.clock.now();
    const { affected } = await this.transactions.run((tx) =>
      tx.update(
        OutboxMessage,
        { id, claim: claim ?? '', state: 'waiting' },
        {
          lastError: null,
          ...settlement,
          claim: null,
          ...(settlement.state !== 'waiting' && {
            finishedAt: now,
            dueAt: removalOf(settlement.state, now),
          }),
        },
      ),
    );
    return affected === 1;
  }

  /** Releases a claimed message without an attempt: it is due again at once. */
  async release({ id, claim }: OutboxMessage): Promise<void> {
    await this.transactions.run((tx) =>
      tx
        .createQueryBuilder()
        .update(OutboxMessage)
        .set({ claim: null, dueAt: this.clock.now(), attempts: () => 'attempts - 1' })
        .where({ id, claim: claim ?? '', state: 'waiting' })
        .execute(),
    );
  }

  /** The messages in these states, newest first. */
  list(states: readonly MessageState[], most: number): Promise<OutboxMessage[]> {
    return this.transactions.read((tx) =>
      tx.find(OutboxMessage, {
        where: { state: In([...states]) },
        order: { id: 'DESC' },
        take: most,
      }),
    );
  }

  /** Messages that an endpoint has not received, and the last failure. */
  async troubleOf(endpointId: string): Promise<UndeliveredMessages> {
    // The columns with which the index starts.
    const channel = In(this.channels.all.map(({ name }) => name));
    const open = { channel, forClient: In([true, false]), endpointId };
    return this.transactions.read(async (tx) => ({
      waiting: await tx.countBy(OutboxMessage, { ...open, state: 'waiting' }),
      dead: await tx.countBy(OutboxMessage, { ...open, state: 'dead' }),
      failed: await tx.findOne(OutboxMessage, {
        where: { ...open, state: In(['waiting', 'dead']), lastError: Not(IsNull()) },
        order: { id: 'DESC' },
      }),
    }));
  }

  async counts(): Promise<Partial<Record<MessageState, number>>> {
    const counts = await this.transactions.read((tx) =>
      countStates(tx, OutboxMessage, messageStates, 'createdAt'),
    );
    return Object.fromEntries(counts.map(({ state, count }) => [state, count]));
  }

  /**
   * Makes dead, discarded or waiting messages due at once, with a full period of attempts.
   * @param seen the state that the caller last saw; by default any of these
   * @throws {Refused} if a message is in no such state
   */
  async resend(ids: readonly string[], actor: Actor, seen?: MessageState): Promise<void> {
    const now = this.clock.now();
    const from = as(seen, ['dead', 'discarded', 'waiting']);
    await this.change(ids, from, 'resent', actor, {
      state: 'waiting',
      claim: null,
      dueAt: now,
      attempts: 0,
      giveUpAt: new Date(now.getTime() + DELIVERY_PERIOD),
      finishedAt: null,
    });
  }

  /** Discards dead or waiting messages. Parameters and errors are those of `resend`. */
  async discard(ids: readonly string[], actor: Actor, seen?: MessageState): Promise<void> {
    const now = this.clock.now();
    await this.change(ids, as(seen, ['dead', 'waiting']), 'discarded', actor, {
      state: 'discarded',
      claim: null,
      dueAt: removalOf('discarded', now),
      finishedAt: now,
    });
  }

  /** Makes dead letters of what endpoints that are slowed down did not get in time. */
  async expire(): Promise<void> {
    const now = this.clock.now();
    const limits = await this.transactions.read((tx) => this.endpoints.limits(tx));
    if (limits.size === 0) return;
    const late = {
      channel: In(this.channels.all.map(({ name }) => name)),
      forClient: In([true, false]),
      state: 'waiting' as const,
      dueAt: LessThanOrEqual(now),
      endpointId: In([...limits.keys()]),
      giveUpAt: LessThanOrEqual(now),
    };
    const dead = { state: 'dead' as const, claim: null, finishedAt: now, lastError: EXPIRED };
    await this.inBatches(late, (tx, some) => tx.update(OutboxMessage, some, dead));
  }

  /** Removes old finished messages in batches. @returns how many */
  async prune(): Promise<number> {
    const now = this.clock.now();
    let pruned = 0;
    for (const { name: channel } of this.channels.all) {
      for (const state of ['delivered', 'discarded'] as const) {
        const old = { channel, forClient: In([true, false]), state, dueAt: LessThanOrEqual(now) };
        pruned += await this.inBatches(old, (tx, some) => tx.delete(OutboxMessage, some));
      }
    }
    return pruned;
  }

  /**
   * Changes all messages that match, until none does.
   * @param change receives the condition for some of them, which one that was claimed meanwhile no longer meets
   * @returns how many
   */
  private async inBatches(
    where: FindOptionsWhere<OutboxMessage>,
    change: (tx: Tx, some: FindOptionsWhere<OutboxMessage>) => Promise<unknown>,
  ): Promise<number> {
    for (let total = 0; ;) {
      const rows = await this.transactions.read((tx) =>
        tx.find(OutboxMessage, { select: { id: true }, where, take: PRUNE_SIZE }),
      );
      if (rows.length === 0) return total;
      const some = { ...where, id: In(rows.map(({ id }) => id)) };
      await this.transactions.run((tx) => change(tx, some));
      total += rows.length;
    }
  }

  private async change(
    ids: readonly string[],
    from: readonly MessageState[],
    action: AuditAction,
    actor: Actor,
    values: Partial<OutboxMessage>,
  ): Promise<void> {
    let changed = 0;
    for await (const group of inTurns(groupsOf(ids, CHANGE_SIZE))) {
      await this.transactions.run(async (tx) => {
        for (const id of group) {
          const { affected } = isUuid(id)
            ? await tx.update(OutboxMessage, { id, state: In([...from]) }, values)
            : { affected: 0 };
          if (affected !== 1) {
            const rest = changed === 0 ? 'Nothing was' : `The ${changed} messages before it were`;
            throw new Refused(
              `There is no message ${id} that is ${from.join(' or ')}; \`notifications list\` shows them. ${rest} changed.`,
            );
          }
          await this.audit.record(tx, { subject: ['notification', id], action, actor });
        }
      });
      changed += group.length;
    }
  }
}

function as(seen: MessageState | undefined, states: readonly MessageState[]) {
  return seen === undefined ? states : states.filter((state) => state === seen);
}

/** When a finished message is removed. A dead letter stays until someone resends or discards it. */
function removalOf(state: MessageState, now: Date): Date {
  return state === 'dead' ? now : new Date(now.getTime() + KEEP);
}

/**
 * Up to `most`, and up to `mostPerEndpoint` or its own limit for each: a slow endpoint must not delay the
 * others.
 */
function choose(
  candidates: readonly Pick<OutboxMessage, 'id' | 'endpointId'>[],
  { most, running, mostPerEndpoint }: ClaimRules,
  limits: ReadonlyMap<string, number>,
): string[] {
  const counts = new Map(running);
  const chosen: string[] = [];
  for (const { id, endpointId } of candidates) {
    if (chosen.length === most) break;
    if (endpointId !== null) {
      const count = counts.get(endpointId) ?? 0;
      if (count >= (limits.get(endpointId) ?? mostPerEndpoint)) continue;
      counts.set(endpointId, count + 1);
    }
    chosen.push(id);
  }
  return chosen;
}

/** Deletes what the webhooks of the sandbox got, or did not get: no other message goes to them. */
export async function pruneTestMessages(tx: Tx, before: Date, most: number): Promise<number> {
  const endpoints = await tx.find(WebhookEndpoint, {
    select: { id: true },
    where: SANDBOX,
  });
  if (endpoints.length === 0) return 0;
  const old = await tx.find(OutboxMessage, {
    select: { id: true },
    where: {
      // The columns with which the index starts.
      channel: 'webhook',
      forClient: true,
      state: In(messageStates),
      endpointId: In(endpoints.map(({ id }) => id)),
      createdAt: LessThan(before),
    },
    take: most,
  });
  await tx.delete(OutboxMessage, { id: In(old.map(({ id }) => id)) });
  return old.length;
}

import { DAY } from '../kernel/time.js';
import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThanOrEqual, Not } from 'typeorm';
import { isUuid } from '../kernel/uuid.js';
import { type Actor, AuditService } from '../audit/audit.service.js';
import { Clock } from '../kernel/clock.js';
import { Refused } from '../problems/refused.js';
import { newId } from '../database/new-id.js';
import { Transactions } from '../database/transactions.js';
import type { Tx } from '../database/engine/tx.js';
import { DELIVERY_PERIOD } from './backoff.js';
import { ChannelsService } from './channels.service.js';
import { type MessageState, OutboxMessage } from './outbox-message.entity.js';

/** Longer than any delivery may take; after it another worker may try. Milliseconds. */
export const LEASE = 120_000;

/** How long a delivered or discarded message can still be looked up. Milliseconds. */
const KEEP = 30 * DAY;

/** Candidates that are looked at to find some that may be delivered now. */
const CANDIDATES = 64;

const PRUNE_SIZE = 500;

export interface ClaimRules {
  readonly channel: string;
  readonly most: number;
  /** Deliveries that run already, by endpoint. */
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
  /** The newest message that could not be delivered so far. */
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
  ) {}

  /** Claims due messages, oldest first, for the length of a lease. No other worker gets them. */
  async claim({ channel, most, running, mostPerEndpoint }: ClaimRules): Promise<OutboxMessage[]> {
    const now = this.clock.now();
    const busy = [...running].flatMap(([id, count]) => (count >= mostPerEndpoint ? [id] : []));
    const candidates = await this.transactions.read((tx) => {
      const query = tx
        .createQueryBuilder(OutboxMessage, 'm')
        .select(['m.id', 'm.endpointId'])
        .where('m.channel = :channel', { channel })
        .andWhere(`m.state = 'waiting'`)
        .andWhere('m.dueAt <= :now', { now: now.getTime() })
        .orderBy('m.dueAt', 'ASC')
        .addOrderBy('m.id', 'ASC')
        .take(CANDIDATES);
      if (busy.length > 0) query.andWhere('m.endpointId NOT IN (:...busy)', { busy });
      return query.getMany();
    });
    const ids = choose(candidates, most, running, mostPerEndpoint);
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

  /** Stores the result of a delivery. @returns false where another worker holds the lease by now */
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

  /** Gives messages back that were claimed and not delivered: they are due again at once. */
  async release(messages: readonly OutboxMessage[]): Promise<void> {
    if (messages.length === 0) return;
    await this.transactions.run(async (tx) => {
      for (const { id, claim } of messages) {
        await tx
          .createQueryBuilder()
          .update(OutboxMessage)
          .set({ claim: null, dueAt: this.clock.now(), attempts: () => 'attempts - 1' })
          .where({ id, claim: claim ?? '', state: 'waiting' })
          .execute();
      }
    });
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

  /** Messages that an endpoint has not received yet, and the last failure. */
  async troubleOf(endpointId: string): Promise<UndeliveredMessages> {
    // The index begins with the channel.
    const open = { channel: In(this.channels.all.map(({ name }) => name)), endpointId };
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
    const rows = await this.transactions.read((tx) =>
      tx
        .createQueryBuilder(OutboxMessage, 'm')
        .select('m.state', 'state')
        .addSelect('COUNT(*)', 'count')
        .groupBy('m.state')
        .getRawMany<{ state: MessageState; count: string | number }>(),
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
  }

  /** Counts for the metrics; `oldest` is when the oldest waiting message was made. */
  async undelivered(tx: Tx) {
    const rows = await tx
      .createQueryBuilder(OutboxMessage, 'm')
      .select('m.state', 'state')
      .addSelect('COUNT(*)', 'count')
      .addSelect('MIN(m.createdAt)', 'oldest')
      .where(`m.state IN ('waiting', 'dead')`)
      .groupBy('m.state')
      .getRawMany<{ state: MessageState; count: number | string; oldest: number | string }>();
    const row = (state: MessageState) => rows.find((one) => one.state === state);
    const waiting = row('waiting');
    return {
      waiting: {
        count: Number(waiting?.count ?? 0),
        oldest: waiting ? new Date(Number(waiting.oldest)) : null,
      },
      dead: Number(row('dead')?.count ?? 0),
    };
  }

  /**
   * Makes dead, discarded or still waiting messages due at once, with all attempts before them.
   * @param seen in which state whoever asks has seen them; in any of those, if left out
   * @throws {Refused} where one of the ids is none of those
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

  /**
   * Discards dead or waiting messages: they will not be delivered.
   * @param seen as of `resend`
   * @throws {Refused} for another id
   */
  async discard(ids: readonly string[], actor: Actor, seen?: MessageState): Promise<void> {
    const now = this.clock.now();
    await this.change(ids, as(seen, ['dead', 'waiting']), 'discarded', actor, {
      state: 'discarded',
      claim: null,
      dueAt: removalOf('discarded', now),
      finishedAt: now,
    });
  }

  /** Removes messages that were finished long ago, some at a time. @returns how many */
  async prune(): Promise<number> {
    const now = this.clock.now();
    let pruned = 0;
    for (const { name: channel } of this.channels.all) {
      for (const state of ['delivered', 'discarded'] as const) {
        const old = { channel, state, dueAt: LessThanOrEqual(now) };
        const next = () =>
          this.transactions.read((tx) =>
            tx.find(OutboxMessage, { select: { id: true }, where: old, take: PRUNE_SIZE }),
          );
        for (let rows = await next(); rows.length > 0; rows = await next()) {
          const ids = rows.map(({ id }) => id);
          await this.transactions.run((tx) => tx.delete(OutboxMessage, { id: In(ids), state }));
          pruned += ids.length;
        }
      }
    }
    return pruned;
  }

  private async change(
    ids: readonly string[],
    from: readonly MessageState[],
    action: string,
    actor: Actor,
    values: Partial<OutboxMessage>,
  ): Promise<void> {
    await this.transactions.run(async (tx) => {
      for (const id of ids) {
        const { affected } = isUuid(id)
          ? await tx.update(OutboxMessage, { id, state: In([...from]) }, values)
          : { affected: 0 };
        if (affected !== 1) {
          throw new Refused(
            `There is no message ${id} that is ${from.join(' or ')}; \`notifications list\` shows them. Nothing was changed.`,
          );
        }
        await this.audit.record(tx, { subject: ['notification', id], action, actor });
      }
    });
  }
}

/** The states that something may be done from: what was seen, where that is one of them. */
function as(seen: MessageState | undefined, states: readonly MessageState[]) {
  return seen === undefined ? states : states.filter((state) => state === seen);
}

/** When a finished message is removed; a dead letter stays until staff resend or discard it. */
function removalOf(state: MessageState, now: Date): Date {
  return state === 'dead' ? now : new Date(now.getTime() + KEEP);
}

/** At most so many, and at most so many for one endpoint: a slow one must not hold up the others. */
function choose(
  candidates: readonly Pick<OutboxMessage, 'id' | 'endpointId'>[],
  most: number,
  running: ReadonlyMap<string, number>,
  mostPerEndpoint: number,
): string[] {
  const counts = new Map(running);
  const chosen: string[] = [];
  for (const { id, endpointId } of candidates) {
    if (chosen.length === most) break;
    if (endpointId !== null) {
      const count = counts.get(endpointId) ?? 0;
      if (count >= mostPerEndpoint) continue;
      counts.set(endpointId, count + 1);
    }
    chosen.push(id);
  }
  return chosen;
}

import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In, IsNull, LessThanOrEqual, MoreThan, Not } from 'typeorm';
import { ApiClient } from '../../clients/api-client.entity.js';
import { Clock } from '../../platform/kernel/clock.js';
import { Config } from '../../platform/config/config.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import {
  EmailKindsService,
  type EmailLetter,
} from '../../platform/notifications/messages/email-kinds.service.js';
import { type EmailFacts, readWords } from '../../platform/notifications/messages/email-words.js';
import { OutboxService } from '../../platform/notifications/outbox.service.js';
import { reminderSlot, subtractWorkingTime } from '../../platform/kernel/working-hours.js';
import { Order, wantedInWords } from '../../orders/record/order.entity.js';
import { openStates } from '../../orders/record/order-states.js';
import { HOUR } from '../../platform/kernel/time.js';
import { DeadlinesService } from '../../orders/placing/deadlines.service.js';
import { MovesService } from '../../orders/moves/moves.service.js';
import { moveRules } from '../../orders/moves/move-rules.js';

/** Orders that a reminder lists. It counts the others. */
const MOST_NAMED = 20;

/** Orders of one kind that wait. */
export interface WaitingOrders {
  readonly heading: string;
  readonly total: number;
  /** The most urgent ones. */
  readonly items: readonly { readonly reference: string; readonly text: string }[];
}

/** Emails the sales inbox about late, due and waiting orders, at the times of the settings. */
@Injectable()
export class RemindersService {
  constructor(
    emails: EmailKindsService,
    private readonly outbox: OutboxService,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    emails.declare({ ...reminder, facts: (tx) => this.letter(tx) });
  }

  /** Adds the reminder of the current time slot, once, unless there is nothing to report. */
  async remind(): Promise<void> {
    const slot = reminderSlot(this.clock.now(), this.config.reminderTimes);
    if (slot === null || !this.outbox.sends('reminder')) return;
    const letter = await this.transactions.read((tx) => this.letter(tx));
    if (letter) await this.outbox.addEmailOnce('reminder', slot, slot);
  }

  private async letter(tx: Tx): Promise<EmailLetter | null> {
    const now = this.clock.now();
    const open = { state: In(openStates) };
    const groups = [
      await group(
        tx,
        'Late: no contact with the client in time',
        { ...open, firstContactAt: IsNull(), firstContactDueAt: LessThanOrEqual(now) },
        'firstContactDueAt',
        ({ firstContactDueAt }) => `was due ${age(firstContactDueAt, now)} ago`,
      ),
      await group(
        tx,
        'Due: time for the next action',
        { nextActionAt: LessThanOrEqual(now) },
        'nextActionAt',
        ({ nextActionAt }) => `due ${age(nextActionAt ?? now, now)} ago`,
      ),
      await group(
        tx,
        'Waiting for an owner',
        [
          { state: 'waiting', firstContactDueAt: MoreThan(now) },
          { state: 'waiting', firstContactAt: Not(IsNull()) },
        ],
        'receivedAt',
        ({ receivedAt }) => `received ${age(receivedAt, now)} ago`,
      ),
    ].filter(({ total }) => total > 0);
    return groups.length > 0 ? { facts: reminderFacts(groups, this.config) } : null;
  }
}

export const reminder = {
  code: 'reminder',
  name: 'Reminder of waiting orders',
  about: 'time of day',
  to: 'sales',
  words: readWords('reminder', import.meta.url),
} as const;

export function reminderFacts(
  groups: readonly WaitingOrders[],
  { publicUrl }: Pick<Config, 'publicUrl'>,
): EmailFacts {
  return {
    summary: groups.map(({ heading, total }) => `${total} ${heading.toLowerCase()}`).join(', '),
    groups: groups.map(({ heading, total, items }) => {
      const orders = items.map(({ reference, text }) => {
        return { text, link: `${publicUrl}/staff/orders/${reference}` };
      });
      const more = total - items.length;
      const listed = more > 0 ? [...orders, `and ${more} more`] : orders;
      return { heading, total: String(total), orders: listed };
    }),
  };
}

async function group(
  tx: Tx,
  heading: string,
  where: FindOptionsWhere<Order> | FindOptionsWhere<Order>[],
  oldestBy: 'firstContactDueAt' | 'nextActionAt' | 'receivedAt',
  when: (order: Order) => string,
): Promise<WaitingOrders> {
  const [orders, total] = await tx.findAndCount(Order, {
    where,
    order: { [oldestBy]: 'ASC', id: 'ASC' },
    take: MOST_NAMED,
  });
  const ids = [...new Set(orders.map(({ clientId }) => clientId))];
  const clients = new Map(
    (await tx.findBy(ApiClient, { id: In(ids) })).map(({ id, name }) => [id, name]),
  );
  return {
    heading,
    total,
    items: orders.map((order) => {
      const { reference, postcode, terms, wanted, clientId } = order;
      const client = clients.get(clientId) ?? '';
      const what = terms?.name ?? wantedInWords(wanted);
      const text = `${reference}, ${postcode}, ${what}, ${client}: ${when(order)}`;
      return { reference, text };
    }),
  };
}

/** Never more than it is. */
export function age(since: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - since.getTime()) / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24
    ? `${hours} h ${minutes % 60} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Orders released in one run, each minute: to read 200 at once would hold the event loop. */
const MOST_AT_ONCE = 50;

/**
 * Returns claimed orders without activity to the queue. A scheduled order counts from the time when
 * it became due. Several instances may run at once: each order is released only once.
 */
@Injectable()
export class StaleClaimsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly moves: MovesService,
    private readonly deadlines: DeadlinesService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** @returns how many orders it released */
  async releaseStale(): Promise<number> {
    const hours = this.config.staleClaimHours;
    if (hours === 0) return 0;
    await this.transactions.refuseClockAhead();
    const now = this.clock.now();
    const before = subtractWorkingTime(now, hours * HOUR, this.deadlines.calendar);
    const stale = await this.transactions.read((tx) =>
      tx
        .createQueryBuilder(Order, 'o')
        .where('o.closedAt IS NULL AND o.state IN (:...states) AND o.lastEntryAt < :before')
        .andWhere('(o.nextActionAt IS NULL OR o.nextActionAt < :before)')
        .setParameters({ before: before.getTime(), states: moveRules.release.from.enquiry })
        .orderBy('o.receivedAt', 'ASC')
        .limit(MOST_AT_ONCE)
        .getMany(),
    );
    let released = 0;
    const reason = `No activity for ${hours} working hours`;
    for (const order of stale) {
      const moved = await this.moves.run((tx) =>
        this.moves.attempt(tx, order, { name: 'release', reason }, { kind: 'staleRule' }),
      );
      if (moved) released += 1;
    }
    return released;
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { IsNull, MoreThan, Not } from 'typeorm';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import type { AuditAction } from '../audit/audit-actions.js';
import { type Actor, AuditService } from '../audit/audit.service.js';
import { Clock } from '../kernel/clock.js';
import { DAY, HOUR, MINUTE, SECOND } from '../kernel/time.js';
import { addRows } from '../database/engine/rows.js';
import type { Tx } from '../database/engine/tx.js';
import { Transactions } from '../database/transactions.js';
import { Counters } from '../kernel/counters.js';
import type { OutboxMessage } from './messages/outbox-message.entity.js';
import { OutboxService } from './outbox.service.js';
import { healthy, WebhookEndpoint } from './webhook-endpoint.entity.js';

/** Failures in a row after which an endpoint gets one message at a time, with these delays in between. */
export const SLOW_AFTER = 3;
const delays = [15 * SECOND, MINUTE, 5 * MINUTE];
/** Milliseconds of failures alone after which the endpoint of a client is paused. */
export const PAUSE_AFTER = DAY;
/** Milliseconds between the attempts while it is paused. The first that succeeds resumes it. */
export const PROBE_EVERY = HOUR;

const actor: Actor = { type: 'system', id: null, name: 'notifications' };

export type PausedEndpoint = Pick<WebhookEndpoint, 'id' | 'clientId' | 'url' | 'pausedAt'>;

type Attempted = Pick<OutboxMessage, 'channel' | 'endpointId'>;

/** Counts deliveries. Slows down those to an endpoint that keeps failing, and then pauses them. */
@Injectable()
export class EndpointHealthService {
  private readonly logger = new Logger(EndpointHealthService.name);
  /** Endpoints whose last delivery failed, as far as this instance knows. */
  private failing: ReadonlySet<string> = new Set();

  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly outbox: OutboxService,
    private readonly clock: Clock,
    private readonly counters: Counters,
  ) {}

  /** How many deliveries may run at the same time to each endpoint that is slowed down. */
  async limits(tx: Tx): Promise<ReadonlyMap<string, 0 | 1>> {
    const now = this.clock.now();
    const rows = await tx.find(WebhookEndpoint, {
      select: { id: true, failures: true, quietUntil: true },
      where: { failures: MoreThan(0) },
    });
    this.failing = new Set(rows.map(({ id }) => id));
    return new Map(
      rows
        .filter(({ failures }) => failures >= SLOW_AFTER)
        .map(({ id, quietUntil }) => [id, quietUntil && quietUntil > now ? 0 : 1]),
    );
  }

  async succeeded({ channel, endpointId: id }: Attempted): Promise<void> {
    this.counters.countDelivery(channel, id, 'delivered');
    if (id === null || !this.failing.has(id)) return;
    await this.transactions.run(async (tx) => {
      const before = await tx.findOneBy(WebhookEndpoint, { id });
      const { affected } = await tx.update(WebhookEndpoint, { id, failures: MoreThan(0) }, healthy);
      if (affected === 1 && before?.pausedAt) {
        await addRows(tx, AuditEntry, [this.entry(before, 'resumed', null)]);
      }
    });
  }

  /** @param reason names no person and no secret; null if the receiver has no part in it */
  async failed({ channel, endpointId: id }: Attempted, reason: string | null): Promise<void> {
    this.counters.countDelivery(channel, id, 'failed');
    if (id === null || reason === null) return;
    this.failing = new Set([...this.failing, id]);
    await this.transactions.run(async (tx) => {
      // Locks the row: two deliveries can fail at the same time.
      const counted = { failures: () => 'failures + 1' };
      await tx.update(WebhookEndpoint, { id, enabled: true }, counted);
      const endpoint = await tx.findOneBy(WebhookEndpoint, { id, enabled: true });
      if (!endpoint) return;
      const { failures } = endpoint;
      const now = this.clock.now().getTime();
      const failingSince = endpoint.failingSince ?? new Date(now);
      const isPaused = endpoint.pausedAt !== null || this.isToBePaused(endpoint, now);
      const delay = delays[Math.min(failures - SLOW_AFTER, delays.length - 1)];
      const wait = isPaused ? PROBE_EVERY : delay;
      const quietUntil = wait === undefined ? null : new Date(now + wait);
      await tx.update(WebhookEndpoint, { id }, { failingSince, quietUntil });
      if (isPaused) await this.pause(tx, endpoint, reason);
    });
  }

  paused(): Promise<PausedEndpoint[]> {
    return this.transactions.read((tx) =>
      tx.find(WebhookEndpoint, {
        select: { id: true, clientId: true, url: true, pausedAt: true },
        where: { pausedAt: Not(IsNull()), enabled: true },
        order: { pausedAt: 'ASC' },
      }),
    );
  }

  /** An alert tells the operator about the operator's endpoints. */
  private isToBePaused({ clientId, failingSince, failures }: WebhookEndpoint, now: number) {
    if (clientId === null || failingSince === null || failures < SLOW_AFTER) return false;
    return now - failingSince.getTime() >= PAUSE_AFTER;
  }

  /** Records it and informs the client, unless another worker has. */
  private async pause(tx: Tx, endpoint: WebhookEndpoint, reason: string): Promise<void> {
    const { id, isTest } = endpoint;
    const { affected } = await tx.update(
      WebhookEndpoint,
      { id, pausedAt: IsNull() },
      { pausedAt: this.clock.now() },
    );
    if (affected !== 1) return;
    const entry = this.entry(endpoint, 'paused', reason);
    await addRows(tx, AuditEntry, [entry]);
    if (!isTest) await this.outbox.addEmail(tx, 'webhook-paused', entry.id);
    this.logger.warn(`Webhook ${id} is paused: it has failed for a day. ${reason}`);
  }

  private entry(endpoint: WebhookEndpoint, action: AuditAction, reason: string | null): AuditEntry {
    const { id, clientId: client, isTest: test, failingSince } = endpoint;
    const host = new URL(endpoint.url).host;
    const details = { client, test, host, failingSince, reason };
    return this.audit.entryOf({ subject: ['webhook', id], action, actor, details });
  }
}

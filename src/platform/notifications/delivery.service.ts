import { Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { BackgroundWork } from '../kernel/background-work.js';
import { shareNextRun } from '../kernel/turns.js';
import { SECOND } from '../kernel/time.js';
import { Clock } from '../kernel/clock.js';
import { retryDelay, DeliveryFailed, NothingToDeliver } from './messages/backoff.js';
import type { Channel } from './channel.js';
import { ChannelsService } from './channels.service.js';
import { EndpointHealthService } from './endpoint-health.service.js';
import type { OutboxMessage } from './messages/outbox-message.entity.js';
import { OutboxRepository } from './outbox.repository.js';

/** Milliseconds for which a stop waits for running deliveries before it aborts them. */
const GRACE = 10_000;

/** Deliveries to clients have their own slots: they never delay those to the operator. */
interface Lane {
  readonly channel: Channel;
  readonly forClient: boolean;
  readonly running: Map<OutboxMessage, Promise<void>>;
  readonly breakers: Set<AbortController>;
  readonly empty: () => Promise<void>;
}

/** One slow receiver cannot take all slots. */
const MOST_PER_ENDPOINT = 2;

/**
 * Delivers due messages of the outbox at least once: it claims them under a lease, delivers and settles
 * them. A crash before the message is settled repeats it with the same id.
 */
@Injectable()
export class DeliveryService implements OnApplicationBootstrap {
  private readonly logger = new Logger(DeliveryService.name);
  private openLanes: readonly Lane[] | undefined;
  private readonly stopping: AbortSignal;

  constructor(
    private readonly queue: OutboxRepository,
    private readonly endpoints: EndpointHealthService,
    private readonly channels: ChannelsService,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
  ) {
    this.stopping = background.stopping;
    this.stopping.addEventListener('abort', () => setTimeout(() => this.breakOff(), GRACE).unref());
    background.atStop(() => this.deliverDue());
  }

  /** A job for each channel, so that a slow mail server does not hold up webhooks. */
  onApplicationBootstrap(): void {
    for (const { channel, forClient, empty } of this.lanes) {
      const name = `${channel.name} delivery${forClient ? ' to clients' : ''}`;
      this.background.every(name, SECOND, empty, { whileServing: true });
    }
  }

  /** Logs which notifications are off because of missing settings. */
  warnOfSilences(): void {
    for (const warning of this.channels.warnings()) this.logger.warn(warning);
  }

  /** Delivers until nothing is due or the process stops. Never rejects: failures are retried later. */
  async deliverDue(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.empty()));
  }

  private get lanes(): readonly Lane[] {
    this.openLanes ??= this.channels.enabled.flatMap((channel) =>
      [false, true].map((forClient) => {
        const lane: Lane = {
          channel,
          forClient,
          running: new Map(),
          breakers: new Set(),
          empty: shareNextRun(() => this.empty(lane)),
        };
        return lane;
      }),
    );
    return this.openLanes;
  }

  private async empty(lane: Lane): Promise<void> {
    while (!this.stopping.aborted) {
      const wasBusy = lane.running.size > 0;
      const claimed = await this.claim(lane);
      for (const message of claimed) this.begin(lane, message);
      // The next candidates may be for other endpoints, or for one that was busy during the claim.
      if (claimed.length > 0 || (wasBusy && lane.running.size === 0)) continue;
      if (lane.running.size === 0) return;
      await Promise.race([...lane.running.values(), sleep(SECOND, undefined, { ref: false })]);
    }
    await Promise.all(lane.running.values());
  }

  private async claim(lane: Lane): Promise<OutboxMessage[]> {
    const most = lane.channel.slots - lane.running.size;
    if (most === 0) return [];
    const running = new Map<string, number>();
    for (const { endpointId } of lane.running.keys()) {
      if (endpointId !== null) running.set(endpointId, (running.get(endpointId) ?? 0) + 1);
    }
    const { channel, forClient } = lane;
    const mostPerEndpoint = MOST_PER_ENDPOINT;
    const rules = { channel: channel.name, forClient, most, running, mostPerEndpoint };
    return this.queue.claim(rules).catch((error: unknown) => {
      this.logger.warn(`The outbox could not be read: ${String(error)}`);
      return [];
    });
  }

  private begin(lane: Lane, message: OutboxMessage): void {
    const breaker = new AbortController();
    lane.breakers.add(breaker);
    const delivery = this.deliver(lane.channel, message, breaker.signal)
      .catch((error: unknown) => {
        // When its lease ends, it is delivered again.
        this.logger.warn(`The result of ${message.id} could not be stored: ${String(error)}`);
      })
      .finally(() => {
        lane.breakers.delete(breaker);
        lane.running.delete(message);
      });
    lane.running.set(message, delivery);
  }

  private async deliver(
    channel: Channel,
    message: OutboxMessage,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await channel.deliver(message, signal);
    } catch (error) {
      if (signal.aborted) return this.queue.release(message);
      if (error instanceof NothingToDeliver) {
        await this.queue.settle(message, { state: 'discarded', lastError: error.message });
        return;
      }
      const failure = asFailure(error);
      await this.settleFailure(message, failure);
      // Any other error is the service's own, such as a wrong key: the receiver is not slowed down for it.
      const isReceivers = error instanceof DeliveryFailed;
      await this.endpoints.failed(message, isReceivers ? failure.message : null);
      return;
    }
    await this.queue.settle(message, { state: 'delivered' });
    await this.endpoints.succeeded(message);
  }

  private async settleFailure(message: OutboxMessage, failure: DeliveryFailed): Promise<void> {
    const name = `${message.channel} ${message.kind} ${message.id}`;
    const now = this.clock.now().getTime();
    const delay = retryDelay({ ...failure, attempts: message.attempts }, Math.random());
    const dueAt = new Date(now + delay);
    const lastError = failure.message;
    if (failure.permanent || dueAt > message.giveUpAt) {
      this.logger.error(`Dead letter: ${name}: ${lastError} See "notifications list".`);
      await this.queue.settle(message, { state: 'dead', lastError });
      return;
    }
    if (message.attempts === 1) {
      this.logger.warn(
        `Not delivered yet: ${name}: ${lastError} Next attempt ${dueAt.toISOString()}.`,
      );
    }
    await this.queue.settle(message, { state: 'waiting', dueAt, lastError });
  }

  /** Aborts running deliveries, which releases their messages. */
  private breakOff(): void {
    for (const lane of this.lanes) for (const breaker of lane.breakers) breaker.abort();
  }
}

function asFailure(error: unknown): DeliveryFailed {
  if (error instanceof DeliveryFailed) return error;
  return new DeliveryFailed(error instanceof Error ? error.message : String(error));
}

import { Injectable, Logger } from '@nestjs/common';
import { BackgroundWork } from '../kernel/background-work.js';
import { shareNextRun } from '../kernel/share-next-run.js';
import { SECOND } from '../kernel/time.js';
import { Clock } from '../kernel/clock.js';
import { Config } from '../config/config.js';
import { retryDelay } from './backoff.js';
import { NothingToDeliver } from './courier.service.js';
import { DeliveryFailed } from './delivery-failed.js';
import type { ChannelName, OutboxMessage } from './outbox-message.entity.js';
import { OutboxQueue } from './outbox-queue.service.js';
import { TracedCourier } from './traced-courier.service.js';
import { WebhooksService } from './webhooks.service.js';

/** Milliseconds for which a stop waits for running deliveries before it breaks them off. */
const GRACE = 10_000;

interface Lane {
  readonly channel: ChannelName;
  /** Deliveries at the same time. */
  readonly slots: number;
  readonly running: Map<OutboxMessage, Promise<void>>;
  readonly breakers: Set<AbortController>;
  readonly empty: () => Promise<void>;
}

/** So that one slow receiver cannot take all slots. */
const MOST_PER_ENDPOINT = 2;

/**
 * Delivers the outbox, at least once each: what is due is claimed under a lease, carried, and settled.
 * A crash between carrying and settling repeats the message, with the same id.
 */
@Injectable()
export class DeliveryService {
  private readonly logger = new Logger(DeliveryService.name);
  private readonly lanes: readonly Lane[];
  private readonly stopping: AbortSignal;

  constructor(
    private readonly queue: OutboxQueue,
    private readonly courier: TracedCourier,
    private readonly webhooks: WebhooksService,
    private readonly clock: Clock,
    private readonly config: Config,
    background: BackgroundWork,
  ) {
    const lane = (channel: ChannelName, slots: number): Lane => {
      const one: Lane = {
        channel,
        slots,
        running: new Map(),
        breakers: new Set(),
        empty: shareNextRun(() => this.empty(one)),
      };
      return one;
    };
    this.lanes = [
      ...(config.smtp ? [lane('email', 4)] : []),
      ...(config.webhookKey ? [lane('webhook', 8)] : []),
    ];
    this.stopping = background.stopping;
    this.stopping.addEventListener('abort', () => setTimeout(() => this.breakOff(), GRACE).unref());
    // A job for each, so that a slow mail server does not hold up webhooks.
    for (const { channel, empty } of this.lanes) {
      background.every(`${channel} delivery`, SECOND, empty, { whileServing: true });
    }
    background.atStop(() => this.deliverDue());
  }

  /** Logs what will not be delivered, because its settings are missing. */
  warnOfSilences(): void {
    for (const silence of silencesOf(this.config, this.webhooks)) this.logger.warn(silence);
  }

  /**
   * Delivers until nothing is due, or until the process stops: then it waits for running deliveries.
   * Never rejects: what fails is tried again later.
   */
  async deliverDue(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.empty()));
  }

  private async empty(lane: Lane): Promise<void> {
    while (!this.stopping.aborted) {
      const claimed = await this.claim(lane);
      for (const message of claimed) this.begin(lane, message);
      if (lane.running.size === 0) return;
      await Promise.race([...lane.running.values(), pause(SECOND)]);
    }
    await Promise.all(lane.running.values());
  }

  private async claim(lane: Lane): Promise<OutboxMessage[]> {
    const most = lane.slots - lane.running.size;
    if (most === 0) return [];
    const running = new Map<string, number>();
    for (const { endpointId } of lane.running.keys()) {
      if (endpointId !== null) running.set(endpointId, (running.get(endpointId) ?? 0) + 1);
    }
    const rules = { channel: lane.channel, most, running, mostPerEndpoint: MOST_PER_ENDPOINT };
    return this.queue.claim(rules).catch((error: unknown) => {
      this.logger.warn(`The outbox could not be read: ${String(error)}`);
      return [];
    });
  }

  private begin(lane: Lane, message: OutboxMessage): void {
    const breaker = new AbortController();
    lane.breakers.add(breaker);
    const delivery = this.deliver(message, breaker.signal)
      .catch((error: unknown) => {
        // Its lease runs out, and then it is tried again.
        this.logger.warn(`What became of ${message.id} could not be stored: ${String(error)}`);
      })
      .finally(() => {
        lane.breakers.delete(breaker);
        lane.running.delete(message);
      });
    lane.running.set(message, delivery);
  }

  private async deliver(message: OutboxMessage, signal: AbortSignal): Promise<void> {
    try {
      await this.courier.deliver(message, signal);
    } catch (error) {
      if (signal.aborted) return this.queue.release([message]);
      if (error instanceof NothingToDeliver) {
        await this.queue.settle(message, { state: 'discarded', lastError: error.message });
        return;
      }
      return this.settleFailure(message, error);
    }
    await this.queue.settle(message, { state: 'delivered' });
  }

  private async settleFailure(message: OutboxMessage, error: unknown): Promise<void> {
    const failure =
      error instanceof DeliveryFailed
        ? error
        : new DeliveryFailed(error instanceof Error ? error.message : String(error));
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

  /** Ends the deliveries that still run, and gives their messages back. */
  private breakOff(): void {
    for (const lane of this.lanes) for (const breaker of lane.breakers) breaker.abort();
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}

/** Who will not be told, a sentence each. */
function silencesOf(config: Config, webhooks: WebhooksService): string[] {
  const silences: string[] = [];
  const webhookCount = webhooks.on ? webhooks.count : 0;
  if (!config.smtp) silences.push('E-mail is off: SMTP_URL is not set.');
  else if (config.salesInbox.length === 0) {
    silences.push('SALES_INBOX is not set: no e-mail tells of new orders.');
  }
  if (!webhooks.on && webhooks.count > 0) {
    silences.push(`WEBHOOK_KEY is not set: ${webhooks.count} webhooks are told nothing.`);
  }
  if ((!config.smtp || config.salesInbox.length === 0) && webhookCount === 0) {
    silences.push('Nobody will be told of new orders. They wait in the follow-up queue.');
  }
  return silences;
}

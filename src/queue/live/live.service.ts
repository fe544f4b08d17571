import { Counters } from '../../platform/kernel/counters.js';
import { Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import type { Response } from 'express';
import { In } from 'typeorm';
import { AccessService } from '../../clients/access.service.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { RevisionsService } from '../../platform/database/revisions.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { Order } from '../../orders/record/order.entity.js';
import { SessionsService } from '../../staff/sessions/sessions.service.js';
import { ViewersService } from './viewers.service.js';

/** Streams of one token or session. One more ends the oldest. */
const MOST_STREAMS = 10;

interface Stream {
  readonly caller: StaffCaller;
  readonly response: Response;
  /** The order that its page shows. */
  readonly orderId: string | undefined;
}

/** Notifies open pages and API clients of changes by server-sent events (HTML standard, §9.2). */
@Injectable()
export class LiveService implements OnModuleDestroy {
  private readonly logger = new Logger(LiveService.name);
  private readonly streams = new Set<Stream>();
  private number = 0;

  constructor(
    private readonly access: AccessService,
    private readonly sessions: SessionsService,
    private readonly viewers: ViewersService,
    private readonly transactions: Transactions,
    private readonly counters: Counters,
    revisions: RevisionsService,
  ) {
    revisions.register('follow-up', async (number) => {
      this.number = number;
      this.sendAll(this.revisionEvent());
      await this.sendOrders([...this.streams]);
    });
    viewers.follow((orderIds) => {
      for (const stream of this.streams) {
        if (stream.orderId !== undefined && orderIds.has(stream.orderId)) this.sendViewers(stream);
      }
    });
  }

  /** The current number; a page that shows an older one is out of date. */
  get latest(): number {
    return this.number;
  }

  /**
   * Starts a stream. With `orderId` it also sends `order` (version, time of the last entry) and
   * `viewers` (names of other staff with this order open), and its caller counts as a viewer.
   */
  open(response: Response, caller: StaffCaller, orderId?: string): void {
    // The browser left while the service read the order: no 'close' follows. `destroy` logs the request.
    if (response.destroyed) return void response.destroy();
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.write(`retry: 3000\n${this.revisionEvent()}`);
    const streams = [...this.streams].filter((stream) => stream.caller.tokenId === caller.tokenId);
    if (streams.length >= MOST_STREAMS) this.end(streams[0]!);
    const stream = { caller, response, orderId };
    this.streams.add(stream);
    this.counters.openStreams += 1;
    response.on('close', () => {
      // Logs the request if the browser closed it.
      response.destroy();
      this.counters.openStreams -= 1;
      this.streams.delete(stream);
      if (orderId !== undefined) this.viewers.leave(orderId, caller);
    });
    if (orderId === undefined) return;
    this.viewers.enter(orderId, caller);
    void this.sendOrders([stream]).catch((error: unknown) =>
      this.logger.warn(`A page did not get the state of its order: ${String(error)}`),
    );
  }

  /** Keeps the streams open: proxies cut a connection that is silent for 30 to 60 s. */
  sendHeartbeat(): void {
    this.sendAll(': alive\n\n');
  }

  /** Runs before the server waits for open connections to close. */
  onModuleDestroy(): void {
    for (const stream of this.streams) this.end(stream);
  }

  private revisionEvent(): string {
    return `id: ${this.number}\nevent: changed\ndata: {"number":${this.number}}\n\n`;
  }

  private sendAll(text: string): void {
    for (const { response } of this.streams) response.write(text);
  }

  private sendViewers({ caller, response, orderId }: Stream): void {
    const names = this.viewers.of(orderId!, caller.staffId);
    response.write(`event: viewers\ndata: ${JSON.stringify(names)}\n\n`);
  }

  private async sendOrders(streams: readonly Stream[]): Promise<void> {
    const ids = new Set(streams.flatMap(({ orderId }) => orderId ?? []));
    if (ids.size === 0) return;
    const orders = await this.transactions.read((tx) =>
      tx.find(Order, {
        select: { id: true, version: true, lastEntryAt: true },
        where: { id: In([...ids]) },
      }),
    );
    const events = new Map(
      orders.map(({ id, version, lastEntryAt }) => [
        id,
        `event: order\ndata: {"version":${version},"entry":${lastEntryAt.getTime()}}\n\n`,
      ]),
    );
    for (const { orderId, response } of streams) {
      const text = events.get(orderId ?? '');
      if (text !== undefined && !response.writableEnded) response.write(text);
    }
  }

  /**
   * Ends the streams of ended tokens and sessions. If the database does not answer, keeps them for as
   * long as tokens are trusted.
   */
  async endRevoked(): Promise<void> {
    const sessions = [...this.streams].flatMap(({ caller }) => caller.sessionId ?? []);
    const live = await this.sessions
      .liveAmong(sessions)
      .catch(() => new Set(this.access.isTrusted ? sessions : []));
    for (const stream of this.streams) {
      const { sessionId, tokenId } = stream.caller;
      const isNew = sessionId !== undefined && !sessions.includes(sessionId);
      const isLive = sessionId ? isNew || live.has(sessionId) : this.access.isUsable(tokenId);
      if (!isLive) this.end(stream);
    }
  }

  private end(stream: Stream): void {
    this.streams.delete(stream);
    stream.response.end();
  }
}

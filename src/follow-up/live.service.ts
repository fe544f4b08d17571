import { Injectable, OnModuleDestroy } from '@nestjs/common';
import type { Response } from 'express';
import { AccessService } from '../clients/access.service.js';
import type { StaffCaller } from '../common/caller.js';
import { Revisions } from '../database/revisions.js';
import { SessionsService } from '../staff/sessions.service.js';

/** Milliseconds. Proxies cut a connection on which nothing is said for 30 to 60 s. */
const HEARTBEAT = 15_000;
const ACCESS_CHECK = 1_000;
/** Streams of one token; a further one ends the oldest. */
const MOST_STREAMS = 10;

interface Stream {
  readonly caller: StaffCaller;
  readonly response: Response;
}

/** Tells the staff's screens that something has changed, by server-sent events (HTML, §9.2). */
@Injectable()
export class LiveService implements OnModuleDestroy {
  private readonly streams = new Set<Stream>();
  private number = 0;
  private readonly heartbeat = setInterval(() => this.sendAll(': alive\n\n'), HEARTBEAT).unref();
  private readonly accessCheck = setInterval(() => void this.endRevoked(), ACCESS_CHECK).unref();

  constructor(
    private readonly access: AccessService,
    private readonly sessions: SessionsService,
    revisions: Revisions,
  ) {
    revisions.follow('follow-up', (number) => {
      this.number = number;
      this.sendAll(this.news());
    });
  }

  /** Begins a stream with the present number; it ends with the connection, the token or the session. */
  open(response: Response, caller: StaffCaller): void {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.write(`retry: 3000\n${this.news()}`);
    const own = [...this.streams].filter((one) => one.caller.tokenId === caller.tokenId);
    if (own.length >= MOST_STREAMS) this.end(own[0]!);
    const stream = { caller, response };
    this.streams.add(stream);
    response.on('close', () => this.streams.delete(stream));
  }

  onModuleDestroy(): void {
    clearInterval(this.heartbeat);
    clearInterval(this.accessCheck);
    for (const stream of this.streams) this.end(stream);
  }

  private news(): string {
    return `id: ${this.number}\nevent: changed\ndata: {"number":${this.number}}\n\n`;
  }

  private sendAll(text: string): void {
    for (const { response } of this.streams) response.write(text);
  }

  /** What cannot be asked at the moment is asked again a second later. */
  private async endRevoked(): Promise<void> {
    const sessions = [...this.streams].flatMap(({ caller }) => caller.sessionId ?? []);
    const live = await this.sessions.liveAmong(sessions).catch(() => new Set(sessions));
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

import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.js';
import { isSampled, otlpBody, type Span } from './otlp.js';
import { readTraceParent, type Trace, traceParent } from './traceparent.js';

export interface TraceSettings {
  /** Without `/v1/traces`. Null: nothing is kept or sent. */
  readonly otlpEndpoint: string | null;
  readonly otlpHeaders: Readonly<Record<string, string>>;
  readonly otelServiceName: string;
  /** From 0 to 1: of the traces that begin here. */
  readonly traceRatio: number;
}

/** Milliseconds between two sendings, and for which one may take. */
const INTERVAL = 5_000;
const TIMEOUT = 10_000;
/** Of what ends the process, which waits for it. */
const LAST_TIMEOUT = 2_000;
/** Spans sent in one request, and those that may wait; later ones are dropped. */
const GROUP = 512;
const MOST_WAITING = 2_048;
/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const retryable = new Set([429, 502, 503, 504]);

interface Outcome {
  readonly refusal: string | null;
  readonly again: boolean;
}

/**
 * Spans for OpenTelemetry, sent in groups as OTLP over HTTP in JSON. The present packages of
 * OpenTelemetry need a later Node than this service.
 */
export class Traces implements OnApplicationShutdown {
  /** Spans that were not sent, because nobody took them. */
  dropped = 0;
  readonly on: boolean;
  private readonly logger = new Logger(Traces.name);
  private readonly current = new AsyncLocalStorage<string>();
  private readonly resource: Readonly<Record<string, string>>;
  private readonly timer: NodeJS.Timeout | undefined;
  private waiting: Span[] = [];
  private sending: Promise<void> | undefined;
  private failing = false;

  constructor(
    private readonly settings: TraceSettings,
    private readonly clock: Clock,
  ) {
    this.on = settings.otlpEndpoint !== null;
    this.resource = {
      'service.name': settings.otelServiceName,
      'service.instance.id': randomUUID(),
    };
    if (this.on) this.timer = setInterval(() => void this.flush(), INTERVAL).unref();
  }

  /** The caller's word counts; where it has said nothing, the ratio. */
  keeps({ traceId, sampled }: Pick<Trace, 'traceId' | 'sampled'>): boolean {
    return this.on && (sampled ?? isSampled(traceId, this.settings.traceRatio));
  }

  /** For a span that is kept. */
  record(span: Span): void {
    if (this.waiting.length >= MOST_WAITING) {
      this.dropped += 1;
      return;
    }
    this.waiting.push(span);
    if (this.waiting.length === GROUP) void this.flush();
  }

  /** Runs `work`; everything that it does, now and later, follows from the trace. */
  follow(trace: Trace, work: () => void): void {
    this.current.run(traceParent(trace, trace.sampled ?? this.keeps(trace)), work);
  }

  /** What the running work follows from, as a `traceparent`; null where it follows from nothing. */
  get cause(): string | null {
    return this.current.getStore() ?? null;
  }

  /**
   * Runs `work`, which calls another system, as a span of its own.
   * @param cause a `traceparent`
   * @param work is given the `traceparent` for the other system
   */
  async around<T>(
    { name, cause, attributes }: Pick<Span, 'name' | 'attributes'> & { cause: string | null },
    work: (header: string | null) => Promise<T>,
  ): Promise<T> {
    const parent = readTraceParent(cause);
    if (!parent || !this.keeps(parent)) return work(cause);
    const spanId = randomBytes(8).toString('hex');
    const { traceId, spanId: parentSpanId } = parent;
    const began = this.clock.now().getTime();
    let failure: string | undefined;
    try {
      return await work(traceParent({ traceId, spanId }, true));
    } catch (error) {
      failure = error instanceof Error ? error.name : 'Error';
      throw error;
    } finally {
      const times = { began, ended: this.clock.now().getTime() };
      this.record({
        name,
        kind: 'client',
        traceId,
        spanId,
        parentSpanId,
        ...times,
        attributes,
        failure,
      });
    }
  }

  /** Sends what waits. Never rejects: what nobody takes is sent again, until it is too much. */
  flush(timeout = TIMEOUT): Promise<void> {
    this.sending ??= this.send(timeout).finally(() => (this.sending = undefined));
    return this.sending;
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sending;
    await this.flush(LAST_TIMEOUT);
  }

  private async send(timeout: number): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.waiting.slice(0, GROUP);
      const { refusal, again } = await this.post(otlpBody(group, this.resource), timeout);
      if (!again) this.waiting = this.waiting.slice(group.length);
      if (refusal !== null && !again) this.dropped += group.length;
      if (refusal !== null && !this.failing) this.logger.warn(`Traces cannot be sent: ${refusal}.`);
      this.failing = refusal !== null;
      if (this.failing) return;
    }
  }

  /** What was said where they were not taken, and whether it helps to send them again. */
  private async post(body: string, timeout: number): Promise<Outcome> {
    const { otlpEndpoint, otlpHeaders } = this.settings;
    try {
      const response = await fetch(`${otlpEndpoint}/v1/traces`, {
        method: 'POST',
        headers: { ...otlpHeaders, 'Content-Type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(timeout),
      });
      await response.arrayBuffer();
      if (response.ok) return { refusal: null, again: false };
      const { status } = response;
      return { refusal: `the collector answered ${status}`, again: retryable.has(status) };
    } catch (error) {
      const { cause, message } = error as Error & { readonly cause?: { readonly code?: string } };
      return { refusal: cause?.code ?? message, again: true };
    }
  }
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import { randomBytes, randomUUID } from 'node:crypto';
import { type BackgroundBuffer, RejectedItems } from '../kernel/background-buffer.js';
import type { BackgroundWork } from '../kernel/background-work.js';
import type { Clock } from '../kernel/clock.js';
import { sendRequest } from '../kernel/outgoing-request.js';
import { isSampled, otlpBody, type TraceSpan } from './otlp.js';

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const shape = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The caller's span: 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

/** Undefined where the header is absent or invalid. */
export function readTraceParent(header: unknown): TraceParent | undefined {
  if (typeof header !== 'string' || header.length > 200) return undefined;
  const [, traceId, spanId, flags] = shape.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (header.startsWith('00') && header.length !== 55) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
}

export interface Trace {
  /** 32 hexadecimal digits; by default those of the caller. */
  readonly traceId: string;
  /** The request itself: 16 hexadecimal digits. */
  readonly spanId: string;
  /** The caller's span. */
  readonly parentSpanId: string | undefined;
  /** The caller's sampling decision, if any. */
  readonly sampled: boolean | undefined;
}

/** The trace of a request, with ids from the digits of its UUID: one id is enough to find the other. */
export function traceOf(requestId: string, header: unknown): Trace {
  const own = digitsOf(requestId);
  const caller = readTraceParent(header);
  return {
    traceId: caller?.traceId ?? own,
    spanId: own.slice(16),
    parentSpanId: caller?.spanId,
    sampled: caller?.sampled,
  };
}

/** The `traceId` of `traceOf`. */
export function traceIdOf(requestId: string, header: unknown): string {
  return readTraceParent(header)?.traceId ?? digitsOf(requestId);
}

/** A UUID without hyphens. Slicing is faster than replacing. */
function digitsOf(id: string): string {
  return id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);
}

/** The header for children of a span. */
export function traceParent(
  { traceId, spanId }: Pick<Trace, 'traceId' | 'spanId'>,
  sampled: boolean,
): string {
  return `00-${traceId}-${spanId}-0${sampled ? 1 : 0}`;
}

export interface TraceSettings {
  /** Without `/v1/traces`. Null: off. */
  readonly otlpEndpoint: string | null;
  readonly otlpHeaders: Readonly<Record<string, string>>;
  readonly otelServiceName: string;
  /** From 0 to 1; for traces that start here. */
  readonly traceRatio: number;
}

/** Milliseconds until a partial batch is sent, and the timeout of a request. */
const DELAY = 5_000;
const TIMEOUT = 10_000;
/** Timeout of the final flush at shutdown. */
const LAST_TIMEOUT = 2_000;
/** Bytes of an answer that are read. Its content is ignored. */
const LARGEST_ANSWER = 64 * 1_024;
/** Spans of one request, and buffered spans, beyond which spans are dropped. */
const BATCH = 512;
const MOST_WAITING = 2_048;
/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const retryable = new Set([429, 502, 503, 504]);

/** Sends spans to OpenTelemetry in batches, as OTLP over HTTP in JSON. */
export class Traces {
  readonly on: boolean;
  private readonly logger = new Logger(Traces.name);
  private readonly current = new AsyncLocalStorage<string>();
  private readonly resource: Readonly<Record<string, string>>;
  private readonly spans: BackgroundBuffer<TraceSpan>;

  constructor(
    private readonly settings: TraceSettings,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
  ) {
    this.on = settings.otlpEndpoint !== null;
    this.resource = {
      'service.name': settings.otelServiceName,
      'service.instance.id': randomUUID(),
    };
    this.spans = background.buffer({
      keyOf: ({ spanId }) => spanId,
      write: (spans) => this.send(spans),
      delay: DELAY,
      batchSize: BATCH,
      capacity: MOST_WAITING,
      onFailure: (error, isFirst) => {
        if (!isFirst) return;
        const { message, code } = error as NodeJS.ErrnoException;
        this.logger.warn(`Traces cannot be sent: ${message || (code ?? 'no connection')}`);
      },
    });
  }

  /** Spans that no collector accepted. */
  get dropped(): number {
    return this.spans.dropped;
  }

  /** The caller decides; otherwise the ratio. */
  keeps({ traceId, sampled }: Pick<Trace, 'traceId' | 'sampled'>): boolean {
    return this.on && (sampled ?? isSampled(traceId, this.settings.traceRatio));
  }

  record(span: TraceSpan): void {
    this.spans.add(span);
  }

  /** Runs `work`, sync and async, as part of the trace. */
  follow(trace: Trace, work: () => void): void {
    this.current.run(traceParent(trace, trace.sampled ?? this.keeps(trace)), work);
  }

  /** The `traceparent` of the running work, or null. */
  get cause(): string | null {
    return this.current.getStore() ?? null;
  }

  /**
   * Runs `work`, which calls another system, as a separate span.
   * @param cause a `traceparent`
   * @param work receives the `traceparent` for the other system
   */
  async around<T>(
    { name, cause, attributes }: Pick<TraceSpan, 'name' | 'attributes'> & { cause: string | null },
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
      const ids = { traceId, spanId, parentSpanId };
      const ended = this.clock.now().getTime();
      this.record({ ...ids, name, kind: 'client', began, ended, attributes, failure });
    }
  }

  /** Sends all buffered spans. Never rejects. */
  flush(): Promise<void> {
    return this.spans.flush();
  }

  private async send(spans: readonly TraceSpan[]): Promise<void> {
    const status = await this.post(otlpBody(spans, this.resource));
    if (status < 300) return;
    const refusal = `The collector answered ${status}.`;
    throw retryable.has(status) ? new Error(refusal) : new RejectedItems(refusal);
  }

  /** @returns the HTTP status */
  private async post(body: string): Promise<number> {
    const { otlpEndpoint, otlpHeaders } = this.settings;
    const timeout = this.background.stopping.aborted ? LAST_TIMEOUT : TIMEOUT;
    const { status } = await sendRequest(new URL(`${otlpEndpoint}/v1/traces`), {
      method: 'POST',
      headers: { ...otlpHeaders, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(timeout),
      mostRead: LARGEST_ANSWER,
    });
    return status;
  }
}

import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { operator } from '../../src/platform/audit/audit.service.js';
import { BackgroundWork } from '../../src/platform/kernel/background-work.js';
import { Clock } from '../../src/platform/kernel/clock.js';
import { Traces } from '../../src/platform/tracing/traces.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const LOOK = '/product-availability/postcode/EC2A2BS';
const ORDER = '/product-availability/order';
const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const caller = '00f067aa0ba902b7';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: object;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

interface Resource {
  readonly resource: { readonly attributes: readonly Attribute[] };
  readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
}

const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );

/** A collector of OpenTelemetry, as far as it is needed. */
class Collector {
  private constructor(private readonly receiver: WebhookReceiver) {}

  static async start(): Promise<Collector> {
    const receiver = await WebhookReceiver.start();
    receiver.answer = (response) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    return new Collector(receiver);
  }

  get config() {
    return {
      otlpEndpoint: `http://127.0.0.1:${this.receiver.port}`,
      otlpHeaders: { 'api-key': 'secret' },
      otelServiceName: 'shop',
    };
  }

  get requests() {
    return this.receiver.hooks;
  }

  answers(status: number): void {
    this.receiver.answer = (response) => response.writeHead(status).end();
  }

  get resources(): Resource[] {
    return this.requests.flatMap(
      ({ body }) => (JSON.parse(body) as { resourceSpans: Resource[] }).resourceSpans,
    );
  }

  get spans(): Span[] {
    return this.resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  }
}

onOneEngine('traces', (engine) => {
  let collector: Collector;
  let hooks: WebhookReceiver;
  let service: Service;
  beforeAll(async () => {
    collector = await Collector.start();
    hooks = await WebhookReceiver.start();
    service = await startService(engine, {
      config: {
        ...collector.config,
        webhookKey: randomBytes(32),
        webhookNetworks: ['127.0.0.0/8'],
      },
    });
    await service.given.catalogue();
    await service.get(WebhooksService).add(hooks.url, null, operator);
  });

  it('have a span of each request, the fast ones too, that follows from its caller', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    const headers = { traceparent: `00-${trace}-${caller}-01` };
    const replies = [
      await service.http.get(LOOK, { token, headers }),
      await service.http.get(LOOK, { token, headers }),
    ];
    const broken = await service.http.get('/nowhere?secret=1');
    await service.get(Traces).flush();
    const id = ({ headers: its }: { headers: NodeJS.Dict<string | string[]> }) =>
      String(its['x-request-id']);
    const spans = replies.map((reply) =>
      collector.spans.find(({ spanId }) => id(reply).replaceAll('-', '').endsWith(spanId)),
    );
    expect(spans.map((span) => ({ ...span, attributes: valuesOf(span!.attributes) }))).toEqual(
      replies.map((reply) => ({
        traceId: trace,
        spanId: id(reply).replaceAll('-', '').slice(16),
        parentSpanId: caller,
        name: 'GET /product-availability/postcode/:postcode',
        kind: 2,
        startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
        endTimeUnixNano: expect.stringMatching(/^\d{19}$/),
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/product-availability/postcode/:postcode',
          'http.response.status_code': 200,
          'availability.request_id': id(reply),
          'availability.client_id': client.id,
          'availability.catalogue_version': 1,
        },
        status: {},
      })),
    );
    const lost = collector.spans.find(({ name }) => name === 'GET')!;
    expect([lost.traceId, valuesOf(lost.attributes)]).toEqual([
      id(broken).replaceAll('-', ''),
      expect.objectContaining({ 'availability.problem': 'not-found' }),
    ]);
    const { headers: sent, path } = collector.requests[0]!;
    expect([path, sent['content-type'], sent['api-key']]).toEqual([
      '/v1/traces',
      'application/json',
      'secret',
    ]);
    expect(valuesOf(collector.resources[0]!.resource.attributes)).toMatchObject({
      'service.name': 'shop',
    });
    expect(JSON.stringify(collector.requests.map(({ body }) => body))).not.toContain('secret=1');
  });

  it('go on from an order to the webhook that tells of it', async () => {
    const token = await service.given.token();
    const headers = { traceparent: `00-${trace}-${caller}-01` };
    const reply = await service.http.post(ORDER, wish, { token, headers });
    expect(reply.status).toBe(201);
    await service.get(DeliveryService).deliverDue();
    await service.get(Traces).flush();
    const told = hooks.hooks.at(-1)!.headers.traceparent;
    const [, traceId, spanId, flags] = String(told).split('-');
    const span = collector.spans.find((it) => it.spanId === spanId)!;
    const request = String(reply.headers['x-request-id']).replaceAll('-', '');
    expect([traceId, flags, span]).toEqual([
      trace,
      '01',
      expect.objectContaining({
        traceId: trace,
        parentSpanId: request.slice(16),
        name: 'send webhook',
        kind: 3,
      }),
    ]);
    expect(valuesOf(span.attributes)).toMatchObject({
      'messaging.system': 'webhook',
      'availability.message.kind': 'order.received',
      'availability.message.attempt': 1,
    });
  });

  it('are not kept where the caller does not keep them, but passed on all the same', async () => {
    const token = await service.given.token();
    const other = trace.replace('4', '5');
    const headers = { traceparent: `00-${other}-${caller}-00` };
    const reply = await service.http.post(ORDER, wish, { token, headers });
    await service.get(DeliveryService).deliverDue();
    await service.get(Traces).flush();
    expect(collector.spans.filter(({ traceId }) => traceId === other)).toEqual([]);
    const request = String(reply.headers['x-request-id']).replaceAll('-', '');
    expect(hooks.hooks.at(-1)!.headers.traceparent).toBe(`00-${other}-${request.slice(16)}-00`);
  });
});

describe('traces', () => {
  const span = {
    name: 'x',
    kind: 'server',
    traceId: trace,
    spanId: caller,
    parentSpanId: undefined,
    began: 0,
    ended: 1,
    attributes: {},
  } as const;

  it('wait for a collector that is away, are bounded, and are dropped where it wants none', async () => {
    const collector = await Collector.start();
    const background = new BackgroundWork(() => {});
    const traces = new Traces({ ...collector.config, traceRatio: 1 }, new Clock(), background);
    collector.answers(503);
    for (let i = 0; i < 2_100; i += 1) traces.record({ ...span, spanId: `${i}` });
    await traces.flush();
    expect([traces.dropped, collector.requests.length]).toEqual([52, 1]);
    collector.answers(200);
    await traces.flush();
    expect(collector.spans.length).toBe(512 + 2_048);
    collector.answers(400);
    traces.record(span);
    await traces.flush();
    await traces.flush();
    expect([traces.dropped, collector.requests.length]).toEqual([53, 6]);
    await background.stop();
  });

  it('are sent when the service stops', async () => {
    const collector = await Collector.start();
    const service = await startService('sqlite', { config: collector.config });
    await service.http.get('/health/live');
    await service.close();
    expect(collector.spans.map(({ name }) => name)).toEqual(['GET /health/live']);
  });

  it('are neither kept nor sent without a collector', async () => {
    const service = await startService('sqlite');
    await service.http.get('/health/live', {
      headers: { traceparent: `00-${trace}-${caller}-01` },
    });
    const traces = service.get(Traces);
    expect([traces.on, traces.keeps({ traceId: trace, sampled: true })]).toEqual([false, false]);
  });
});

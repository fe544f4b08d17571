import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import http from 'node:http';
import { operator } from '../../../src/platform/audit/audit.service.js';
import { RequestLogService } from '../../../src/ops/request-log.service.js';
import { OrderDetailService } from '../../../src/orders/staff/order-detail.service.js';
import { Counters } from '../../../src/platform/kernel/counters.js';
import { ViewersService } from '../../../src/queue/live/viewers.service.js';
import { StaffService } from '../../../src/staff/staff.service.js';
import { until } from '../../support/catalogue.js';
import { newDatabase } from '../../support/databases.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type Service, startService } from '../../support/service.js';
import { StaffBrowser } from '../../support/staff-browser.js';
import { textOf, waitingOrder } from './orders.given.js';

/** A stream of server-sent events with the session of a browser. */
class Stream {
  private text = '';
  ended = false;
  status = 0;
  private readonly request: http.ClientRequest;

  constructor(service: Service, browser: StaffBrowser, query = '') {
    const headers = { Cookie: `staff=${browser.cookie}`, Accept: 'text/event-stream' };
    const path = `/staff/changes${query}`;
    this.request = http.get({ port: service.http.port, path, headers }, (response) => {
      this.status = response.statusCode ?? 0;
      response.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
      response.on('end', () => (this.ended = true));
      response.on('error', () => (this.ended = true));
    });
    this.request.on('error', () => (this.ended = true));
  }

  /** The data of the events of this name so far. */
  of(name: string): unknown[] {
    const events = [...this.text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)];
    return events
      .filter(([, event]) => event === name)
      .map(([, , data]) => JSON.parse(data!) as unknown);
  }

  close(): void {
    this.request.destroy();
  }
}

const streams: Stream[] = [];
function open(service: Service, browser: StaffBrowser, query = ''): Stream {
  const stream = new Stream(service, browser, query);
  streams.push(stream);
  return stream;
}
afterEach(() => streams.splice(0).forEach((stream) => stream.close()));

describe('the stream of changes', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService('sqlite');
    await service.given.catalogue();
  });

  it('reports every change, and those of the order on the page', async () => {
    const kim = await StaffBrowser.signedIn(service, { name: 'Kim' });
    const { reference } = await waitingOrder(service);
    const stream = open(service, kim, `?order=${reference}`);
    await until(() => stream.of('order').length > 0);
    // The event of its placing may follow with the same version.
    expect([stream.status, stream.of('order')[0]]).toEqual([
      200,
      expect.objectContaining({ version: 0 }),
    ]);
    await kim.post(`/staff/orders/${reference}/claim`, { version: '0' });
    await until(() =>
      stream.of('order').some((told) => (told as { version: number }).version === 1),
    );
    const numbers = stream.of('changed').map((told) => (told as { number: number }).number);
    expect(numbers.at(-1)).toBeGreaterThan(numbers[0]!);
  });

  it('names the other viewers while they are there', async () => {
    const kim = await StaffBrowser.signedIn(service, { name: 'Kim' });
    const sam = await StaffBrowser.signedIn(service, { name: 'Sam' });
    const { reference } = await waitingOrder(service);
    const mine = open(service, kim, `?order=${reference}`);
    await until(() => mine.of('viewers').length > 0);
    expect(mine.of('viewers').at(-1)).toEqual([]);
    const theirs = open(service, sam, `?order=${reference}`);
    await until(() => JSON.stringify(mine.of('viewers').at(-1)) === '["Sam"]');
    await until(() => JSON.stringify(theirs.of('viewers').at(-1)) === '["Kim"]');
    theirs.close();
    await until(() => JSON.stringify(mine.of('viewers').at(-1)) === '[]');
  });

  it('leaves no viewer, no open stream and one line of the log for each browser that left', async () => {
    const kim = await StaffBrowser.signedIn(service, { name: 'Kim' });
    const { orderId, reference } = await waitingOrder(service);
    const times = () =>
      service
        .get(RequestLogService)
        .times.all()
        .filter(({ kind }) => kind.route === '/staff/changes' && kind.status === 200)
        .reduce((sum, { series }) => sum + series.read().count, 0);
    const before = times();
    const stayed = open(service, kim, `?order=${reference}`);
    await until(() => stayed.of('viewers').length > 0);
    stayed.close();
    await until(() => times() === before + 1);
    // The next browser leaves while the service looks the order up.
    const left = Promise.withResolvers<void>();
    const details = service.get(OrderDetailService);
    const idOf = details.idOf.bind(details);
    const looking = jest.spyOn(details, 'idOf').mockImplementationOnce(async (asked) => {
      const id = await idOf(asked);
      early.close();
      await left.promise;
      return id;
    });
    service.app
      .getHttpServer()
      .once('request', (_request, response) => response.once('close', left.resolve));
    const early = open(service, kim, `?order=${reference}`);
    await left.promise;
    looking.mockRestore();
    await until(() => times() === before + 2);
    expect(service.get(ViewersService).of(orderId, '')).toEqual([]);
    await until(() => service.get(Counters).openStreams === 0);
  });

  it('ends with the session', async () => {
    const kim = await StaffBrowser.signedIn(service, { name: 'Kim' });
    const sam = await StaffBrowser.signedIn(service, { name: 'Sam' });
    const [ending, staying] = [open(service, kim), open(service, sam)];
    await until(() => ending.of('changed').length > 0 && staying.of('changed').length > 0);
    await kim.post('/staff/sign-out');
    await until(() => ending.ended);
    expect(staying.ended).toBe(false);
    await service.get(StaffService).setEnabled(sam.member.id, false, operator);
    await until(() => staying.ended);
  });

  it('requires a sign-in and an existing order', async () => {
    const visitor = new StaffBrowser(service);
    expect(
      (
        await visitor.get('/staff/changes', {
          Accept: 'text/event-stream',
          'Sec-Fetch-Mode': 'cors',
        })
      ).status,
    ).toBe(401);
    const kim = await StaffBrowser.signedIn(service, { name: 'Kim' });
    expect((await kim.get('/staff/changes?order=ORD-000000')).status).toBe(404);
  });
});

it('shares the viewers of an order among instances, until an instance stops', async () => {
  const database = await newDatabase('postgres');
  const clock = new FakeClock();
  const first = await startService('postgres', { database, clock });
  const second = await startService('postgres', { database, clock });
  await first.given.catalogue();
  const kim = await StaffBrowser.signedIn(first, { name: 'Kim' });
  const member = await first.given.staff({ name: 'Sam' });
  const sam = await StaffBrowser.signedIn(second, {}, member);
  const { reference } = await waitingOrder(first);
  const stream = open(second, sam, `?order=${reference}`);
  await until(() => stream.of('viewers').length > 0);
  const here = open(first, kim, `?order=${reference}`);
  await until(() => JSON.stringify(stream.of('viewers').at(-1)) === '["Kim"]');
  expect(textOf((await sam.get(`/staff/orders/${reference}`)).text)).toContain('Kim is viewing');
  await until(() => JSON.stringify(here.of('viewers').at(-1)) === '["Sam"]');
  await first.close();
  clock.advance({ seconds: 31 });
  expect(textOf((await sam.get(`/staff/orders/${reference}`)).text)).not.toContain('is viewing');
});

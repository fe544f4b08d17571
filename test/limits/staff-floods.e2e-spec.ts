import { afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { WorkTime } from '../../src/platform/limits/rate-limits.service.js';
import { FollowUpService } from '../../src/queue/lists/follow-up.service.js';
import { RequestLogService } from '../../src/ops/request-log.service.js';
import { flood, type FloodRequest, numberOf } from '../support/floods.js';
import { afterAMinute, stopWindows } from '../support/rate-limits.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const LIST = '/follow-up/orders?view=all&limit=100';
const CHECK = '/product-availability/postcode/EC2A2BS';

onOneEngine('60 requests of one staff member at once', (engine) => {
  let service: Service;
  let browser: StaffBrowser;
  let token: string;
  let check: FloodRequest;

  beforeAll(async () => {
    service = await startService(engine);
    await service.given.catalogue();
    browser = await StaffBrowser.signedIn(service, { role: 'admin' });
    token = await service.given.token({ staff: browser.member });
    check = { path: CHECK, headers: bearer(await service.given.token()) };
    // From now on, the service knows both tokens.
    expect((await flood(service, [check]))[0]!.status).toBe(200);
    expect((await flood(service, [{ path: LIST, headers: bearer(token) }]))[0]!.status).toBe(200);
  });
  afterEach(() => void jest.restoreAllMocks());

  it.each([LIST, '/follow-up/orders?q=a', '/catalogue/explain/EC2A2BS', '/follow-up/orders.csv'])(
    'are refused beyond the limit: %s',
    async (path) => {
      const requests = Array<FloodRequest>(60).fill({ path, headers: bearer(token) });
      const replies = await flood(service, requests);
      expect(numberOf(replies, 200)).toBeGreaterThan(0);
      expect(numberOf(replies, 429)).toBeGreaterThanOrEqual(20);
      expect(numberOf(replies, 200) + numberOf(replies, 429)).toBe(60);
      expect(replies.find(({ status }) => status === 429)?.retryAfter).toBe('1');
    },
  );

  it.each(['/staff/queue?view=all', '/staff/search?q=a'])(
    'are refused beyond the limit of pages: %s',
    async (path) => {
      const headers = { Cookie: `staff=${browser.cookie}`, 'Sec-Fetch-Mode': 'navigate' };
      const replies = await flood(service, Array<FloodRequest>(60).fill({ path, headers }));
      expect(numberOf(replies, 200)).toBeGreaterThan(0);
      expect(numberOf(replies, 429)).toBeGreaterThanOrEqual(20);
    },
  );

  it('let a check pass that arrives after them', async () => {
    const ended: string[] = [];
    const journal = service.get(RequestLogService);
    const whole = journal.ended.bind(journal);
    jest.spyOn(journal, 'ended').mockImplementation((answer) => {
      ended.push(`${answer.statusCode} ${answer.req.url}`);
      whole(answer);
    });
    const list = { path: LIST, headers: bearer(token) };
    await flood(service, [...Array<FloodRequest>(60).fill(list), check]);
    const before = ended.slice(0, ended.indexOf(`200 ${CHECK}`));
    expect(before.filter((one) => one === `200 ${LIST}`)).toEqual([]);
  });
});

onOneEngine('the work of a staff member', (engine) => {
  let service: Service;

  beforeAll(async () => {
    service = await startService(engine, { config: { staffWorkSeconds: 15 } });
    await service.given.catalogue();
  });
  afterEach(() => void jest.restoreAllMocks());

  /** From now on, each list keeps the event loop busy for this long. */
  const listsTake = (seconds: number) => {
    let busy = 0;
    jest.spyOn(WorkTime, 'now').mockImplementation(() => busy);
    const followUp = service.get(FollowUpService);
    const whole = followUp.list.bind(followUp);
    jest.spyOn(followUp, 'list').mockImplementation(async (...about) => {
      busy += seconds * 1_000;
      return whole(...about);
    });
  };

  it('is limited in a minute, by token and in a browser together', async () => {
    stopWindows();
    listsTake(5);
    const browser = await StaffBrowser.signedIn(service);
    const token = await service.given.token({ staff: browser.member });
    const other = await service.given.staffToken();
    const list = async (caller: string) => {
      const { status, headers } = await service.http.get(LIST, { token: caller });
      return [status, headers['ratelimit-policy'], headers['retry-after']];
    };
    for (let i = 0; i < 3; i += 1) expect((await list(token))[0]).toBe(200);
    expect(await list(token)).toEqual([429, '"work";q=15;qu="seconds";w=60', afterAMinute]);
    expect((await browser.get('/staff/queue')).status).toBe(429);
    expect((await list(other))[0]).toBe(200);
  });

  it('that runs at the same time counts once', async () => {
    stopWindows();
    listsTake(5);
    const token = await service.given.staffToken();
    const replies = await flood(
      service,
      Array<FloodRequest>(3).fill({ path: LIST, headers: bearer(token) }),
    );
    expect(numberOf(replies, 200)).toBe(3);
    expect((await service.http.get(LIST, { token })).status).toBe(429);
  });
});

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

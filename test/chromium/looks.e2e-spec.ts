import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inChromium, Seat } from '../support/browser.js';
import { until } from '../support/catalogue.js';
import { type Service, startService } from '../support/service.js';
import { noPages, stops } from './tour.js';
import { World } from './world.js';

/** Of each route and status. */
const firstStops = new Set(
  Map.groupBy(stops, ({ route, status }) => `${route} ${status ?? 200}`)
    .values()
    .map(([first]) => first!),
);

inChromium('each page', () => {
  let world: World;
  let inside: Seat;
  let outside: Seat;
  beforeAll(async () => {
    world = await World.begin();
    inside = await Seat.open(world.service, { member: world.admin });
    outside = await Seat.open(world.service);
  });
  afterAll(async () => {
    await inside.close();
    await outside.close();
  });

  it('is in the tour', () => {
    const seen = new Set(stops.map(({ route }) => route));
    const missing = world.routes.filter((route) => !seen.has(route) && !noPages.has(route));
    expect(missing).toEqual([]);
  });

  it.each(stops)('has no faults in any look: $name', async (stop) => {
    const seat = stop.outside ? outside : inside;
    if (stop.stage) await seat.signIn(world.admin, stop.stage);
    const status = await seat.goTo(await stop.path(world));
    expect(status).toBe(stop.status ?? 200);
    const found = await seat.findingsInLooks(firstStops.has(stop) ? 'in all' : 'in two');
    expect(found).toEqual({});
    if (stop.stage) await seat.context.clearCookies();
    if (stop.status) seat.forgive(new RegExp(`status of ${stop.status} `));
    expect(seat.complaints.splice(0)).toEqual([]);
  });
});

inChromium('the check of a page', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService('sqlite');
  });

  const insert = (html: string) => `document.body.insertAdjacentHTML('beforeend', '${html}')`;

  it.each([
    ['a message', /^console/, `console.warn('hm')`],
    ['an error', /^error: .*hm/, `setTimeout(() => { throw new Error('hm') })`],
    ['a style inline', /^policy: style-src/, insert('<p style="color: red">hm</p>')],
    [
      'a picture from elsewhere',
      /^policy: img-src http:\/\/elsewhere.example/,
      insert('<img src="http://elsewhere.example/">'),
    ],
  ])('reports %s', async (_name, complaint, misdeed) => {
    const seat = await Seat.open(service);
    await seat.goTo('/staff/sign-in');
    await seat.page.evaluate(misdeed);
    const hasComplaint = () => seat.complaints.some((line) => complaint.test(line));
    await until(hasComplaint, 10, `a complaint like ${complaint} is there`);
    await seat.context.close();
  });
});

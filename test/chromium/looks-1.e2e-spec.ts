import { beforeAll, expect, it } from '@jest/globals';
import { inChromium, Seat } from '../support/browser.js';
import { until } from '../support/catalogue.js';
import { type Service, startService } from '../support/service.js';
import { lookAtEverySecond } from './looks.js';
import { noPages, stops } from './tour.js';
import { pageRoutes } from './world.js';

lookAtEverySecond(0);

inChromium('the tour', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService('sqlite');
  });

  const insert = (html: string) => `document.body.insertAdjacentHTML('beforeend', '${html}')`;

  it('is made of all of them', () => {
    const seen = new Set(stops.map(({ route }) => route));
    const missing = pageRoutes(service).filter((route) => !seen.has(route) && !noPages.has(route));
    expect(missing).toEqual([]);
  });

  it.each([
    ['a message', /^console/, `console.warn('hm')`],
    ['an error', /^error: .*hm/, `setTimeout(() => { throw new Error('hm') })`],
    ['a style inline', /^policy: style-src/, insert('<p style="color: red">hm</p>')],
    [
      'a picture from elsewhere',
      /^policy: img-src http:\/\/elsewhere.example/,
      insert('<img src="http://elsewhere.example/">'),
    ],
  ])('would report %s', async (_name, complaint, misdeed) => {
    const seat = await Seat.open(service);
    await seat.goTo('/staff/sign-in');
    await seat.page.evaluate(misdeed);
    const hasComplaint = () => seat.complaints.some((line) => complaint.test(line));
    await until(hasComplaint, 10, `a complaint like ${complaint} is there`);
    await seat.context.close();
  });
});

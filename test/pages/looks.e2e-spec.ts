import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inChromium, looks, Seat } from '../support/browser.js';
import { type Service, startService } from '../support/service.js';

inChromium('each page', () => {
  let service: Service;
  let seat: Seat;
  beforeAll(async () => {
    service = await startService('sqlite');
    const member = await service.given.staff({ role: 'admin' });
    seat = await Seat.open(service, { member });
  });
  afterAll(() => seat.close());

  it.each(looks)('has no faults in %s', async (look) => {
    await seat.goTo('/staff/nothing-here');
    await seat.look(look);
    expect(await seat.findings()).toEqual([]);
    seat.forgive(/status of 404/);
  });
});

inChromium('the watch over a page', () => {
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
  ])('sees %s', async (_name, complaint, misdeed) => {
    const seat = await Seat.open(service);
    await seat.goTo('/staff/nothing-here');
    seat.complaints.length = 0;
    await seat.page.evaluate(misdeed);
    await seat.page.evaluate(() => new Promise((done) => setTimeout(done, 20)));
    expect(seat.complaints).toContainEqual(expect.stringMatching(complaint));
    await seat.context.close();
  });
});

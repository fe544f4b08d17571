import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RevisionsService } from '../../../src/database/revisions.service.js';
import {
  facts,
  HOSTILE,
  hostileElements,
  rows,
  signedIn,
  told,
  way,
} from '../../support/admin-pages.js';
import { priced, priceOf, until } from '../../support/catalogue.js';
import { formOf, formType } from '../../support/catalogue-form.js';
import { FakeClock } from '../../support/fake-clock.js';
import { catalogueFiles, type CatalogueRows } from '../../support/given.js';
import type { Reply } from '../../support/http.js';
import { type Service, startService } from '../../support/service.js';
import type { StaffBrowser } from '../../support/staff-browser.js';

let service: Service;
let admin: StaffBrowser;
let token: string;

beforeEach(async () => {
  // In summer, when London is an hour ahead of UTC.
  const clock = new FakeClock(new Date('2026-07-01T08:00:00Z'));
  service = await startService('sqlite', { clock, config: { rateLimits: false } });
  ({ admin } = await signedIn(service));
  token = await service.given.token();
});
afterEach(() => service.close());

const upload = (files: CatalogueRows, fields: Record<string, string>): Promise<Reply<string>> =>
  admin.send({
    method: 'POST',
    path: '/staff/catalogue/versions',
    headers: { ...formType, 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' },
    body: formOf(catalogueFiles(files), fields),
  });
const store = (files: CatalogueRows, label: string) => upload(files, { label, dryRun: 'false' });
/** Version 1 is live and sells at 550.00; version 2 is a draft with this price. */
const storeSecond = async (price: string) => {
  await service.given.catalogue();
  expect((await store(priced(price), 'Second')).status).toBe(303);
};
const move = (number: number, verb: string, fields = {}) =>
  admin.post(`/staff/catalogue/versions/${number}/${verb}`, fields);
const show = (number: number) => admin.get(`/staff/catalogue/versions/${number}`);
/** The history, without the times. */
const done = ({ text }: Reply<string>) =>
  [...text.matchAll(/<\/time>: ([^<]*)<\/li>/g)].map(([, deed]) => deed);
const price = () => priceOf(service, token);

describe('catalogue versions', () => {
  it('do not exist at first', async () => {
    const page = await admin.get('/staff/catalogue');
    expect(page.text).toContain('There is no catalogue yet.');
  });

  it('are not stored by a check of the files', async () => {
    const page = await upload({}, { label: 'Summer rate card', dryRun: 'true' });
    expect(told(page)).toEqual([200, 'No errors found. Nothing is stored yet.']);
    expect(page.text).toContain('value="Summer rate card"');
    expect((await admin.get('/staff/catalogue')).text).toContain('There is no catalogue yet.');
  });

  it('show the faults of files, and keep the name', async () => {
    const wrong = {
      prices: ['INT-1G-12,ONNET,standard,<b>x</b>,GBP,10'],
      coverage: ['EC2A,ONNET'],
    };
    const page = await upload(wrong, { label: `Wrong ${HOSTILE}`, dryRun: 'false' });
    const [status, title] = told(page);
    expect([status, title]).toEqual([422, expect.stringContaining('Nothing was imported')]);
    expect(rows(page)).toContainEqual([
      'prices.csv',
      '2',
      'price',
      '<b>x</b>',
      expect.stringContaining('A price is a decimal number'),
      expect.stringContaining('549.99'),
    ]);
    expect([page.text.includes('<b>x'), hostileElements(page)]).toEqual([false, []]);
    expect(page.text).toContain('value="Wrong &lt;/title>');
  });

  it('are refused in words if the form is wrong', async () => {
    const unknown = await upload({}, { label: 'x', colour: 'red' });
    expect(told(unknown)).toEqual([422, expect.stringContaining('This property is not known')]);
    const long = await upload({}, { label: 'x'.repeat(121), dryRun: 'true' });
    expect(told(long)).toEqual([422, expect.stringContaining('at most 120 characters')]);
    const none = await admin.post('/staff/catalogue/versions', { label: 'no files' });
    expect([none.status, none.text]).toEqual([422, expect.stringContaining('multipart/form-data')]);
  });

  it('are saved as drafts, and published', async () => {
    const stored = await store({}, `Summer ${HOSTILE}`);
    expect(way(stored)).toEqual([303, '/staff/catalogue/versions/1?said=version-draft']);
    const draft = await admin.get(String(stored.headers.location));
    expect(told(draft)).toEqual([200, 'Stored as a draft. Nothing has changed for clients yet.']);
    expect([facts(draft).State, hostileElements(draft)]).toEqual(['Draft', []]);
    expect(way(await move(1, 'activate', { at: '' }))).toEqual([
      303,
      '/staff/catalogue/versions/1?said=version-activated',
    ]);
    expect(await price()).toBe(550);
    const page = await show(1);
    expect([facts(page).State, done(page)]).toEqual([
      'Live',
      ['imported by Ada Admin', 'activated by Ada Admin'],
    ]);
    const list = await admin.get('/staff/catalogue');
    expect([list.text.includes('version 1 is live'), hostileElements(list)]).toEqual([true, []]);
  });

  it('with the same content are not stored twice', async () => {
    await service.given.catalogue();
    expect(told(await store({}, 'again'))).toEqual([
      200,
      'Version 1 has the same content. Nothing was stored.',
    ]);
  });

  it('need a reason after a safety check', async () => {
    await storeSecond('999.00');
    expect((await show(2)).text).toContain('Safety check: confirm this large change');
    const refused = await move(2, 'activate', { at: '', accept: ' ' });
    expect([refused.status, await price()]).toEqual([409, 550]);
    expect(refused.text).toMatch(/price-moved/);
    const accepted = await move(2, 'activate', { at: '', accept: `Agreed ${HOSTILE}` });
    expect([way(accepted), await price()]).toEqual([
      [303, '/staff/catalogue/versions/2?said=version-activated'],
      999,
    ]);
    const page = await show(2);
    expect([done(page).at(-1), hostileElements(page)]).toEqual([
      expect.stringMatching(/^activated by Ada Admin, because: Agreed &lt;/),
      [],
    ]);
  });

  it('are scheduled in London time, and withdrawn', async () => {
    await storeSecond('560.00');
    expect(way(await move(2, 'activate', { at: '2026-09-01T00:00' }))).toEqual([
      303,
      '/staff/catalogue/versions/2?said=version-scheduled',
    ]);
    const scheduled = await show(2);
    expect(facts(scheduled).State).toBe('Scheduled: Tue 1 Sept, 00:00');
    expect(scheduled.text).toContain('datetime="2026-08-31T23:00:00.000Z"');
    expect(await price()).toBe(550);
    expect(way(await move(2, 'withdraw'))).toEqual([
      303,
      '/staff/catalogue/versions/2?said=version-withdrawn',
    ]);
    const page = await show(2);
    expect([facts(page).State, done(page)]).toEqual([
      'Draft',
      ['imported by Ada Admin', 'scheduled by Ada Admin', 'withdrawn by Ada Admin'],
    ]);
    expect((await move(2, 'withdraw')).status).toBe(409);
  });

  it.each([
    ['tomorrow', 422, 'Write a day and a time, such as 21/11/2026, 09:30.'],
    ['2026-03-29T01:30', 422, 'Write a day and a time'], // The clocks skip it.
    ['2026-06-30T23:00', 409, 'must be at least 5 seconds ahead'],
  ])('are not scheduled for %s', async (at, status, words) => {
    await storeSecond('560.00');
    const page = await move(2, 'activate', { at });
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(words)]);
    expect(page.text).toContain(`value="${at}"`);
    expect(facts(await show(2)).State).toBe('Draft');
  });

  it('go live at the scheduled time', async () => {
    await storeSecond('560.00');
    await move(2, 'activate', { at: '2026-07-01T10:00' });
    service.clock.advance({ minutes: 59 });
    await service.get(RevisionsService).look();
    expect(await price()).toBe(550);
    service.clock.advance({ minutes: 1 });
    await service.get(RevisionsService).look();
    expect(await price()).toBe(560);
    ({ admin } = await signedIn(service)); // The earlier session has expired.
    await until(async () => facts(await show(2)).State === 'Live');
    expect(done(await show(2)).at(-1)).toMatch(/^activated by /);
  });

  it('are restored under a new number', async () => {
    await storeSecond('560.00');
    await move(2, 'activate', { at: '' });
    const reply = await move(1, 'rollback');
    expect(way(reply)).toEqual([303, '/staff/catalogue/versions/3?said=version-rolled-back']);
    const page = await admin.get(String(reply.headers.location));
    expect([facts(page)['Restored from'], await price()]).toEqual(['Version 1', 550]);
    expect(done(page).at(-1)).toContain('rolled-back by Ada Admin');
  });

  it('that are live can be neither published nor restored', async () => {
    await service.given.catalogue();
    expect((await move(1, 'activate', { at: '' })).status).toBe(409);
    expect((await move(1, 'rollback')).status).toBe(409);
    expect((await move(99, 'activate', { at: '' })).status).toBe(404);
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  cells,
  facts,
  HOSTILE,
  hostileElements,
  rows,
  signedIn,
  told,
  way,
} from '../../support/admin-pages.js';
import { priced, priceOf } from '../../support/catalogue.js';
import { formOf, formType } from '../../support/catalogue-form.js';
import { FakeClock } from '../../support/fake-clock.js';
import { catalogueFiles, type CatalogueRows, smallCatalogue } from '../../support/given.js';
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
const store = (files: CatalogueRows, label: string) => upload(files, { label });
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
  [...text.matchAll(/<\/time>: ([^<]*)<\/li>/g)].map(([, action]) => action);
const price = () => priceOf(service, token);

/** The words of the buttons in the page's own forms. */
const buttons = ({ text }: Reply<string>) =>
  [...text.slice(text.indexOf('<main')).matchAll(/<button[^>]*>([^<]*)</g)].map(([, word]) => word);

describe('catalogue versions', () => {
  it('do not exist at first', async () => {
    const page = await admin.get('/staff/catalogue');
    expect(page.text).toContain('There is no catalogue yet.');
  });

  it('show the faults of files, and keep the name', async () => {
    const wrong = {
      prices: ['INT-1G-12,ONNET,standard,<b>x</b>,GBP,10'],
      coverage: ['EC2A,ONNET'],
    };
    const page = await upload(wrong, { label: `Wrong ${HOSTILE}` });
    const [status, title] = told(page);
    expect([status, title]).toEqual([422, expect.stringContaining('Nothing was imported')]);
    expect(rows(page)).toContainEqual([
      'prices.csv, line 2, price',
      '<b>x</b>',
      expect.stringMatching(/A price is a decimal number.*549\.99/),
    ]);
    expect([page.text.includes('<b>x'), hostileElements(page)]).toEqual([false, []]);
    expect(page.text).toContain('value="Wrong &lt;/title>');
  });

  it('are refused in words if the form is wrong', async () => {
    const unknown = await upload({}, { label: 'x', colour: 'red' });
    expect(told(unknown)).toEqual([422, expect.stringContaining('This property is not known')]);
    const long = await upload({}, { label: 'x'.repeat(121) });
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
    expect(way(await move(1, 'activate'))).toEqual([
      303,
      '/staff/catalogue/versions/1?said=version-activated',
    ]);
    expect(await price()).toBe(550);
    const page = await show(1);
    expect([facts(page).State, done(page)]).toEqual([
      'Live',
      ['created by Ada Admin', 'published by Ada Admin'],
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
    expect((await show(2)).text).toContain('Safety check: this change needs a reason');
    const refused = await move(2, 'activate', { accept: ' ' });
    expect([refused.status, await price()]).toEqual([422, 550]);
    const silent = await move(2, 'activate');
    expect([silent.status, silent.text]).toEqual([409, expect.stringContaining('price-moved')]);
    expect(refused.text).toContain('Write the reason for this change.');
    const accepted = await move(2, 'activate', { accept: `Agreed ${HOSTILE}` });
    expect([way(accepted), await price()]).toEqual([
      [303, '/staff/catalogue/versions/2?said=version-activated'],
      999,
    ]);
    const trail = await admin.get('/staff/audit?subject=catalogue&action=activated');
    expect(trail.text).toContain('Safety check: Large price change<');
    const page = await show(2);
    expect([done(page).at(-1), hostileElements(page)]).toEqual([
      expect.stringMatching(/^published by Ada Admin, because: Agreed &lt;/),
      [],
    ]);
  });

  it('are restored under a new number', async () => {
    await storeSecond('560.00');
    await move(2, 'activate');
    const reply = await move(1, 'restore');
    expect(way(reply)).toEqual([303, '/staff/catalogue/versions/3?said=version-restored']);
    const page = await admin.get(String(reply.headers.location));
    expect([facts(page)['Restored from'], await price()]).toEqual(['Version 1', 550]);
    expect(done(page).at(-1)).toContain('restored by Ada Admin');
    const published = async (number: number) => {
      const path = `/staff/catalogue/versions/${number}/published-changes`;
      expect((await show(number)).text).toContain(`href="${path}"`);
      const changed = await admin.get(path);
      return [changed.text.replaceAll(/<[^>]*>/g, ' '), cells(changed).map((row) => row.slice(-3))];
    };
    expect(await published(1)).toEqual([expect.stringContaining('This was the first version'), []]);
    expect(await published(2)).toEqual([
      expect.stringContaining('Compared with version 1, which was live before.'),
      [['£550.00', '£560.00', '+1.8 %']],
    ]);
    expect(await published(3)).toEqual([
      expect.stringContaining('Compared with version 2, which was live before.'),
      [['£560.00', '£550.00', '−1.8 %']],
    ]);
    await storeSecond('570.00');
    expect((await admin.get('/staff/catalogue/versions/4/published-changes')).status).toBe(404);
    expect((await show(4)).text).not.toContain('published-changes');
  });

  it('that are live stay so when they are published again, and cannot be restored', async () => {
    await service.given.catalogue();
    expect((await move(1, 'activate')).status).toBe(303);
    expect((await move(1, 'restore')).status).toBe(409);
    expect((await move(99, 'activate')).status).toBe(404);
  });

  it('are published by a button that says what it does', async () => {
    await storeSecond('560.00');
    expect(buttons(await show(2))).toEqual(['Publish 1 price change now', 'Discard']);
  });

  it('are not published if another went live after the person looked', async () => {
    await storeSecond('560.00');
    expect((await show(2)).text).toContain('name="live" value="1"');
    const late = await move(2, 'activate', { live: '7' });
    expect([late.status, late.text]).toEqual([
      409,
      expect.stringContaining('Version 1 went live while you looked.'),
    ]);
    expect(await price()).toBe(550);
  });

  it('show what they change, with all rows, a CSV file, and what they mean for open orders', async () => {
    await storeSecond('561.00');
    await service.given.order({ token });
    const page = await show(2);
    expect(rows(page)).toContainEqual([
      'Monthly prices',
      '1',
      '+2.0 %',
      '+2.0 %',
      '+2.0 %',
      '0',
      '0',
    ]);
    expect(page.text).toContain(
      '1 of 1 open order would cost £11.00 a month more at the new prices.',
    );
    const changes = await admin.get('/staff/catalogue/versions/2/changes?list=prices');
    expect(cells(changes)).toEqual([
      ['INT-1G-12', 'ONNET', 'standard', 'changed', '£550.00', '£561.00', '+2.0 %'],
    ]);
    const orders = await admin.get('/staff/catalogue/versions/2/changes?list=orders');
    expect(cells(orders).map(([, ...row]) => row)).toEqual([
      ['INT-1G-12', 'EC2A 2BS', '£550.00, 84 days', '£561.00, 84 days'],
    ]);
    const csv = await admin.get('/staff/catalogue/versions/2/changes.csv');
    expect([csv.headers['content-disposition'], csv.text]).toEqual([
      'attachment; filename="catalogue-1-to-2.csv"',
      'what,change,subject,zone,price_list,before,after,dates\nprice,changed,INT-1G-12,ONNET,standard,550.00 GBP,561.00 GBP,\n',
    ]);
  });

  it('list changes without formulas in the CSV file', async () => {
    await service.given.catalogue();
    const products = smallCatalogue.products.map((line) =>
      line.replace('INT-1G-12,1G', 'INT-1G-12,=HYPERLINK(1) 1G'),
    );
    await store({ products }, 'Formula');
    const csv = await admin.get('/staff/catalogue/versions/2/changes.csv');
    expect(csv.text).toMatch(/^product,changed,INT-1G-12,,,1G [^,]+,'=HYPERLINK\(1\) 1G/m);
  });

  it('show new warnings apart from those of the live version', async () => {
    // The longer term is dearer only in the draft; a bare zone is in both.
    const bare = [...smallCatalogue.prices, 'INT-1G-12,MOON,standard,550.00,GBP,84'];
    await service.given.catalogue({ prices: bare });
    const dearer = bare.map((line) =>
      line.replace('ONNET,standard,450.00', 'ONNET,standard,560.00'),
    );
    await store({ prices: dearer }, 'Second');
    const page = await show(2);
    expect(page.text).toMatch(
      /New warnings[^]*costs more a month for a longer term: 1\. INT-1G-36/,
    );
    const [fresh] = /New warnings[^]*?<\/section>/.exec(page.text)!;
    expect(fresh).not.toContain('MOON');
    expect(page.text).toMatch(/Existing warnings[^]*covers nothing: 1/);
  });

  it('are compared with the live version when they are retired or restored', async () => {
    await storeSecond('560.00');
    await move(2, 'activate');
    expect((await show(1)).text).toContain('Changes from version 2, which is live');
    expect(buttons(await show(1))).toEqual(['Restore version 1 now (1 price change)']);
    await move(1, 'restore');
    expect((await show(2)).text).toContain('Changes from version 3, which is live');
    expect((await show(1)).text).toContain('Nothing changes for clients, compared with version 3.');
  });

  it('need a reason to be restored after a safety check', async () => {
    await storeSecond('999.00');
    await move(2, 'activate', { accept: 'Agreed' });
    const refused = await move(1, 'restore', { accept: '' });
    expect([refused.status, await price()]).toEqual([422, 999]);
    expect(refused.text).toContain('Write the reason for this change.');
    await move(1, 'restore', { accept: 'It was a mistake' });
    expect(await price()).toBe(550);
  });

  it('are downloaded as a zip', async () => {
    await service.given.catalogue();
    const reply = await admin.get('/staff/catalogue/versions/1/files');
    expect([reply.status, reply.headers['content-type'], reply.text.slice(0, 2)]).toEqual([
      200,
      'application/zip',
      'PK',
    ]);
  });

  it('are made by an adjustment of prices, and of a draft', async () => {
    await service.given.catalogue();
    expect((await admin.get('/staff/catalogue/adjust')).text).toContain('<option value="partner"');
    const adjust = (fields: Record<string, string>) =>
      admin.post('/staff/catalogue/adjust', { percent: '3', priceList: 'standard', ...fields });
    const [said, ofDraft] = ['?said=version-draft', encodeURIComponent('catalogue/adjust?base=2')];
    const first = await adjust({ roundTo: '1', label: `Rise ${HOSTILE}` });
    expect(way(first)).toEqual([
      303,
      `/staff/catalogue/versions/2${said}&saved=catalogue%2Fadjust`,
    ]);
    const second = await adjust({ base: '2', percent: '-10', product: 'int-100m' });
    expect(way(second)).toEqual([303, `/staff/catalogue/versions/3${said}&saved=${ofDraft}`]);
    const changes = await admin.get('/staff/catalogue/versions/3/changes?list=prices');
    expect(cells(changes).map(([product, , , , , after]) => [product, after])).toEqual([
      ['INT-100M-12', '£192.60'],
      ['INT-1G-36', '£464.00'],
      ['INT-1G-12', '£567.00'],
      ['INT-1G-12', '£747.00'],
    ]);
    for (const [fields, status, words] of [
      [{ percent: 'many' }, 422, 'Enter a percentage from -100 to 1,000'],
      [{ zone: 'MOON' }, 422, 'No price matches.'],
      [{ percent: '0' }, 409, 'Nothing changes'],
      [{ percent: '1', floor: 'x' }, 422, 'Enter an amount from 0 to 1,000,000'],
    ] as const) {
      const page = await adjust(fields);
      expect([page.status, page.text]).toEqual([status, expect.stringContaining(words)]);
    }
  });

  it('that are drafts are discarded', async () => {
    await storeSecond('560.00');
    expect(way(await move(2, 'discard'))).toEqual([303, '/staff/catalogue?said=version-discarded']);
    expect((await show(2)).status).toBe(404);
    expect((await move(1, 'discard')).status).toBe(409);
  });

  it('prepared before another went live say what to do, and an adjustment is made again', async () => {
    await storeSecond('560.00');
    await admin.post('/staff/catalogue/adjust', { percent: '10' });
    await store({ coverage: [...smallCatalogue.coverage, 'E1,ONNET'] }, 'Fourth');
    await move(2, 'activate');
    const outdated = await show(4);
    expect(outdated.text).toContain('Prepared against version 1, but version 2 is live now.');
    expect(outdated.text).toContain('would undo 1 change of it');
    expect(outdated.text).toContain('upload only these files to version 2');
    expect((await move(4, 'again')).status).toBe(409);

    expect(buttons(await show(3))).toContain('Adjust version 2 the same way');
    expect(way(await move(3, 'again'))).toEqual([
      303,
      '/staff/catalogue/versions/5?said=version-adjusted-again',
    ]);
    const again = await show(5);
    expect(again.text).toContain('+10 % on all price lists');
    expect(again.text).not.toContain('Prepared against');
    expect((await show(3)).status).toBe(404);
    const changes = await admin.get('/staff/catalogue/versions/5/changes?list=prices');
    expect(cells(changes).map(([product, , , , , after]) => [product, after])).toContainEqual([
      'INT-1G-12',
      '£616.00',
    ]);

    await move(5, 'activate');
    const tooOld = await show(4);
    expect(tooOld.text).toContain('This draft cannot be published: version 5 is newer.');
    expect(tooOld.text).not.toContain('needs a reason before it is published');
    expect(buttons(tooOld)).toEqual(['Discard']);
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { faults, signedIn, told, way } from '../../support/admin-pages.js';
import { priced, priceOf } from '../../support/catalogue.js';
import { formOf, formType } from '../../support/catalogue-form.js';
import { FakeClock } from '../../support/fake-clock.js';
import { catalogueFiles } from '../../support/given.js';
import type { Reply } from '../../support/http.js';
import { type Service, startService } from '../../support/service.js';
import type { StaffBrowser } from '../../support/staff-browser.js';

let service: Service;
let admin: StaffBrowser;

const NOW = { when: 'now', at: '', live: '1' };
const page = (path: string) => admin.get(`/staff/catalogue/versions/${path}`);
const move = (path: string, fields: Record<string, string>) =>
  admin.post(`/staff/catalogue/versions/${path}`, fields);
const store = (price: string, label: string) =>
  admin.send({
    method: 'POST',
    path: '/staff/catalogue/versions',
    headers: { ...formType, 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' },
    body: formOf(catalogueFiles(priced(price)), { label }),
  });
/** The history, without the times. */
const done = ({ text }: Reply<string>) =>
  [...text.matchAll(/<\/time>: ([^<]*)<\/li>/g)].map(([, action]) => action);

const named = 'version 2 (December rise), scheduled for Tue 1 Sept, 00:00';

// Version 1 is live at 550.00, version 2 is scheduled, and version 3 is a draft.
beforeEach(async () => {
  const clock = new FakeClock(new Date('2026-07-01T08:00:00Z'));
  service = await startService('sqlite', { clock, config: { rateLimits: false } });
  ({ admin } = await signedIn(service));
  await service.given.catalogue();
  await store('560.00', 'December rise');
  await move('2/activate', { when: 'later', at: '2026-09-01T00:00' });
  await store('551.00', 'Correction');
});
afterEach(() => service.close());

describe('the page that confirms a publication', () => {
  it('names the schedule that would be cancelled, and asks for a tick', async () => {
    const confirm = await page('3/publish?when=now&at=');
    expect(confirm.text).toContain(`Cancel the publication of ${named}`);
    const sent = { ...NOW, scheduled: '2' };
    const refused = await move('3/activate', sent);
    expect(faults(refused)).toEqual([
      422,
      { withdraw: `Confirm that ${named}, will not go live; or cancel.` },
    ]);
    const token = await service.given.token();
    expect(await priceOf(service, token)).toBe(550);

    const published = await move('3/activate', { ...sent, withdraw: 'yes' });
    expect(way(published)).toEqual([
      303,
      '/staff/catalogue/versions/3?said=version-activated-instead',
    ]);
    expect(await priceOf(service, token)).toBe(551);
    expect(done(await page('3')).at(-1)).toBe(
      'published by Ada Admin, which cancelled the schedule of version 2',
    );
    expect(done(await page('2')).at(-1)).toBe(
      'schedule cancelled by Ada Admin, who published version 3',
    );
    const trail = await admin.get('/staff/audit?subject=catalogue&action=activated');
    expect(trail.text).toContain('Cancelled the schedule of version: 2');
  });

  it('is shown again if a version was scheduled meanwhile', async () => {
    const refused = await move('3/activate', NOW);
    expect(told(refused)).toEqual([
      409,
      'Another version is scheduled, and would not go live. Check this again.',
    ]);
    expect(refused.text).toContain(`Cancel the publication of ${named}`);
    expect((await move('3/activate', { ...NOW, withdraw: 'yes' })).status).toBe(409);
  });

  it('asks nothing for a publication that cancels no schedule', async () => {
    expect((await page('3/publish?when=later&at=2026-09-02T00:00')).text).not.toContain(named);
    expect((await page('2/publish?when=now&at=')).text).not.toContain(named);
    expect(way(await move('2/activate', NOW))).toEqual([
      303,
      '/staff/catalogue/versions/2?said=version-activated',
    ]);
  });

  it('names the schedule before a restore', async () => {
    await move('2/activate', NOW);
    const later = { when: 'later', at: '2026-09-02T00:00', accept: 'It undoes version 2.' };
    await move('3/activate', later);
    const words = 'version 3 (Correction), scheduled for Wed 2 Sept, 00:00';
    expect((await page('1/restore')).text).toContain(`Cancel the publication of ${words}`);
    const sent = { when: 'now', at: '', live: '2', scheduled: '3' };
    expect(faults(await move('1/rollback', sent))[0]).toBe(422);
    const restored = await move('1/rollback', { ...sent, withdraw: 'yes' });
    expect(way(restored)).toEqual([
      303,
      '/staff/catalogue/versions/4?said=version-rolled-back-instead',
    ]);
    const said = await admin.get(String(restored.headers.location));
    expect(told(said)).toEqual([
      200,
      'The earlier content is live again, as this new version. The history says which schedule this cancelled.',
    ]);
    expect(done(said).at(-1)).toBe(
      'restored by Ada Admin, which cancelled the schedule of version 3',
    );
  });
});

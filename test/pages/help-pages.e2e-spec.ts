import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { slugOf } from '../../src/documentation/markdown.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { type Service, startService } from '../support/service.js';

describe('the help for staff', () => {
  let service: Service;
  let agent: StaffBrowser;
  let manager: StaffBrowser;
  let commercial: StaffBrowser;
  let admin: StaffBrowser;
  const topicsOf = (manual: string) =>
    [...readFileSync(`docs/${manual}.md`, 'utf8').matchAll(/^###? (.+)$/gm)].map(
      ([, heading = '']) => `/staff/help/${slugOf(heading)}`,
    );
  const forAll = topicsOf('staff');
  const forAdmins = topicsOf('admin');

  beforeAll(async () => {
    service = await startService('sqlite');
    [agent, manager, commercial, admin] = await Promise.all([
      StaffBrowser.signedIn(service, { role: 'agent' }),
      StaffBrowser.signedIn(service, { role: 'manager' }),
      StaffBrowser.signedIn(service, { role: 'commercial' }),
      StaffBrowser.signedIn(service, { role: 'admin' }),
    ]);
  });

  const hrefsIn = (html: string) =>
    [...html.matchAll(/<a[^>]* href="([^"]+)"/g)].map((it) => it[1]!);
  const articleOf = (html: string) => /<article[^]*<\/article>/.exec(html)?.[0] ?? '';
  const topicsIn = (html: string) =>
    hrefsIn(articleOf(html)).filter((href) => href.startsWith('/staff/help/'));

  it('has a separate name for each topic', () => {
    const all = [...forAll, ...forAdmins];
    expect(new Set(all).size).toBe(all.length);
  });

  it('lists the topics that the role may read', async () => {
    expect(topicsIn((await agent.get('/staff/help')).text)).toEqual(forAll);
    expect(topicsIn((await admin.get('/staff/help')).text)).toEqual([...forAll, ...forAdmins]);
    const [first, last] = ['the-catalogue', 'the-register-of-postcodes'].map((topic) =>
      forAdmins.indexOf(`/staff/help/${topic}`),
    );
    const aboutCatalogue = forAdmins.slice(first, last! + 1);
    expect(topicsIn((await commercial.get('/staff/help')).text)).toEqual([
      ...forAll,
      ...aboutCatalogue,
    ]);
  });

  it('shows one topic, and leads to those below it', async () => {
    const { status, text } = await agent.get('/staff/help/one-order');
    expect(status).toBe(200);
    expect(text).toContain('<h1>One order</h1>');
    expect(text).not.toContain('The call panel is always open');
    expect(topicsIn(text)).toContain('/staff/help/record-a-call');
    const below = await agent.get('/staff/help/record-a-call');
    expect(below.text).toContain('<h1>One order: Record a call</h1>');
    expect(below.text).toContain('The call panel is always open');
  });

  it.each([
    ['agent', '/staff/queue', 'lists'],
    ['agent', '/staff/search?q=nothing', 'lists'],
    ['agent', '/staff/check', 'check-a-postcode'],
    ['agent', '/staff/keys', 'keyboard'],
    ['manager', '/staff/delivery-updates', 'delivery-updates'],
    ['manager', '/staff/reports', 'reports'],
    ['manager', '/staff/map', 'the-map'],
    ['manager', '/staff/approvals', 'approval'],
    ['manager', '/staff/audit', 'audit-trail'],
    ['admin', '/staff/clients', 'api-clients-and-tokens'],
    ['admin', '/staff/members', 'staff-and-sign-in'],
    ['commercial', '/staff/catalogue', 'the-catalogue'],
    ['admin', '/staff/catalogue', 'the-catalogue'],
    ['admin', '/staff/notifications', 'notifications'],
  ] as const)('leads everyone from %s on, at %s, to the topic %s', async (role, path, topic) => {
    const browser = { agent, manager, commercial, admin }[role];
    const { text } = await browser.get(path);
    expect(hrefsIn(text)).toContain(`/staff/help/${topic}`);
    expect((await browser.get(`/staff/help/${topic}`)).status).toBe(200);
  });

  it('finds topics by their words, of those that the role may read', async () => {
    const keys = await agent.get('/staff/help?q=undo+a+close');
    expect(topicsIn(keys.text)[0]).toBe('/staff/help/states');
    expect(keys.text).toContain('value="undo a close"');
    const asked = '/staff/help?q=guard+rail';
    expect(topicsIn((await agent.get(asked)).text)).not.toContain('/staff/help/the-catalogue');
    expect(topicsIn((await admin.get(asked)).text).length).toBeGreaterThan(0);
    expect((await agent.get('/staff/help?q=xyzzyplugh')).text).toContain('No results for');
  });

  it('shows nothing of an administrator’s topics to an agent', async () => {
    for (const path of forAdmins) expect((await agent.get(path)).status).toBe(404);
    for (const path of forAll) {
      const links = topicsIn((await agent.get(path)).text);
      expect(links.filter((href) => forAdmins.includes(href))).toEqual([]);
    }
  });

  it('has no broken link or picture', async () => {
    const seen = new Map<string, boolean>();
    let pictures = 0;
    for (const path of [...forAll, ...forAdmins]) {
      const article = articleOf((await admin.get(path)).text);
      const sources = [...article.matchAll(/\bsrc(?:set)?="([^"]+)"/g)].map((it) => it[1]!);
      pictures += sources.length;
      const links = hrefsIn(article).filter((href) => !/^https?:/.test(href));
      for (const href of [...links, ...sources].filter((href) => !seen.has(href))) {
        const { pathname, hash } = new URL(href, `http://here${path}`);
        const found = await admin.get(pathname);
        const isThere = hash === '' || found.text.includes(` id="${hash.slice(1)}"`);
        seen.set(href, found.status === 200 && isThere);
      }
    }
    expect([...seen].filter(([, isGood]) => !isGood)).toEqual([]);
    expect(pictures).toBe(8);
  });

  it('answers 404 for a topic or picture that does not exist', async () => {
    for (const path of ['/staff/help/none', '/staff/help/pictures/none.webp']) {
      expect((await admin.get(path)).status).toBe(404);
    }
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { StaffBrowser } from '../support/staff-browser.js';
import { type Service, startService } from '../support/service.js';

describe('the help for staff', () => {
  let service: Service;
  let agent: StaffBrowser;
  let admin: StaffBrowser;
  const operate = readdirSync('docs/operate').map((name) => name.replace(/\.md$/, ''));
  const forAdmins = ['admin', ...operate].map((name) => `/staff/help/${name}`);

  beforeAll(async () => {
    service = await startService('sqlite');
    [agent, admin] = await Promise.all([
      StaffBrowser.signedIn(service, { role: 'agent' }),
      StaffBrowser.signedIn(service, { role: 'admin' }),
    ]);
  });

  const hrefsIn = (html: string) =>
    [...html.matchAll(/<a[^>]* href="([^"]+)"/g)].map((it) => it[1]!);
  const articleOf = (html: string) => /<article[^]*<\/article>/.exec(html)?.[0] ?? '';

  it('has a link in the menu of every page', async () => {
    const { text } = await agent.get('/staff/queue');
    expect(hrefsIn(text)).toContain('/staff/help');
  });

  it('shows the whole of docs/staff.md to an agent, without links to what only administrators may read', async () => {
    const { status, text } = await agent.get('/staff/help');
    expect(status).toBe(200);
    expect(text).toContain('<h1>For sales staff</h1>');
    const headings = [...readFileSync('docs/staff.md', 'utf8').matchAll(/^## (.+)$/gm)];
    for (const [, heading] of headings) expect(text).toContain(`>${heading}</a></h2>`);
    expect(articleOf(text)).toContain('see For administrators.');
    expect(hrefsIn(text).filter((href) => forAdmins.includes(href))).toEqual([]);
  });

  it.each(forAdmins)('refuses %s to an agent', async (path) => {
    expect((await agent.get(path)).status).toBe(403);
  });

  it.each(['/staff/help', ...forAdmins])(
    'has no broken link or picture for an administrator at %s',
    async (path) => {
      const { status, text } = await admin.get(path);
      expect(status).toBe(200);
      expect(hrefsIn(text)).toEqual(expect.arrayContaining(['/staff/help', ...forAdmins]));
      const article = articleOf(text);
      const pictures = [...article.matchAll(/\bsrc(?:set)?="([^"]+)"/g)].map((it) => it[1]!);
      expect(pictures).toHaveLength(path === '/staff/help' ? 8 : 0);
      const links = hrefsIn(article).filter((href) => !/^https?:/.test(href));
      for (const href of new Set([...links, ...pictures])) {
        const { pathname, hash } = new URL(href, `http://here${path}`);
        const found = await admin.get(pathname);
        const isThere = hash === '' || found.text.includes(` id="${hash.slice(1)}"`);
        expect([href, found.status, isThere]).toEqual([href, 200, true]);
      }
    },
  );

  it('answers 404 for a page or picture that does not exist', async () => {
    for (const path of ['/staff/help/none', '/staff/help/pictures/none.webp']) {
      expect((await admin.get(path)).status).toBe(404);
    }
  });
});

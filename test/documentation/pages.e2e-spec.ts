import { beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { problemTypes } from '../../src/problems/problem-types.js';
import { pageNames } from '../../src/documentation/library.js';
import { type Service, startService } from '../support/service.js';

const STRICT =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const apart = [...pageNames.map((name) => `/docs/${name}`), '/docs/all'];
const addresses = ['/docs', ...apart, '/problems', '/problems/invalid-postcode'];

let service: Service;
beforeAll(async () => {
  service = await startService('sqlite', {
    config: { publicUrl: 'https://api.example.org', priceHoldMinutes: 47 },
  });
});

const page = async (path: string) => (await service.http.get<string>(path)).body;
const linksOf = (html: string) =>
  [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href]) => href!);
const idsOf = (html: string) => [...html.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id!);

describe('every page of the documentation', () => {
  it.each(addresses)(
    '%s can be read without scripts, styles or hosts besides its own',
    async (path) => {
      const { status, headers, body } = await service.http.get<string>(path);
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      if (path !== '/docs') {
        expect(headers['content-security-policy']).toBe(STRICT);
        expect(body).not.toMatch(/<script/);
      }
      expect(body).not.toMatch(/ (?:style|on\w+)="|<style/);
      expect(body).not.toMatch(/(?:src|<link[^>]* href)="(?!\/docs\/)/);
    },
  );

  it.each(addresses)(
    '%s has one heading of the first level, landmarks and a skip link',
    async (path) => {
      const html = await page(path);
      const count = (pattern: RegExp) => [...html.matchAll(pattern)].length;
      expect({
        h1: count(/<h1/g),
        main: count(/<main id="text"/g),
        skip: count(/<a class="skip" href="#text">/g),
        nav: count(/<nav [^>]*aria-label="All pages"/g),
      }).toEqual({ h1: 1, main: 1, skip: 1, nav: 1 });
      expect(idsOf(html)).toEqual([...new Set(idsOf(html))]);
    },
  );

  it.each(addresses)('%s leads only to what is there', async (path) => {
    const html = await page(path);
    const targets = linksOf(html).filter((href) => !/^(?:https?|mailto):/.test(href));
    for (const href of new Set(targets)) {
      const { pathname, hash } = new URL(href, `http://here${path}`);
      const { status, body } = await service.http.get<string>(pathname);
      const there = hash === '' || idsOf(body).includes(decodeURIComponent(hash.slice(1)));
      expect([path, href, status, there]).toEqual([path, href, 200, true]);
    }
  });

  it('is in the navigation of every other, and marked on its own', async () => {
    for (const path of apart) {
      const html = await page(path);
      expect(linksOf(html)).toEqual(expect.arrayContaining(['/docs', ...apart]));
      expect(html).toContain(`href="${path}" aria-current="page"`);
    }
  });

  it('comes from a file in docs/api, and every file there becomes a page', () => {
    const files = readdirSync('docs/api').filter((name) => name.endsWith('.md'));
    expect(files.sort()).toEqual(['README', ...pageNames].map((name) => `${name}.md`).sort());
    const problems = readdirSync('docs/api/problems').map((name) => name.replace(/\.md$/, ''));
    expect(problems.filter((code) => !Object.hasOwn(problemTypes, code))).toEqual([]);
  });

  it('is on /docs/all with all its text', async () => {
    const all = textOf(await page('/docs/all'));
    for (const name of pageNames) {
      const html = await page(`/docs/${name}`);
      const [, article = ''] = /<article>([^]*)<\/article>/.exec(html) ?? [];
      expect(all).toContain(textOf(article));
    }
  });
});

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** What a reader sees. */
function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&[a-z#0-9]+;/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

describe('a page', () => {
  it('speaks of this service: its address, and what is set', async () => {
    const html = await page('/docs/quick-start');
    expect(html).toContain('BASE=https://api.example.org');
    expect(html).not.toContain('localhost');
    expect(textOf(html)).toContain('for you for 47 minutes');
  });

  it('is kept by a browser, and asked for again in vain', async () => {
    const { headers } = await service.http.get('/docs/orders');
    expect(headers['cache-control']).toBe('no-cache');
    const again = await service.http.get('/docs/orders', {
      headers: { 'If-None-Match': headers.etag },
    });
    expect([again.status, again.text]).toEqual([304, '']);
    const other = await service.http.get('/docs/orders', { headers: { 'If-None-Match': '"x"' } });
    expect(other.status).toBe(200);
  });

  it('answers HEAD without a body, and 404 and 405 as problems', async () => {
    const send = (method: string, path: string) =>
      service.http.send<{ code: string }>({ method, path });
    expect((await send('HEAD', '/docs/orders')).text).toBe('');
    expect((await send('GET', '/docs/no-such-page')).body.code).toBe('not-found');
    expect((await send('GET', '/docs/assets/x.css')).body.code).toBe('not-found');
    expect((await send('GET', '/docs/examples/python/none.py')).body.code).toBe('not-found');
    expect((await send('POST', '/docs/orders')).body.code).toBe('method-not-allowed');
  });

  it('has a stylesheet for ever, whose name changes with it', async () => {
    const [, style = ''] =
      /<link rel="stylesheet" href="([^"]+)"/.exec(await page('/docs/all')) ?? [];
    const { status, headers, text } = await service.http.get(style);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/css; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    expect(text).toBe(readFileSync('docs/api/style.css', 'utf8'));
    expect(style).toMatch(/^\/docs\/assets\/style\.[\w-]{12}\.css$/);
  });
});

describe('each problem', () => {
  const codes = Object.entries(problemTypes);

  it.each(codes)('%s has a cause and a cure', (_code, { title, cause, cure }) => {
    const sentence = /^[A-Z`][^]+[.]$/;
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    expect(cause).toMatch(sentence);
    expect(cure).toMatch(sentence);
  });

  it.each(codes)(
    '%s is explained with the same words on its page, on /docs/errors and as JSON',
    async (code, type) => {
      const errors = textOf(await page('/docs/errors'));
      const own = textOf(await page(`/problems/${code}`));
      const { cause, cure } = type;
      for (const text of [errors, own]) {
        expect(text).toContain(cause.replaceAll('`', ''));
        expect(text).toContain(cure.replaceAll('`', ''));
      }
      const json = await service.http.get(`/problems/${code}`, {
        headers: { Accept: 'application/json' },
      });
      expect([json.status, json.headers.vary, json.body]).toEqual([
        200,
        'Accept',
        { code, ...type },
      ]);
      expect(await page('/docs/errors')).toContain(`id="${code}"`);
    },
  );
});

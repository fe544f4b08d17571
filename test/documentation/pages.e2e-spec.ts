import { beforeAll, describe, expect, it } from '@jest/globals';
import type {
  OpenAPIObject,
  ParameterObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
} from '@nestjs/swagger';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { exampleOfProblem } from '../../src/platform/problems/problem.js';
import { type ProblemCode, problemTypes } from '../../src/platform/problems/problem-types.js';
import { pageNames } from '../../src/documentation/library.js';
import { slugOf } from '../../src/documentation/markdown.js';
import { describedWebhooks, routesOf } from '../support/once/described-routes.js';
import type { Reply } from '../support/http.js';
import { type Service, startService } from '../support/service.js';

const STRICT =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const references = [
  ...['', '/availability', '/operations', '/orders', '/sandbox', '/self-service', '/webhooks'],
  ...['/staff', '/staff-catalogue', '/staff-follow-up', '/staff-moves', '/staff-reports'],
].map((path) => `/docs/reference${path}`);
const apart = [...pageNames.map((name) => `/docs/${name}`), ...references];
/** Their requests are uploads, or their responses do not end. */
const UNTRIED = ['followChanges', 'importCatalogue'];
const found = '/docs/search?q=idempotency+%3Cb%3E';
const addresses = ['/docs', ...apart, found, '/problems', '/problems/invalid-postcode'];

let service: Service;
beforeAll(async () => {
  service = await startService('sqlite', {
    config: { publicUrl: 'https://api.example.org', priceHoldMinutes: 47 },
  });
});

const page = async (path: string) => (await service.http.get<string>(path)).body;
/** The answers so far: pages share most links. */
const answers = new Map<string, Promise<Reply<string>>>();
function checked(path: string): Promise<Reply<string>> {
  const answer = answers.get(path) ?? service.http.get<string>(path);
  answers.set(path, answer);
  return answer;
}
const linksOf = (html: string) =>
  [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href]) => href!);
const idsOf = (html: string) => [...html.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id!);

describe('every page of the documentation', () => {
  it.each(addresses)(
    '%s loads only its own files, without inline scripts or styles',
    async (path) => {
      const { status, headers, body } = await service.http.get<string>(path);
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers['content-security-policy']).toBe(STRICT);
      expect(body).not.toMatch(/ (?:style|on\w+)="|<style|<script>/);
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

  it.each(addresses)('%s has no broken links', async (path) => {
    const html = await page(path);
    const targets = linksOf(html).filter((href) => !/^(?:https?|mailto):/.test(href));
    for (const href of new Set(targets)) {
      const { pathname, hash } = new URL(href, `http://here${path}`);
      const { status, body } = await checked(pathname);
      const there = hash === '' || idsOf(body).includes(decodeURIComponent(hash.slice(1)));
      expect([path, href, status, there]).toEqual([path, href, 200, true]);
    }
  });

  it('is in the navigation of every page, and marked as the current page', async () => {
    const forStaff = (path: string) => path.startsWith('/docs/reference/staff');
    for (const path of apart) {
      const html = await page(path);
      const pages = apart.filter((one) => forStaff(one) === forStaff(path));
      expect(linksOf(html)).toEqual(expect.arrayContaining(['/docs', ...pages]));
      expect(html).toContain(`href="${path}" aria-current="page"`);
      const [, contents = ''] = /<nav id="pages"([^]*?)<\/nav>/.exec(html) ?? [];
      expect(linksOf(contents).some(forStaff)).toBe(forStaff(path));
    }
  });

  it('has a file in docs/api, and every file there has a page', () => {
    const files = readdirSync('docs/api').filter((name) => name.endsWith('.md'));
    expect(files.sort()).toEqual(['README', ...pageNames].map((name) => `${name}.md`).sort());
    const problems = readdirSync('docs/api/problems').map((name) => name.replace(/\.md$/, ''));
    expect(problems.filter((code) => !Object.hasOwn(problemTypes, code))).toEqual([]);
  });
});

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&amp;': '&',
};

/** The visible text. */
function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&[a-z#0-9]+;/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

describe('a page', () => {
  it('contains the URL and settings of this service', async () => {
    const html = await page('/docs/quick-start');
    expect(html).toContain('BASE=https://api.example.org');
    expect(html).not.toContain('localhost');
    expect(textOf(html)).toContain('price and lead time for 47 minutes');
  });

  it('is cached by the browser, and answered with 304 while unchanged', async () => {
    const { headers } = await service.http.get('/docs/orders');
    expect(headers['cache-control']).toBe('no-cache');
    const again = await service.http.get('/docs/orders', {
      headers: { 'If-None-Match': headers.etag, 'Cache-Control': 'no-cache' },
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

  it('says in a browser that there is no page, with the search', async () => {
    const read = (path: string, accept: string) =>
      service.http.send<string>({ method: 'GET', path, headers: { Accept: accept } });
    for (const path of ['/docs/nonsense', '/docs/a/b/c', '/problems/nonsense']) {
      const { status, headers, text } = await read(path, 'text/html,*/*;q=0.8');
      expect([path, status, headers.vary]).toEqual([path, 404, expect.stringContaining('Accept')]);
      expect(text).toContain('<h1>Page not found</h1>');
      expect(text).toContain('action="/docs/search"');
      const program = await read(path, 'application/json');
      expect([program.status, program.headers['content-type']]).toEqual([
        404,
        expect.stringContaining('application/problem+json'),
      ]);
    }
  });

  it('has an immutable stylesheet, whose name changes with its content', async () => {
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(await page('/docs')) ?? [];
    const { status, headers, text } = await service.http.get(style);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/css; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    const font = /url\((\/docs\/assets\/inter\.[\w-]{12}\.woff2)\)/.exec(text)?.[1] ?? '';
    expect(text.replace(font, 'inter.woff2')).toBe(readFileSync('docs/api/style.css', 'utf8'));
    expect((await service.http.get(font)).headers['content-type']).toBe('font/woff2');
    expect(style).toMatch(/^\/docs\/assets\/style\.[\w-]{12}\.css$/);
  });
});

describe('each problem', () => {
  const codes = Object.entries(problemTypes);

  it.each(codes)('%s has an example of its response on its page', async (code, type) => {
    const [, json = ''] =
      /<figcaption>Response<\/figcaption><pre[^>]*><code>[^{]*([^]*?)<\/code>/.exec(
        await page(`/problems/${code}`),
      ) ?? [];
    const shown = JSON.parse(textOf(json)) as Record<string, unknown>;
    const { status, title } = type;
    const members = Object.keys(exampleOfProblem(code as ProblemCode));
    expect(shown).toMatchObject({ code, status, title });
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(members));
  });

  it.each(codes)('%s has a cause and a remedy of one sentence each', (_code, type) => {
    const { title, cause, cure } = type;
    const sentence = /^[A-Z`](?:[^.]|\.(?! ))+\.$/;
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
        { code, ...type, example: exampleOfProblem(code as ProblemCode) },
      ]);
      expect(await page('/docs/errors')).toContain(`id="${code}"`);
    },
  );
});

describe('the landing page', () => {
  it('loads less than 60 kB with its files, before compression', async () => {
    const { body } = await service.http.get<string>('/docs');
    const files = [...body.matchAll(/<(?:link|script) [^>]*(?:href|src)="([^"]+)"/g)];
    const sizes = await Promise.all(
      files.map(async ([, path]) => (await service.http.get(path!)).text.length),
    );
    expect(files).toHaveLength(3);
    expect(sizes.reduce((sum, size) => sum + size, body.length)).toBeLessThan(60_000);
  });
});

describe('compression', () => {
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync };

  it.each([
    '/docs/reference/orders',
    '/openapi.json',
    '/openapi-staff.yaml',
    '/docs/search?q=order',
  ])('shrinks %s for clients that accept it', async (path) => {
    const plain = await service.http.get(path);
    for (const [encoding, decode] of Object.entries(decoders)) {
      const bytes = await bytesOf(path, encoding);
      expect(bytes.headers).toMatchObject({
        'content-encoding': encoding,
        'content-length': String(bytes.body.length),
        vary: 'Accept-Encoding',
      });
      expect(decode(bytes.body).toString()).toBe(plain.text);
      expect(bytes.body.length).toBeLessThan(plain.text.length / 2);
    }
  });

  it('has a validator for each encoding', async () => {
    const path = '/docs/reference/orders';
    const tags = [(await service.http.get(path)).headers.etag];
    for (const encoding of Object.keys(decoders)) {
      const { etag } = (await bytesOf(path, encoding)).headers;
      const headers = { 'Accept-Encoding': encoding, 'If-None-Match': etag };
      expect((await service.http.get(path, { headers })).status).toBe(304);
      tags.push(etag);
    }
    expect(new Set(tags).size).toBe(3);
  });

  async function bytesOf(path: string, encoding: string) {
    const { port } = service.http;
    const headers = { 'Accept-Encoding': encoding };
    const request = get({ host: '127.0.0.1', port, path, headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { headers: response.headers, body: await buffer(response) };
  }
});

describe('the search', () => {
  const hits = async (query: string) => {
    const html = await page(`/docs/search?q=${encodeURIComponent(query)}`);
    const [, list = ''] = /<ol class="results">([^]*)<\/ol>/.exec(html) ?? [];
    return { html, links: linksOf(list) };
  };

  it.each([
    ['a word of a guide', 'clock skew signature webhook', '/docs/webhooks#verify-the-signature'],
    [
      'a field of the reference',
      'bandwidthProvisioned',
      '/docs/reference/availability#checkPostcode',
    ],
    ['a problem', 'idempotency-key-reused', '/docs/errors#idempotency-key-reused'],
    ['the start of a word', 'idempot', '/docs/retries'],
    ['a misspelt word', 'idempotancy', '/docs/retries'],
  ])('finds %s: %s', async (_kind, query, href) => {
    expect((await hits(query)).links).toContain(href);
  });

  it('finds the guide first for a question in words', async () => {
    const [first] = (await hits('how to cancel an order')).links;
    expect(first).toBe('/docs/orders#cancel-an-order');
  });

  it('finds operations for staff only among the pages for staff', async () => {
    const operation = '/docs/reference/staff-moves#moveOrder';
    expect((await hits('hand over')).links).not.toContain(operation);
    const html = await page('/docs/search?q=hand+over&in=staff');
    expect(linksOf(html)).toContain(operation);
    expect(html).toContain('<input type="hidden" name="in" value="staff">');
  });

  it('ends an excerpt with a word', async () => {
    const { html } = await hits('order');
    const excerpts = [...html.matchAll(/<p>([^]*?) …<\/p>/g)].map(([, one = '']) => textOf(one));
    expect(excerpts.length).toBeGreaterThan(5);
    for (const excerpt of excerpts) expect(excerpt).toMatch(/[\p{L}\p{N}\p{P}\p{S}]$/u);
  });

  it('shows the query and marks its words, without HTML of the query', async () => {
    const { html } = await hits('<order>order');
    expect(html).toContain('for “&lt;order&gt;order”');
    expect(html).toContain('value="&lt;order&gt;order"');
    expect(html).toMatch(/<mark>order<\/mark>/i);
    expect(html).not.toContain('<order>');
  });

  it.each([
    '',
    'q=',
    'q=a&q=b',
    'q[x]=1',
    'q=zzzzqqqq',
    `q=${'x%20'.repeat(400)}`,
    'q=%5E%24%3D%28',
  ])('answers %j with a page', async (query) => {
    expect((await service.http.get(`/docs/search?${query}`)).status).toBe(200);
  });
});

describe('the reference', () => {
  it('has a form to try each operation, but for uploads and streams', async () => {
    for (const [name, prefix] of [
      ['openapi', ''],
      ['openapi-staff', 'staff-'],
    ]) {
      const { body: document } = await service.http.get<OpenAPIObject>(`/${name}.json`);
      const untried: string[] = [];
      for (const { method, path, operation } of routesOf(document)) {
        const { operationId = '', tags: [tag = ''] = [] } = operation;
        const html = await page(`/docs/reference/${prefix}${slugOf(tag)}`);
        const [form = ''] =
          new RegExp(`<form data-method="${method}" data-path="${path}">[^]*?</form>`).exec(html) ??
          [];
        if (form === '') untried.push(operationId);
        else expect(form.includes('name="token"')).toBe((operation.security ?? []).length > 0);
      }
      expect(untried).toEqual(name === 'openapi' ? [] : UNTRIED);
    }
  });

  it('leads from the former page to try it', async () => {
    const { status, headers } = await service.http.get('/docs/try');
    expect([status, headers.location]).toEqual([303, '/docs/reference']);
  });

  it('has the fields of each message to a webhook', async () => {
    const html = await page('/docs/reference');
    for (const { $ref } of describedWebhooks.values()) {
      const name = $ref.split('/').at(-1)!;
      const [, table = ''] = new RegExp(`<h3 id="${name}">([^]*?)</table>`).exec(html) ?? [];
      expect(table).toContain('<code>type</code></th>');
      expect(table).toContain('<code>timestamp</code></th>');
    }
    expect(textOf(html)).toContain('data.chargeState');
    expect(textOf(html)).toContain('data.places[].watchId');
    expect(await page('/docs/reference/staff')).not.toContain('id="webhook-messages"');
  });

  it.each([
    ['openapi', ''],
    ['openapi-staff', 'staff-'],
  ])('has every operation, field and problem of %s.json', async (name, prefix) => {
    const { body: document } = await service.http.get<OpenAPIObject>(`/${name}.json`);
    for (const { method, path, operation } of routesOf(document)) {
      const { operationId, tags: [tag = ''] = [], responses } = operation;
      const html = await page(`/docs/reference/${prefix}${slugOf(tag)}`);
      const [section = ''] =
        new RegExp(`<section[^>]*>\\s*<h2 id="${operationId}">[^]*?</section>`).exec(html) ?? [];
      expect(textOf(section)).toContain(`${method} ${path}`);
      expect(section.match(/<details/g)?.length).toBeGreaterThan(0);
      const parameters = (operation.parameters ?? []) as ParameterObject[];
      const body = JSON.stringify(operation.requestBody ?? {});
      const [, schema = ''] = /schemas\/(\w+)/.exec(body) ?? [];
      const sent = (document.components?.schemas?.[schema] ?? {}) as SchemaObject;
      const names = [...parameters.map((one) => one.name), ...Object.keys(sent.properties ?? {})];
      for (const field of names) expect(section).toContain(`<code>${field}</code></th>`);
      for (const response of Object.values(responses)) {
        const shared = (response as ReferenceObject).$ref?.split('/').at(-1) ?? '';
        const whole = document.components?.responses?.[shared] as ResponseObject | undefined;
        const { examples = {} } = whole?.content?.['application/problem+json'] ?? {};
        for (const code of Object.keys(examples)) {
          expect(section).toContain(`<a href="/problems/${code}">${code}</a>`);
        }
      }
    }
  });
});

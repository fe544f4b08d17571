import { beforeAll, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { pageNames } from '../../src/documentation/library.js';
import { slugOf } from '../../src/documentation/markdown.js';
import type { Reply } from '../support/http.js';
import { committed, routesOf } from '../support/once/described-routes.js';
import { type Service, startService } from '../support/service.js';

const base = 'https://api.example.org';
const references = committed.flatMap(({ name, document: { tags = [] } }) => {
  const index = `/docs/reference${name === 'openapi' ? '' : '/staff'}`;
  const groups = tags.map(
    (tag) => `${index}${index.endsWith('staff') ? '-' : '/'}${slugOf(tag.name)}`,
  );
  return [index, ...groups];
});
const html = ['/docs', ...pageNames.map((name) => `/docs/${name}`), ...references];
const markdownAt = (path: string) => (path === '/docs' ? '/docs/README.md' : `${path}.md`);

let service: Service;
beforeAll(async () => {
  service = await startService('sqlite', { config: { publicUrl: base } });
});

/** The answers so far: pages share most links. */
const answers = new Map<string, Promise<Reply<string>>>();
function checked(path: string): Promise<Reply<string>> {
  const answer = answers.get(path) ?? service.http.get<string>(path);
  answers.set(path, answer);
  return answer;
}

it.each(html)('%s is Markdown, too, whose links lead to pages of this service', async (path) => {
  const { status, headers, body } = await service.http.get<string>(markdownAt(path));
  expect([status, headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
  expect(body).toMatch(/^# \S/);
  expect(body).not.toMatch(/localhost:3000|<!--/);
  const prose = body.replaceAll(/^ *```[^]*?^ *```$/gm, '').replaceAll(/`[^`]*`/g, '');
  expect(prose).not.toMatch(/<\/?(?:p|a|code|span)\b/);
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, href]) => href!);
  const own = links.filter((href) => !/^(?:mailto:|#|https?:)/.test(href) || href.startsWith(base));
  expect(own.filter((href) => !href.startsWith(base))).toEqual([]);
  for (const href of new Set(own)) {
    const { status } = await checked(new URL(href).pathname);
    expect([path, href, status]).toEqual([path, href, 200]);
  }
});

it('has the programs of the examples in the Markdown', async () => {
  const program = readFileSync('examples/python/order.py', 'utf8').split('\n').at(-3)!;
  expect((await checked('/docs/examples.md')).body).toContain(program);
});

it('has each page with a sentence in /llms.txt, and no broken link', async () => {
  const { status, headers, body } = await service.http.get<string>('/llms.txt');
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(body).toMatch(/^# \S.*\n\n> \S/);
  const rows = [...body.matchAll(/^- \[[^\]]+\]\((\S+)\)(: \S.*)?$/gm)];
  const links = rows.map(([, href]) => href!.replace(base, ''));
  const forClients = html.filter((path) => !path.includes('staff')).map(markdownAt);
  expect(links).toEqual(expect.arrayContaining(forClients));
  for (const href of links) expect([href, (await checked(href)).status]).toEqual([href, 200]);
  expect(rows.filter(([, , sentence]) => !sentence)).toEqual([]);
  expect(body).not.toMatch(/```/);
});

it('has each operation in the Postman collection, as a request that can be sent', async () => {
  interface PostmanRequest {
    readonly method: string;
    readonly url: { raw: string; host: string[]; path: string[]; variable: { value: string }[] };
    readonly body?: { readonly raw: string };
    readonly header: readonly { key: string; value: string }[];
  }
  interface Collection {
    readonly info: { readonly schema: string; readonly version: string; description: string };
    readonly event: readonly { readonly script: { readonly exec: readonly string[] } }[];
    readonly item: readonly { readonly item: readonly { readonly request: PostmanRequest }[] }[];
    readonly variable: readonly { readonly key: string; readonly value: string }[];
  }
  const { body } = await service.http.get<Collection>('/docs/postman.json');
  const { body: document } = await service.http.get<OpenAPIObject>('/openapi.json');
  expect(body.info).toMatchObject({
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    version: document.info.version,
  });
  expect(body.variable).toContainEqual({ key: 'baseUrl', value: base, type: 'string' });
  const requests = body.item.flatMap(({ item }) => item.map(({ request }) => request));
  const sent = requests.map(({ method, url }) => {
    return `${method} /${url.path.join('/').replaceAll(/:(\w+)/g, '{$1}')}`;
  });
  const described = routesOf(document).map(({ method, path }) => `${method} ${path}`);
  expect(sent.sort()).toEqual(described.sort());
  for (const { url, body: sentBody, header } of requests) {
    expect(url.raw).toBe(`{{baseUrl}}/${url.path.join('/')}`);
    expect(url.variable.filter(({ value }) => value === '')).toEqual([]);
    if (sentBody) expect(Object.keys(JSON.parse(sentBody.raw) as object)).not.toBeNull();
    const key = header.find((one) => one.key === 'Idempotency-Key');
    if (key) expect(key.value).toBe('{{$guid}}');
  }
  // What a response says, the requests after it use.
  const set = new Map<string, string>();
  const remember = (response: object) =>
    runInNewContext(body.event[0]!.script.exec.join('\n'), {
      pm: {
        response: {
          code: 201,
          headers: { get: () => 'application/json; charset=utf-8' },
          json: () => response,
        },
        collectionVariables: { set: (name: string, value: string) => set.set(name, value) },
      },
    }) as unknown;
  remember({ id: 'KA2XFV9V6Q', availableProducts: [] });
  remember({ items: [{ orderId: 'newest', charges: [{ chargeId: 'a' }] }, { orderId: 'older' }] });
  expect([...set]).toEqual([
    ['checkId', 'KA2XFV9V6Q'],
    ['orderId', 'newest'],
    ['chargeId', 'a'],
  ]);
  const values = requests.flatMap(({ url }) => url.variable.map(({ value }) => value));
  const names = new Set(body.variable.map(({ key }) => `{{${key}}}`));
  expect(values).toContain('{{orderId}}');
  expect(values.filter((value) => value.startsWith('{{') && !names.has(value))).toEqual([]);
  expect(requests.some((one) => one.body?.raw.includes('"offerId": "{{offerId}}"'))).toBe(true);
  expect(body.info.description).toMatch(/^Use a test token/);
});

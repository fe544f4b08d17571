import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type SampleRequest, samplesOf } from '../../src/documentation/request-samples.js';
import { later, newFolder } from '../support/closing.js';
import { inherited } from '../support/processes.js';
import { startRelay } from '../support/proxies.js';
import { type Service, startService } from '../support/service.js';

const exec = promisify(execFile);

/** The program for a language. There is none for C# in most places where the tests run. */
const programs: Readonly<Record<string, string>> = {
  curl: 'bash',
  TypeScript: process.execPath,
  Python: 'python3',
  PHP: 'php',
};
const present = Object.entries(programs).filter(
  ([name, program]) =>
    spawnSync(name === 'curl' ? 'curl' : program, ['--version']).status === 0 ||
    process.stderr.write(`The samples in ${name} are skipped: no ${program}.\n`) === undefined,
);

/** Runs a sample. @returns what it printed */
async function run(name: string, code: string, token: string): Promise<string> {
  const folder = await newFolder();
  const file = join(folder, name === 'TypeScript' ? 'sample.mts' : 'sample');
  writeFileSync(file, code);
  const env = { ...inherited, HOME: process.env.HOME, TOKEN: token };
  const { stdout } = await exec(programs[name]!, [file], { env });
  return stdout;
}

describe('the samples of the reference', () => {
  const base = 'http://samples.example';
  let service: Service;
  let token: string;
  let relay: string;
  beforeAll(async () => {
    service = await startService('sqlite', { config: { publicUrl: base } });
    await service.given.catalogue();
    token = await service.given.token();
    relay = await startRelay(service.http);
  });

  const entities: Readonly<Record<string, string>> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#x27;': "'",
    '&amp;': '&',
  };

  /** The code of a sample on the page. */
  async function sampleOn(page: string, operation: string, name: string): Promise<string> {
    const { body } = await service.http.get<string>(`/docs/reference/${page}`);
    const [, section = ''] = body.split(`<h2 id="${operation}">`);
    const [, details = ''] = section.split(`<summary>${name}</summary>`);
    const [, code = ''] = /<code>([^]*?)<\/code>/.exec(details) ?? [];
    return code
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll(/&[a-z#0-9]+;/g, (entity) => entities[entity] ?? entity);
  }

  describe.each(present)('in %s', (name) => {
    it.each([
      ['availability', 'checkPostcode', 'availableProducts'],
      ['availability', 'checkPostcodes', 'results'],
      ['orders', 'placeOrder', 'orderId'],
      ['orders', 'listOrders', 'nextCursor'],
      ['self-service', 'readMe', 'limits'],
      ['operations', 'live', 'live'],
    ])('work as printed: %s, %s', async (page, operation, answered) => {
      const code = await sampleOn(page, operation, name);
      expect(code).toContain(base);
      const here = code.replaceAll(base, relay);
      expect(await run(name, here, token)).toContain(answered);
    });
  });
});

describe('a sample', () => {
  const strange = {
    quotes: `'"\`\\ $HOME \${x} {$x} #{x}`,
    lines: 'a\nb\tc',
    letters: 'é ☎',
    values: [true, false, null, 1.5, -2, 'true', [], {}, [[1]]],
    'a => {}': '"b": [',
    nested: { empty: {}, none: null, list: [], yes: true, 'not-a-name': { true: 'null' } },
  };

  it.each(present)('in %s sends method, headers and body unchanged', async (name) => {
    const seen: object[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const { authorization, 'content-type': type, 'x-key': key } = request.headers;
        seen.push([request.method, request.url, authorization, type, key, JSON.parse(body)]);
        response.setHeader('Content-Type', 'application/json').end('{}');
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    later(() => new Promise((done) => server.close(done)));
    const request: SampleRequest = {
      method: 'PUT',
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a%20b?c=d`,
      needsToken: true,
      headers: { 'X-Key': 'k:1' },
      body: strange,
      answer: 'json',
    };
    const { code = '' } = samplesOf(request).find((one) => one.name === name) ?? {};
    await run(name, code, 'secret');
    const sent = name === 'PHP' ? withEmptyLists(strange) : strange;
    expect(seen).toEqual([['PUT', '/a%20b?c=d', 'Bearer secret', 'application/json', 'k:1', sent]]);
  });

  /** PHP has one kind of array, so that an empty object is sent as a list. */
  function withEmptyLists(value: unknown): unknown {
    return JSON.parse(JSON.stringify(value).replaceAll(/(?<=[:,])\{\}/g, '[]'));
  }
});

import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFile, spawnSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { problemTypes } from '../../src/platform/problems/problem-types.js';
import { later, newFolder } from '../support/closing.js';
import { installTarball, pack, packageFiles, typeFaults, wheel } from '../support/packages.js';
import { passOn } from '../support/proxies.js';
import { type Service, startService } from '../support/service.js';

const exec = promisify(execFile);
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) process.stderr.write('The package for Python is not tested: no python3.\n');

let service: Service;
let client: string;
beforeAll(async () => {
  await pack();
  service = await startService('sqlite');
  await service.given.catalogue();
  client = await installTarball(await newFolder());
}, 300_000);

describe('the packages', () => {
  it('have at most 200 lines each that were written by hand', () => {
    for (const file of ['typescript/client.ts', 'python/product_availability/__init__.py']) {
      expect(readFileSync(`packages/${file}`, 'utf8').split('\n').length - 1).toBeLessThan(201);
    }
  });

  it('are the same bytes from the same sources', async () => {
    const again = join(await newFolder(), 'again');
    await pack(again);
    for (const name of packageFiles) {
      expect(readFileSync(join(again, name))).toEqual(readFileSync(`dist/packages/${name}`));
    }
  }, 300_000);

  it('are served with the digests that their page names', async () => {
    const page = await service.http.get<string>('/docs/packages.md');
    for (const name of packageFiles) {
      const bytes = readFileSync(`dist/packages/${name}`);
      const response = await fetch(`http://127.0.0.1:${service.http.port}/docs/packages/${name}`);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
      const digest = createHash('sha256').update(bytes).digest('hex');
      expect(page.body).toContain(
        `${name}) | ${Math.ceil(bytes.length / 1_000)} kB | \`${digest}\``,
      );
    }
  });

  it('are installed by the commands of their page', async () => {
    const folder = await newFolder();
    const commands = [
      ...readFileSync('docs/api/packages.md', 'utf8').matchAll(/^.*\binstall .*$/gm),
    ]
      .map(([line]) =>
        line.replaceAll(/http:\/\/localhost:3000/g, `http://127.0.0.1:${service.http.port}`),
      )
      .filter((line) => !line.includes('pip') || hasPython);
    expect(commands).toHaveLength(hasPython ? 2 : 1);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    for (const command of commands) {
      const [program = '', ...rest] = command.split(' ');
      const isNpm = program === 'npm';
      // Neither may ask a registry.
      const [tool, options] = isNpm
        ? [program, ['--no-audit', '--no-fund', '--no-update-notifier']]
        : [
            'python3',
            ['--no-deps', '--no-index', '--target', 'python', '--disable-pip-version-check'],
          ];
      await exec(tool, [...(isNpm ? [] : ['-m', 'pip']), ...rest, ...options], { cwd: folder });
    }
    const script =
      "import('product-availability').then((all) => console.log(Object.keys(all).sort().join()))";
    const { stdout } = await exec(process.execPath, ['-e', script], { cwd: folder });
    expect(stdout).toBe('Problem,ProductAvailability,every,verifyWebhook\n');
    if (!hasPython) return;
    const imported = 'import product_availability; print(product_availability.Problem.__name__)';
    const python = await exec('python3', ['-c', imported], {
      cwd: folder,
      env: { ...process.env, PYTHONPATH: join(folder, 'python') },
    });
    expect(python.stdout).toBe('Problem\n');
  }, 300_000);

  // For Node, the examples are compiled.
  it('have types that a strict compiler accepts for browsers', async () => {
    const folder = await newFolder();
    await installTarball(folder);
    writeFileSync(
      join(folder, 'use.ts'),
      `import { every, ProductAvailability, verifyWebhook, type ClientOrder } from 'product-availability';
const client = new ProductAvailability({ baseUrl: '', token: '' });
export const orders: AsyncGenerator<ClientOrder, void> = every((cursor) => client.listOrders({ cursor, limit: 10 }));
export const sheet = client.quoteSpreadsheet('postcode', { bandwidth: 1, key: 'x' });
export const pdf: Promise<Response> = client.readQuoteAs({ quoteId: '', accept: 'application/pdf' });
export const me = client.readMe();
export const message = verifyWebhook('', new Headers(), '');
// @ts-expect-error It needs a body.
void client.placeOrder({ key: 'x' });
// @ts-expect-error There is no such field.
void client.checkPostcode({ postcode: '', bandwith: 1 });
`,
    );
    const browsers = { types: [], lib: ['es2022', 'dom'], skipLibCheck: false, noEmit: true };
    expect(await typeFaults(folder, ['use.ts'], browsers)).toBe('');
  }, 300_000);
});

/** A call of the client, in the words of TypeScript. */
interface Call {
  readonly operation: string;
  readonly asked: Readonly<Record<string, unknown>>;
}

interface Outcome {
  readonly answer?: unknown;
  /** The code of a problem, or `lost`. */
  readonly refusal?: string;
  readonly waits: readonly number[];
}

interface Package {
  readonly name: string;
  readonly isThere: boolean;
  readonly run: (base: string, token: string, call: Call) => Promise<Outcome>;
  readonly explain: (problem: object) => Promise<string>;
}

interface Module {
  readonly ProductAvailability: new (
    options: object,
  ) => Record<string, (asked: unknown, more?: unknown) => Promise<unknown>>;
  readonly Problem: new (body: object) => { readonly explain: () => Promise<string> };
  readonly every: (read: (cursor?: string) => Promise<unknown>) => AsyncIterable<unknown>;
  readonly verifyWebhook: (secret: string, headers: object, body: string) => Promise<unknown>;
}

const load = () => import(pathToFileURL(client).href) as Promise<Module>;

const typescript: Package = {
  name: 'TypeScript',
  isThere: true,
  run: async (baseUrl, token, { operation, asked }) => {
    const { ProductAvailability, every } = await load();
    const waits: number[] = [];
    const onRetry = (_reason: unknown, seconds: number) => waits.push(seconds);
    const client = new ProductAvailability({ baseUrl, token, onRetry });
    try {
      if (operation === 'every') {
        const read = (cursor?: string) => client.listOrders!({ ...asked, cursor });
        const rows: unknown[] = [];
        for await (const row of every(read)) rows.push(row);
        return { answer: rows, waits };
      }
      const { csv, ...defaults } = asked;
      const sent = csv === undefined ? [asked] : [csv, defaults];
      return { answer: await client[operation]!(sent[0], sent[1]), waits };
    } catch (error) {
      const { body } = error as { body?: { code: string } };
      return { refusal: body?.code ?? 'lost', waits };
    }
  },
  explain: async (problem) => new (await load()).Problem(problem).explain(),
};

const DRIVER = `
import json, sys
from product_availability import Problem, ProductAvailability, every
base, token, operation, asked = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
waits = []
client = ProductAvailability(base, token, on_retry=lambda reason, seconds: waits.append(seconds))
name = "".join("_" + c.lower() if c.isupper() else c for c in operation)
named = {"".join("_" + c.lower() if c.isupper() else c for c in key): value for key, value in asked.items()}
try:
    answer = list(every(client.list_orders, **named)) if name == "every" else getattr(client, name)(**named)
    print(json.dumps({"answer": answer, "waits": waits}))
except Problem as problem:
    print(json.dumps({"refusal": problem.code, "waits": waits}))
except OSError:
    print(json.dumps({"refusal": "lost", "waits": waits}))
`;

const python: Package = {
  name: 'Python',
  isThere: hasPython,
  run: async (base, token, { operation, asked }) => {
    const sent = ['-c', DRIVER, base, token, operation, JSON.stringify(asked)];
    const { stdout } = await exec('python3', sent, { env: { ...process.env, PYTHONPATH: wheel } });
    return JSON.parse(stdout) as Outcome;
  },
  explain: async (problem) => {
    const script =
      'import json, sys; from product_availability import Problem; print(Problem(json.loads(sys.argv[1])).explain())';
    const env = { ...process.env, PYTHONPATH: wheel };
    const { stdout } = await exec('python3', ['-c', script, JSON.stringify(problem)], { env });
    return stdout.trimEnd();
  },
};

type Fault = number | 'lost' | 'busy until a date';

/** A connection with these faults, in order: a status of a refusal, or a response that is lost. */
async function badLine(...faults: Fault[]) {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      keys.push(request.headers['idempotency-key'] as string | undefined);
      const fault = faults.shift();
      if (fault !== undefined && fault !== 'lost') {
        const [status, wait] =
          typeof fault === 'number' ? [fault, '0'] : [503, 'Thu, 26 Nov 2026 12:00:00 GMT'];
        const body = {
          type: 'about:blank',
          title: 'Busy',
          status,
          detail: 'Busy.',
          code: 'busy',
        };
        response
          .writeHead(status, { 'Content-Type': 'application/problem+json', 'Retry-After': wait })
          .end(JSON.stringify(body));
        return;
      }
      // `passOn` reads text.
      delete request.headers['accept-encoding'];
      const reply = await passOn(service.http, request);
      if (fault === 'lost') return void request.socket.destroy();
      response.writeHead(reply.status, reply.rawHeaders).end(reply.text);
    })();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  later(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

const body = { postcode: 'ZZ99 1AA', productCode: 'TEST-1G-12' };

describe.each([typescript, python])('the client for $name', ({ isThere, run, explain }) => {
  // Together: half of the time is waits before another attempt.
  const itRuns = isThere ? it.concurrent : it.skip;
  const token = () => service.given.token({ kind: 'test' });

  itRuns('sends an order again with the same key after 429, 503 and a lost answer', async () => {
    const line = await badLine(429, 'lost', 503);
    const mine = await token();
    const placed = await run(line.base, mine, { operation: 'placeOrder', asked: { body } });
    expect(placed).toEqual({
      answer: { message: expect.any(String), orderId: expect.any(String) },
      waits: [0, 2, 0],
    });
    expect(line.keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(line.keys).toEqual(Array(4).fill(line.keys[0]));
    const { body: list } = await service.http.get<{ items: unknown[] }>(
      '/product-availability/order',
      { token: mine },
    );
    expect(list.items).toHaveLength(1);
  });

  itRuns('does not repeat what has no key and another effect the second time', async () => {
    const mine = await token();
    const { base } = await badLine();
    const order = await run(base, mine, { operation: 'placeOrder', asked: { body, key: 'one' } });
    const asked = { orderId: (order.answer as { orderId: string }).orderId };
    const line = await badLine(503, 'lost');
    const lost = await run(line.base, mine, { operation: 'advanceTestOrder', asked });
    expect([lost, line.keys]).toEqual([{ refusal: 'lost', waits: [0] }, [undefined, undefined]]);
  });

  itRuns('stops after six attempts, and does not retry a refusal', async () => {
    const busy = await badLine(503, 503, 503, 503, 503, 503, 503);
    const read = { operation: 'readMe', asked: {} };
    expect(await run(busy.base, await token(), read)).toEqual({
      refusal: 'busy',
      waits: [0, 0, 0, 0, 0],
    });
    expect(busy.keys).toHaveLength(6);
    const { base } = await badLine();
    expect(await run(base, 'pas_test_x', read)).toEqual({ refusal: 'invalid-token', waits: [] });
  });

  itRuns('waits a second where a proxy answers with a date to retry after', async () => {
    const { base } = await badLine('busy until a date');
    const read = await run(base, await token(), { operation: 'readMe', asked: {} });
    expect(read).toEqual({ answer: expect.any(Object), waits: [1] });
  });

  itRuns('explains a problem with its remedy, or without where no page has one', async () => {
    const { base } = await badLine();
    const words = (type: string) =>
      explain({
        ...{ type, title: 'Bad Gateway', detail: 'Status 502.', code: 'unknown', status: 502 },
        errors: [{ pointer: '/uprn', detail: 'This is wrong.' }],
      });
    const alone = 'Bad Gateway: Status 502.\n  /uprn: This is wrong.';
    expect(await words('about:blank')).toBe(alone);
    expect(await words(`${(await badLine('lost')).base}/problems/unknown-product`)).toBe(alone);
    // A page that is not JSON, and JSON without a remedy.
    expect(await words(`${base}/docs/packages.md`)).toBe(alone);
    expect(await words(`${base}/health/live`)).toBe(alone);
    const { cure } = problemTypes['unknown-product'];
    expect(await words(`${base}/problems/unknown-product`)).toBe(`${alone}\nWhat to do: ${cure}`);
  });

  itRuns('reads a list page by page', async () => {
    const mine = await token();
    const { base } = await badLine();
    for (const key of ['a', 'b', 'c']) {
      await service.http.post('/product-availability/order', body, {
        token: mine,
        headers: { 'Idempotency-Key': key },
      });
    }
    const all = await run(base, mine, { operation: 'every', asked: { limit: 2 } });
    expect(all.answer).toHaveLength(3);
  });

  itRuns('quotes a spreadsheet of more lines than one answer has', async () => {
    const rows = Array.from({ length: 501 }, (_, i) => `Site ${i},ZZ99 1AA`);
    const csv = ['site,postcode', ...rows].join('\n');
    const { base } = await badLine('lost');
    const quoted = await run(base, await token(), {
      operation: 'quoteSpreadsheet',
      asked: { csv, bandwidth: 1, reference: 'RFQ-1' },
    });
    const quote = quoted.answer as {
      reference: string;
      nextCursor: null;
      lines: { site: string }[];
    };
    expect([quote.reference, quote.nextCursor, quote.lines.length]).toEqual(['RFQ-1', null, 501]);
    expect(quote.lines.at(-1)).toMatchObject({ site: 'Site 500', state: 'priced' });
  });
});

it('the client for TypeScript limits the time of an answer, but not that of a document', async () => {
  const { ProductAvailability } = await load();
  let sent: AbortSignal | undefined;
  /** Answers at once, with a body that ends when the request is aborted. */
  const answer = (_url: unknown, { signal }: { readonly signal: AbortSignal }) => {
    sent = signal;
    const start = (body: ReadableStreamDefaultController) =>
      signal.addEventListener('abort', () => body.error(signal.reason));
    return Promise.resolve(new Response(new ReadableStream({ start })));
  };
  const fetched = jest.spyOn(globalThis, 'fetch').mockImplementation(answer as typeof fetch);
  later(() => Promise.resolve(fetched.mockRestore()));
  const client = new ProductAvailability({ baseUrl: '', token: '', timeout: 1, attempts: 1 });
  await client.downloadCoverageAs!({ accept: 'text/csv' });
  const ofDocument = sent!;
  await expect(client.readMe!({})).rejects.toMatchObject({ name: 'TimeoutError' });
  // It was sent later, with the same time-out.
  expect([ofDocument.aborted, sent!.aborted]).toEqual([false, true]);
  fetched.mockRestore();
});

it('the clients download coverage only when it has changed, with the fetch of Node and with urllib', async () => {
  const token = await service.given.token({ scopes: ['availability:read', 'coverage:read'] });
  const base = `http://127.0.0.1:${service.http.port}`;
  const { ProductAvailability } = await load();
  const client = new ProductAvailability({ baseUrl: base, token });
  const download = async (ifNoneMatch?: string) => {
    const asked = { accept: 'application/x-ndjson', ifNoneMatch };
    const response = (await client.downloadCoverageAs!(asked)) as Response;
    return {
      status: response.status,
      etag: response.headers.get('etag')!,
      text: await response.text(),
    };
  };
  const { status, etag, text } = await download();
  expect([status, text.length > 0]).toEqual([200, true]);
  expect(await download(etag)).toEqual({ status: 304, etag, text: '' });
  expect((await download('"another"')).status).toBe(200);
  if (!hasPython) return;
  const script = `
import sys
from product_availability import ProductAvailability
client = ProductAvailability(sys.argv[1], sys.argv[2])
answer = client.download_coverage_as(accept="text/csv", if_none_match=sys.argv[3])
print(answer.status, answer.headers["ETag"], len(answer.read()))`;
  const env = { ...process.env, PYTHONPATH: wheel };
  const { stdout } = await exec('python3', ['-c', script, base, token, etag], { env });
  expect(stdout).toBe(`304 ${etag} 0\n`);
});

it('the client for TypeScript verifies a message until it is changed or old', async () => {
  const { verifyWebhook } = await load();
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const text = '{"type":"order.received"}';
  const sign = (key: string) =>
    createHmac('sha256', Buffer.from(key.slice(6), 'base64'))
      .update(`m1.${timestamp}.${text}`)
      .digest('base64');
  const headers = (signature: string, at = timestamp) => ({
    'webhook-id': 'm1',
    'webhook-timestamp': at,
    'webhook-signature': signature,
  });
  const good = `v1,${sign('whsec_AAAA')} v1,${sign(secret)}`;
  expect(await verifyWebhook(secret, headers(good), text)).toEqual(JSON.parse(text));
  expect(await verifyWebhook(secret, new Headers(headers(good)), text)).toEqual(JSON.parse(text));
  const wrong = [
    verifyWebhook(secret, headers(good), `${text} `),
    verifyWebhook(secret, headers(good, String(Number(timestamp) - 301)), text),
    verifyWebhook(secret, headers(`v1,${sign('whsec_AAAA')}`), text),
    verifyWebhook(secret, headers(`v2,${sign(secret)}`), text),
    verifyWebhook(secret, {}, text),
  ];
  expect(await Promise.all(wrong)).toEqual(wrong.map(() => undefined));
});

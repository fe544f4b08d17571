import { beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { operator } from '../../src/platform/audit/audit.service.js';
import { RoutesService } from '../../src/platform/http/routes.service.js';
import { problemTypes } from '../../src/platform/problems/problem-types.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { later, newFolder } from '../support/closing.js';
import { FakeClock } from '../support/fake-clock.js';
import { installTarball, pack, typeFaults, wheel } from '../support/packages.js';
import { inherited } from '../support/processes.js';
import { passOn } from '../support/proxies.js';
import { type Service, startService } from '../support/service.js';

const examples = resolve('examples');

/** The program for a file, and a command to detect it. */
const interpreters: Readonly<Record<string, readonly string[]>> = {
  sh: ['sh', '-c', 'curl --version'],
  python3: ['python3', '--version'],
  node: ['node', '--version'],
};

interface Example {
  readonly name: string;
  readonly needs: string;
  /** The command that runs it. */
  readonly command: () => Promise<string[]>;
}

const file = (needs: string, path: string) => ({
  name: path,
  needs,
  command: () => Promise.resolve([needs, join(examples, path)]),
});
const typescript = (path: string): Example => ({
  name: path,
  needs: 'node',
  command: async () => [process.execPath, join(await compiled(), path.replace(/ts$/, 'js'))],
});

const orders: readonly Example[] = [
  file('sh', 'curl/order.sh'),
  file('python3', 'python/order.py'),
  typescript('typescript/order.ts'),
];

const enquiries: readonly Example[] = [
  file('python3', 'python/enquiry.py'),
  typescript('typescript/enquiry.ts'),
];

const receivers: readonly Example[] = [
  file('python3', 'python/receive_webhooks.py'),
  typescript('typescript/receive-webhooks.ts'),
];

const absent = Object.entries(interpreters).flatMap(([name, [program, ...args]]) =>
  spawnSync(program!, args).status === 0 ? [] : [name],
);
const isThere = ({ needs }: Example) => !absent.includes(needs);
for (const { name, needs } of [...orders, ...enquiries, ...receivers].filter(
  (one) => !isThere(one),
)) {
  process.stderr.write(`The example ${name} is skipped: no ${needs}.\n`);
}

let service: Service;
let hasSandbox = false;
beforeAll(async () => {
  service = await onFreePort((port) =>
    startService('sqlite', {
      // Receivers compare the time of a delivery with their clock.
      clock: new FakeClock(new Date()),
      // The URL in the `type` of a problem is on this server.
      config: {
        port,
        publicUrl: `http://127.0.0.1:${port}`,
        webhookKey: randomBytes(32),
        webhookNetworks: ['127.0.0.0/8', '::1/128'],
      },
    }),
  );
  await service.given.catalogue();
  hasSandbox = service.get(RoutesService).routes.some(({ path }) => path.endsWith('/me'));
  // Compile before anything waits for a response.
  await pack();
  await Promise.all(
    [...orders, ...enquiries, ...receivers].filter(isThere).map((one) => one.command()),
  );
}, 300_000);

let made: Promise<string> | undefined;

/** Type-checks the examples strictly and compiles them. @returns their folder */
function compiled(): Promise<string> {
  return (made ??= (async () => {
    const folder = await newFolder();
    await installTarball(folder);
    cpSync(join(examples, 'typescript'), join(folder, 'typescript'), { recursive: true });
    const files = readdirSync(join(folder, 'typescript')).map((name) => `typescript/${name}`);
    expect(await typeFaults(folder, files, { outDir: 'out', types: ['node'] })).toBe('');
    return join(folder, 'out');
  })());
}

interface Line {
  readonly base: string;
  /** `method path status` of each exchange; `lost` if the response did not arrive. */
  readonly seen: string[];
  readonly keys: (string | undefined)[];
}

/**
 * An unreliable connection to the service: the first check gets 429, the response to the first order is
 * lost, and the second order gets 503.
 */
async function badLine(): Promise<Line> {
  const seen: string[] = [];
  const keys: (string | undefined)[] = [];
  let lookups = 0;
  let posts = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const isOrder = request.method === 'POST';
      if (isOrder) keys.push(request.headers['idempotency-key'] as string | undefined);
      const refuse = (status: number, code: string) => {
        seen.push(`${request.method} ${status}`);
        response
          .writeHead(status, { 'Content-Type': 'application/problem+json', 'Retry-After': '1' })
          .end(JSON.stringify({ type: 'about:blank', title: code, status, detail: code, code }));
      };
      if (isOrder) posts += 1;
      else if (request.url?.includes('/postcode/')) lookups += 1;
      if (!isOrder && lookups === 1) return refuse(429, 'rate-limited');
      if (isOrder && posts === 2) return refuse(503, 'unavailable');
      const reply = await passOn(service.http, request);
      if (isOrder && posts === 1) {
        seen.push('POST lost');
        request.socket.destroy();
        return;
      }
      seen.push(`${request.method} ${reply.status}`);
      response.writeHead(reply.status, reply.rawHeaders).end(reply.text);
    })();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  later(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, keys };
}

async function run(command: string[], args: string[], env: Record<string, string>) {
  const [program = '', ...rest] = command;
  const child = spawn(program, [...rest, ...args], {
    env: { ...inherited, HOME: process.env.HOME, PYTHONPATH: wheel, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { code, out, err };
}

const sold = () => (hasSandbox ? 'ZZ99 1AA' : 'EC2A 2BS');
/** At ZZ99 1AJ. A set-up price of 0 is free, not unstated. */
const surveyedTerms = [
  'TEST-100M-12: 208 GBP a month, set-up 0, basis subjectToSurvey',
  'TEST-1G-12: 550 GBP a month, set-up 250, basis subjectToSurvey',
  'TEST-1G-36: 450 GBP a month, set-up 250, basis subjectToSurvey',
];
const unsold = () => (hasSandbox ? 'ZZ99 1AB' : 'AB10 1AB');
const kind = () => (hasSandbox ? 'test' : 'live');

describe('the example', () => {
  for (const example of orders) {
    const itRuns = isThere(example) ? it.concurrent : it.skip;
    itRuns(
      `${example.name} checks, orders once over a bad line, and reads the order`,
      async () => {
        const command = await example.command();
        const token = await service.given.token({ kind: kind() });
        const line = await badLine();
        const env = { BASE: line.base, TOKEN: token };
        const { code, out, err } = await run(command, ['ZZ99 1AJ', 'PO-4711'], env);
        expect([err.match(/again in 1 s/g)?.length, code, out.split('\n').slice(1)]).toEqual([
          3,
          0,
          [
            ...surveyedTerms,
            expect.stringMatching(/^Ordering (?:TEST|INT)-100M-12 as number PO-4711$/),
            expect.stringMatching(/^Order [0-9a-f-]{36} is received\.$/),
            'State: acknowledged',
            '',
          ],
        ]);
        expect([line.seen, line.keys]).toEqual([
          ['GET 429', 'GET 200', 'POST lost', 'POST 503', 'POST 201', 'GET 200'],
          Array(3).fill(expect.stringMatching(/^order-PO-4711-[0-9A-Z]{10}$/)),
        ]);
        expect(new Set(line.keys).size).toBe(1);
        const { body } = await service.http.get<{ items: { reference: string }[] }>(
          '/product-availability/order',
          { token },
        );
        expect(body.items.map(({ reference }) => reference)).toEqual(['PO-4711']);
      },
      60_000,
    );

    itRuns(
      `${example.name} says what is wrong, and what to do about it`,
      async () => {
        const command = await example.command();
        const base = service.config.publicUrl;
        const bad = await run(command, [sold()], { BASE: base, TOKEN: 'pas_test_x' });
        const { title, cure } = problemTypes['invalid-token'];
        expect([bad.code, bad.out]).toEqual([1, '']);
        expect(bad.err).toMatch(new RegExp(`^${title}: .+\\n.*What to do: ${cure}\\n$`, 's'));
        const token = await service.given.token({ kind: kind() });
        const none = await run(command, [unsold()], { BASE: base, TOKEN: token });
        expect([none.code, none.out]).toEqual([0, `No products are available at ${unsold()}.\n`]);
        const first = await run(command, [sold(), 'PO-1'], { BASE: base, TOKEN: token });
        const second = await run(command, [sold(), 'PO-1'], { BASE: base, TOKEN: token });
        expect(first.out).toMatch(/ 208 GBP a month, set-up not stated, basis firm\n/);
        // It can be run again as the documentation prints it.
        expect([first.code, second.code, second.err]).toEqual([0, 0, '']);
      },
      60_000,
    );
  }
});

describe('the example of an enquiry', () => {
  for (const example of enquiries) {
    (isThere(example) ? it.concurrent : it.skip)(
      `${example.name} enquires and accepts the cheapest offer once over a bad line`,
      async () => {
        const command = await example.command();
        const token = await service.given.token({ kind: 'test' });
        const line = await badLine();
        const env = { BASE: line.base, TOKEN: token };
        const { code, out, err } = await run(command, ['ZZ99 1BB', 'RFQ-204'], env);
        const terms = [
          '650 GBP a month, set-up 1200, basis subjectToSurvey',
          '580 GBP a month, set-up 0, basis firm',
        ];
        expect([err.match(/again in 1 s/g)?.length, code, out.split('\n').slice(1)]).toEqual([
          3,
          0,
          [
            expect.stringMatching(/^Your enquiry was received\./),
            'State: offered',
            ...terms.map((each) => expect.stringMatching(`^BESPOKE-\\w{6}: ${each}, until 20`)),
            expect.stringMatching(`^Order ORD-\\w{6}: BESPOKE-\\w{6}: ${terms[1]}$`),
            '',
          ],
        ]);
        const { body } = await service.http.get<{ items: { product: { price: number } }[] }>(
          '/product-availability/order',
          { token },
        );
        expect(body.items.map(({ product }) => product.price)).toEqual([580]);
      },
      60_000,
    );
  }
});

/** Tries another port if another process takes the first one. */
async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let left = 5; ; left -= 1) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (left === 0 || !/EADDRINUSE|already in use/i.test(String(error))) throw error;
    }
  }
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a long-running process. @returns a function that waits for matching output */
function hearing(program: string, args: string[], env: Record<string, string>) {
  const child = spawn(program, args, {
    env: { ...inherited, PYTHONPATH: wheel, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  // By then all its output has arrived.
  const ended = once(child, 'close');
  later(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (told += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (told += part));
  return async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(told);
      if (match) return match;
      await Promise.race([
        once(child.stdout, 'data'),
        once(child.stderr, 'data'),
        ended.then(() => Promise.reject(new Error(`It ended: ${told}`))),
      ]);
    }
  };
}

describe('the receiver of webhooks', () => {
  for (const example of receivers) {
    (isThere(example) ? it : it.skip)(
      `${example.name} takes what the service has signed, and nothing else`,
      async () => {
        const [program = '', ...args] = await example.command();
        const webhooks = service.get(WebhooksService);
        const { url, endpoint, heard } = await onFreePort(async (port) => {
          const url = `http://localhost:${port}/`;
          const { endpoint, secret } = await webhooks.add(url, null, operator);
          const env = { SECRET: secret, PORT: String(port) };
          const heard = hearing(program, args, env);
          try {
            await heard(/[Ll]istening on/);
          } catch (error) {
            await webhooks.remove(endpoint.id, operator);
            throw error;
          }
          return { url, endpoint, heard };
        });

        const { orderId } = await service.given.order();
        await service.get(DeliveryService).deliverDue();
        const [, body = ''] = await heard(/Verified: (.*)\n/);
        expect(JSON.parse(body)).toMatchObject({ type: 'order.received', data: { orderId } });

        const forged = await fetch(url, {
          method: 'POST',
          headers: {
            'webhook-id': 'x',
            'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
            'webhook-signature': 'v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
          },
          body,
        });
        await forged.text();
        expect(forged.status).toBe(400);
        await webhooks.remove(endpoint.id, operator);
      },
      60_000,
    );
  }
});

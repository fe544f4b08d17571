import { beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { DEMO_CATALOGUE } from '../../demo/week/week.js';
import { later, newFolder } from '../support/closing.js';
import { Http } from '../support/http.js';
import { freePort } from '../support/postgres.js';
import { inherited, nodeOptions } from '../support/processes.js';
import { startRelay } from '../support/proxies.js';

const environment = inherited;

/** The shell commands of a Markdown text, as a reader pastes them. */
function commandsOf(markdown: string): string {
  return [...markdown.matchAll(/^```sh(?: .*)?\n([^]*?)^```$/gm)].map(([, code]) => code).join('');
}

function demoIn(folder: string, port: number) {
  return spawn(process.execPath, [...nodeOptions, resolve('dist/demo/main.js')], {
    cwd: folder,
    env: { ...environment, PORT: String(port), HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** A new demo in a new folder, which it ends with the tests. @returns the folder and the address */
async function startDemo(): Promise<{ folder: string; base: string }> {
  const folder = await newFolder();
  mkdirSync(join(folder, 'demo'));
  for (const files of DEMO_CATALOGUE) {
    symlinkSync(resolve(files), join(folder, files));
  }
  const port = await freePort();
  const child = demoIn(folder, port);
  child.stderr.pipe(process.stderr);
  later(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
  while (!printed.includes('The demo is serving')) await once(child.stdout, 'data');
  const http = new Http(port);
  later(() => Promise.resolve(http.close()));
  return { folder, base: await startRelay(http) };
}

describe('the commands of a quick start, pasted into bash next to a fresh demo,', () => {
  let folder: string;
  let base: string;
  beforeAll(async () => {
    ({ folder, base } = await startDemo());
  }, 120_000);

  async function paste(commands: string): Promise<string> {
    const bash = spawn('bash', ['--noprofile', '--norc'], {
      cwd: folder,
      env: environment,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    bash.stdin.end(commands.replaceAll('http://localhost:3000', base));
    return (await text(bash.stdout)).replaceAll('\r', '');
  }

  const allOf = (pattern: RegExp, printed: string) =>
    [...printed.matchAll(pattern)].map(([, value]) => value);

  it('on the documentation’s page check, order, retry and read with the ids of the answers', async () => {
    const { testToken } = JSON.parse(
      readFileSync(join(folder, 'demo/credentials.json'), 'utf8'),
    ) as { testToken: string };
    const commands = commandsOf(readFileSync('docs/api/quick-start.md', 'utf8'));
    const printed = await paste(commands.replace('pas_test_…', testToken));
    expect(allOf(/HTTP\/1\.1 (\d+)/g, printed)).toEqual(['201', '201']);
    expect(printed.match(/^Idempotent-Replayed: true$/gm)).toHaveLength(1);
    const [checkId] = allOf(/^\{"id":"(\w+)"/gm, printed);
    expect(printed).toContain(`"checkId":"${checkId}"`);
    const orders = allOf(/"orderId":"([\w-]+)"/g, printed);
    expect([orders.length, new Set(orders).size]).toEqual([3, 1]);
    expect(allOf(/"code":"([a-z-]+)","errors"/g, printed)).toEqual(['validation-error']);
  });

  it('reach coverage and agents with both tokens that the demo prints', async () => {
    const statuses = await paste(`
for NAME in token testToken; do
  TOKEN=$(node -p "require('./demo/credentials.json').$NAME")
  curl -s -o coverage -w '%{http_code}\\n' -H "Authorization: Bearer $TOKEN" http://localhost:3000/product-availability/coverage
  curl -s -o answer -w '%{http_code}\\n' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -H 'Accept: application/json, text/event-stream' -d '{"jsonrpc":"2.0","id":1,"method":"ping"}' http://localhost:3000/mcp
done
`);
    expect(statuses).toBe('200\n200\n200\n200\n');
  });

  it('are not spoilt by a second demo of the same folder, which says where the first one serves', async () => {
    const before = readFileSync(join(folder, 'demo/credentials.json'), 'utf8');
    const second = demoIn(folder, await freePort());
    const [said, [code]] = await Promise.all([
      text(second.stderr),
      once(second, 'exit') as Promise<[number]>,
    ]);
    const { baseUrl } = JSON.parse(before) as { baseUrl: string };
    expect([code, said]).toEqual([
      1,
      expect.stringContaining(`serves this database at ${baseUrl}`),
    ]);
    expect(readFileSync(join(folder, 'demo/credentials.json'), 'utf8')).toBe(before);
  });

  it('in the README check, order, read the order and show an error', async () => {
    const [, section = ''] =
      /^## Try it in two minutes\n([^]*?)^## /m.exec(readFileSync('README.md', 'utf8')) ?? [];
    const [install, ...rest] = section.split('Open a second terminal');
    expect(commandsOf(install!)).toBe('npm ci\nnpm run demo\n');
    const printed = await paste(commandsOf(rest.join('')));
    expect(allOf(/"message":"(\d+) products are available at EC2A 2BS/g, printed)).toEqual(['48']);
    expect(allOf(/HTTP\/1\.1 (\d+)/g, printed)).toEqual(['201']);
    const orders = allOf(/"orderId":"([\w-]+)"/g, printed);
    expect([orders.length, new Set(orders).size]).toEqual([2, 1]);
    expect(printed).toContain('"state":"acknowledged"');
    expect(allOf(/"code":"([a-z-]+)","errors"/g, printed)).toEqual(['validation-error']);
  });
});

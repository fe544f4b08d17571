import { describe, expect, it, jest } from '@jest/globals';
import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NameResolver } from '../../src/platform/kernel/name-resolver.js';
import { postWebhook } from '../../src/platform/notifications/webhook.channel.js';
import { fetchBounded } from '../../src/staff/sign-in/oidc.service.js';
import { until } from '../support/catalogue.js';
import { later, newFolder } from '../support/closing.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const [A, AAAA] = [1, 28];
interface DnsRecord {
  readonly type: number;
  readonly data: readonly number[];
  readonly ttl: number;
}
const a = (...data: number[]): DnsRecord => ({ type: A, data, ttl: 60 });
const localhost6: DnsRecord = { type: AAAA, data: [...Array<number>(15).fill(0), 1], ttl: 60 };

/** A name server that answers these names. Of others it says that they do not exist; `silent` gets no answer. */
async function nameServer(zone: Readonly<Record<string, readonly DnsRecord[]>>) {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, end } = nameIn(query);
    asked.push(name);
    if (name === 'silent.example') return;
    const type = query.readUInt16BE(end);
    const records = (zone[name] ?? []).filter((record) => record.type === type);
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(name in zone ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(records.length, 6);
    header.fill(0, 8);
    const answers = records.map(({ type, data, ttl }) => {
      const start = Buffer.alloc(12);
      start.writeUInt16BE(0xc00c, 0);
      start.writeUInt16BE(type, 2);
      start.writeUInt16BE(1, 4);
      start.writeUInt32BE(ttl, 6);
      start.writeUInt16BE(data.length, 10);
      return Buffer.concat([start, Buffer.from(data)]);
    });
    const question = query.subarray(12, end + 4);
    socket.send(Buffer.concat([header, question, ...answers]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  later(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return { asked, servers: [`127.0.0.1:${socket.address().port}`] };
}

function nameIn(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

const nowhere = { hosts: '/nowhere', resolvConf: '/nowhere' };

describe('A name', () => {
  it('has the addresses of both families, and is asked once for its time to live', async () => {
    const { asked, servers } = await nameServer({
      'hooks.example': [localhost6, { ...a(127, 0, 0, 1), ttl: 20 }],
    });
    let now = 0;
    const names = new NameResolver({ ...nowhere, servers, now: () => now });
    const all = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    const results = await Promise.all([
      names.resolve('hooks.example'),
      names.resolve('hooks.example'),
    ]);
    now = 19_999;
    expect([...results, await names.resolve('hooks.example')]).toEqual([all, all, all]);
    expect(asked).toHaveLength(2);
    now = 20_000;
    await names.resolve('hooks.example');
    expect(asked).toHaveLength(4);
  });

  it('that does not exist fails, and is asked again after five seconds', async () => {
    const { asked, servers } = await nameServer({});
    let now = 0;
    const names = new NameResolver({ ...nowhere, servers, now: () => now });
    for (now of [0, 4_999, 5_000]) {
      await expect(names.resolve('no.example')).rejects.toThrow(
        'The name no.example has no address.',
      );
    }
    expect(asked).toHaveLength(4);
  });

  it('without an answer fails in time, and does not hold up other names', async () => {
    const { asked, servers } = await nameServer({ 'hooks.example': [a(127, 0, 0, 1)] });
    const names = new NameResolver({ ...nowhere, servers });
    // The time for all queries of a name ends when the other name has its answer.
    let endTime: () => void = () => undefined;
    const timer = globalThis.setTimeout;
    const keep = (run: () => void, time?: number) => {
      if (time === 5_000) endTime = run;
      return timer(run, time);
    };
    const timers = jest.spyOn(globalThis, 'setTimeout');
    timers.mockImplementation(keep as typeof setTimeout);
    const silent = names.resolve('silent.example');
    await until(() => asked.includes('silent.example'));
    timers.mockRestore();
    const first = await Promise.race([
      silent.catch(() => 'silent'),
      names.resolve('hooks.example'),
    ]);
    expect(first).toEqual([{ address: '127.0.0.1', family: 4 }]);
    endTime();
    await expect(silent).rejects.toThrow(/^No name server answered for silent\.example/);
  });

  it('is found in the hosts file and in the search domains', async () => {
    const { servers } = await nameServer({ 'mail.svc.cluster.local': [a(10, 0, 0, 7)] });
    const folder = await newFolder();
    const [hosts, resolvConf] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
    writeFileSync(hosts, '# machines\n10.1.2.3 relay.example Relay # the mail relay\n');
    writeFileSync(resolvConf, 'search svc.cluster.local cluster.local\n');
    const names = new NameResolver({ servers, hosts, resolvConf });
    const addressOf = async (name: string) => (await names.resolve(name))[0]?.address;
    expect([await addressOf('relay'), await addressOf('mail')]).toEqual(['10.1.2.3', '10.0.0.7']);
    expect(await addressOf('localhost')).toBe('127.0.0.1');
  });

  it('of the sign-in provider or a webhook stays out of the thread pool', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answer = (response) => response.writeHead(200).end('{}');
    const url = `http://localhost:${receiver.port}`;
    const lookup = jest.spyOn(dns, 'lookup');
    const signal = AbortSignal.timeout(10_000);

    const answer = await fetchBounded(`${url}/keys`, {
      method: 'GET',
      headers: {},
      body: null,
      redirect: 'manual',
      signal,
    });
    expect([answer.status, await answer.text()]).toEqual([200, '{}']);

    const rules = { networks: ['127.0.0.0/8', '::1/128'], http: true };
    await postWebhook({ url: new URL(url), headers: {}, body: '{}', rules, signal });

    expect(receiver.hooks).toHaveLength(2);
    expect(lookup).not.toHaveBeenCalled();
  });
});

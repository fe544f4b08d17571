import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { connect } from 'node:net';
import { ChecksService } from '../../src/availability/checks.service.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import { operator } from '../../src/audit/audit.service.js';
import { smallCatalogue } from '../support/given.js';
import { type Service, startService } from '../support/service.js';

const PATH = '/product-availability/postcode/';

/**
 * The fast answer (src/availability/check-fast-path.ts) beside the long way's. A `?` at the end changes nothing in what
 * is asked, and is left to the long way.
 */
describe('The fast answer to a check', () => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await startService('sqlite');
    await service.given.catalogue(smallCatalogue);
    token = await service.given.token();
  });

  // Passport accepts the token, which is recognised until a client or a token changes.
  beforeEach(() => askLong('EC2A%202BS'));

  /** The whole answer, byte by byte, but for what differs between any two answers. */
  const ask = async (target: string, head = `Authorization: Bearer ${token}\r\n`) => {
    const text = await exchange(
      service.http.port,
      `GET ${PATH}${target} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n`,
    );
    return {
      id: /"id":"(\w{10})"/.exec(text)?.[1],
      remaining: Number(/RateLimit: "look-ups";r=(\d+)/.exec(text)?.[1]),
      text: text
        .replace(/"id":"[0-9A-HJKMNP-TV-Z]{10}"/, '"id":"…"')
        .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
        .replace(/r=\d+;t=\d+/, 'r=…')
        .replace(/Date: .*/, 'Date: …'),
    };
  };
  const askLong = (target: string, head?: string) => ask(`${target}?`, head);

  it.each([
    'EC2A%202BS',
    'ec2a2bs',
    'EC2A2BR',
    'N19GU',
    'AB10%201AB',
    'SW1A%201%41A',
    '%20N1%209gu%09',
  ])('is the one of the long way, for %s', async (postcode) => {
    const fast = await ask(postcode);
    const long = await askLong(postcode);
    expect(fast.text).toBe(long.text);
    expect(fast.text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(fast.id).not.toBe(long.id);
    expect(long.remaining).toBe(fast.remaining - 1);
  });

  it.each(['XX', 'EC2A%2', '', 'EC2A2BS/', 'EC2A%2F2BS', 'EC2A2BS/x', 'E%FF'])(
    'is not given where something is wrong: %s',
    async (postcode) => {
      expect((await ask(postcode)).text).toBe((await askLong(postcode)).text);
    },
  );

  it('is given in front of Express', async () => {
    const express = service.app.getHttpAdapter().getInstance() as unknown as { handle(): void };
    const handle = jest.spyOn(express, 'handle');
    await ask('EC2A2BS');
    expect(handle).not.toHaveBeenCalled();
    await askLong('EC2A2BS');
    expect(handle).toHaveBeenCalledTimes(1);
    handle.mockRestore();
  });

  it('leaves a record that can be read again', async () => {
    const { id } = await ask('EC2A2BS');
    const path = `/product-availability/check/${id}`;
    expect(await service.http.get(path, { token })).toMatchObject({ status: 200, body: { id } });
    await service.get(ChecksService).flush();
    expect(await service.http.get(path, { token })).toMatchObject({ status: 200, body: { id } });
  });

  it('has the misspelt key for a client whose record says so', async () => {
    const client = await service.given.client({ legacyFieldNames: true });
    const token = await service.given.token({ client });
    const head = `Authorization: Bearer ${token}\r\n`;
    const long = await askLong('EC2A2BS', head);
    const fast = await ask('EC2A2BS', head);
    expect(fast.text).toBe(long.text);
    expect(fast.text).toContain('"bandwidthCapactity":');
  });

  it.each([
    ['none', ''],
    ['an unknown one', 'Authorization: Bearer nonsense\r\n'],
    ['two', 'Authorization: Bearer a\r\nauthorization: Bearer b\r\n'],
  ])('is not given for a token that is not good: %s', async (_what, head) => {
    const fast = await ask('EC2A2BS', head);
    expect(fast.text).toMatch(/^HTTP\/1.1 4/);
    expect(fast.text).toBe((await askLong('EC2A2BS', head)).text);
  });

  it('is not given for a good token beside a second one', async () => {
    const head = `Authorization: Bearer ${token}\r\nAuthorization: Bearer ${token}\r\n`;
    expect((await ask('EC2A2BS', head)).text).toMatch(/^HTTP\/1.1 400/);
  });

  it('is not given to a token without the scope, nor to staff', async () => {
    const other = await service.given.token({ scopes: ['orders:read'] });
    const staff = await service.given.token({ staff: await service.given.staff() });
    for (const wrong of [other, staff]) {
      const head = `Authorization: Bearer ${wrong}\r\n`;
      // Each is known by the second time.
      await ask('EC2A2BS', head);
      expect((await ask('EC2A2BS', head)).text).toMatch(/^HTTP\/1.1 403/);
    }
  });

  it('ends when the token is revoked, and when it expires', async () => {
    const client = await service.given.client();
    const issued = await service.given.issuedToken({ client });
    const shortLived = await service.given.issuedToken({ client, days: 1 });
    const heads = [issued, shortLived].map((one) => `Authorization: Bearer ${one.token}\r\n`);
    for (const head of heads) {
      await ask('EC2A2BS', head);
      expect((await ask('EC2A2BS', head)).text).toMatch(/^HTTP\/1.1 200/);
    }
    await service.get(TokensService).revoke(issued.id, operator);
    expect((await ask('EC2A2BS', heads[0])).text).toMatch(/^HTTP\/1.1 401/);
    await ask('EC2A2BS', heads[1]);
    service.clock.advance({ hours: 25 });
    expect((await ask('EC2A2BS', heads[1])).text).toMatch(/^HTTP\/1.1 401/);
  });

  it('counts towards the limit, which the long way then refuses', async () => {
    const limited = await startService('sqlite', { config: { lookupsPerMinute: 3 } });
    await limited.given.catalogue(smallCatalogue);
    const mine = await limited.given.token();
    const statuses: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      statuses.push((await limited.http.get(`${PATH}EC2A2BS`, { token: mine })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });

  it('waits for a catalogue', async () => {
    const empty = await startService('sqlite');
    const mine = await empty.given.token();
    for (let i = 0; i < 2; i += 1) {
      expect((await empty.http.get(`${PATH}EC2A2BS`, { token: mine })).status).toBe(503);
    }
  });
});

/** What comes back on a connection of its own, up to the end of the body. */
function exchange(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      text += chunk.toString();
      const [, length] = /Content-Length: (\d+)/i.exec(text) ?? [];
      const body = text.indexOf('\r\n\r\n') + 4;
      if (body < 4 || Buffer.byteLength(text.slice(body)) < Number(length)) return;
      socket.destroy();
      resolve(text);
    });
  });
}

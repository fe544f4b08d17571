import { describe, expect, it } from '@jest/globals';
import { newToken } from '../../src/clients/token-format.js';
import { Log } from '../../src/ops/log.js';
import { type Service, startService } from '../support/service.js';

const LOOK = '/product-availability/postcode/EC2A2BS';
const ORDER = '/product-availability/order';
const trace = '4bf92f3577b34da6a3ce929d0e0e4736';

type Line = Readonly<Record<string, unknown>>;

/** A service and what it logs, as it would be on standard output. */
async function logged(use: (service: Service, log: Log) => Promise<void>) {
  let output = '';
  const destination = { write: (line: string) => void (output += line) };
  const log = new Log({ logLevel: 'info', production: true }, destination);
  await use(await startService('sqlite', { output: log }), log);
  const lines = output.trimEnd().split('\n');
  return { output, lines: lines.map((line) => JSON.parse(line) as Line) };
}

describe('the log', () => {
  it('leaves the reason why a start fails to the process that reports it', async () => {
    const { output } = await logged(async ({ http }, log) => {
      const config = { port: http.port };
      await expect(startService('sqlite', { config, output: log })).rejects.toThrow('EADDRINUSE');
      log.error('Something else.', 'Here');
    });
    expect(output).toContain('Something else.');
    expect(output).not.toContain('EADDRINUSE');
  });

  it('has one line for each request, with what an operator looks for', async () => {
    let expected: Line[] = [];
    const { lines } = await logged(async ({ given, http }) => {
      await given.catalogue();
      const client = await given.client();
      const { id, token } = await given.issuedToken({ client });
      const headers = {
        traceparent: `00-${trace}-00f067aa0ba902b7-01`,
        'X-Request-Id': 'theirs-4711',
      };
      const look = await http.get(LOOK, { token, headers });
      const order = await http.post(ORDER, {}, { token });
      const nowhere = await http.get('/nowhere?secret=1');
      const common = { level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/), catalogue: 1 };
      const who = { client: client.id, token: id };
      const ms = expect.any(Number);
      const idOf = (reply: { headers: Line }) => String(reply.headers['x-request-id']);
      const own = (reply: { headers: Line }) => idOf(reply).replaceAll('-', '');
      expected = [
        {
          ...common,
          ...who,
          request: idOf(look),
          trace,
          inbound: 'theirs-4711',
          method: 'GET',
          route: '/product-availability/postcode/:postcode',
          status: 200,
          ms,
        },
        {
          ...common,
          ...who,
          request: idOf(order),
          trace: own(order),
          method: 'POST',
          route: ORDER,
          status: 400,
          ms,
          problem: 'validation-error',
        },
        {
          ...common,
          request: idOf(nowhere),
          trace: own(nowhere),
          method: 'GET',
          route: 'unmatched',
          status: 404,
          ms,
          problem: 'not-found',
        },
      ];
    });
    expect(lines.filter(({ route }) => route !== undefined)).toEqual(expected);
  });

  it('has every field for the fast answer, and all that there is for a broken request', async () => {
    let client = '';
    let tokenId = '';
    const { lines } = await logged(async ({ given, http }) => {
      await given.catalogue();
      const its = await given.client();
      const { id, token } = await given.issuedToken({ client: its });
      [client, tokenId] = [its.id, id];
      // The second one of the same token is answered in front of Express.
      for (let i = 0; i < 2; i += 1) {
        await http.get(LOOK, {
          token,
          headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
        });
      }
      await http.sendBytes('nonsense\r\n\r\n');
    });
    const [slow, fast, broken] = lines.filter(({ route }) => route !== undefined);
    const given = { request: expect.any(String), time: expect.any(String), ms: expect.any(Number) };
    expect(slow).toMatchObject({ client, token: tokenId, trace, catalogue: 1 });
    expect(fast).toEqual({ ...slow, ...given });
    expect(broken).toEqual({
      ...given,
      level: 'info',
      trace: String(broken?.request).replaceAll('-', ''),
      method: 'other',
      route: 'unreadable',
      status: 400,
      problem: 'malformed-request',
      catalogue: 1,
    });
  });

  it('of a whole run holds no token, body, address, telephone number or terminal command', async () => {
    const token = newToken('live');
    const wish = {
      postcode: 'EC2A 2BS',
      productCode: 'INT-1G-12',
      contact: {
        name: 'Ada\u001b[31m Lovelace',
        email: 'ada@example.com',
        phone: '+44 20 7946 0958',
      },
      notes: 'ring\r\n{"level":"error"}',
    };
    let known = '';
    const { output, lines } = await logged(async ({ given, http }, log) => {
      await given.catalogue();
      known = await given.token();
      const headers = {
        Cookie: 'session=verysecret',
        'User-Agent': 'evil',
        'X-Request-Id': 'x"\\,"level":"fatal"',
        traceparent: '00-"',
      };
      await http.post(ORDER, wish, { token: known, headers });
      await http.post(ORDER, { ...wish, token: known }, { token: known });
      await http.get(`${LOOK}?access_token=${known}`, { token: known });
      await http.get(`${LOOK}?access_token=${token}`);
      await http.get('/product-availability/postcode/ada@example.com', { token: known });
      await http.get('/%1b%5b31m%0d%0aforged', { token });
      await http.get(LOOK, { token });
      await http.get(LOOK, { headers: { Authorization: `Basic ${token}` } });
      await http.sendBytes(`GET / HTTP/1.1\r\nAuthorization: Bearer ${token}\r\nbroken\r\n\r\n`);
      log.error(new Error(`mail to ada@example.com by Bearer ${token} failed\u009b2J`), 'Test');
      log.warn(`postgres://user:verysecret@db/ and +44 20 7946 0958`, 'Test');
    });
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter(({ level }) => level === 'fatal')).toEqual([]);
    for (const secret of [
      token,
      known,
      token.slice(12),
      'verysecret',
      'ada@',
      // Ids may well have the digits 7946 in them.
      '20 7946',
      '7946 0958',
      '79460958',
      'Lovelace',
      'ring',
      'evil',
      'forged',
    ]) {
      expect([secret, output.includes(secret)]).toEqual([secret, false]);
    }
    // eslint-disable-next-line no-control-regex
    expect(output.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });
});

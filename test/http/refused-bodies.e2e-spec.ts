import { beforeAll, describe, expect, it } from '@jest/globals';
import { onOneEngine, type Service, startService } from '../support/service.js';

const json = { 'Content-Type': 'application/json' };
const csv = { 'Content-Type': 'text/csv' };
const api = '/product-availability';

interface Refusal {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly { pointer: string; code: string; detail: string }[];
}

onOneEngine('a body that is refused', (engine) => {
  let service: Service;
  let token: string;
  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    token = await service.given.token();
  });

  const post = async (path: string, body: string, headers: Record<string, string> = json) => {
    const sent = { method: 'POST', path: `${api}/${path}`, token, headers, body };
    const { status, body: refusal } = await service.http.send<Refusal>(sent);
    return [status, refusal.errors?.[0] ?? refusal.detail] as const;
  };

  describe('because it has too many sites', () => {
    const many = (entry: string, number = 170_000) =>
      `{"wanted":{"bandwidth":1},"sites":[${Array(number).fill(entry).join()}]}`;
    const sheet = (rows: number) => `postcode\n${'A\n'.repeat(rows)}`;
    const tooMany = 'The lists of the body have more than 10000 items.';
    const cases: [string, () => Promise<unknown>, unknown][] = [
      ['objects', () => post('quote', many('{}')), [400, tooMany]],
      ['numbers', () => post('quote', many('1')), [400, tooMany]],
      ['lists', () => post('quote', many('[]')), [400, tooMany]],
      [
        'a few more than allowed',
        () => post('quote', many('{}', 9_000)),
        [400, { pointer: '/sites', code: 'too-long', detail: 'Must have at most 2,000 sites.' }],
      ],
      [
        'rows',
        () => post('quote?bandwidth=1', sheet(260_000), csv),
        [400, { pointer: '/sites', code: 'too-long', detail: 'Must have at most 2,000 sites.' }],
      ],
      [
        'blanks',
        () => post('quote?bandwidth=1', ' '.repeat(500_000), csv),
        [400, expect.stringContaining('longer than 65,536 characters')],
      ],
    ];

    it.each(cases)('takes less time than one that is answered: %s', async (_name, send, answer) => {
      const timeOf = async (work: () => Promise<unknown>) => {
        const before = process.cpuUsage();
        await work();
        const { user, system } = process.cpuUsage(before);
        return user + system;
      };
      expect(await send()).toEqual(answer);
      const full = () => post('quote?bandwidth=1', sheet(2_000), csv);
      expect((await full())[0]).toBe(201);
      const refused = Math.min(await timeOf(send), await timeOf(send));
      expect(refused).toBeLessThan(Math.min(await timeOf(full), await timeOf(full)));
    });
  });

  describe('because it says one thing twice', () => {
    const repeated = (pointer: string) => [
      400,
      { pointer, code: 'not-allowed', detail: 'This key is in the object twice. Send it once.' },
    ];
    const order = '"postcode":"EC2A 2BS","productCode":"INT-1G-12"';

    it.each([
      ['order', `{${order},"postcode":"N1 9GU"}`, '/postcode'],
      ['order', `{${order},"contact":{"name":"A","n\\u0061me":"B"}}`, '/contact/name'],
      ['postcodes', '{"postcodes":["N1 9GU"],"postcodes":["EC2A 2BS"]}', '/postcodes'],
      ['quote', '{"sites":[{"postcode":"N1 9GU"},{"uprn":"1","uprn":"2"}]}', '/sites/1/uprn'],
      ['webhooks', '{"url":"https://a.example","url":"https://b.example"}', '/url'],
    ])('%s with %s', async (path, body, pointer) => {
      expect(await post(path, body)).toEqual(repeated(pointer));
    });

    it('columns of a spreadsheet', async () => {
      const sheet = 'Site,Postcode,Bandwidth,Postcode\nA,EC2A 2BS,1G,E1 6AZ\n';
      const both =
        '"Postcode" (column B) and "Postcode" (column D) are both read as postcode. Remove or rename all but one, or choose with columns=postcode:B.';
      expect(await post('quote', sheet, csv)).toEqual([
        400,
        { pointer: '/sites', code: 'not-allowed', detail: both },
      ]);
    });

    it('Content-Type', async () => {
      const lines = [
        `POST ${api}/order HTTP/1.1`,
        ...['Host: localhost', `Authorization: Bearer ${token}`, 'Connection: close'],
        ...['Content-Type: application/json', 'Content-Type: text/csv', 'Content-Length: 2'],
      ];
      const answer = await service.http.sendBytes(`${lines.join('\r\n')}\r\n\r\n{}`);
      expect(String(answer)).toContain('Send one Content-Type header.');
    });
  });

  it.each(['application/vnd.oasis.opendocument.spreadsheet', 'text/plain'])(
    'because its type is %s, with the types that a quote takes',
    async (type) => {
      const [status, detail] = await post('quote', 'postcode\nN1 9GU\n', { 'Content-Type': type });
      expect([status, detail]).toEqual([
        415,
        'Send JSON with Content-Type: application/json, or a list as CSV with Content-Type: text/csv, or as a workbook with Content-Type: application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.',
      ]);
    },
  );
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { formType } from '../support/catalogue-form.js';
import { type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const BOUNDARY = /boundary=(.*)/.exec(formType['Content-Type'])![1];

/** Forms that take a file. A new one belongs here. */
const forms = ['/staff/quotes', '/staff/delivery-updates', '/staff/catalogue/versions'];

/** Ends within a file: the request itself is complete. */
const bodies = [
  ['file', 'sites.csv', '\r\nsite,postcode\r\nHall,EC2A'],
  ['file', 'unknown.csv', '\r\nsite,postcode\r\nHall,EC2A'],
  ['files', 'unknown.csv', '\r\nsite,postcode\r\nHall,EC2A'],
  ['files', '', '\r\n'],
  ['unknown', 'a.csv', '\r\na'],
] as const;

describe('a form whose body ends within a file', () => {
  let service: Service;
  let admin: StaffBrowser;

  beforeAll(async () => {
    service = await startService('sqlite');
    await service.given.catalogue();
    admin = await StaffBrowser.signedIn(service, { role: 'admin' });
  });

  it.each(forms)('is refused by %s, and ends nothing', async (path) => {
    const headers = {
      'Sec-Fetch-Site': 'same-origin',
      'Sec-Fetch-Mode': 'navigate',
      ...formType,
    };
    for (const [name, fileName, rest] of bodies) {
      const body = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: text/csv\r\n${rest}`;
      const { status } = await admin.send({ method: 'POST', path, headers, body });
      expect([name, status >= 400 && status < 500]).toEqual([name, true]);
    }
    // Neither a body nor its length: Node ends the stream of such a request before its handler runs.
    const own = { Host: 'a', Connection: 'close', Cookie: `staff=${admin.cookie}` };
    const lines = Object.entries({ ...own, ...headers }).map((line) => line.join(': '));
    const request = [`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
    expect(await service.http.sendBytesAndStay(request)).toMatch(/^HTTP\/1\.1 4/);
    const token = await service.given.token();
    const { status } = await service.http.get('/product-availability/me', { token });
    expect(status).toBe(200);
  });
});

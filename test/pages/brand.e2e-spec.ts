import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { type Service, startService } from '../support/service.js';

const LOGO = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9"/></svg>');
const FOR_EVER = 'public, max-age=31536000, immutable';

describe('pages of an operator with a brand', () => {
  let service: Service;
  let page: string;
  beforeAll(async () => {
    service = await startService('sqlite', {
      config: {
        brandName: 'Fibre & <Co>',
        brandColour: { light: '#7a1fa2', dark: '#d9a6f0' },
        brandLogo: { type: 'image/svg+xml', extension: '.svg', bytes: LOGO },
      },
    });
    page = (await service.http.get<string>('/staff/sign-in')).body;
  });

  const get = (path: string) => service.http.get<string>(path);
  const addressIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? 'none';

  it('have its name in the title and the top bar', () => {
    expect(page).toContain('<title>Sign in – Fibre &amp; &lt;Co></title>');
    expect(page).toMatch(/<a class="brand"[^>]*><img [^>]*alt[^>]*\/>Fibre &amp; &lt;Co><\/a>/);
  });

  it('show its logo', async () => {
    const { headers, text } = await get(addressIn(page, /<img src="(\/staff\/assets\/logo[^"]+)"/));
    expect([headers['content-type'], headers['cache-control']]).toEqual([
      'image/svg+xml',
      FOR_EVER,
    ]);
    expect(text).toBe(String(LOGO));
  });

  it('use its colour for links and for the icon of the tab', async () => {
    const { text } = await get(addressIn(page, /<link rel="stylesheet" href="([^"]+)"/));
    expect(text.lastIndexOf('--accent: light-dark(#7a1fa2, #d9a6f0);')).toBeGreaterThan(
      text.lastIndexOf('--accent: light-dark(#0b57d0'),
    );
    const icon = await get(addressIn(page, /<link rel="icon" href="([^"]+)"/));
    expect(icon.text).toContain('fill="#7a1fa2"');
  });

  it('of the documentation have its name and colour', async () => {
    const { body } = await get('/docs/orders');
    expect(body).toContain('· Fibre &amp; &lt;Co&gt; API</title>');
    const { text } = await get(addressIn(body, /<link rel="stylesheet" href="([^"]+)"/));
    expect(text).toContain('--accent: light-dark(#7a1fa2, #d9a6f0);');
  });

  it('load a font of at most 40 kB, which browsers keep for a year', async () => {
    const address = addressIn(page, /<link rel="preload" href="([^"]+\.woff2)" as="font"/);
    const { headers } = await service.http.send({
      method: 'GET',
      path: address,
      headers: { 'Accept-Encoding': 'br' },
    });
    expect(headers).toMatchObject({ 'content-type': 'font/woff2', 'cache-control': FOR_EVER });
    expect(headers['content-encoding']).toBeUndefined();
    const font = readFileSync('src/platform/ui/assets/inter.woff2');
    expect(Number(headers['content-length'])).toBe(font.length);
    expect(font.length).toBeLessThan(40_000);
    const sheet = await get(addressIn(page, /<link rel="stylesheet" href="([^"]+)"/));
    expect(sheet.text).toContain(`url(${address.split('/').at(-1)})`);
  });
});

/**
 * Draws the pictures of the main pages for the README: `npm run screenshots`. The demo's week, a fixed
 * time and a fixed seed, so that the same code draws the same pictures.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { createApp } from '../../src/app.js';
import { fillDemoWeek } from '../../demo/week/week.js';
import { readConfig } from '../../src/platform/config/config.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { cookieName } from '../../src/staff/sessions/session-cookie.js';
import { SessionsService } from '../../src/staff/sessions/sessions.service.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { startChromium } from '../support/chromium.js';
import { FakeClock } from '../support/fake-clock.js';

const FOLDER = 'docs/pictures';
/** A Thursday, late in the morning. */
const NOW = new Date('2026-11-19T11:30:00Z');
/** Bytes: a README is read over slow lines, too. */
const MOST = 120_000;
const SIZE = { width: 1_280, height: 800 };

interface Picture {
  readonly name: string;
  readonly path: string;
  /** Of the window, where the usual height would cut the page in two. */
  readonly height?: number;
}

async function draw(): Promise<void> {
  const server = await startChromium();
  if (!server) throw new Error('There is no Chromium: install one, or name it in CHROMIUM_PATH.');
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
  const config = readConfig({
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'error',
    SQLITE_FILE: join(folder, 'demo.sqlite'),
  });
  const app = await createApp(config, new FakeClock(NOW));
  try {
    await app.listen(0, '127.0.0.1');
    await fillDemoWeek(app, NOW);
    const { port } = app.getHttpServer().address() as AddressInfo;
    const viewer = await app.get(StaffService, { strict: false }).find('manager@demo.example');
    const transactions = app.get(Transactions, { strict: false });
    const about = { staffMemberId: viewer.id, stage: 'open', method: 'password' } as const;
    const session = await transactions.run((tx) =>
      app
        .get(SessionsService, { strict: false })
        .start(tx, about, { userAgent: 'pictures', address: '127.0.0.1' }),
    );
    const order = await transactions.read((tx) =>
      tx.findOneOrFail(Order, {
        where: { ownerId: viewer.id, state: 'in_progress' },
        order: { contactAttempts: 'DESC', receivedAt: 'ASC' },
      }),
    );
    const pictures: Picture[] = [
      { name: 'queue', path: '/staff/queue?view=open' },
      { name: 'order', path: `/staff/orders/${order.reference}` },
      { name: 'reports', path: '/staff/reports' },
      { name: 'map', path: '/staff/map', height: 1_330 },
    ];
    const browser = await chromium.connect(server.wsEndpoint());
    await expectBritishDates(browser);
    await mkdir(FOLDER, { recursive: true });
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({
        baseURL: `http://127.0.0.1:${port}`,
        viewport: SIZE,
        deviceScaleFactor: 1.5,
        colorScheme,
        locale: 'en-GB',
        timezoneId: 'Europe/London',
        reducedMotion: 'reduce',
      });
      const name = cookieName(config.publicUrl);
      await context.addCookies([{ name, value: session, domain: '127.0.0.1', path: '/' }]);
      for (const picture of pictures) await take(context, picture, colorScheme);
      await context.close();
    }
    await browser.close();
  } finally {
    app.getHttpServer().closeAllConnections();
    await app.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Date fields have the format of the browser, not of the context. */
async function expectBritishDates(browser: Browser): Promise<void> {
  const page = await browser.newPage();
  const language = await page.evaluate(() => navigator.language);
  await page.close();
  if (language === 'en-GB') return;
  throw new Error(`Chromium speaks ${language}: install its British English (chromium-l10n).`);
}

/** As WebP, in the best quality that is small enough. */
async function take(context: BrowserContext, picture: Picture, look: string): Promise<void> {
  const { name, path, height = SIZE.height } = picture;
  const page = await context.newPage();
  await page.setViewportSize({ ...SIZE, height });
  const response = await page.goto(path, { waitUntil: 'load' });
  if (response?.status() !== 200) throw new Error(`${path} answers ${response?.status()}.`);
  const session = await context.newCDPSession(page);
  for (const quality of [90, 80, 70, 60, 50]) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length > MOST) continue;
    const file = join(FOLDER, `${name}-${look}.webp`);
    await writeFile(file, bytes);
    process.stdout.write(`${file}  ${Math.round(bytes.length / 1_000)} kB\n`);
    return page.close();
  }
  throw new Error(`${name} is too large in every quality.`);
}

await draw();

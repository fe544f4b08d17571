import { describe, expect } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import type { AxeResults } from 'axe-core';
import { Transactions } from '../../src/platform/database/transactions.js';
import { cookieName } from '../../src/staff/sessions/session-cookie.js';
import { SessionsService } from '../../src/staff/sessions/sessions.service.js';
import type { StaffMember } from '../../src/staff/member/staff-member.entity.js';
import type { SessionStage } from '../../src/staff/sessions/staff-session.entity.js';
import { mayShowCosts, searchForCost } from './answers.js';
import { PICTURES } from './chromium.js';
import { later } from './closing.js';
import type { Service } from './service.js';

const endpoint = process.env.TEST_CHROMIUM;

/** A suite that needs Chromium. Without Chromium it is skipped, which the set-up reports. */
export const inChromium = endpoint === undefined ? describe.skip : describe;

let connected: Promise<Browser> | undefined;

function browser(): Promise<Browser> {
  connected ??= chromium.connect(endpoint!).then((one) => {
    later(() => one.close());
    return one;
  });
  return connected;
}

/** All of the test file. */
const seats: Seat[] = [];

/** Takes a picture of each open page. @returns the files */
export async function takePictures(test: string): Promise<string[]> {
  await mkdir(PICTURES, { recursive: true });
  const name = test.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 120);
  const pages = seats.flatMap(({ context }) => context.pages());
  const taken = pages.map(async (page, i) => {
    const path = `${PICTURES}/${name}-${i + 1}.png`;
    // A page that does not answer must not hide why the test failed.
    const screenshot = page.screenshot({ path, fullPage: true, timeout: 5_000 });
    return screenshot.then(
      () => [path],
      () => [],
    );
  });
  return (await Promise.all(taken)).flat();
}

// The environment of the tests calls it.
Object.assign(globalThis, {
  [Symbol.for('after a failed test')]: async (test: string) => {
    for (const path of await takePictures(test)) process.stderr.write(`Picture: ${path}\n`);
  },
});

/** Settings of a browser window. */
export type Look = 'light' | 'dark' | 'forced colours' | '320 px' | '200 % text';
const looks: readonly Look[] = ['light', 'dark', 'forced colours', '320 px', '200 % text'];

interface SeatOptions extends Pick<BrowserContextOptions, 'javaScriptEnabled' | 'viewport'> {
  /** The signed-in member, if any. */
  readonly member?: StaffMember;
}

/** A window with its own cookies, which records everything that its pages should not do. */
export class Seat {
  /** Console messages, errors, reports of the content security policy, requests to other hosts. */
  readonly complaints: string[] = [];
  page: Page;
  /** Pixels of text for which a page names no size. */
  private standard = 16;

  private constructor(
    readonly service: Service,
    readonly context: BrowserContext,
  ) {}

  static async open(service: Service, { member, ...options }: SeatOptions = {}): Promise<Seat> {
    const context = await (
      await browser()
    ).newContext({
      baseURL: `http://127.0.0.1:${service.http.port}`,
      viewport: { width: 1_280, height: 900 },
      locale: 'en-GB',
      timezoneId: 'Europe/London',
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(60_000);
    const seat = new Seat(service, context);
    await seat.listen();
    if (member) await seat.signIn(member);
    seat.page = await context.newPage();
    seats.push(seat);
    return seat;
  }

  /** Signs the window in without the sign-in pages. */
  async signIn(member: StaffMember, stage: SessionStage = 'open'): Promise<void> {
    const value = await this.service
      .get(Transactions)
      .run((tx) =>
        this.service
          .get(SessionsService)
          .start(
            tx,
            { staffMemberId: member.id, stage, method: 'password' },
            { userAgent: 'Chromium', address: '127.0.0.1' },
          ),
      );
    const name = cookieName(this.service.config.publicUrl);
    const about = { domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Lax' } as const;
    await this.context.addCookies([{ name, value, ...about }]);
  }

  /** Opens a page. @returns its status */
  async goTo(path: string): Promise<number> {
    const response = await this.page.goto(path);
    return response?.status() ?? 0;
  }

  async look(look: Look): Promise<void> {
    const { page } = this;
    await page.emulateMedia({
      colorScheme: look === 'dark' ? 'dark' : 'light',
      forcedColors: look === 'forced colours' ? 'active' : 'none',
      reducedMotion: 'reduce',
    });
    await page.setViewportSize({ width: look === '320 px' ? 320 : 1_280, height: 900 });
    const standard = look === '200 % text' ? 32 : 16;
    if (standard === this.standard) return;
    this.standard = standard;
    const session = await this.context.newCDPSession(page);
    // The user's own setting, which also affects media queries in em.
    await session.send('Page.setFontSizes', { fontSizes: { standard, fixed: standard } });
    await session.detach();
  }

  /**
   * The findings of axe, and a page wider than its window, one line each.
   * @param within what axe looks at
   * @param contrast false where the same parts were looked at before; it takes most of the time of axe
   */
  async findings(look: Look = 'light', within = 'html', contrast = true): Promise<string[]> {
    const barriers = await this.barriers(look, { within, contrast });
    return [...barriers, ...(await this.page.evaluate(sideways))];
  }

  /**
   * The findings of all looks. The parts of a page are those of other pages on the same route: axe, which takes
   * nearly all of the time, looks at them in every look only once.
   */
  async findingsInLooks(
    axe: 'in all' | 'in two' | 'in one' = 'in all',
    within?: string,
  ): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {};
    for (const look of looks) {
      await this.look(look);
      const isSeen = axe === 'in all' || look === 'light' || (axe === 'in two' && look === 'dark');
      const findings = await (isSeen
        ? this.findings(look, within, axe !== 'in one')
        : this.page.evaluate(sideways));
      if (findings.length > 0) found[look] = findings;
    }
    return found;
  }

  /** The findings of axe. A theme that only changes colours or sizes is only checked for those. */
  private async barriers(look: Look, about: Omit<AxeRun, 'only'>): Promise<string[]> {
    const { page } = this;
    // A fifth of the time of a large page, so once for all its looks.
    if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource);
    const results = await page.evaluate(runAxe, { ...about, only: rulesOf[look] });
    return results.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary = '' }) => {
        const [, reason = ''] = failureSummary.split('\n').map((line) => line.trim());
        return `${id}: ${target.join(' ')}: ${reason}`;
      }),
    );
  }

  /** Fails if a page did anything that it should not, and closes the window. */
  async close(): Promise<void> {
    await this.context.close();
    expect(this.complaints).toEqual([]);
  }

  /** Removes complaints that the test has provoked. */
  forgive(pattern: RegExp): void {
    const rest = this.complaints.filter((line) => !pattern.test(line));
    this.complaints.splice(0, this.complaints.length, ...rest);
  }

  private async listen(): Promise<void> {
    const { context, complaints } = this;
    const own = `http://127.0.0.1:${this.service.http.port}/`;
    context.on('console', (message) => {
      // Chromium says at each sign-out what it has removed.
      if (message.type() === 'info' && message.text().startsWith('Clear-Site-Data header')) return;
      complaints.push(`console ${message.type()}: ${message.text()} (${message.page()?.url()})`);
    });
    context.on('response', (response) => {
      const asked = new URL(response.url()).pathname;
      const isData = ['document', 'fetch'].includes(response.request().resourceType());
      if (!isData || mayShowCosts(asked)) return;
      // A page that was left has no text any more.
      const text = response.text().catch(() => '');
      void text.then((said) => searchForCost(`GET ${asked}`, said));
    });
    context.on('weberror', (error) => complaints.push(`error: ${String(error.error())}`));
    context.on('request', (request) => {
      if (!request.url().startsWith(own)) complaints.push(`request: ${request.url()}`);
    });
    await context.exposeBinding('reportOfThePolicy', (_source, text: string) => {
      complaints.push(`policy: ${text}`);
    });
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        const { reportOfThePolicy } = globalThis as unknown as {
          reportOfThePolicy: (text: string) => void;
        };
        reportOfThePolicy(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
  }
}

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** Null for all. */
const rulesOf: Readonly<Record<Look, string[] | null>> = {
  light: null,
  dark: ['color-contrast', 'link-in-text-block'],
  'forced colours': ['color-contrast', 'link-in-text-block'],
  '320 px': null,
  '200 % text': ['color-contrast', 'target-size', 'scrollable-region-focusable'],
};

interface AxeRun {
  readonly within: string;
  readonly contrast: boolean;
  /** The rules; null for all. */
  readonly only: string[] | null;
}

/** Runs in the page. */
function runAxe({ within, contrast, only }: AxeRun): Promise<AxeResults> {
  const { axe } = globalThis as unknown as {
    axe: { run: (context: string, options: object) => Promise<AxeResults> };
  };
  return axe.run(within, {
    resultTypes: ['violations'],
    ...(only && { runOnly: { type: 'rule', values: only } }),
    rules: {
      'target-size': { enabled: only === null || only.includes('target-size') },
      ...(!contrast && { 'color-contrast': { enabled: false } }),
    },
  });
}

/** Runs in the page. */
async function sideways(): Promise<string[]> {
  await document.fonts.ready;
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const widest = [...document.body.querySelectorAll('*')]
    .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
    // What scrolls by itself does not widen the page.
    .filter((element) => !element.parentElement?.closest('.scroll, pre'))
    .slice(-3)
    .map((element) => element.outerHTML.slice(0, 80));
  return [`sideways: ${scrollWidth} of ${clientWidth} px: ${widest.join(' … ')}`];
}

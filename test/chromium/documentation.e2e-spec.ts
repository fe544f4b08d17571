import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inChromium, type Look, looks, Seat } from '../support/browser.js';
import { type Service, startService } from '../support/service.js';

const pages = [
  '/docs',
  '/docs/quick-start',
  '/docs/errors',
  '/docs/reference',
  '/docs/reference/orders',
  '/docs/reference/availability',
  '/docs/reference/staff',
  '/docs/reference/staff-moves',
  '/docs/search?q=idempotency',
  '/problems/offer-changed',
];

inChromium('the documentation', () => {
  let service: Service;
  let seat: Seat;
  beforeAll(async () => {
    service = await startService('sqlite');
    seat = await Seat.open(service);
    await seat.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  afterAll(() => seat.close());

  const tab = (name: string) => seat.page.getByRole('tab', { name, exact: true }).first();

  it.each(pages)('has no faults in any look: %s', async (path) => {
    expect(await seat.goTo(path)).toBe(200);
    expect(await findingsOf(seat)).toEqual({});
  });

  it('has no faults on the closed Swagger UI, except its own landmark', async () => {
    await seat.goTo('/docs/try');
    await seat.page.locator('#operations-tag-Orders').waitFor();
    const findings = Object.values(await findingsOf(seat)).flat();
    // Swagger UI puts a second `main` into ours.
    expect(
      findings.filter((line) => !/^landmark-[a-z-]+: #(?:operations|text): /.test(line)),
    ).toEqual([]);
  });

  it('shows the chosen language in all samples, and on the next page', async () => {
    await seat.goTo('/docs/reference/orders');
    expect(await seat.page.getByRole('tabpanel').allInnerTexts()).toHaveLength(5);
    await tab('Python').click();
    for (const text of await seat.page.getByRole('tabpanel').allInnerTexts()) {
      expect(text).toContain('urlopen(request)');
    }
    await seat.page.keyboard.press('ArrowRight');
    await seat.goTo('/docs/reference/webhooks');
    expect(await tab('PHP').getAttribute('aria-selected')).toBe('true');
    expect(await seat.page.getByRole('tabpanel').first().innerText()).toContain('<?php');
    expect(await findingsOf(seat)).toEqual({});
  });

  it('copies code', async () => {
    await seat.goTo('/docs/quick-start');
    const figure = seat.page.locator('figure').first();
    await figure.getByRole('button', { name: 'Copy' }).click();
    await figure.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await seat.page.evaluate('navigator.clipboard.readText()')).toBe(
      await figure.locator('code').textContent(),
    );
  });

  it('finds pages while the reader types, with the keyboard only', async () => {
    await seat.goTo('/docs');
    await seat.page.keyboard.press('/');
    await seat.page.keyboard.type('hand over');
    await seat.page.locator('.found .results').waitFor();
    expect(await findingsOf(seat, ['light', 'dark', '320 px'])).toEqual({});
    await seat.page.keyboard.press('ArrowDown');
    await seat.page.keyboard.press('Enter');
    await seat.page.waitForURL(/#handOrders?Over$/);
    expect(seat.page.url()).toContain('/docs/reference/staff-moves');
  });

  it('leads from an operation to the same one in Swagger UI', async () => {
    await seat.goTo('/docs/reference/orders');
    await seat.page.getByRole('link', { name: 'Try it: Place an order request' }).click();
    const operation = seat.page.locator('#operations-Orders-placeOrder.is-open');
    await operation.waitFor();
    expect(await operation.innerText()).toContain('/product-availability/order');
  });

  describe('without JavaScript', () => {
    let plain: Seat;
    beforeAll(async () => {
      plain = await Seat.open(service, { javaScriptEnabled: false });
    });
    afterAll(() => plain.close());

    it('lists the samples of all languages', async () => {
      await plain.goTo('/docs/reference/orders');
      const list = plain.page.locator('.samples').first();
      expect(await list.locator('summary').allInnerTexts()).toEqual([
        'curl',
        'TypeScript',
        'Python',
        'PHP',
        'C#',
      ]);
      await list.locator('summary', { hasText: 'C#' }).click();
      expect(await list.innerText()).toContain('HttpMethod.Post');
    });

    it('searches with a page of results', async () => {
      await plain.goTo('/docs');
      await plain.page.getByRole('searchbox').fill('idempotency');
      await plain.page.getByRole('button', { name: 'Search' }).click();
      await plain.page.locator('main .results a').first().click();
      expect(plain.page.url()).toContain('/docs/retries');
    });
  });
});

async function findingsOf(seat: Seat, wanted: readonly Look[] = looks) {
  const found: Record<string, string[]> = {};
  for (const look of wanted) {
    await seat.look(look);
    const findings = await seat.findings(look);
    if (findings.length > 0) found[look] = findings;
  }
  return found;
}

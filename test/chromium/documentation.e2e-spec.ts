import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inChromium, Seat } from '../support/browser.js';
import { type Service, startService } from '../support/service.js';

/** Each with others that have the same parts. */
const pages = [
  ['/docs'],
  ['/docs/quick-start', '/docs/errors'],
  ['/docs/reference'],
  [
    '/docs/reference/webhooks',
    '/docs/reference/availability',
    '/docs/reference/orders',
    '/docs/reference/staff',
    '/docs/reference/staff-moves',
  ],
  ['/docs/search?q=idempotency'],
  ['/problems/offer-changed'],
].flatMap((alike) => alike.map((path, i) => [path, i === 0 ? 'in all' : 'in one'] as const));

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

  it.each(pages)('has no faults in any look: %s', async (path, axe) => {
    expect(await seat.goTo(path)).toBe(200);
    expect(await seat.findingsInLooks(axe)).toEqual({});
  });

  it('shows the chosen language in all samples, and on the next page', async () => {
    await seat.goTo('/docs/reference/orders');
    expect(await seat.page.getByRole('tabpanel').allInnerTexts()).toHaveLength(8);
    await tab('Python').click();
    for (const text of await seat.page.getByRole('tabpanel').allInnerTexts()) {
      expect(text).toContain('urlopen(request)');
    }
    await seat.page.keyboard.press('ArrowRight');
    await seat.goTo('/docs/reference/webhooks');
    expect(await tab('PHP').getAttribute('aria-selected')).toBe('true');
    expect(await seat.page.getByRole('tabpanel').first().innerText()).toContain('<?php');
    expect(await seat.findingsInLooks('in two', '.samples')).toEqual({});
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
    await seat.page.keyboard.type('cancel an order');
    await seat.page.locator('.found .results').waitFor();
    expect(await seat.findingsInLooks('in two', '.found')).toEqual({});
    await seat.page.keyboard.press('ArrowDown');
    await seat.page.keyboard.press('Enter');
    await seat.page.waitForURL(/\/docs\/orders#cancel-an-order$/);
  });

  describe('a form to try an operation', () => {
    const formOf = (path: string, method: string) =>
      seat.page.locator(`details.try:has(form[data-method=${method}][data-path="${path}"])`);
    const check = '/product-availability/postcode/{postcode}';
    const order = '/product-availability/order';

    it('sends the request, and shows the response', async () => {
      await service.given.catalogue();
      const token = await service.given.token();
      await seat.goTo('/docs/reference/availability');
      const form = formOf(check, 'GET');
      await form.locator('summary').first().click();
      await form.getByLabel('Token').fill(token);
      await form.getByLabel('postcode').fill('ec2a 2bs');
      await form.getByRole('button', { name: 'Send' }).click();
      const outcome = form.locator('.outcome');
      await outcome.getByText(/^200 OK in \d+ ms$/).waitFor();
      expect(await outcome.locator('code').first().innerText()).toContain('"postcode": "EC2A 2BS"');
      await outcome.getByText('Headers').click();
      expect(await outcome.locator('code').last().innerText()).toContain('x-request-id: ');
      expect(await seat.findingsInLooks('in two', 'details.try[open]')).toEqual({});
      await form.getByLabel('postcode').fill('nowhere');
      await form.getByRole('button', { name: 'Send' }).click();
      await outcome.getByText(/^400 Bad Request/).waitFor();
      expect(await outcome.locator('code').first().innerText()).toContain('invalid-postcode');
      seat.forgive(/status of 400/);
    });

    it('keeps the token for other pages, and asks before it changes something with a live one', async () => {
      await seat.goTo('/docs/reference/orders');
      const form = formOf(order, 'POST');
      await form.locator('summary').first().click();
      expect(await form.getByLabel('Token').inputValue()).toMatch(/^pas_live_/);
      await form.getByRole('button', { name: 'Send' }).click();
      await form.getByText('the request is real').waitFor();
      expect(await form.getByText(/ in \d+ ms$/).count()).toBe(0);
      await form.getByLabel('Body').press('End');
      await form.getByLabel('Body').press('Space');
      await form.getByRole('button', { name: 'Send', exact: true }).click();
      await form.getByRole('button', { name: 'Send with this live token' }).click();
      await form.getByText(/^201 Created in/).waitFor();
      await form.getByLabel('Token').fill(await service.given.token({ kind: 'test' }));
      await form.getByRole('button', { name: 'Send', exact: true }).click();
      await form.getByText(/^\d{3} .+ in \d+ ms$/).waitFor();
      seat.forgive(/status of 4\d\d/);
    });
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

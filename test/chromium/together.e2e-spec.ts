import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inChromium, Seat } from '../support/browser.js';
import { World } from './world.js';

inChromium('two people in two browsers', () => {
  let world: World;
  let dana: Seat;
  let sam: Seat;
  beforeAll(async () => {
    world = await World.begin();
    dana = await Seat.open(world.service, { member: world.admin });
    sam = await Seat.open(world.service, { member: world.agent });
  });
  afterAll(async () => {
    await dana.close();
    await sam.close();
  });

  const claim = (seat: Seat) => seat.page.getByRole('button', { name: /^Claim/ }).click();

  it('claim the same order: one becomes the owner, the other sees the name', async () => {
    const { reference } = await world.order('waiting');
    await dana.goTo(`/staff/orders/${reference}`);
    await sam.goTo(`/staff/orders/${reference}`);
    await claim(dana);
    await dana.page.waitForLoadState();
    expect((await world.orderBy(reference)).ownerId).toBe(world.admin.id);
    await sam.page.locator('.standing', { hasText: 'This order has changed.' }).waitFor();
    expect(await sam.page.getByRole('button', { name: 'Claim' }).isDisabled()).toBe(true);
    // Posts from the stale page, whose own button the live update has disabled.
    await sam.page.evaluate((path) => {
      const form = document.createElement('form');
      form.method = 'post';
      form.action = path;
      form.innerHTML = '<input type="hidden" name="version" value="0">';
      document.body.append(form);
      form.submit();
    }, `/staff/orders/${reference}/claim`);
    await sam.page.getByText(`${world.admin.name} `).first().waitFor();
    expect(await sam.page.locator('main').innerText()).toMatch(
      /Dana Whitfield .*(?:claimed|took|has)/i,
    );
    expect((await world.orderBy(reference)).ownerId).toBe(world.admin.id);
    sam.forgive(/status of 409/);
  });

  it('keep typed text when the other one was first', async () => {
    const order = await world.order('in_progress', world.admin);
    await dana.goTo(`/staff/orders/${order.reference}/lose`);
    const other = await dana.context.newPage();
    await other.goto(`/staff/orders/${order.reference}/contact`);
    await other.getByLabel(/^Channel/).selectOption('phone');
    await other.getByLabel(/^Outcome/).selectOption('reached');
    await other.getByRole('button', { name: 'Log contact' }).click();
    await other.waitForURL(/orders\/ORD-\w+(?:\?.*)?$/);
    await other.close();
    await dana.page.getByLabel(/^Reason/).selectOption('price');
    await dana.page.getByLabel(/^Note/).fill('A hundred pounds too dear.');
    await dana.page.getByRole('button', { name: 'Close as lost' }).click();
    await dana.page.getByText('What you typed is still here').waitFor();
    expect(await dana.page.getByLabel(/^Note/).inputValue()).toBe('A hundred pounds too dear.');
    dana.forgive(/status of 409/);
    await dana.page.getByRole('button', { name: 'Close as lost' }).click();
    await dana.page.getByText('Closed as lost').first().waitFor();
    expect((await world.orderBy(order.reference)).state).toBe('lost');
  });

  it('see each other on an order', async () => {
    const { reference } = await world.order('waiting');
    await sam.goTo(`/staff/orders/${reference}`);
    await dana.goTo(`/staff/orders/${reference}`);
    await dana.page.getByText(`${world.agent.name} is viewing this`).waitFor();
  });

  it('see new orders announced without a row moving', async () => {
    await sam.goTo('/staff/queue');
    const rows = () => sam.page.locator('tbody th a').allInnerTexts();
    const before = await rows();
    const link = sam.page.locator('tbody th a').nth(2);
    await link.focus();
    const topOf = () => link.evaluate((element) => element.getBoundingClientRect().top);
    const top = await topOf();
    await world.service.given.order({ postcode: 'EC2A 2BS', productCode: 'INT-1G-12' });
    await sam.page.getByText(/1 new/).first().waitFor();
    expect((await rows()).slice(0, before.length)).toEqual(before);
    expect(await topOf()).toBe(top);
    expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it.each([
    ['n', '/staff/take-next'],
    ['Control+Shift+Enter', '/call'],
  ])('take one order each, also when one of them presses %s twice', async (key, path) => {
    const { page } = sam;
    const here = () => new URL(page.url()).pathname;
    await sam.goTo('/staff/queue');
    await page.getByRole('button', { name: 'Take next' }).click();
    await page.getByRole('radio', { name: 'No answer' }).check();
    const [before, sent, again] = [
      here(),
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ];
    let requests = 0;
    // The first request waits for the second press.
    await page.route(`**${path}`, async (route) => {
      requests += 1;
      sent.resolve();
      await again.promise;
      await route.continue();
    });
    const there = page.waitForEvent('load');
    await page.keyboard.press(key);
    await sent.promise;
    await page.keyboard.press(key);
    again.resolve();
    await there;
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const { ownerId } = await world.orderBy(here().split('/').at(-1)!);
    expect([requests, here() === before, ownerId]).toEqual([1, false, world.agent.id]);
  });
});

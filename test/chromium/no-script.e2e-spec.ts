import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inChromium, Seat } from '../support/browser.js';
import { World } from './world.js';

inChromium('a day without scripts', () => {
  let world: World;
  let seat: Seat;
  let order: string;
  beforeAll(async () => {
    world = await World.begin();
    seat = await Seat.open(world.service, { member: world.agent, javaScriptEnabled: false });
  });
  afterAll(() => seat.close());

  const press = (name: string | RegExp, role: 'button' | 'link' = 'button') =>
    seat.page.getByRole(role, { name }).first().click();
  const fill = (label: string | RegExp, text: string) => seat.page.getByLabel(label).fill(text);
  const pick = async (label: string | RegExp, start: string) => {
    const list = seat.page.getByLabel(label);
    const option = list.locator('option', { hasText: start }).first();
    await list.selectOption(await option.getAttribute('value'));
  };
  const main = () => seat.page.locator('main').innerText();
  const reference = () => new URL(seat.page.url()).pathname.split('/')[3]!;
  const stateOf = async () => {
    const { state, ownerId } = await world.orderBy(order);
    return [state, ownerId === world.agent.id];
  };
  /** Opens the form of an action as a page. */
  const open = async (action: RegExp) => {
    await seat.goTo(`/staff/orders/${order}`);
    await press(action, 'link');
  };

  it('takes the next order', async () => {
    await seat.goTo('/staff/queue');
    await press(/Take next/);
    order = reference();
    // The call that is due stays due until it is recorded.
    expect(await stateOf()).toEqual(['scheduled', true]);
  });

  it('shows no button that needs a script', async () => {
    const copies = seat.page.locator('button[data-copy]');
    expect(await copies.count()).toBeGreaterThan(2);
    expect(await copies.filter({ visible: true }).count()).toBe(0);
  });

  it('names a missing choice and keeps typed text', async () => {
    await seat.page.getByRole('radio', { name: 'Lost' }).check();
    await fill('Note', 'Spoke to the porter.');
    await press(/^Save/);
    expect(await main()).toContain('Choose a reason.');
    seat.forgive(/status of 4(?:00|22)/);
    expect(await seat.page.getByLabel('Note').inputValue()).toBe('Spoke to the porter.');
    await seat.page.getByRole('radio', { name: 'Spoke to them' }).check();
    await seat.page.getByRole('radio', { name: 'In 1 working hour' }).check();
    await press(/^Save/);
    expect(await stateOf()).toEqual(['scheduled', true]);
    expect(await main()).toContain('Spoke to the porter.');
  });

  it('resumes, adds a note, and wins', async () => {
    await seat.goTo(`/staff/orders/${order}/resume`);
    await press('Cancel call-back');
    await fill('Note', 'Signed.');
    await press(/^Save/);
    await seat.page.getByRole('radio', { name: 'Won' }).check();
    await press(/^Save/);
    expect(await stateOf()).toEqual(['won', true]);
    expect(await main()).toContain('Signed.');
  });

  it('hands the next one over', async () => {
    await seat.goTo('/staff/queue');
    await press(/Take next/);
    order = reference();
    await open(/^Hand over/);
    await pick('Assign to', 'Tom');
    await fill(/^Handover note/, 'Call after two.');
    await press('Hand over');
    expect(await stateOf()).toEqual(['in_progress', false]);
  });

  it('claims, releases, and closes as lost', async () => {
    ({ reference: order } = await world.order('waiting'));
    await seat.goTo(`/staff/orders/${order}`);
    await press(/^Claim/);
    expect(await stateOf()).toEqual(['in_progress', true]);
    await seat.goTo(`/staff/orders/${order}/release`);
    await fill(/^Reason/, 'Not mine.');
    await press('Return to queue');
    expect(await stateOf()).toEqual(['waiting', false]);
    await seat.goTo(`/staff/orders/${order}`);
    await press(/^Claim/);
    await seat.page.getByRole('radio', { name: 'Lost' }).check();
    await seat.page.getByRole('radio', { name: 'Price' }).check();
    await press(/^Save/);
    expect(await stateOf()).toEqual(['lost', true]);
  });

  it('opens the navigation with the menu button of a phone', async () => {
    const { page } = seat;
    await page.setViewportSize({ width: 390, height: 844 });
    const place = page.getByRole('link', { name: 'Check a postcode' });
    expect(await place.isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Take next' }).isVisible()).toBe(true);
    await page.locator('summary', { hasText: 'Menu' }).click();
    await place.click();
    expect(await page.locator('h1').innerText()).toBe('Check a postcode');
    expect(await page.locator('summary', { hasText: 'Menu' }).isVisible()).toBe(true);
    await page.setViewportSize({ width: 1_280, height: 900 });
    expect(await place.isVisible()).toBe(true);
    expect(await page.locator('summary', { hasText: 'Menu' }).isVisible()).toBe(false);
  });

  it('finds an order, sorts and filters the list, and signs out', async () => {
    await seat.goTo('/staff/queue?view=open');
    await seat.page.getByRole('searchbox').fill(order);
    await press('Search');
    expect(reference()).toBe(order);
    await seat.goTo('/staff/queue?view=open');
    await press(/^Next step/, 'link');
    expect(seat.page.url()).toContain('sort=');
    await seat.page.locator('summary', { hasText: world.agent.name }).click();
    await press('Sign out');
    expect(new URL(seat.page.url()).pathname).toBe('/staff/sign-in');
  });
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inChromium, Seat } from '../support/browser.js';
import { PASSWORD } from '../support/given.js';
import { Typist } from './typist.js';
import { World } from './world.js';

inChromium('a day by keyboard alone', () => {
  let world: World;
  let seat: Seat;
  let hands: Typist;
  let order: string;
  beforeAll(async () => {
    world = await World.begin();
    seat = await Seat.open(world.service);
    hands = new Typist(seat);
  });
  afterAll(() => seat.close());

  const heading = () => seat.page.locator('h1').textContent();
  const path = () => new URL(seat.page.url()).pathname;
  const reference = () => path().split('/').at(-1)!;
  const stateOf = async () => {
    const { state, ownerId } = await world.orderBy(order);
    return [state, ownerId === world.agent.id];
  };

  it('starts with the sign-in', async () => {
    await seat.goTo('/staff');
    await hands.tabTo('Email');
    await hands.type(world.agent.email);
    await hands.tabTo('Password');
    await hands.type(PASSWORD);
    const typed = seat.page.getByLabel('Password', { exact: true });
    await hands.tabTo('Show password');
    await hands.press('Enter');
    expect(await typed.getAttribute('type')).toBe('text');
    await hands.press('Enter');
    expect(await typed.getAttribute('type')).toBe('password');
    await hands.tabTo('Sign in');
    await hands.go('Enter');
    expect([path(), await heading()]).toEqual(['/staff/queue', expect.stringMatching(/^Waiting/)]);
    const [cookie] = await seat.context.cookies();
    expect(cookie).toMatchObject({ name: 'staff', httpOnly: true, sameSite: 'Lax', path: '/' });
    expect(cookie!.expires).toBe(-1);
  });

  it('takes the next order with n', async () => {
    await hands.go('n');
    order = reference();
    expect(order).toMatch(/^ORD-/);
    // The call that is due stays due until it is recorded.
    expect(await stateOf()).toEqual(['scheduled', true]);
  });

  it('logs a contact with its note, by Tab and arrow keys', async () => {
    await hands.tabTo(/^Spoke to them/);
    await hands.press('Space');
    await hands.tabTo(/^Note/);
    await hands.type('Will sign on Friday. j k n are letters here.');
    await hands.tabTo(/^Save(?! and)/);
    await hands.go('Enter');
    expect(path()).toBe(`/staff/orders/${order}`);
    expect((await world.orderBy(order)).contactAttempts).toBeGreaterThan(0);
    expect(await seat.page.locator('main').innerText()).toContain('Will sign on Friday.');
  });

  it('adds a note with e', async () => {
    await hands.press('e');
    await hands.type('The porter knows.');
    await hands.go('Control+Enter');
    expect(await seat.page.locator('main').innerText()).toContain('The porter knows.');
  });

  it('picks a time with s', async () => {
    await hands.press('s', 'ArrowUp');
    await hands.go('Control+Enter');
    expect(await stateOf()).toEqual(['scheduled', true]);
  });

  it('closes as won with w', async () => {
    await hands.press('w', 'Tab');
    await hands.type('CRM-1');
    await hands.go('Enter');
    expect(await stateOf()).toEqual(['won', true]);
  });

  it('closes another one as lost with l', async () => {
    await hands.go('n');
    order = reference();
    await hands.press('l', '2');
    await hands.go('Enter');
    expect(await stateOf()).toEqual(['lost', true]);
  });

  it('hands the next one over with h', async () => {
    await hands.go('n');
    order = reference();
    await hands.press('h');
    await seat.page.locator('dialog[open] select').waitFor();
    await hands.choose('Tom');
    await hands.tabTo(/^Handover note/);
    await hands.type('Call after two.');
    await hands.tabTo('Hand over');
    await hands.go('Enter');
    expect(await stateOf()).toEqual(['in_progress', false]);
  });

  it('moves in a list with j and k, opens a row with Enter, and returns to it', async () => {
    await hands.press('g');
    await hands.go('q');
    expect(path()).toBe('/staff/queue');
    const rows = await seat.page.locator('tbody th a').allInnerTexts();
    await hands.press('j', 'j', 'j', 'k');
    expect(await hands.focused()).toEqual({ name: rows[1], shown: true });
    await hands.go('Enter');
    expect(reference()).toBe(rows[1]);
    await seat.page.goBack();
    expect((await hands.focused()).name).toBe(rows[1]);
  });

  it('claims the focused row with c', async () => {
    order = (await hands.focused()).name;
    await hands.go('c');
    expect(await stateOf()).toEqual(['in_progress', true]);
    await hands.press('g');
    await hands.go('m');
    expect(await seat.page.locator('tbody').innerText()).toContain(order);
  });

  it('checks a postcode with p, and orders for the caller', async () => {
    await hands.go('p');
    // Chromium gives a field its autofocus with the first frame, which may come after the load.
    await seat.page.locator('[autofocus]:focus').waitFor();
    await hands.type('EC2A 2BS');
    await hands.tabTo(/^Prices for/);
    await hands.choose('Quillfeather');
    await hands.tabTo('Check');
    await hands.go('Enter');
    await seat.page.locator('[autofocus]:focus').waitFor();
    expect((await hands.focused()).name).toMatch(/^Order 12 months £/);
    await hands.tabTo(/^Order .*12 months £[\d.]+ 1G Internet on a 10G bearer/);
    await hands.go('Enter');
    await seat.page.locator('[autofocus]:focus').waitFor();
    await hands.tabTo('Place order');
    await hands.go('Enter');
    expect(await seat.page.locator('.flash').innerText()).toContain('this call is logged');
    order = reference();
    expect(await stateOf()).toEqual(['in_progress', true]);
  });

  it('finds an order by its reference with /, also after another search', async () => {
    await hands.press('/');
    await hands.type('nothing of this kind');
    await hands.go('Enter');
    expect(path()).toBe('/staff/search');
    await hands.press('/');
    await hands.type(order);
    await hands.go('Enter');
    expect(path()).toBe(`/staff/orders/${order}`);
  });

  it('lists its shortcuts with ?, and turns them off and on', async () => {
    await hands.press('?');
    await seat.page.getByText('Take the next order').first().waitFor();
    await hands.press('Escape');
    await seat.goTo('/staff/keys');
    await hands.tabTo(/off/);
    await hands.go('Enter');
    await hands.press('g', 'q', 'j');
    expect(path()).toBe('/staff/keys');
    await hands.tabTo(/on/);
    await hands.go('Enter');
  });

  it('ends with the sign-out', async () => {
    await seat.goTo('/staff/queue');
    await hands.tabTo(world.agent.name);
    await hands.press('Enter');
    await hands.tabTo('Sign out');
    await hands.go('Enter');
    expect(path()).toBe('/staff/sign-in');
    expect(await seat.goTo('/staff/queue')).toBe(200);
    expect(path()).toBe('/staff/sign-in');
  });
});

import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { inChromium, Seat } from '../support/browser.js';
import { World } from './world.js';

inChromium('the end of a session', () => {
  let world: World;
  let seat: Seat;
  beforeAll(async () => {
    world = await World.begin();
  });
  beforeEach(async () => {
    seat = await Seat.open(world.service, { member: world.agent });
    await seat.page.clock.install();
    await seat.goTo('/staff/account');
  });
  afterEach(() => seat.close());

  const notice = () => seat.page.getByRole('region', { name: 'Session', exact: true });
  const text = () => notice().locator('p').innerText();
  /** For the service and for the page. */
  const wait = async (minutes: number) => {
    world.service.clock.advance({ minutes });
    await seat.page.clock.runFor(minutes * 60_000);
  };
  const extended = () =>
    seat.page.waitForResponse((response) => response.request().method() === 'POST');
  const signedIn = async () => (await seat.page.request.get('/staff/account')).url();

  it('is announced five minutes before, and one key extends the session', async () => {
    await wait(24);
    expect(await notice().count()).toBe(0);
    await wait(1);
    await notice().waitFor();
    expect(await text()).toBe('You will be signed out in 5 minutes.');
    expect(await seat.page.locator('#said').textContent()).toBe(await text());
    await wait(2);
    await seat.page.getByText('signed out in 3 minutes').first().waitFor();
    const answer = extended();
    await seat.page.keyboard.press('y');
    expect((await answer).status()).toBe(200);
    await notice().waitFor({ state: 'detached' });
    await wait(25);
    await notice().getByRole('button', { name: 'Stay signed in' }).click();
    await notice().waitFor({ state: 'detached' });
    await wait(20);
    expect(await signedIn()).toMatch(/account$/);
  });

  it('is not announced while someone types, which extends the session', async () => {
    await wait(20);
    const answer = extended();
    await seat.page.locator('#search').pressSequentially('EC');
    await answer;
    await wait(20);
    expect([await notice().count(), await signedIn()]).toEqual([
      0,
      expect.stringMatching(/account$/),
    ]);
  });

  it('is no longer announced when another tab extends the session', async () => {
    await wait(26);
    await notice().waitFor();
    const other = await seat.context.newPage();
    await other.goto('/staff/account');
    await wait(1);
    await notice().waitFor({ state: 'detached' });
  });

  it('is announced in an open dialog, which leaves no other part of the page to use', async () => {
    await seat.goTo('/staff/queue?view=open');
    await seat.page.locator('tbody th a').first().focus();
    await seat.page.keyboard.press('e');
    const dialog = seat.page.locator('dialog[open]');
    await dialog.locator('textarea').waitFor();
    await wait(25);
    await dialog.getByRole('button', { name: 'Stay signed in' }).waitFor();
    await seat.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await notice().getByRole('button').click();
    await notice().waitFor({ state: 'detached' });
  });

  it('leads to the sign-in and back, and keeps what was typed', async () => {
    const { reference } = await world.order('in_progress');
    await seat.goTo(`/staff/orders/${reference}`);
    await seat.page.locator('#call-note').fill('Will sign on Friday.');
    await wait(25);
    await notice().waitFor();
    world.service.clock.advance({ minutes: 6 });
    await seat.page.clock.runFor(6 * 60_000);
    await notice().getByRole('link', { name: 'Sign in' }).waitFor();
    seat.forgive(/status of 401/);
    expect(await text()).toBe('You were signed out. Text that you have typed is kept.');
    await seat.signIn(world.agent);
    await notice().getByRole('link').click();
    await seat.page.waitForURL(new RegExp(`/staff/orders/${reference}$`));
    expect(await seat.page.locator('#call-note').inputValue()).toBe('Will sign on Friday.');
  });

  it('after 12 hours cannot be put off, and says so', async () => {
    for (let minutes = 0; minutes < 12 * 60 - 30; minutes += 25) {
      world.service.clock.advance({ minutes: 25 });
      await seat.page.request.get('/staff/account', { headers: { 'Sec-Fetch-Mode': 'navigate' } });
    }
    await seat.goTo('/staff/account');
    await wait(16);
    await notice().waitFor();
    expect([await text(), await notice().getByRole('button').count()]).toEqual([
      expect.stringContaining('12 hours after you signed in'),
      0,
    ]);
  });

  it('is announced without a fault in any look', async () => {
    await wait(25);
    await notice().waitFor();
    expect(await seat.findingsInLooks('in all', '.session-end')).toEqual({});
  });
});

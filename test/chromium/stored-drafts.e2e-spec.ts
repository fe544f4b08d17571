import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { inChromium, Seat } from '../support/browser.js';
import { makeOlder, storedDrafts } from './stored-drafts.js';
import { World } from './world.js';

inChromium('a draft in the browser', () => {
  let world: World;
  let seat: Seat;
  let notePath: string;
  beforeAll(async () => {
    world = await World.begin();
  });
  beforeEach(async () => {
    seat = await Seat.open(world.service, { member: world.agent });
    await seat.goTo('/staff/queue');
    await seat.page.getByRole('button', { name: 'Take next' }).click();
    await seat.page.getByRole('heading', { name: 'Record a call' }).waitFor();
    notePath = `${new URL(seat.page.url()).pathname}/note`;
    await openNote();
    await note().fill('Call Ada on 020 7946 0123.');
    expect(await drafts()).toHaveLength(1);
  });
  afterEach(() => seat.close());

  const note = () => seat.page.locator('main textarea');
  const openNote = () => seat.goTo(notePath);
  const drafts = () => storedDrafts(seat);

  it('is not shown to another member, whose sign-in removes it', async () => {
    await seat.context.clearCookies();
    await seat.goTo('/staff/sign-in');
    expect(await drafts()).toHaveLength(1);
    await seat.signIn(world.admin);
    await seat.goTo('/staff/queue');
    expect([await drafts(), await seat.page.locator('.drafts-left').count()]).toEqual([[], 0]);
    await openNote();
    expect(await note().inputValue()).toBe('');
  });

  it('goes after a day, also where no one signs in', async () => {
    await seat.context.clearCookies();
    await makeOlder(seat, 23);
    await seat.goTo('/staff/sign-in');
    expect(await drafts()).toHaveLength(1);
    await makeOlder(seat, 2);
    await seat.goTo('/staff/sign-in');
    expect(await drafts()).toEqual([]);
  });

  it('goes from a sign-in page that stays open for a day', async () => {
    await seat.context.clearCookies();
    await seat.page.clock.install();
    await seat.goTo('/staff/sign-in');
    expect(await drafts()).toHaveLength(1);
    await makeOlder(seat, 24);
    await seat.page.clock.runFor(2 * 3_600_000);
    expect(await drafts()).toEqual([]);
  });

  it('goes at a sign-out without scripts, too', async () => {
    await seat.page.evaluate(() =>
      document.querySelector<HTMLFormElement>('form[action="/staff/sign-out"]')!.submit(),
    );
    await seat.page.waitForURL(/sign-in\?out/);
    expect(await drafts()).toEqual([]);
    expect(await seat.page.locator('main').innerText()).toContain('signed out');
  });
});

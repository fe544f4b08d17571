import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inChromium, Seat } from '../support/browser.js';
import { makeOlder, storedDrafts } from './stored-drafts.js';
import { World } from './world.js';

const TEXT = 'Will sign on Friday, if the price holds.';
const CALL_ADA = 'Call Ada on 020 7946 0123.';

inChromium('a draft in the browser', () => {
  let world: World;
  let seat: Seat;
  let order: string;
  let notePath: string;
  beforeAll(async () => {
    world = await World.begin();
  });
  beforeEach(async () => {
    seat = await Seat.open(world.service, { member: world.agent });
    order = (await world.takeNext(world.agent)).replace(/\?.*/, '');
    notePath = `${order}/note`;
    await openNote();
    await note().fill(CALL_ADA);
    expect(await drafts()).toHaveLength(1);
  });
  afterEach(() => seat.close());

  const note = () => seat.page.locator('main textarea');
  const openNote = () => seat.goTo(notePath);
  const drafts = () => storedDrafts(seat);
  const entry = async () => world.orderBy(order.split('/').at(-1)!);
  const timeline = () => seat.page.locator('.timeline').innerText();
  const unsaved = () => seat.page.getByText('It is not saved yet.');
  const save = () => seat.page.getByRole('button', { name: /^Save(?! and)/ }).click();

  /** From the page that says that the session has ended. */
  const signInAgain = async () => {
    await seat.page.getByText('Your session has ended').first().waitFor();
    seat.forgive(/status of 401/);
    await seat.signIn(world.agent);
    await seat.page.getByRole('link', { name: 'Sign in' }).click();
  };

  const otherReleases = async () => {
    const other = await Seat.open(world.service, { member: world.admin });
    await other.goTo(`${order}/release`);
    await other.page.getByLabel('Reason').fill('Too many.');
    await other.page.getByRole('button', { name: 'Return to queue' }).click();
    await other.page.waitForURL(new RegExp(`${order}$`));
    await other.close();
  };

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

  it('of a call keeps its call-back after a sign-in on another day', async () => {
    const { page } = seat;
    await seat.goTo(order);
    await page.getByRole('radio', { name: 'No answer' }).check();
    const suggested = page.locator('input[name=next][value*=T]');
    const chosen = await suggested.inputValue();
    await suggested.check();
    // The morning of the chosen day, on which the next working day is suggested.
    world.service.clock.advance({ hours: 18 });
    await save();
    await signInAgain();
    await page.waitForURL(new RegExp(`${order}$`));
    const { state, nextActionAt } = await entry();
    expect([state, nextActionAt?.toISOString().slice(0, 16)]).toEqual(['scheduled', chosen]);
    expect(await drafts()).toHaveLength(1);
  });

  it('of a call is not sent again without its outcome, which a colleague has made impossible', async () => {
    const { page } = seat;
    await seat.goTo(order);
    await page.getByRole('radio', { name: 'Spoke to them' }).check();
    await page.locator('#call-note').fill(TEXT);
    await otherReleases();
    world.service.clock.advance({ minutes: 31 });
    await save();
    await signInAgain();
    await unsaved().waitFor();
    expect(await page.locator('#call-note').inputValue()).toBe(TEXT);
    await seat.goTo(order);
    expect(await timeline()).not.toContain(TEXT);
  });

  it('of a move that became impossible is shown as a note', async () => {
    const { page } = seat;
    await seat.goTo(`${order}/hand-over`);
    await note().fill(TEXT);
    await otherReleases();
    const both = `${CALL_ADA}\n\n${TEXT}`;
    for (let times = 0; times < 2; times += 1) {
      expect(await seat.goTo(`${order}/hand-over`)).toBe(409);
      expect([await note().inputValue(), await note().isVisible()]).toEqual([both, true]);
    }
    seat.forgive(/status of 409/);
    await page.getByRole('button', { name: 'Add as a note' }).click();
    await page.waitForURL(new RegExp(`${order}$`));
    expect([await timeline(), await drafts()]).toEqual([expect.stringContaining(TEXT), []]);
    expect(await seat.goTo(`${order}/hand-over`)).toBe(409);
    seat.forgive(/status of 409/);
    expect(await note().isVisible()).toBe(false);
  });

  describe('of a quote', () => {
    beforeEach(async () => {
      await seat.goTo('/staff/quotes/new');
      await seat.page.locator('[name=client]').selectOption({ index: 1 });
      await seat.page.locator('[name=customer]').fill('Fernhill Dental');
    });

    const send = async () => {
      world.service.clock.advance({ minutes: 31 });
      await seat.page.getByRole('button', { name: 'Read the list' }).click();
      await signInAgain();
    };

    it('is sent after the sign-in', async () => {
      await seat.page.locator('[name=sites]').fill('postcode\nEC2A 2BS');
      await send();
      await seat.page.waitForURL(/\/staff\/quotes\/drafts\//);
      expect(await seat.page.locator('h1').innerText()).toContain('Fernhill Dental');
      expect(await drafts()).toHaveLength(1);
    });

    it('is not sent again without the file that was chosen', async () => {
      const buffer = Buffer.from('postcode\nEC2A 2BS\n');
      const file = { name: 'sites.csv', mimeType: 'text/csv', buffer };
      await seat.page.locator('[name=file]').setInputFiles(file);
      await send();
      await unsaved().waitFor();
      expect(new URL(seat.page.url()).pathname).toBe('/staff/quotes/new');
      expect(await seat.page.locator('[name=customer]').inputValue()).toBe('Fernhill Dental');
    });
  });
});

import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { inChromium, Seat } from '../support/browser.js';
import { World } from './world.js';

inChromium('a call recorded by keyboard', () => {
  let world: World;
  let seat: Seat;
  let reference: string;
  beforeAll(async () => {
    world = await World.begin();
    seat = await Seat.open(world.service, { member: world.agent });
  });
  afterAll(() => seat.close());
  beforeEach(async () => {
    // Only an order for a price that is not indicative can be won without further words.
    for (let isPlain = false; !isPlain;) {
      await seat.goTo('/staff/queue');
      const keys = await pressed('n');
      reference = here();
      const { kind, basis, ownerId } = await world.orderBy(reference);
      expect([keys, ownerId]).toEqual([1, world.agent.id]);
      isPlain = kind === 'order' && basis !== 'indicative';
    }
  });

  const here = () => new URL(seat.page.url()).pathname.split('/').at(-1)!;

  /** Presses keys, of which the last one leads to another page. @returns how many, without texts */
  async function pressed(...keys: string[]): Promise<number> {
    const there = seat.page.waitForEvent('load');
    for (const key of keys) {
      if (key.startsWith('text:')) await seat.page.keyboard.type(key.slice(5));
      else await seat.page.keyboard.press(key);
    }
    await there;
    return keys.filter((key) => !key.startsWith('text:')).length;
  }

  it('has call panel and latest three entries of the timeline in view, at 1,280 by 800', async () => {
    await seat.page.setViewportSize({ width: 1_280, height: 800 });
    const { reference: worked } = await world.order('in_progress');
    for (const order of [reference, worked]) {
      await seat.goTo(`/staff/orders/${order}`);
      const ends = await seat.page
        .locator('.call, .timeline li:nth-child(-n + 3)')
        .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().bottom));
      expect(ends.length).toBeGreaterThan(2);
      expect(Math.max(...ends)).toBeLessThanOrEqual(800);
    }
  });

  it('takes 3 keys for no answer, and a call-back tomorrow at ten', async () => {
    const { contactAttempts } = await world.orderBy(reference);
    expect(await pressed('2', 't', 'Control+Enter')).toBe(3);
    expect(here()).toBe(reference);
    expect(await world.orderBy(reference)).toMatchObject({
      state: 'scheduled',
      contactAttempts: contactAttempts + 1,
      nextActionAt: new Date('2026-11-20T10:00:00Z'),
      nextActionReason: 'retry_no_answer',
    });
  });

  it('takes 5 keys for a client who decides on Thursday at two', async () => {
    expect(await pressed('1', 'd', '4', '6', 'Control+Enter')).toBe(5);
    expect(await world.orderBy(reference)).toMatchObject({
      state: 'scheduled',
      nextActionAt: new Date('2026-11-26T14:00:00Z'),
      nextActionReason: 'callback_agreed',
    });
  });

  it('takes 2 keys for a note', async () => {
    const before = await world.orderBy(reference);
    expect(await pressed('e', 'text:The porter knows. 1 2 w', 'Control+Enter')).toBe(2);
    expect((await world.orderBy(reference)).version).toBe(before.version);
    expect(await seat.page.locator('.timeline').innerText()).toContain('The porter knows. 1 2 w');
  });

  it('takes 2 keys for a win, and offers the next order', async () => {
    expect(await pressed('w', 'Enter')).toBe(2);
    expect((await world.orderBy(reference)).state).toBe('won');
    expect(await seat.page.locator('main').innerText()).toMatch(/Next: ORD-/);
  });

  it('takes 3 keys for a loss with its reason', async () => {
    expect(await pressed('l', '2', 'Control+Enter')).toBe(3);
    const { state, closeReason } = await world.orderBy(reference);
    expect([state, closeReason]).toEqual(['lost', 'price']);
  });

  it('takes no further key to also take the next order', async () => {
    expect(await pressed('1', 'w', 'Control+Shift+Enter')).toBe(3);
    expect((await world.orderBy(reference)).state).toBe('won');
    const next = await world.orderBy(here());
    expect([here() === reference, next.ownerId]).toEqual([false, world.agent.id]);
  });

  it('takes back a win with one key, also from the next order', async () => {
    await pressed('w', 'Control+Enter');
    expect(await pressed('z')).toBe(1);
    expect([here(), (await world.orderBy(reference)).state]).toEqual([reference, 'in_progress']);
    await pressed('w', 'Control+Shift+Enter');
    expect(here()).not.toBe(reference);
    await pressed('z');
    expect([here(), (await world.orderBy(reference)).state]).toEqual([reference, 'in_progress']);
    expect(await seat.page.locator('.timeline').innerText()).toContain('undid “Won”');
  });

  it('is recorded beside a row of a list, which keeps the focus', async () => {
    const { page } = seat;
    const row = page.locator(`tr#${reference}`);
    const panel = page.locator('dialog[open] form[data-call]');
    const focused = () => page.evaluate(() => document.activeElement?.closest('tr')?.id);
    const record = async (...keys: string[]) => {
      await page.keyboard.press('r');
      await panel.waitFor();
      for (const key of keys) await page.keyboard.press(key);
      await panel.waitFor({ state: 'detached' });
    };
    await seat.goTo('/staff/queue?view=mine');
    await row.locator('th a').focus();
    await record('2', 't', 'Control+Enter');
    await row.getByText('Scheduled').waitFor();
    expect([await focused(), await world.orderBy(reference)]).toMatchObject([
      reference,
      { state: 'scheduled', nextActionAt: new Date('2026-11-20T10:00:00Z') },
    ]);
    await record('w', 'Control+Enter');
    await page.getByText('Closed as won.').first().waitFor();
    await page.keyboard.press('z');
    await page.getByText('Undone.').first().waitFor();
    expect([await focused(), (await world.orderBy(reference)).state]).toEqual([
      reference,
      'scheduled',
    ]);
    await page.keyboard.press('r');
    await panel.locator('textarea').fill('Rang twice.');
    await page.keyboard.press('Escape');
    await page.locator('dialog .ask').getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.keyboard.press('r');
    expect([await panel.locator('textarea').inputValue(), await panel.count()]).toEqual([
      'Rang twice.',
      1,
    ]);
    await page.keyboard.press('Control+Enter');
    await panel.waitFor({ state: 'detached' });
    await page.getByText('Note added.').first().waitFor();
    await seat.goTo('/staff/queue?view=mine');
    expect(await page.locator('.drafts-left').count()).toBe(0);
  });

  it('leaves the note with Escape, so that keys work again', async () => {
    await seat.page.keyboard.press('e');
    await seat.page.keyboard.type('Will order.');
    expect(await pressed('Escape', '1', 'w', 'Control+Enter')).toBe(4);
    const { state, contactAttempts } = await world.orderBy(reference);
    expect([state, contactAttempts > 0]).toEqual(['won', true]);
    expect(await seat.page.locator('.timeline').innerText()).toContain('Will order.');
  });

  it('leads to the field that a step needs', async () => {
    const focused = () => seat.page.evaluate(() => document.activeElement?.id);
    await seat.page.keyboard.press('s');
    expect(await focused()).toBe('call-at');
    await seat.page.getByRole('radio', { name: 'Lost' }).click();
    await seat.page.keyboard.press('8');
    expect(await focused()).toBe('call-note');
    await pressed('text:They moved away.', 'Control+Enter');
    const { state, closeReason } = await world.orderBy(reference);
    expect([state, closeReason]).toEqual(['lost', 'other']);
  });

  it('keeps everything that was chosen when something is missing', async () => {
    await pressed('1', 'l', 'Control+Enter');
    seat.forgive(/status of 422/);
    expect(await seat.page.locator('main').innerText()).toContain('Choose a reason.');
    expect(await seat.page.getByRole('radio', { name: 'Spoke to them' }).isChecked()).toBe(true);
    await pressed('l', '2', 'Control+Enter');
    expect((await world.orderBy(reference)).state).toBe('lost');
  });

  it('leads back to the day that is missing, where digits choose a day and nothing else', async () => {
    const { page } = seat;
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await pressed('2', 'e', 'text:Until Monday.', 'Escape', 'd', 'Control+Enter');
    seat.forgive(/status of 422/);
    expect([
      await page.locator('main [role=alert] li').allInnerTexts(),
      await focused(),
      await page.locator('#call-note').inputValue(),
    ]).toEqual([['Choose a day.'], 'call-day-2026-11-20', 'Until Monday.']);
    // As if Monday were a bank holiday.
    await page.locator('label[for="call-day-2026-11-23"]').evaluate((label) => label.remove());
    await page.keyboard.press('1');
    expect(await page.getByRole('radio', { name: 'No answer' }).isChecked()).toBe(true);
    await pressed('3', '6', 'Control+Enter');
    expect(await world.orderBy(reference)).toMatchObject({
      nextActionAt: new Date('2026-11-25T14:00:00Z'),
      nextActionReason: 'retry_no_answer',
    });
  });
});

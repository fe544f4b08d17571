import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { inChromium, Seat } from '../support/browser.js';
import { quotesOf } from '../support/quotes.js';
import { Typist } from './typist.js';
import { World } from './world.js';

inChromium('a list of orders', () => {
  let world: World;
  let seat: Seat;
  let hands: Typist;
  beforeAll(async () => {
    world = await World.begin();
    seat = await Seat.open(world.service, { member: world.admin });
    hands = new Typist(seat);
  });
  afterAll(() => seat.close());
  beforeEach(() => seat.goTo('/staff/queue?view=open'));

  const boxes = () => seat.page.locator('tbody input[name=order]');
  const ticked = () => seat.page.locator('tbody input[name=order]:checked').count();
  const selected = () => seat.page.locator('[data-selected]').innerText();
  const focusedRow = () => seat.page.evaluate(() => document.activeElement?.closest('tr')?.id);
  const openDialog = () => seat.page.locator('dialog[open]');
  const options = () => seat.page.locator('dialog[open] [role=option]');

  it('does not wrap a product, a price or a time at 1,280 px', async () => {
    const wrapped = await seat.page.evaluate(() => {
      /** Of each text in the cell. */
      const lines = (cell: HTMLElement) => {
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        let most = 0;
        while (texts.nextNode()) {
          const range = document.createRange();
          range.selectNodeContents(texts.currentNode);
          most = Math.max(most, new Set([...range.getClientRects()].map(({ top }) => top)).size);
        }
        return most;
      };
      return [...document.querySelectorAll<HTMLElement>('.queue tbody :is(td, th)')]
        .filter((cell) => !cell.matches('.client, .next-cell, .owner'))
        .filter((cell) => cell.scrollWidth > cell.clientWidth || lines(cell) > 1)
        .map((cell) => `${cell.className}: ${cell.textContent}`);
    });
    expect(wrapped).toEqual([]);
  });

  it.each(['view=open', 'view=closed'])('cuts no text at 1,280 px: %s', async (query) => {
    await seat.goTo(`/staff/queue?${query}`);
    const cut = await seat.page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('.queue tbody :is(td, th, small, span, time)')]
        .filter((element) => getComputedStyle(element).overflow === 'hidden')
        .filter((element) => element.scrollWidth > element.clientWidth)
        .map((element) => `${element.className}: ${element.textContent}`),
    );
    expect(cut).toEqual([]);
  });

  it('keeps navigation and the names of its columns in view', async () => {
    await seat.page.evaluate(() => scrollTo(0, 600));
    const topOf = (selector: string) =>
      seat.page.locator(selector).evaluate((element) => element.getBoundingClientRect().top);
    expect([await topOf('.queue thead th.price'), await topOf('.places')]).toEqual([48, 48]);
  });

  it('selects a range with Shift, a row with x, and says how many', async () => {
    await boxes().nth(1).click();
    await boxes()
      .nth(4)
      .click({ modifiers: ['Shift'] });
    expect([await ticked(), await selected()]).toEqual([4, '4 selected']);
    await boxes()
      .nth(3)
      .click({ modifiers: ['Shift'] });
    expect([await ticked(), await selected()]).toEqual([2, '2 selected']);
    await hands.press('j', 'x');
    expect([await ticked(), await selected()]).toEqual([3, '3 selected']);
    await hands.press('a');
    expect((await hands.focused()).name).toBe('Assign selected to');
    await seat.page.getByRole('button', { name: 'Clear selection' }).click();
    expect(await ticked()).toBe(0);
  });

  it('adds a note in place with e, and returns the focus to the row', async () => {
    await hands.press('j', 'j', 'j');
    const row = await focusedRow();
    await hands.press('e');
    await openDialog().locator('textarea').waitFor();
    await hands.tabTo('Add note');
    await hands.press('Enter');
    await openDialog().getByText('Write the note.').first().waitFor();
    expect(await openDialog().locator('h2').first().innerText()).toContain('Add a note');
    seat.forgive(/status of 422/);
    await openDialog().locator('textarea').fill('The lift is out of order.');
    await openDialog().getByRole('button', { name: 'Add note' }).click();
    await openDialog().waitFor({ state: 'detached' });
    await seat.page.getByText('Note added.').first().waitFor();
    expect([await focusedRow(), new URL(seat.page.url()).search]).toEqual([row, '?view=open']);
    await seat.page.locator('.row-note', { hasText: 'The lift is out of order.' }).waitFor();
    await hands.press('Escape');
    expect(await seat.page.locator('.row-note').isVisible()).toBe(false);
  });

  it('draws the row again after a move in place', async () => {
    const { reference } = await world.order('in_progress', world.admin);
    const row = seat.page.locator(`tr#${reference}`);
    await row.locator('th a').focus();
    await hands.press('s');
    await openDialog().locator('select').waitFor();
    await openDialog().locator('select').selectOption('awaiting_client');
    await openDialog().getByRole('button', { name: 'Schedule' }).click();
    await openDialog().waitFor({ state: 'detached' });
    await row.getByText('Scheduled').waitFor();
    expect([await focusedRow(), (await world.orderBy(reference)).state]).toEqual([
      reference,
      'scheduled',
    ]);
  });

  it('undoes a move in place with z, which returns the order to the list', async () => {
    await seat.goTo('/staff/queue?view=mine');
    const { reference } = await world.order('in_progress', world.admin, 'firm');
    await seat.page.reload();
    const row = seat.page.locator(`tr#${reference}`);
    await row.locator('th a').focus();
    await hands.press('w');
    await openDialog().getByRole('button', { name: /won/ }).click();
    await row.getByText('No longer in this list').waitFor();
    await hands.press('z');
    await seat.page.getByText('Undone.').first().waitFor();
    await row.getByText('In progress').waitFor();
    expect([await row.getAttribute('class'), new URL(seat.page.url()).search]).toEqual([
      '',
      '?view=mine',
    ]);
  });

  it('shows why a move is not possible', async () => {
    const { reference } = await world.order('waiting');
    await seat.page.locator(`tr#${reference} th a`).focus();
    await hands.press('w');
    await seat.page.waitForURL(/\/win$/);
    expect(await seat.page.locator('main').innerText()).toContain('cannot be won');
    seat.forgive(/status of 409/);
  });

  it('has no actions on a row of several enquiries of a quote, which leads to all of them', async () => {
    const client = quotesOf(world.service, await world.service.given.token());
    const sites = [{ postcode: 'AB10 1AB' }, { postcode: 'AB10 1AB' }];
    const { body } = await client.send({ wanted: { bandwidth: 1 }, sites });
    const { enquiries } = (await client.ask(body.quoteId)).body;
    await seat.goTo('/staff/queue?view=waiting');
    const link = seat.page.locator(`tr#${enquiries[0]!.enquiryReference} th a`);
    await link.focus();
    await hands.press('x', 'c', 'Control+k');
    expect(await openDialog().locator('.heading').first().innerText()).toBe('This page');
    await hands.press('Escape');
    expect([await ticked(), await focusedRow()]).toEqual([0, enquiries[0]!.enquiryReference]);
    await link.click();
    await seat.page.waitForURL(`**/staff/quotes/${body.quoteReference}/enquiries`);
  });

  it('shows the last note of the row under the pointer', async () => {
    await seat.page.locator('tbody tr').nth(2).locator('td.client').hover();
    await seat.page.locator('.row-note').waitFor();
    expect(await seat.page.locator('.row-note').innerText()).not.toBe('');
    await seat.page.locator('h1').hover();
    await seat.page.locator('.row-note').waitFor({ state: 'hidden' });
  });

  it('finds any action and page by name with Ctrl+K, and does what its button does', async () => {
    await hands.press('j');
    const row = await focusedRow();
    await hands.press('Control+k');
    expect(await openDialog().locator('.heading').allInnerTexts()).toEqual([
      row,
      'This page',
      'Orders',
      'Go to',
      'Account',
    ]);
    const names = (await options().allInnerTexts()).map((text) => text.split('\n')[0]);
    for (const name of ['Add a note', 'Export as CSV', 'Take next', 'Audit trail', 'Sign out']) {
      expect(names.join('|')).toContain(name);
    }
    expect(names.join('|')).toContain('|Waiting|');
    await hands.type('au tr');
    expect(await options().count()).toBe(2);
    expect(await options().nth(0).getAttribute('aria-selected')).toBe('true');
    expect(await seat.findings('light', 'dialog[open]')).toEqual([]);
    await hands.press('ArrowDown', 'ArrowDown');
    expect(await options().nth(0).getAttribute('aria-selected')).toBe('true');
    await hands.press('Escape');
    await openDialog().waitFor({ state: 'detached' });
    expect(await focusedRow()).toBe(row);
    await hands.press('Control+k');
    await hands.type('add a note');
    await hands.press('Enter');
    await openDialog().locator('textarea').waitFor();
    expect(await openDialog().locator('h2').innerText()).toContain(row!);
    await hands.press('Escape');
    await hands.press('Control+k');
    await hands.type('audit');
    await hands.go('Enter');
    expect(new URL(seat.page.url()).pathname).toBe('/staff/audit');
  });

  it('suggests orders while a search is typed', async () => {
    const { reference } = await world.order('waiting');
    await hands.press('/');
    await hands.type(reference.slice(4, 8).toLowerCase());
    const suggestion = seat.page.locator('#suggestions [role=option]', { hasText: reference });
    await suggestion.waitFor();
    expect(await seat.findings('light', 'header')).toEqual([]);
    await hands.press('ArrowDown');
    expect(await seat.page.locator('#search').getAttribute('aria-activedescendant')).toBe(
      'suggestions-0',
    );
    await hands.press('Escape');
    await seat.page.locator('#suggestions').waitFor({ state: 'hidden' });
    await hands.press('Backspace');
    await hands.type(reference[7]!);
    await suggestion.waitFor();
    await suggestion.click();
    await seat.page.waitForURL(`**/staff/orders/${reference}`);
  });
});

inChromium('the list of commands', () => {
  it('offers only what the member may do', async () => {
    const world = await World.begin();
    const seat = await Seat.open(world.service, { member: world.agent });
    await seat.goTo('/staff/queue');
    await new Typist(seat).press('Control+k');
    const names = await seat.page.locator('dialog [role=option]').allInnerTexts();
    expect(names.join('|')).toContain('Check a postcode');
    expect(names.join('|')).not.toMatch(/Audit trail|Catalogue|Reports/);
    await seat.close();
  });
});

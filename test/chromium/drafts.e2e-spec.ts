import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { inChromium, Seat } from '../support/browser.js';
import { PASSWORD } from '../support/given.js';
import { makeOlder, storedDrafts } from './stored-drafts.js';
import { World } from './world.js';

const TEXT = 'Will sign on Friday, if the price holds.';

inChromium('typed text', () => {
  let world: World;
  let seat: Seat;
  let reference: string;
  beforeAll(async () => {
    world = await World.begin();
  });
  beforeEach(async () => {
    seat = await Seat.open(world.service, { member: world.agent });
    await seat.goTo(await world.takeNext(world.agent));
    await seat.page.getByRole('heading', { name: 'Record a call' }).waitFor();
    reference = new URL(seat.page.url()).pathname.split('/').at(-1)!;
  });
  afterEach(() => seat.close());

  const note = () => seat.page.locator('#call-note');
  const dialog = () => seat.page.locator('dialog[open]');
  const typed = () => note().inputValue();
  const timeline = () => seat.page.locator('.timeline').innerText();
  /** Types into the panel. */
  const type = async () => {
    await seat.page.getByRole('radio', { name: 'Spoke to them' }).check();
    await note().fill(TEXT);
  };
  const open = (path = '') => seat.goTo(`/staff/orders/${reference}${path}`);
  const save = () => seat.page.getByRole('button', { name: /^Save(?! and)/ }).click();

  const drafts = () => storedDrafts(seat);

  const onOrder = () => new RegExp(`/staff/orders/${reference}$`);
  /** From the page that says that the session has ended. */
  const signInAgain = async (next = onOrder(), member = world.agent, by = 'cookie') => {
    await seat.page.getByText('Your session has ended').first().waitFor();
    seat.forgive(/status of 401/);
    if (by === 'cookie') await seat.signIn(member);
    await seat.page.getByRole('link', { name: 'Sign in' }).click();
    if (by === 'form') {
      await seat.page.getByLabel('Email').fill(member.email);
      await seat.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await seat.page.getByRole('button', { name: 'Sign in' }).click();
    }
    await seat.page.waitForURL(next);
  };

  const otherReleases = async () => {
    const other = await Seat.open(world.service, { member: world.admin });
    await other.goTo(`/staff/orders/${reference}/release`);
    await other.page.getByLabel('Reason').fill('Too many.');
    await other.page.getByRole('button', { name: 'Return to queue' }).click();
    await other.page.waitForURL(onOrder());
    await other.close();
  };

  /** Opens a dialog with a text in it. */
  const typeInDialog = async () => {
    await seat.page.keyboard.press('h');
    await dialog().locator('textarea').fill(TEXT);
  };
  const closeAndOpenAgain = async () => {
    await dialog().getByRole('button', { name: 'Close', exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    await seat.page.keyboard.press('h');
    expect(await dialog().locator('textarea').inputValue()).toBe(TEXT);
  };

  it('in a dialog survives Escape, which asks first', async () => {
    await typeInDialog();
    await seat.page.keyboard.press('Escape');
    await dialog().getByText('Close without saving?').waitFor();
    await seat.page.keyboard.press('Escape');
    expect(await dialog().locator('textarea').inputValue()).toBe(TEXT);
    await seat.page.keyboard.press('Escape');
    await closeAndOpenAgain();
    await seat.page.keyboard.press('Escape');
    await dialog().getByRole('button', { name: 'Discard' }).last().click();
    await seat.page.keyboard.press('h');
    expect(await dialog().locator('textarea').inputValue()).toBe('');
    await seat.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('in a dialog survives a click on its padding, and a click outside asks first', async () => {
    await typeInDialog();
    const box = (await dialog().boundingBox())!;
    await seat.page.mouse.click(box.x + 6, box.y + 6);
    expect(await dialog().locator('textarea').inputValue()).toBe(TEXT);
    expect(await dialog().locator('.ask').count()).toBe(0);
    await seat.page.mouse.click(box.x - 40, box.y);
    await closeAndOpenAgain();
  });

  it('in a dialog survives a selection that ends outside of it', async () => {
    await typeInDialog();
    const box = (await dialog().boundingBox())!;
    const area = (await dialog().locator('textarea').boundingBox())!;
    await seat.page.mouse.move(area.x + 20, area.y + 12);
    await seat.page.mouse.down();
    await seat.page.mouse.move(box.x - 60, area.y + 12, { steps: 4 });
    await seat.page.mouse.up();
    expect(await dialog().locator('textarea').inputValue()).toBe(TEXT);
    expect(await dialog().locator('.ask').count()).toBe(0);
  });

  it('survives another page and the way back by a link', async () => {
    await type();
    await seat.goTo('/staff/queue');
    // An address that says that it was saved does not remove what was never sent.
    await open(`?saved=${reference}/call`);
    expect(await typed()).toBe(TEXT);
    expect(await seat.page.getByRole('radio', { name: 'Spoke to them' }).isChecked()).toBe(true);
    await seat.page.getByText('This is what you typed at').waitFor();
  });

  it('that was left is named on other pages, from where it can be found or discarded', async () => {
    const left = () => seat.page.locator('.drafts-left');
    await type();
    expect(await left().count()).toBe(0);
    await seat.goTo('/staff/queue');
    await left().locator('summary').click();
    await left().getByRole('link', { name: reference, exact: true }).click();
    expect([await typed(), await left().count()]).toEqual([TEXT, 0]);
    await seat.page.keyboard.press('Escape');
    await seat.page.locator('#call-title').click();
    await typeInDialog();
    await open();
    await left().locator('summary').click();
    await left()
      .getByRole('link', { name: `${reference} (hand-over)` })
      .click();
    expect(await seat.page.locator('main textarea').inputValue()).toBe(TEXT);
    await seat.goTo('/staff/queue');
    expect(await left().locator('summary').innerText()).toBe('2 drafts');
    await left().locator('summary').click();
    await left()
      .getByRole('button', { name: `Discard what you typed for ${reference}` })
      .nth(1)
      .click();
    expect(await left().innerText()).not.toContain('hand-over');
    expect(await left().locator('summary').innerText()).toBe('1 draft');
    await left().getByRole('button').click();
    await open();
    expect([await typed(), await left().count()]).toEqual(['', 0]);
  });

  it('survives a reload', async () => {
    await type();
    await seat.page.reload();
    expect(await typed()).toBe(TEXT);
  });

  it('survives the crash of its tab', async () => {
    await type();
    const crashed = seat.page.waitForEvent('crash');
    await seat.page.goto('chrome://crash').catch(() => undefined);
    await crashed;
    seat.page = await seat.context.newPage();
    await open();
    expect(await typed()).toBe(TEXT);
  });

  it('is saved after the sign-in if the session had ended', async () => {
    await type();
    world.service.clock.advance({ minutes: 31 });
    await save();
    await seat.page.getByText('Your session has ended').first().waitFor();
    expect((await world.orderBy(reference)).contactAttempts).toBe(0);
    await signInAgain(undefined, world.agent, 'form');
    expect(await timeline()).toContain(TEXT);
    expect([await typed(), (await world.orderBy(reference)).contactAttempts]).toEqual(['', 1]);
  });

  it('in a dialog is saved after the sign-in, too', async () => {
    await seat.page.locator('summary.button').click();
    await seat.page.getByRole('link', { name: 'Return to queue' }).last().click();
    await dialog().locator('textarea').fill(TEXT);
    world.service.clock.advance({ minutes: 31 });
    await seat.page.keyboard.press('Control+Enter');
    await signInAgain();
    expect([await timeline(), (await world.orderBy(reference)).state]).toEqual([
      expect.stringContaining(TEXT),
      'waiting',
    ]);
    expect(await drafts()).toEqual([]);
  });

  it('with a suggested time is saved after the sign-in, although that time is no longer suggested', async () => {
    await open('/schedule');
    const suggested = seat.page.getByRole('radio', { name: 'In 1 working hour' });
    const chosen = await suggested.inputValue();
    await suggested.check();
    expect(await seat.page.getByLabel('Time of the next step').isVisible()).toBe(false);
    await seat.page.getByLabel('Reason').selectOption('callback_agreed');
    world.service.clock.advance({ minutes: 31 });
    await seat.page.getByRole('button', { name: 'Schedule' }).click();
    await signInAgain();
    const { nextActionAt } = await world.orderBy(reference);
    expect(nextActionAt?.toISOString().slice(0, 16)).toBe(chosen);
  });

  it('of an order by phone is kept, and placed after the sign-in', async () => {
    const { page } = seat;
    await seat.goTo('/staff/check?postcode=EC2A+2BS');
    const client = page.getByLabel('Prices for');
    const option = client.locator('option', { hasText: 'Quillfeather' });
    await client.selectOption(await option.getAttribute('value'));
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page
      .getByRole('button', { name: /^Order 12 months/ })
      .first()
      .click();
    await page.getByLabel('Note').fill(TEXT);
    await seat.goTo('/staff/queue');
    await page.locator('.drafts-left summary').click();
    await page
      .locator('.drafts-left')
      .getByRole('link', { name: 'Order for Quillfeather Networks' })
      .click();
    expect(await page.getByLabel('Note').inputValue()).toBe(TEXT);
    world.service.clock.advance({ minutes: 31 });
    await page.getByRole('button', { name: 'Place order' }).click();
    await signInAgain(/\/staff\/orders\/ORD-/);
    expect([await page.locator('main').innerText(), await drafts()]).toEqual([
      expect.stringContaining(TEXT),
      [],
    ]);
  });

  it('of an enquiry by phone, and of the answer to it, is sent after the sign-in', async () => {
    const { page } = seat;
    await seat.goTo('/staff/check?postcode=EC2A+2BS');
    await page.getByRole('button', { name: /^Log enquiry/ }).click();
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('Phone').fill('020 7946 0123');
    await page.getByLabel('What the caller wants').fill(TEXT);
    world.service.clock.advance({ minutes: 31 });
    await page.getByRole('button', { name: 'Log enquiry' }).click();
    await signInAgain(/\/staff\/orders\/ENQ-/);
    await page
      .getByRole('link', { name: /^(?:Make an offer|Answer)/ })
      .first()
      .click();
    const offer = { name: '2G Internet over microwave', bandwidthProvisioned: '2', term: '24' };
    for (const [field, value] of Object.entries({ ...offer, price: '550', leadTimeDays: '60' })) {
      await page.locator(`[name=${field}-1]`).fill(value);
    }
    world.service.clock.advance({ minutes: 31 });
    await page.locator('[name=price-1]').press('Control+Enter');
    await signInAgain(/\/staff\/orders\/ENQ-\w+\/answer$/);
    await page.getByRole('heading', { name: 'Check before you send' }).waitFor();
    expect(await page.locator('main').innerText()).toContain('£13,200.00');
    await page.clock.install();
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/staff\/orders\/ENQ-\w+$/);
    expect([await page.locator('main').innerText(), await drafts()]).toEqual([
      expect.stringMatching(/^Offer made\. You can undo this for 10 seconds\.[^]*2G Internet/m),
      [],
    ]);
    await page.clock.fastForward('00:11');
    await page.getByText('Offer made. No email or webhook reaches the client').waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/10 seconds|too late to undo/);
  });

  it('in a dialog stays when someone else was first, as a note', async () => {
    await seat.page.keyboard.press('h');
    await dialog().locator('select').selectOption({ index: 1 });
    await dialog().locator('textarea').fill(TEXT);
    await otherReleases();
    await seat.page.keyboard.press('Control+Enter');
    await seat.page.getByText('We kept what you typed.').waitFor();
    seat.forgive(/status of 40[39]/);
    await open('/note');
    expect(await seat.page.locator('main textarea').inputValue()).toBe(TEXT);
    await seat.page.getByRole('button', { name: 'Add note' }).click();
    await seat.page.waitForURL(onOrder());
    expect([await drafts(), (await timeline()).includes(TEXT)]).toEqual([[], true]);
  });

  it('stays in the panel when someone else was first', async () => {
    await type();
    await otherReleases();
    await save();
    await seat.page.getByText(`${world.admin.name} returned this to the queue`).first().waitFor();
    seat.forgive(/status of 40[39]/);
    expect(await typed()).toBe(TEXT);
    await seat.page.getByRole('button', { name: 'Add note' }).click();
    await seat.page.waitForURL(onOrder());
    expect([await typed(), (await timeline()).includes(TEXT)]).toEqual(['', true]);
  });

  it('goes when it is saved, cleared or a day old, and at the sign-out', async () => {
    await type();
    await save();
    await seat.page.getByText('Contact logged.').first().waitFor();
    expect([await drafts(), await typed()]).toEqual([[], '']);
    await note().fill(TEXT);
    await seat.page.getByRole('button', { name: 'Clear' }).click();
    expect([await drafts(), await typed()]).toEqual([[], '']);
    await note().fill(TEXT);
    await makeOlder(seat, 25);
    await open();
    expect([await drafts(), await typed()]).toEqual([[], '']);
    await note().fill(TEXT);
    expect(await drafts()).toHaveLength(1);
    await seat.page.locator('summary', { hasText: world.agent.name }).click();
    await seat.page.getByRole('button', { name: 'Sign out' }).click();
    await seat.page.waitForURL(/sign-in/);
    expect(await drafts()).toEqual([]);
  });

  it('is not kept of a form that was refused with nothing typed', async () => {
    await save();
    await seat.page.getByText('Choose an outcome or a next step').first().waitFor();
    expect(await drafts()).toEqual([]);
    await open('/hand-over');
    await seat.page.locator('main').getByRole('button', { name: 'Hand over' }).click();
    await seat.page.getByText('There is a problem').waitFor();
    expect(await drafts()).toEqual([]);
    seat.forgive(/status of 422/);
  });

  describe('of administrators', () => {
    let admin: Seat;
    beforeEach(async () => {
      admin = await Seat.open(world.service, { member: world.admin });
      [seat, admin] = [admin, seat];
      // An order page would ask for news while the clock ends all sessions.
      await admin.goTo('about:blank');
    });
    afterEach(() => admin.close());

    const left = () => seat.page.locator('.drafts-left');

    it('in the refusal of an answer is kept, and sent after the sign-in', async () => {
      const { page } = seat;
      const open = async () => {
        await seat.goTo('/staff/approvals');
        await page.getByText(/^Refuse the offers for ENQ-/).click();
      };
      const reason = page.locator('.approval textarea');
      await open();
      await reason.fill(TEXT);
      await seat.goTo('/staff/queue');
      await left().locator('summary').click();
      await left()
        .getByRole('link', { name: /^Refuse the offers for ENQ-/ })
        .click();
      expect([await reason.inputValue(), await reason.isVisible()]).toEqual([TEXT, true]);
      // A draft of an answer on which a colleague has decided.
      await page.evaluate(
        ([text]) => {
          const key = Object.keys(localStorage).find((one) => one.includes('approvals#'))!;
          const draft = localStorage.getItem(key)!.replace(text!, 'Below our cost.');
          localStorage.setItem(key.replace(/#.*/, '#ENQ-000000-1'), draft);
        },
        [TEXT],
      );
      await seat.goTo('/staff/approvals');
      expect([await page.locator('.draft-gone').innerText(), (await drafts()).length]).toEqual([
        expect.stringMatching(/no longer waits for a decision\. You wrote: Below our cost\.$/),
        1,
      ]);
      world.service.clock.advance({ minutes: 31 });
      await page.getByRole('button', { name: 'Refuse', exact: true }).click();
      await signInAgain(/\/staff\/approvals$/, world.admin);
      await page.getByText('Nothing waits for approval').waitFor();
      expect(await drafts()).toEqual([]);
    });

    it('in the form of a new client is kept, and the client is added after the sign-in', async () => {
      const { page } = seat;
      await seat.goTo('/staff/clients/new');
      await page.getByLabel('Company name').fill('Thornbury Lines');
      await page.getByLabel('Contact name').fill('Ida');
      await seat.goTo('/staff/queue');
      await left().locator('summary').click();
      await left().getByRole('link', { name: 'Add an API client' }).click();
      expect(await page.getByLabel('Contact name').inputValue()).toBe('Ida');
      await page.getByLabel('Email', { exact: true }).fill('ida@thornbury.example');
      await page.getByLabel('Phone').fill('020 7946 0111');
      world.service.clock.advance({ minutes: 31 });
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await signInAgain(/\/staff\/clients\/[\w-]{36}$/, world.admin);
      expect([await page.locator('h1').innerText(), await drafts()]).toEqual([
        'Thornbury Lines',
        [],
      ]);
    });

    it('in the form of a client does not replace what a colleague has saved since', async () => {
      const { page } = seat;
      const client = await world.service.get(ClientsService).find('Wrenfold Cloud');
      const edit = `/staff/clients/${client.id}/edit`;
      await seat.goTo(edit);
      await page.getByLabel('Contact name').fill('Ida');
      await seat.goTo('/staff/queue');
      await world.service
        .get(ClientsService)
        .edit(client.id, { contactPhone: '020 7946 0222' }, operator, client.version);
      await left().locator('summary').click();
      await left().getByRole('link', { name: 'Edit Wrenfold Cloud' }).click();
      expect(await page.getByLabel('Contact name').inputValue()).toBe('Ida');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('has edited this client since').waitFor();
      seat.forgive(/status of 409/);
      expect(await page.getByLabel('Phone').inputValue()).toBe('020 7946 0222');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.waitForURL(/said=client-edited|\/staff\/clients\/[\w-]{36}$/);
      expect(await world.service.get(ClientsService).get(client.id)).toMatchObject({
        contactName: 'Ida',
        contactPhone: '020 7946 0222',
      });
    });

    it('in an adjustment of prices is kept, and removed when the draft version is made', async () => {
      const { page } = seat;
      await seat.goTo('/staff/catalogue/adjust');
      await page.getByLabel('Change in per cent').fill('3');
      await page.reload();
      expect(await page.getByLabel('Change in per cent').inputValue()).toBe('3');
      await page.getByRole('button', { name: 'Make a draft' }).click();
      await page.waitForURL(/\/staff\/catalogue\/versions\/\d+$/);
      expect(await drafts()).toEqual([]);
    });
  });
});

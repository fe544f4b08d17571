import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inChromium, Seat } from '../support/browser.js';
import { World } from './world.js';

const run = promisify(execFile);

inChromium('a new reseller', () => {
  let world: World;
  let seat: Seat;
  let clicks = 0;
  beforeAll(async () => {
    world = await World.begin();
    seat = await Seat.open(world.service, { member: world.admin });
  });
  afterAll(() => seat.close());

  const click = async (role: 'button' | 'link', name: string) => {
    clicks += 1;
    await seat.page.getByRole(role, { name, exact: true }).click();
  };

  it('is added and gets both tokens in four clicks, with a text that says what to do', async () => {
    const { page } = seat;
    await seat.goTo('/staff/queue');
    await click('link', 'API clients');
    await click('link', 'Add an API client');
    await page.getByLabel('Company name').fill('Fresh Networks');
    await page.getByLabel('Contact name').fill('Joan Clarke');
    await page.getByLabel('Email', { exact: true }).fill('joan@fresh.example');
    await page.getByLabel('Phone').fill('+44 20 7946 0123');
    await click('button', 'Add');
    await click('button', 'Issue test and live tokens');
    expect(clicks).toBe(4);
    const text = await page.getByLabel('Text for Joan Clarke').inputValue();
    expect(text).toMatch(/^Test token: pas_test_\w{39} /m);
    expect(text).toMatch(/^Live token: pas_live_\w{39} /m);
  });

  it('makes its first check with the line in the text', async () => {
    const text = await seat.page.getByLabel('Text for Joan Clarke').inputValue();
    const line = text.split('\n').find((one) => one.startsWith('curl ')) ?? '';
    const { publicUrl } = world.service.config;
    const here = `http://127.0.0.1:${world.service.http.port}`;
    const { stdout } = await run('bash', ['-c', line.replaceAll(publicUrl, here)]);
    const answer = JSON.parse(stdout) as { postcode: string; availableProducts: unknown[] };
    expect([answer.postcode, answer.availableProducts.length > 0]).toEqual(['ZZ99 1AA', true]);
  });

  it('is shown its tokens on a page without faults in any look', async () => {
    expect(await seat.findingsInLooks('in all', 'main')).toEqual({});
    await seat.look('light');
  });

  it('is not shown them again', async () => {
    await click('link', 'All API clients');
    await click('link', 'Fresh Networks');
    const { page } = seat;
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Fresh Networks');
    expect(await page.content()).not.toMatch(/pas_(?:test|live)_/);
  });

  it('is edited by the keyboard', async () => {
    const { page } = seat;
    await page.getByRole('link', { name: 'Edit', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Contact name').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Mavis Batey');
    await page.keyboard.press('Enter');
    await page.getByText('Client saved.').first().waitFor();
    expect(await page.locator('dl.facts').first().innerText()).toContain('Mavis Batey');
  });
});

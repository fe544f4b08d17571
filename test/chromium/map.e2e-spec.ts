import { beforeAll, expect, it } from '@jest/globals';
import { inChromium, Seat } from '../support/browser.js';
import { World } from './world.js';

inChromium('the map', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.begin();
  });

  const path = (seat: Seat) => new URL(seat.page.url()).pathname;

  it('is zoomed by keyboard, from the country to the orders of a sector', async () => {
    const seat = await Seat.open(world.service, { member: world.admin });
    const go = async (href: RegExp) => {
      await seat.page.locator('.tabs a').last().focus();
      for (let n = 0; n < 200; n += 1) {
        await seat.page.keyboard.press('Tab');
        const at = await seat.page.evaluate(() => {
          const link = document.activeElement;
          const circle = link?.querySelector('circle');
          return {
            href: link?.getAttribute('href') ?? '',
            width: circle ? parseFloat(getComputedStyle(circle).strokeWidth) : 0,
          };
        });
        if (!href.test(at.href) || at.width === 0) continue;
        expect(at.width).toBeGreaterThanOrEqual(3);
        const there = seat.page.waitForEvent('load');
        await seat.page.keyboard.press('Enter');
        return there;
      }
      throw new Error(`Tab never came to ${String(href)}.`);
    };
    await seat.goTo('/staff/map');
    await go(/map\/EC\?/);
    await go(/map\/EC2A\?/);
    expect(path(seat)).toBe('/staff/map/EC2A');
    await go(/search\?q=EC2A\+\d/);
    expect(path(seat)).toMatch(/^\/staff\/(search|orders\/)/);
    await seat.close();
  });

  it('is zoomed by clicks without scripts, and shows its numbers in a table', async () => {
    const seat = await Seat.open(world.service, { member: world.admin, javaScriptEnabled: false });
    const click = (href: string) =>
      seat.page.locator(`svg.map a[href*="${href}"] circle`).first().click();
    await seat.goTo('/staff/map');
    await click('/map/EC?');
    await click('/map/EC2A?');
    expect(path(seat)).toBe('/staff/map/EC2A');
    await seat.page.locator('details.numbers summary').click();
    expect(await seat.page.locator('details.numbers tbody').innerText()).toContain('EC2A 4');
    await seat.page.getByRole('link', { name: 'United Kingdom' }).click();
    expect(path(seat)).toBe('/staff/map');
    await seat.close();
  });
});

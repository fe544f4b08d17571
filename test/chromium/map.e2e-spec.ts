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

  it('sends at most 12 kB for the country again, and its coast from the cache', async () => {
    const seat = await Seat.open(world.service, { member: world.admin });
    const { page } = seat;
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    const sizes: number[] = [];
    session.on('Network.loadingFinished', (one) => sizes.push(one.encodedDataLength));
    for (const measure of ['demand', 'lost', 'orders', 'coverage', 'reach']) {
      const shown = async () => {
        await seat.goTo(`/staff/map?measure=${measure}`);
        await page.waitForLoadState('networkidle');
        for (const shape of await page.locator('svg.map use').all()) {
          expect((await shape.boundingBox())!.height).toBeGreaterThan(300);
        }
      };
      await shown();
      sizes.length = 0;
      await shown();
      expect(sizes.reduce((all, one) => all + one, 0)).toBeLessThanOrEqual(12_000);
    }
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

  it('shows the postcodes near the network, from the country to the sectors of a district', async () => {
    const seat = await Seat.open(world.service, { member: world.admin });
    const { page } = seat;
    /** Of each place in the data table. */
    const counts = async () => {
      await page.locator('details.numbers summary').click();
      const table = page.locator('details.numbers table');
      const headings = await table.locator('thead th').allInnerTexts();
      const column = headings.findIndex((heading) => heading.startsWith('Near the network'));
      const rows = await table.locator('tbody tr').all();
      const cells = await Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
      return new Map(cells.map((row) => [row[0]!, Number(row[column]!.replaceAll(',', ''))]));
    };
    const sum = (of: ReadonlyMap<string, number>) => of.values().reduce((all, one) => all + one, 0);
    const circle = (place: string) => page.locator(`svg.map a[href^="/staff/map/${place}?"]`);
    const reach = page.locator('.tabs').getByRole('link', { name: 'Near the network' });

    await seat.goTo('/staff/map');
    await reach.click();
    expect(await reach.getAttribute('aria-current')).toBe('page');
    const areas = await counts();
    // The demo has positions for London, and builds from there.
    const near = areas.get('London E')!;
    expect([near > 1_000, areas.get('M Manchester')]).toEqual([true, 0]);
    expect(await circle('E').locator('title').textContent()).toMatch(
      new RegExp(
        `^London E: ${near.toLocaleString('en-GB')} of [0-9,]+ postcodes near the network$`,
      ),
    );

    await circle('E').locator('circle').first().click();
    expect([path(seat), await reach.getAttribute('aria-current')]).toEqual([
      '/staff/map/E',
      'page',
    ]);
    const districts = await counts();
    expect(sum(districts)).toBe(near);

    await circle('E7').locator('circle').first().click();
    expect(path(seat)).toBe('/staff/map/E7');
    expect(await page.locator('#leaders li').first().innerText()).toMatch(/near the network$/);
    await seat.close();
  });
});

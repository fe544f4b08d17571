import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { printCatalogue } from '../../src/catalogue/content/csv-writer.js';
import { VersionsService } from '../../src/catalogue/versions/versions.service.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { RevisionsService } from '../../src/platform/database/revisions.service.js';
import { toLocalInput } from '../../src/platform/kernel/time-words.js';
import { inChromium, Seat } from '../support/browser.js';
import { until } from '../support/catalogue.js';
import { newFolder } from '../support/databases.js';
import { World } from './world.js';

const LETTERS = 'ABDEFGHJLNPQRSTUWXYZ';
/** 200 postcodes that the demo does not cover. */
const postcodes = [...'0123456789'].flatMap((digit) =>
  [...LETTERS].map((letter) => `ZE1 ${digit}A${letter}`),
);

inChromium('a day of an administrator: +3 %, 200 postcodes, publish at a time, restore', () => {
  let world: World;
  let seat: Seat;
  let presses: string[];
  beforeAll(async () => {
    world = await World.begin();
  });
  afterAll(() => world.service.close());

  const ways = {
    'by mouse': { javaScriptEnabled: true, byKeyboard: false },
    'by keyboard': { javaScriptEnabled: true, byKeyboard: true },
    'without scripts': { javaScriptEnabled: false, byKeyboard: false },
  };

  it.each(Object.entries(ways))('%s', async (_, { byKeyboard, javaScriptEnabled }) => {
    const { service, admin } = world;
    presses = [];
    seat = await Seat.open(service, { member: admin, javaScriptEnabled });
    const { page } = seat;
    const press = async (role: 'link' | 'button' | 'radio', name: string | RegExp) => {
      presses.push(String(name));
      const target = page.locator('main').getByRole(role, { name }).first();
      if (!byKeyboard) return target.click();
      await target.focus();
      await page.keyboard.press(role === 'radio' ? 'Space' : 'Enter');
    };
    const heading = (name: string | RegExp) =>
      page.getByRole('heading', { name }).first().waitFor();
    const catalogue = service.get(CatalogueService);
    const before = catalogue.current;

    await seat.goTo('/staff/catalogue');
    await press('link', 'Adjust prices');
    await page.getByLabel('Change in per cent').fill('3');
    await page.getByLabel('Price list').selectOption('standard');
    await press('button', 'Make a draft');
    await heading(/^Changes from version/);

    await press('link', 'Add files to this draft');
    await page.getByLabel('Name').fill('December rate card');
    await page.getByLabel('Files').setInputFiles(await coverageWith(postcodes));
    await press('button', 'Upload as a draft');
    await heading(/^Changes from version/);
    const main = page.locator('main');
    expect(await main.innerText()).toMatch(/Monthly prices\s+\d+\s+\+/);
    expect(await main.getByRole('row', { name: /^Postcodes/ }).innerText()).toMatch(/\s200\s/);

    await press('radio', 'At a time');
    const inFiveMinutes = new Date(service.clock.now().getTime() + 300_000);
    await page.getByLabel('Time', { exact: true }).fill(toLocalInput(inFiveMinutes));
    await press('button', 'Continue to publish');
    await press('button', /^Publish \d+ price changes and 200 coverage changes at \d/);
    await main.getByText('Scheduled: all instances switch at that time.').waitFor();
    expect(catalogue.current.version).toBe(before.version);
    service.clock.advance({ minutes: 5 });
    await service.get(RevisionsService).look();
    await until(
      () =>
        catalogue.current.content.coverage.size.units === before.content.coverage.size.units + 200,
    );
    // The switch is recorded a moment after it: until then the pages show the version before as live.
    await service.get(VersionsService).promoteDue();

    await seat.goTo('/staff/catalogue');
    await press('link', String(before.version));
    await press('link', 'Restore this version');
    await press('button', /^Restore version \d+: \d+ price changes and 200 coverage changes, now$/);
    await main.getByText('The earlier content is live again').waitFor();
    expect(catalogue.current.content).toEqual(before.content);
    // Three fields, a file and a time are typed; the rest is one press each.
    expect(presses).toHaveLength(10);
    await seat.close();
  });

  /** A coverage.csv with these postcodes in the first zone, added to what is live. */
  async function coverageWith(units: readonly string[]): Promise<string> {
    const { content } = world.service.get(CatalogueService).current;
    const file = printCatalogue(content).find(({ fileName }) => fileName === 'coverage.csv')!;
    const rows = units.map((unit) => `${unit},${content.coverage.zones[0]}\r\n`);
    const path = join(await newFolder(), 'coverage.csv');
    await writeFile(path, [...file.chunks, ...rows].join(''));
    return path;
  }
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { printCatalogue } from '../../src/catalogue/content/files/csv-writer.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { inChromium, Seat } from '../support/browser.js';
import { newFolder } from '../support/closing.js';
import { World } from './world.js';

const LETTERS = 'ABDEFGHJLNPQRSTUWXYZ';
/** 200 postcodes that the demo does not cover. */
const postcodes = [...'0123456789'].flatMap((digit) =>
  [...LETTERS].map((letter) => `ZE1 ${digit}A${letter}`),
);

inChromium('a day of an administrator: +3 %, 200 postcodes, publish, restore', () => {
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
    const unfold = (words: string) => {
      presses.push(words);
      const summary = page.locator('summary', { hasText: words });
      return byKeyboard ? summary.press('Enter') : summary.click();
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
    expect(await main.innerText()).toMatch(/Monthly prices\s+at once\s+\d+\s+\+/);
    expect(await main.getByRole('row', { name: /^Postcodes/ }).innerText()).toMatch(/\s200\s/);

    await unfold('Publish this draft');
    await press('button', /^Publish \d+ price changes and 200 coverage changes now$/);
    await main.getByText('Published.', { exact: true }).waitFor();
    expect(catalogue.current.content.coverage.size.units).toBe(
      before.content.coverage.size.units + 200,
    );

    await seat.goTo('/staff/catalogue');
    await press('link', String(before.version));
    await unfold('Restore this version');
    await press(
      'button',
      /^Restore version \d+ now \(\d+ price changes and 200 coverage changes\)$/,
    );
    await main.getByText('The earlier content is live again').waitFor();
    expect(catalogue.current.content).toEqual(before.content);
    // Three fields and a file are typed; the rest is one press each.
    expect(presses).toHaveLength(9);
    await seat.close();
  });

  /** A coverage.csv with these postcodes in the first zone, added to what is live. */
  async function coverageWith(units: readonly string[]): Promise<string> {
    const catalogue = world.service.get(CatalogueService);
    const content = await catalogue.files(catalogue.current.version);
    const file = printCatalogue(content).find(({ fileName }) => fileName === 'coverage.csv')!;
    const rows = units.map((unit) => `${unit},${content.coverage.zones[0]}\r\n`);
    const path = join(await newFolder(), 'coverage.csv');
    await writeFile(path, [...file.chunks, ...rows].join(''));
    return path;
  }
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { type CatalogueFile, fileInfo } from '../../src/catalogue/content/catalogue-files.js';
import { newFolder } from './closing.js';
import { type CatalogueRows, catalogueFiles, smallCatalogue } from './given.js';
import type { Service } from './service.js';

/** `smallCatalogue` with the price of INT-1G-12 in ONNET (550.00 GBP) replaced. */
export function priced(amount: string): CatalogueRows {
  return {
    prices: smallCatalogue.prices.map((line) => line.replace(',550.00,', `,${amount},`)),
  };
}

/** A new folder with the files. */
export async function folderOf(rows: CatalogueRows): Promise<string> {
  const folder = await newFolder();
  for (const [file, text] of Object.entries(catalogueFiles(rows))) {
    await writeFile(join(folder, fileInfo(file as CatalogueFile).fileName), text);
  }
  return folder;
}

/** The price of INT-1G-12 at EC2A 2BS for the client of this token. */
export async function priceOf({ http }: Service, token: string): Promise<number | undefined> {
  const path = '/product-availability/postcode/EC2A%202BS';
  const { body } = await http.get<AvailabilityResult>(path, { token });
  return body.availableProducts.find(({ productCode }) => productCode === 'INT-1G-12')?.price;
}

/** Polls until `isTrue`, at most for the given time. @param condition for the failure message */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  seconds = 30,
  condition = 'it is true',
): Promise<void> {
  for (let tries = 0; tries < seconds * 40; tries++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`Gave up after ${seconds} seconds of waiting until ${condition}.`);
}

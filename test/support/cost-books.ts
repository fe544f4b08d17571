import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MARKED_COST } from './answers.js';
import { folderOf } from './catalogue.js';
import { type SupplierFile, supplierFiles } from '../../src/catalogue/content/catalogue-files.js';
import { newFolder } from './closing.js';
import { type CatalogueRows, markedBook, markedMargin, smallCatalogue } from './given.js';

export const book = {
  'supplier.csv': 'supplier,label,valid_until\npxc,PXC wholesale,2026-06-30\n',
  'costs.csv': `product,zone,cost,setup_cost,currency,lead_time_days,basis
INT-1G-36,CITY,${MARKED_COST},100,GBP,40,firm
INT-100M-12,CITY,100,,GBP,40,firm
`,
  'coverage.csv': 'place,zone\nM1,CITY\nEC2A,CITY\n',
};

/** The small catalogue with a cost book of `pxc`, which sells at M1 1AE and beside the operator at EC2A. */
export async function folderWithBook(percent = 25, more: CatalogueRows = {}, files = book) {
  const folder = await folderOf({
    ...smallCatalogue,
    margins: [`*,*,,${percent},,1,5`],
    priceLists: ['partner,standard,0,'],
    ...more,
  });
  const path = join(folder, 'suppliers', 'pxc');
  await mkdir(path, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return folder;
}

/** A folder with `markedBook` alone, for a catalogue that has these margins. */
export async function folderWithMarkedBook(productCode: string, margins: string): Promise<string> {
  const folder = await newFolder();
  await writeFile(join(folder, 'margins.csv'), `${margins}${markedMargin}\n`);
  const path = join(folder, 'suppliers', 'marked');
  await mkdir(path, { recursive: true });
  for (const [file, text] of Object.entries(markedBook(productCode))) {
    await writeFile(join(path, supplierFiles[file as SupplierFile].fileName), text);
  }
  return folder;
}

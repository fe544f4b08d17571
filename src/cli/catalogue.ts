import type { Command } from 'commander';
import { basename, resolve } from 'node:path';
import { operator } from '../audit/audit.service.js';
import { CatalogueService } from '../catalogue/catalogue.service.js';
import { ImportService } from '../catalogue/import.service.js';
import { readCatalogueFolder } from '../catalogue/catalogue-folder.js';
import { parsePostcode, Postcode } from '../common/postcode.js';
import { Refused } from '../common/refused.js';
import type { CoverageSize } from '../catalogue/coverage-index.js';
import { printRows, withService } from './context.js';

export function addCatalogueCommands(program: Command): void {
  const catalogue = program.command('catalogue').description('products, prices and coverage');
  catalogue
    .command('import <folder>')
    .description(
      'import products.csv, prices.csv and coverage.csv as a new version: all or nothing',
    )
    .option('--label <text>', 'a name for the version; the folder by default')
    .action(async (folder: string, options: { label?: string }) => {
      const { content, faults } = await readCatalogueFolder(folder);
      if (!content) {
        printRows(
          faults.shown.map((fault) => ({ ...fault })),
          false,
        );
        throw new Refused(`Nothing was imported: ${faults.total} faults.`);
      }
      const label = options.label ?? basename(resolve(folder));
      const { version, changed } = await withService((service) =>
        service.get(ImportService).importContent(content, label, operator),
      );
      console.log(
        changed
          ? `Version ${version} is active: ${content.products.length} products, ${content.prices.length} prices, ${places(content.coverage.size)}.`
          : `No change: version ${version} has the same content.`,
      );
    });
  catalogue
    .command('show')
    .description('show the versions, newest first')
    .option('--json', 'one JSON object a line', false)
    .action(async (options: { json: boolean }) => {
      const versions = await withService((service) => service.get(ImportService).list());
      if (versions.length === 0 && !options.json) {
        console.log('There is no catalogue yet. Next: catalogue import <folder>');
      }
      printRows(
        versions.map(
          ({ number, state, label, products, prices, places, createdAt, createdBy }) => ({
            number,
            state,
            label,
            products,
            prices,
            places,
            createdAt,
            createdBy,
          }),
        ),
        options.json,
      );
    });
  program
    .command('check <postcode>')
    .description('show what can be ordered at a postcode, and why')
    .option('--price-list <name>', 'the prices to show', 'standard')
    .option('--json', 'one JSON object a line', false)
    .action(async (text: string, options: { priceList: string; json: boolean }) => {
      const postcode = parsePostcode(text);
      if (!(postcode instanceof Postcode)) throw new Refused(postcode.detail);
      await withService((service) => {
        const current = service.get(CatalogueService).current;
        const row = current.content.coverage.find(postcode.packed);
        const offers = current.offersAt(postcode, options.priceList);
        if (!options.json) console.log(explanation(postcode, row, offers.count, current.version));
        printRows(
          offers.list.map(({ amountMinor: _, ...offer }) => offer),
          options.json,
        );
        return Promise.resolve();
      });
    });
}

function explanation(
  postcode: Postcode,
  row: { zone: string; level: string; place: string } | null,
  count: number,
  version: number,
): string {
  const products = count === 1 ? '1 product' : `${count} products`;
  if (!row) return `${postcode.unit}: no row of coverage, so nothing is sold (version ${version}).`;
  const decided = `decided by the ${row.level} ${row.place}`;
  return row.zone === '-'
    ? `${postcode.unit}: excluded, ${decided} (version ${version}).`
    : `${postcode.unit}: ${products}, zone ${row.zone}, ${decided} (version ${version}).`;
}

function places(size: CoverageSize): string {
  const counted = Object.entries(size).filter(([, count]) => count > 0);
  return counted.map(([level, count]) => `${count} ${level}`).join(', ') || 'no coverage';
}

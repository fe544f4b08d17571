import { operator } from '../platform/audit/audit.service.js';
import { adjustmentOf } from '../catalogue/adjustment.js';
import { AdjustmentBody } from '../catalogue/catalogue.dto.js';
import { CatalogueConflict } from '../catalogue/versions/catalogue.errors.js';
import { ImportService } from '../catalogue/versions/import.service.js';
import { Refused } from '../platform/problems/refused.js';
import { printReport } from './catalogue-import.js';
import { commandInput } from './input-options.js';
import { jsonOption, type JsonOption, versionArgument } from './options.js';
import type { ServiceCommand } from './service-command.js';

const adjustment = commandInput(AdjustmentBody, {
  percent: ['<percent>'],
  priceList: ['--price-list <name>', 'only rows of this list; derived lists follow their base'],
  product: ['--product <start>', 'only products whose code starts like this, such as ETH-'],
  zone: ['--zone <zone>', 'only prices in this zone'],
  roundTo: ['--round-to <amount>', 'round to a multiple, such as 0.50'],
  floor: ['--floor <amount>', 'the lowest adjusted monthly price'],
  setup: ['--setup', 'change set-up prices too'],
  label: ['--label <text>', 'a name for the version; default: the change in words'],
  base: ['--base <version>', 'adjust this draft; default: the live version'],
  dryRun: ['--dry-run', 'store nothing: only show what would change'],
});

export function addEditCommands(catalogue: ServiceCommand): void {
  catalogue
    .add('adjust <percent>', 'change prices of the live version by a percentage; store a draft')
    .taking(adjustment)
    .addOption(jsonOption('one JSON object'))
    .addHelpText(
      'after',
      `
Examples:
  npm run cli -- catalogue adjust 3 --price-list standard --round-to 0.50
  npm run cli -- catalogue adjust -5 --product ETH- --zone LONDON-ONNET`,
    )
    .using(ImportService, async (imports, percent: string, options: JsonOption) => {
      const input = await adjustment.read({ ...options, percent });
      printReport(await imports.adjustPrices(...adjustmentOf(input, operator)), options.json);
    });
  catalogue
    .add('rebase', 'apply the changes of a draft to a version that went live meanwhile')
    .addArgument(versionArgument('<version>'))
    .addOption(jsonOption('one JSON object'))
    .using(ImportService, async (imports, number: number, { json }: JsonOption) => {
      const report = await imports.rebase(number, operator).catch((error: unknown) => {
        if (!(error instanceof CatalogueConflict)) throw error;
        for (const { file, row, before, mine, theirs } of error.conflicts) {
          const sides = { before, 'this draft': mine, live: theirs };
          const cells = Object.entries(sides).map(([side, text]) => `${side}: ${text ?? 'none'}`);
          console.log(`${file} ${row}\n  ${cells.join('\n  ')}`);
        }
        throw new Refused(error.detail);
      });
      printReport(report, json);
    });
}

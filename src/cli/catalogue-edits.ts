import { InvalidArgumentError } from 'commander';
import { operator } from '../platform/audit/audit.service.js';
import { adjustmentInWords } from '../catalogue/adjustment.js';
import { CatalogueConflict } from '../catalogue/versions/catalogue.errors.js';
import { ImportService, type LIVE } from '../catalogue/versions/import.service.js';
import { Refused } from '../platform/problems/refused.js';
import { printReport, readBase } from './catalogue-import.js';
import { jsonOption, type JsonOption, labelOf, versionArgument } from './options.js';
import type { ServiceCommand } from './service-command.js';

interface AdjustOptions extends JsonOption {
  readonly priceList?: string;
  readonly product?: string;
  readonly zone?: string;
  readonly roundTo?: number;
  readonly floor?: number;
  readonly setup: boolean;
  readonly label?: string;
  readonly base?: number | typeof LIVE;
  readonly dryRun: boolean;
}

export function addEditCommands(catalogue: ServiceCommand): void {
  catalogue
    .add('adjust <percent>', 'change prices of the live version by a percentage; store a draft')
    .option('--price-list <name>', 'only rows of this list; derived lists follow their base')
    .option('--product <start>', 'only products whose code starts like this, such as ETH-')
    .option('--zone <zone>', 'only prices in this zone')
    .option('--round-to <amount>', 'round to a multiple, such as 0.50', readAmount)
    .option('--floor <amount>', 'the lowest adjusted monthly price', readAmount)
    .option('--setup', 'change set-up prices too', false)
    .option('--label <text>', 'a name for the version; default: the change in words')
    .option('--base <version>', 'adjust `live` or this draft; default: live', readBase)
    .option('--dry-run', 'store nothing: only show what would change', false)
    .addOption(jsonOption('one JSON object'))
    .addHelpText(
      'after',
      `
Examples:
  npm run cli -- catalogue adjust 3 --price-list standard --round-to 0.50
  npm run cli -- catalogue adjust -5 --product ETH- --zone LONDON-ONNET`,
    )
    .using(ImportService, async (imports, text: string, options: AdjustOptions) => {
      const { priceList, product, zone, roundTo, floor, setup, base, dryRun, json } = options;
      const adjustment = {
        percent: readPercent(text),
        priceList: priceList ?? null,
        product: product ?? null,
        zone: zone ?? null,
        roundTo: roundTo ?? null,
        floor: floor ?? null,
        setup,
      };
      const label = labelOf(options) ?? adjustmentInWords(adjustment);
      const how = { label, actor: operator, base, dryRun };
      printReport(await imports.adjustPrices(adjustment, how), json);
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

function readPercent(text: string): number {
  const percent = /^[+-]?\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  if (percent >= -100 && percent <= 1_000) return percent;
  throw new Refused('The percentage is a number from -100 to 1000, with up to 3 decimals.');
}

/** Major units. */
function readAmount(text: string): number {
  const amount = /^\d{1,7}(\.\d{1,4})?$/.test(text) ? Number(text) : NaN;
  if (amount > 0) return amount;
  throw new InvalidArgumentError('Write an amount such as 0.50.');
}

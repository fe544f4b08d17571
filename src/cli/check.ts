import type { Command } from 'commander';
import { ExplainService } from '../catalogue/versions/explain.service.js';
import type { ExplainedProduct, Explanation } from '../catalogue/content/explain.js';
import { inBrief, termsOf, termsOnLine } from '../catalogue/content/offers.js';
import { Refused } from '../problems/refused.js';
import { printRows, withService } from './context.js';
import { readInstant } from './options.js';

interface Options {
  readonly priceList?: string;
  readonly client?: string;
  readonly at?: Date;
  readonly explain: boolean;
  readonly json: boolean;
}

export function addCheckCommand(program: Command): void {
  program
    .command('check <postcode>')
    .description('show what can be ordered at a postcode, and why')
    .option('--price-list <name>', 'the prices to show; standard by default')
    .option('--client <id-or-name>', 'the prices that this API client sees')
    .option('--at <instant>', 'as it was then: 2026-11-21T09:30:00Z', readInstant)
    .option('--explain', 'every row that had a say, and why other products are not there', false)
    .option('--json', 'one JSON object a line', false)
    .action(async (text: string, { priceList, client, at, ...options }: Options) => {
      if (priceList !== undefined && client !== undefined) {
        throw new Refused('Give either --price-list or --client.');
      }
      const answer = await withService((service) =>
        service.get(ExplainService).explain(text, { priceList, client, at }),
      );
      if (options.json && options.explain) {
        console.log(JSON.stringify(answer));
        return;
      }
      const offered = answer.products.filter((product) => product.offered);
      if (!options.json) {
        console.log(headline(answer, offered.length));
        if (answer.terminated) console.log(`The postcode went out of use in ${answer.terminated}.`);
      }
      if (options.explain) printExplanation(answer);
      else printRows(offered.map(offerRow), options.json);
    });
}

function headline({ postcode, reason, catalogueVersion, priceList }: Explanation, count: number) {
  const products = count === 1 ? '1 product' : `${count} products`;
  return `${postcode}: ${products} on ${priceList}, version ${catalogueVersion}. ${reason}`;
}

function offerRow({ productCode, name, prices }: ExplainedProduct): Record<string, unknown> {
  const price = prices.find(({ decides }) => decides);
  return {
    productCode,
    name,
    ...(price && termsOf(price)),
    priceList: price?.priceList,
  };
}

function printExplanation({ levels, products }: Explanation): void {
  console.log();
  printRows(
    levels.map(({ level, place, zone, decides }) => ({
      level,
      place,
      zone: zone ?? 'no row',
      decides,
    })),
    false,
  );
  console.log();
  printRows(
    products.map(({ productCode, offered, prices, reason }) => ({
      productCode,
      offered,
      prices:
        prices
          .map(
            (price) =>
              `${price.decides ? '*' : ''}${price.priceList} ${termsOnLine(price, inBrief)}`,
          )
          .join('; ') || '-',
      reason,
    })),
    false,
  );
}

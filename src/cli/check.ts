import type { PostcodeRegister } from '../catalogue/versions/postcode-register.entity.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { ClientsService } from '../clients/clients.service.js';
import { ExplainService } from '../catalogue/shown/explain.service.js';
import { datesInWords } from '../catalogue/content/dates.js';
import type { ExplainedProduct, Explanation } from '../catalogue/content/explain.js';
import { inBrief, termsOf, termsOnLine } from '../catalogue/content/offers.js';
import { Refused } from '../platform/problems/refused.js';
import {
  acceptedBy,
  acceptOption,
  type AcceptOption,
  jsonOption,
  type JsonOption,
  readInstant,
} from './options.js';
import { printRows, withProgress } from './output.js';
import type { ServiceCommand, Services } from './service-command.js';
import { operator } from '../platform/audit/audit.service.js';
import { RegisterService } from '../catalogue/versions/register.service.js';
import { counted, whole } from '../platform/kernel/counts.js';

export function addPostcodeCommands(postcodes: ServiceCommand): void {
  postcodes
    .add('import <file>')
    .addHelpText(
      'after',
      `
The file is ONS's ONSPD or OS's Code-Point Open (the zip, its folder, or a CSV file with a header), or
a file postcode,easting,northing.`,
    )
    .addOption(acceptOption())
    .using(RegisterService, async (registers, file: string, options: AcceptOption) => {
      const { register, faults } = await withProgress('Reading', (onProgress) =>
        registers.importFile(file, { actor: operator, accept: acceptedBy(options), onProgress }),
      );
      console.log(`${register.kind}: ${contentOf(register)}`);
      if (faults.total === 0) return;
      console.log(`${counted(faults.total, 'line')} could not be read in full. The first:`);
      for (const { file: name, line, value, reason } of faults.shown.slice(0, 5)) {
        console.log(`  ${name}, line ${line}, ${JSON.stringify(value)}: ${reason}`);
      }
    });
}

function contentOf({ live, terminated, placed }: PostcodeRegister) {
  return `${whole(live)} live postcodes, ${whole(placed)} of them with a position, ${whole(terminated)} terminated.`;
}

interface CheckOptions extends JsonOption {
  readonly priceList?: string;
  readonly client?: string;
  readonly uprn?: string;
  readonly at?: Date;
  readonly explain: boolean;
}

export function addCheckCommand(check: ServiceCommand): void {
  check
    .argument('<postcode...>')
    .option('--price-list <name>', 'the price list; default: standard')
    .option('--client <id-or-name>', 'with the prices of this API client')
    .option('--uprn <uprn>', 'of premises at the postcode')
    .option('--at <instant>', 'at this instant: 2026-11-21T09:30:00Z', readInstant)
    .option('--explain', 'show every row that applies, and why other products are missing', false)
    .addOption(jsonOption())
    .inService(explain);
}

async function explain(
  services: Services,
  words: readonly string[],
  { priceList, client: idOrName, uprn, at, explain, json }: CheckOptions,
): Promise<void> {
  if (priceList !== undefined && idOrName !== undefined) {
    throw new Refused('Give either --price-list or --client.');
  }
  const client =
    idOrName === undefined ? undefined : (await services.get(ClientsService).find(idOrName)).id;
  const question = { priceList, client, uprn, at };
  const answer = await services.get(ExplainService).explain(words.join(' '), question);
  const catalogue = await services.get(CatalogueService).version(answer.catalogueVersion);
  if (!catalogue.priceLists.includes(answer.priceList)) {
    console.error(
      `Version ${answer.catalogueVersion} has no price list ${answer.priceList}: these are the prices of standard.`,
    );
  }
  if (json && explain) {
    console.log(JSON.stringify(answer));
    return;
  }
  const offered = answer.products.filter((product) => product.offered);
  if (!json) {
    console.log(headline(answer, offered.length));
    if (answer.terminated) console.log(`The postcode went out of use in ${answer.terminated}.`);
    for (const { code, text } of answer.constraints) console.log(`${code}: ${text}`);
  }
  if (explain) printExplanation(answer);
  else
    printRows(
      offered.map((product) => offerRow(product, answer)),
      json,
    );
}

function headline({ postcode, reason, catalogueVersion, priceList }: Explanation, count: number) {
  const products = counted(count, 'product');
  return `${postcode}: ${products} on ${priceList}, version ${catalogueVersion}. ${reason}`;
}

function offerRow(
  { productCode, name, prices, priceUntil }: ExplainedProduct,
  { zoneRow }: Explanation,
) {
  const price = prices.find(({ decides }) => decides);
  const network = zoneRow?.network ?? null;
  const terms = price && termsOf({ ...price, network });
  return { productCode, name, ...terms, priceList: price?.priceList, priceUntil };
}

function printExplanation({ levels, products }: Explanation): void {
  console.log();
  printRows(
    levels.map(({ level, place, uprn, zone, decides }) => ({
      level,
      place: uprn ?? place,
      zone: zone ?? 'no row',
      decides,
    })),
  );
  console.log();
  printRows(
    products.map(({ productCode, offered, prices, reason, priceUntil }) => ({
      productCode,
      offered,
      until: priceUntil ?? '',
      prices: prices.map(priceInWords).join('; ') || '-',
      reason,
    })),
  );
}

function priceInWords(price: ExplainedProduct['prices'][number]): string {
  return `${price.decides ? '*' : ''}${[price.priceList, datesInWords(price), termsOnLine(price, inBrief)].filter(Boolean).join(' ')}`;
}

import type { AgreedTerms } from '../catalogue/content/offer-fields.js';
import { inBrief, termsOnLine } from '../catalogue/content/offers.js';
import { type OfferChange, type Replay, ReplayService } from '../orders/views/replay.service.js';
import { jsonOption, type JsonOption, mostOption, readNumber, versionArgument } from './options.js';
import { grouped } from './output.js';
import type { ServiceCommand } from './service-command.js';

export function addReplayCommand(catalogue: ServiceCommand): void {
  catalogue
    .add('replay', 'show which recent checks and open orders a version would change')
    .addArgument(versionArgument('<version>'))
    .option('--days <n>', 'how many days back', readNumber, 7)
    .addOption(mostOption())
    .addOption(jsonOption('one JSON object'))
    .using(ReplayService, async (service, version: number, { days, most, json }: ReplayOptions) => {
      const replay = await service.replay(version, days);
      console.log(json ? JSON.stringify(replay) : inWords(replay, most));
    });
}

interface ReplayOptions extends JsonOption {
  readonly days: number;
  readonly most: number;
}

function inWords(replay: Replay, most: number): string {
  const { version, comparedWith, days, checks, checksChanged, answers, openOrders, orders } =
    replay;
  const lines = [
    `Version ${version} instead of version ${comparedWith}`,
    `${grouped(checksChanged)} of ${grouped(checks)} checks of the last ${days} days would change.`,
  ];
  for (const { postcode, uprn, priceList, checks: count, changes } of answers.slice(0, most)) {
    const place = uprn === null ? postcode : `UPRN ${uprn} at ${postcode}`;
    lines.push(`  ${place} (${priceList}), checked ${count} times: ${some(changes)}`);
  }
  if (answers.length > most) lines.push(`  … and ${answers.length - most} more postcodes`);
  lines.push(
    `${orders.length} of ${openOrders} open orders could not be placed again on the same terms. They keep their terms.`,
  );
  for (const { reference, postcode, change } of orders.slice(0, most)) {
    lines.push(`  ${reference} at ${postcode}: ${changeInWords(change)}`);
  }
  if (orders.length > most) lines.push(`  … and ${orders.length - most} more`);
  return lines.join('\n');
}

function some(changes: readonly OfferChange[]): string {
  const shown = changes.slice(0, 3).map(changeInWords).join('; ');
  return changes.length > 3 ? `${shown}; and ${changes.length - 3} more` : shown;
}

function changeInWords({ productCode, change, before, after }: OfferChange): string {
  const terms = (offer: AgreedTerms | null) => (offer ? termsOnLine(offer, inBrief) : '');
  if (!before) return `${productCode} gained, ${terms(after)}`;
  if (!after) return `${productCode} lost, was ${terms(before)}`;
  return `${productCode} ${change}, ${terms(before)} → ${terms(after)}`;
}

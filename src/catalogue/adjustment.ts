import type { Actor } from '../platform/audit/audit.service.js';
import { shortened } from '../platform/kernel/text.js';
import type { AdjustmentBody } from './catalogue.dto.js';
import { datesInWords } from './content/dates.js';
import { FREE, type PriceAdjustment } from './content/edits/adjust-prices.js';
import type { ImportOptions } from './versions/import.service.js';

const LONGEST_LABEL = 120;

/** The adjustment and its options, as a client sends them. */
export function adjustmentOf(body: AdjustmentBody, actor: Actor): [PriceAdjustment, ImportOptions] {
  const { percent, priceList, product, zone, from, until, ...rest } = body;
  const { roundTo, floor, setupPercent, label, base, dryRun } = rest;
  const adjustment: PriceAdjustment = {
    percent,
    priceList: priceList ?? null,
    product: product ?? null,
    zone: zone ?? null,
    roundTo: roundTo ?? null,
    floor: floor ?? null,
    setupPercent: setupPercent ?? null,
    from: from ?? null,
    until: until ?? null,
  };
  const options = { actor, base, dryRun: dryRun ?? false };
  const words = shortened(adjustmentInWords(adjustment), LONGEST_LABEL);
  return [adjustment, { ...options, label: label || words }];
}

/** `+3 %, set-up free on standard, ETH-, LONDON-ONNET`. */
export function adjustmentInWords(adjustment: PriceAdjustment): string {
  const { percent, setupPercent, priceList, product, zone, from, until } = adjustment;
  const setup = setupPercent === FREE ? 'free' : signed(setupPercent ?? 0);
  const what =
    setupPercent === null ? [signed(percent)] : [percent && signed(percent), `set-up ${setup}`];
  const where = [priceList ?? 'all price lists', product, zone].filter(Boolean).join(', ');
  const dates = datesInWords({ validFrom: from, validUntil: until });
  return [`${what.filter(Boolean).join(', ')} on ${where}`, dates].filter(Boolean).join(', ');
}

function signed(percent: number): string {
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent)} %`;
}

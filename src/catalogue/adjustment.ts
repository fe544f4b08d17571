import type { Actor } from '../platform/audit/audit.service.js';
import type { AdjustmentBody } from './catalogue.dto.js';
import { datesInWords } from './content/dates.js';
import type { PriceAdjustment } from './content/edits/adjust-prices.js';
import type { ImportOptions } from './versions/import.service.js';

/** The adjustment and its options, as a client sends them. */
export function adjustmentOf(body: AdjustmentBody, actor: Actor): [PriceAdjustment, ImportOptions] {
  const { percent, priceList, product, zone, from, until, ...rest } = body;
  const { roundTo, floor, setup, label, base, dryRun } = rest;
  const adjustment: PriceAdjustment = {
    percent,
    priceList: priceList ?? null,
    product: product ?? null,
    zone: zone ?? null,
    roundTo: roundTo ?? null,
    floor: floor ?? null,
    setup: setup ?? false,
    from: from ?? null,
    until: until ?? null,
  };
  const options = { actor, base, dryRun: dryRun ?? false };
  return [adjustment, { ...options, label: label || adjustmentInWords(adjustment) }];
}

/** `+3 % on standard, ETH-, LONDON-ONNET`. */
export function adjustmentInWords(adjustment: PriceAdjustment): string {
  const { percent, priceList, product, zone, from, until } = adjustment;
  const sign = percent < 0 ? '−' : '+';
  const where = [priceList ?? 'all price lists', product, zone].filter(Boolean).join(', ');
  const dates = datesInWords({ validFrom: from, validUntil: until });
  return [`${sign}${Math.abs(percent)} % on ${where}`, dates].filter(Boolean).join(', ');
}

import type { Actor } from '../platform/audit/audit.service.js';
import type { AdjustmentBody } from './catalogue.dto.js';
import type { PriceAdjustment } from './content/edits/adjust-prices.js';
import type { ImportOptions } from './versions/import.service.js';

/** The adjustment and its options, as a client sends them. */
export function adjustmentOf(body: AdjustmentBody, actor: Actor): [PriceAdjustment, ImportOptions] {
  const { percent, priceList, product, zone, roundTo, floor, setup, label, base, dryRun } = body;
  const adjustment: PriceAdjustment = {
    percent,
    priceList: priceList ?? null,
    product: product ?? null,
    zone: zone ?? null,
    roundTo: roundTo ?? null,
    floor: floor ?? null,
    setup: setup ?? false,
  };
  const options = { actor, base, dryRun: dryRun ?? false };
  return [adjustment, { ...options, label: label || adjustmentInWords(adjustment) }];
}

/** `+3 % on standard, ETH-, LONDON-ONNET`. */
export function adjustmentInWords({ percent, priceList, product, zone }: PriceAdjustment): string {
  const sign = percent < 0 ? '−' : '+';
  const where = [priceList ?? 'all price lists', product, zone].filter(Boolean).join(', ');
  return `${sign}${Math.abs(percent)} % on ${where}`;
}

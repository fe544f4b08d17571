import { Injectable } from '@nestjs/common';
import type { OfferedProduct, Offer } from '../../catalogue/content/offer-fields.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { Config } from '../../platform/config/config.js';
import { Clock } from '../../platform/kernel/clock.js';
import { placeOfOrder } from '../record/nearest.js';
import type { Order } from '../record/order.entity.js';
import { comparableOffer } from './list-price.js';
import { decimalsOf, majorUnits, priceInWords } from '../../platform/kernel/money.js';
import { type MoneyAmount, totalOf } from '../record/bespoke-terms.js';

/** Which bespoke offers a second person has to approve: pure functions. */
/** An amount above which an offer needs approval. */
interface ApprovalLimit {
  /** In major units. */
  readonly amount: number;
  readonly currency: string;
}

interface ApprovalRules {
  /** Null: no offer is too large. */
  readonly over: ApprovalLimit | null;
  /** Per cent below the list price. */
  readonly belowPercent: number;
}

/**
 * Why a manager has to approve an offer, in words that follow its total; none if no one has to. What cannot be
 * compared is approved, too.
 * @param listed see `comparableOffer`
 */
export function approvalReasons(
  product: OfferedProduct,
  listed: Offer | undefined,
  { over, belowPercent }: ApprovalRules,
): string[] {
  const total = totalOf(product);
  return [
    ...reasonsAbove(total, over),
    ...(product.price === 0
      ? ['without a monthly price']
      : reasonsBelow(product, total, listed, belowPercent)),
  ];
}

function reasonsAbove({ amountMinor, currency }: MoneyAmount, over: ApprovalLimit | null) {
  if (over === null) return [];
  const limit = `the limit of ${priceInWords(over.amount, over.currency)}`;
  if (currency !== over.currency) return [`not in the currency of ${limit}`];
  return amountMinor > over.amount * 10 ** decimalsOf(currency) ? [`above ${limit}`] : [];
}

function reasonsBelow(
  { term, currency }: OfferedProduct,
  { amountMinor }: MoneyAmount,
  listed: Offer | undefined,
  belowPercent: number,
): string[] {
  if (!listed) return [`without a list price in ${currency} to compare it with`];
  const list = totalOf({ ...listed, term }).amountMinor;
  if (amountMinor * 100 >= list * (100 - belowPercent)) return [];
  const below = Math.round((1 - amountMinor / list) * 100);
  const price = priceInWords(majorUnits(list, currency), currency);
  return [`${below} % below the list price of ${price} (${listed.productCode}, ${listed.zone})`];
}

/** Decides which offers need the approval of a manager, by the settings and the live catalogue. */
@Injectable()
export class ApprovalService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Why this offer needs approval; null if it does not. */
  reasonFor(
    enquiry: Pick<Order, 'postcode' | 'uprn' | 'priceList' | 'nearest'>,
    product: OfferedProduct,
  ): string | null {
    const { offerApprovalOver: over, offerApprovalBelowPercent: belowPercent } = this.config;
    const { priceList } = enquiry;
    const at = this.clock.now().getTime();
    const current = this.catalogue.loaded ? this.catalogue.current : null;
    const listed =
      current &&
      comparableOffer(
        current,
        { place: placeOfOrder(enquiry, current, at), priceList, at },
        product,
      );
    return approvalReasons(product, listed ?? undefined, { over, belowPercent }).join('; ') || null;
  }
}

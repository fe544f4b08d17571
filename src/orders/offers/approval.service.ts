import { Injectable } from '@nestjs/common';
import type { OfferedProduct, Offer } from '../../catalogue/content/offer-fields.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { Config } from '../../platform/config/config.js';
import { Clock } from '../../platform/kernel/clock.js';
import { placeOfOrder, type ShownPlace } from '../../catalogue/shown/shown.service.js';
import type { Order } from '../record/order.entity.js';
import type { BespokeOffer } from '../record/bespoke-offer.entity.js';
import { CostsService } from '../../catalogue/versions/costs.service.js';
import type { SupplierCost } from '../../catalogue/content/review/margins.js';
import { decimalsOf, majorUnits, priceInWords } from '../../platform/kernel/money.js';
import { minorUnits, type MoneyAmount, totalOf } from '../record/bespoke-terms.js';
import { FIRST_ZONE_NUMBER } from '../../catalogue/content/coverage-codec.js';
import type { Offers } from '../../catalogue/content/shown-offers.js';

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
 * @param cost of the listed offer, if it is a supplier's
 */
export function approvalReasons(
  product: OfferedProduct,
  listed: Offer | undefined,
  { over, belowPercent }: ApprovalRules,
  cost: SupplierCost | null = null,
): string[] {
  const total = totalOf(product);
  return [
    ...reasonsAbove(total, over),
    ...(product.price === 0
      ? ['without a monthly price']
      : reasonsBelow(product, total, listed, belowPercent)),
    ...reasonsBelowFloor(product, cost),
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

/** £299.50 a month (INT-1G-36, ONNET); the whole term is £1,200.00, 23 % above this offer. */
export function listPriceInWords(product: OfferedProduct, listed: Offer | undefined): string {
  const { term, currency } = product;
  if (!listed) return `none in ${currency}`;
  const { amountMinor: list } = totalOf({ ...listed, term });
  const percent = list === 0 ? 0 : Math.round((totalOf(product).amountMinor / list - 1) * 100);
  const against =
    percent === 0 ? 'the same' : `${Math.abs(percent)} % ${percent < 0 ? 'below it' : 'above it'}`;
  const words = (amount: number) => priceInWords(amount, currency);
  return `${words(listed.price)} a month (${listed.productCode}, ${listed.zone}), ${words(majorUnits(list, currency))} over the term: this offer is ${against}`;
}

/** Names no cost: agents and the author read it. */
function reasonsBelowFloor({ price, currency }: OfferedProduct, cost: SupplierCost | null) {
  if (cost === null || cost.floorMinor === null || cost.currency !== currency) return [];
  const isBelow = minorUnits(price, currency)! < cost.floorMinor;
  return isBelow ? ['below the floor of the margin'] : [];
}

/** What an offer is judged by, apart from its total. */
type EnquiredPlace = Pick<Order, 'postcode' | 'uprn' | 'priceList' | 'nearest'>;

/** Decides which offers need the approval of a manager, by the settings and the live catalogue. */
@Injectable()
export class ApprovalService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly costs: CostsService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * The costs of offers in their order, where a supplier sells the same bandwidth at the place; null elsewhere.
   * Not within a transaction.
   */
  async costsOf(
    enquiry: EnquiredPlace,
    offers: readonly ListedTerms[],
  ): Promise<(SupplierCost | null)[]> {
    if (!this.catalogue.loaded) return offers.map(() => null);
    const place = this.placeOf(enquiry);
    const listed = offers.map((offer) => {
      const { bandwidthProvisioned } = offer;
      const comparable = comparableOffer(place, offer);
      const isHere = comparable && place.offers.list.includes(comparable);
      return isHere && comparable.bandwidthProvisioned === bandwidthProvisioned ? comparable : null;
    });
    const sold = listed.filter((offer) => offer !== null);
    const costs = await this.costs.of(place.catalogue.version, sold);
    return listed.map((offer) => (offer ? costs[sold.indexOf(offer)]! : null));
  }

  /** Why this offer needs approval, if it does, and what it costs. */
  judge(
    enquiry: EnquiredPlace,
    product: OfferedProduct,
    cost: SupplierCost | null,
  ): Pick<BespokeOffer, 'approvalReason' | 'costMinor'> {
    const { offerApprovalOver: over, offerApprovalBelowPercent: belowPercent } = this.config;
    const listed = this.listedFor(enquiry, product);
    const reasons = approvalReasons(product, listed, { over, belowPercent }, cost);
    return { approvalReason: reasons.join('; ') || null, costMinor: cost?.costMinor ?? null };
  }

  listPriceInWords(enquiry: EnquiredPlace, product: OfferedProduct): string {
    return listPriceInWords(product, this.listedFor(enquiry, product));
  }

  private listedFor(enquiry: EnquiredPlace, offer: ListedTerms): Offer | undefined {
    if (!this.catalogue.loaded) return undefined;
    return comparableOffer(this.placeOf(enquiry), offer);
  }

  private placeOf(enquiry: EnquiredPlace): ShownPlace {
    return placeOfOrder(enquiry, this.catalogue.current, this.clock.now().getTime());
  }
}

export type ListedTerms = Pick<OfferedProduct, 'bandwidthProvisioned' | 'term' | 'currency'>;

/**
 * The product of the catalogue with which a bespoke offer is compared, in its currency. The first of these that
 * exists:
 * 1. a product of the same bandwidth at the place,
 * 2. one of the same bandwidth in any zone,
 * 3. the fastest one that is slower, in any zone: more bandwidth should not cost less,
 * 4. the slowest one that is faster.
 * Of several, the one with the nearest term, and then the cheapest.
 */
export function comparableOffer(
  { catalogue, offers, priceList, at }: ShownPlace,
  { bandwidthProvisioned: bandwidth, term, currency }: ListedTerms,
): Offer | undefined {
  const inCurrency = ({ list }: Offers) => list.filter((offer) => offer.currency === currency);
  const here = inCurrency(offers);
  const anywhere = catalogue.content.coverage.zones.flatMap((_, i) =>
    inCurrency(catalogue.offersInZone(FIRST_ZONE_NUMBER + i, priceList, at)),
  );
  const speeds = anywhere.map((offer) => offer.bandwidthProvisioned);
  const slower = Math.max(...speeds.filter((speed) => speed < bandwidth));
  const faster = Math.min(...speeds.filter((speed) => speed > bandwidth));
  const choices = [
    ofSpeed(here, bandwidth),
    ofSpeed(anywhere, bandwidth),
    ofSpeed(anywhere, slower),
    ofSpeed(anywhere, faster),
  ];
  const closest = choices.find((offers) => offers.length > 0) ?? [];
  const off = (offer: Offer) => Math.abs(offer.term - term);
  return closest.toSorted((a, b) => off(a) - off(b) || a.amountMinor - b.amountMinor)[0];
}

function ofSpeed(offers: readonly Offer[], bandwidth: number): readonly Offer[] {
  return offers.filter((offer) => offer.bandwidthProvisioned === bandwidth);
}

/**
 * The product that is sold at a place and is exactly what is wanted; of any term, the shortest one.
 * @param bandwidth Gbit/s @param term months, null for any
 */
export function wantedOffer(
  offers: readonly Offer[],
  bandwidth: number | null,
  term: number | null,
): Offer | undefined {
  if (bandwidth === null) return undefined;
  return ofSpeed(offers, bandwidth)
    .filter((offer) => term === null || offer.term === term)
    .toSorted((a, b) => a.term - b.term || a.amountMinor - b.amountMinor)[0];
}

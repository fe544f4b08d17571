import { FollowUpOrder } from './follow-up.dto.js';

/** Price and lead time of a product. */
export class QuotedTerms {
  /**
   * A month, excluding VAT.
   * @example 550
   */
  price: number;

  /** @example "GBP" */
  currency: string;

  /** @example 84 */
  leadTimeDays: number;
}

/** What would be quoted now for the product that was ordered, beside the order's own terms. */
export class CurrentOffer extends QuotedTerms {
  /** Whether price, currency or lead time are others than those of the order. */
  differs: boolean;
}

/** The check that the order cited. */
export class CitedCheck {
  /** @example "KR3FVJ7P2M" */
  id: string;

  /** UTC. */
  checkedAt: Date;

  /** @example 3 */
  productCount: number;

  /** @example 4 */
  catalogueVersion: number;

  /** What the client was shown of the product that was ordered; null where it was not among them. */
  offer: QuotedTerms | null;
}

/** One thing that happened to an order. */
export class TimelineEntry {
  /** @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90" */
  id: string;

  /** UTC. */
  at: Date;

  /** @example "contact_logged" */
  action: string;

  /** @example "staff" */
  actorType: string;

  actorId: string | null;

  /** @example "Ada Lovelace" */
  actorName: string;

  /**
   * What it carried, such as from, to, version, reason, note, channel, result, owner.
   * @example { "from": "waiting", "to": "in_progress", "version": 1 }
   */
  details: Record<string, unknown>;
}

/** Everything about one order. */
export class OrderDetail {
  order: FollowUpOrder;

  /** Null where the product is not sold there now. */
  offerNow: CurrentOffer | null;

  check: CitedCheck | null;

  /** Oldest first. */
  timeline: TimelineEntry[];

  /** The order that this one may repeat, and those that may repeat it. */
  possibleDuplicates: FollowUpOrder[];

  /** The newest ten. */
  othersAtPostcode: FollowUpOrder[];

  /** The newest ten. */
  othersOfClient: FollowUpOrder[];
}

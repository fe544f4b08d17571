import { ApiSchema } from '@nestjs/swagger';
import { OfferTerms } from '../../orders/orders.dto.js';
import { FollowUpOrder } from '../follow-up.dto.js';

@ApiSchema({ description: 'Price and lead time of a product.' })
export class QuotedTerms extends OfferTerms {}

@ApiSchema({
  description:
    "What would be quoted now for the product that was ordered, beside the order's own terms.",
})
export class CurrentOffer extends QuotedTerms {
  /** Whether price, currency or lead time are others than those of the order. */
  differs: boolean;
}

@ApiSchema({ description: 'The check that the order cited.' })
export class CitedCheck {
  /** Identifies it. @kind check */
  id: string;

  /** UTC. */
  checkedAt: Date;

  /** How many products were shown. */
  productCount: number;

  /** The catalogue version that was shown. */
  catalogueVersion: number;

  /**
   * What the client was shown of the product that was ordered; null where it was not among them.
   */
  offer: QuotedTerms | null;
}

@ApiSchema({ description: 'One thing that happened to an order.' })
export class TimelineEntry {
  /** Identifies it. @kind uuid */
  id: string;

  /** UTC. */
  at: Date;

  /**
   * What was done.
   * @pattern ^[a-z]+(_[a-z]+)*$
   * @maxLength 64
   * @example "contact_logged"
   */
  action: string;

  /**
   * Who did it: `client`, `staff`, `operator` or `system`.
   * @pattern ^(client|staff|operator|system)$
   * @maxLength 16
   * @example "staff"
   */
  actorType: string;

  /** Identifies who did it. @kind uuid */
  actorId: string | null;

  /** The name of who did it. @kind person */
  actorName: string;

  /**
   * What it carried, such as from, to, version, reason, note, channel, result, owner.
   * @example { "from": "waiting", "to": "in_progress", "version": 1 }
   */
  details: Record<string, unknown>;
}

@ApiSchema({ description: 'Everything about one order.' })
export class OrderDetail {
  /** The order. */
  order: FollowUpOrder;

  /** Null where the product is not sold there now. */
  offerNow: CurrentOffer | null;

  /** The check that the order cited; null where it cited none. */
  check: CitedCheck | null;

  /**
   * The latest 200 entries, oldest first.
   * @maxItems 200
   */
  timeline: TimelineEntry[];

  /**
   * Whether there are earlier entries than those of `timeline`; the operator reads them by
   * `audit list`.
   */
  timelineTruncated: boolean;

  /**
   * The order that this one may repeat, and those that may repeat it.
   * @maxItems 10
   */
  possibleDuplicates: FollowUpOrder[];

  /**
   * The newest ten.
   * @maxItems 10
   */
  othersAtPostcode: FollowUpOrder[];

  /**
   * The newest ten.
   * @maxItems 10
   */
  othersOfClient: FollowUpOrder[];
}

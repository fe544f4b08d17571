import { ApiSchema } from '@nestjs/swagger';
import { OfferTerms } from '../record/orders.dto.js';
import { FollowUpOrder, StaffCharge, StaffOffer } from './follow-up.dto.js';

@ApiSchema({ description: 'The terms of a product.' })
export class QuotedTerms extends OfferTerms {}

@ApiSchema({ description: 'The current terms of the ordered product, for comparison.' })
export class CurrentOffer extends QuotedTerms {
  /** Whether price, currency, lead time, set-up price or basis differ from those of the order. */
  differs: boolean;
}

@ApiSchema({ description: 'The check that the order cited.' })
export class CitedCheck {
  /** Identifies the check. @kind check */
  id: string;

  /** UTC. */
  checkedAt: Date;

  /** How many products it offered. */
  productCount: number;

  /** The catalogue version that answered it. */
  catalogueVersion: number;

  /** What it offered of the ordered product; null if nothing. */
  offer: QuotedTerms | null;
}

@ApiSchema({ description: 'One event in the timeline of an order.' })
export class TimelineEntry {
  /** Identifies the entry. @kind uuid */
  id: string;

  /** UTC. */
  at: Date;

  /** What happened. @pattern ^[a-z]+(_[a-z]+)*$ @maxLength 64 @example "contact_logged" */
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
   * Such as from, to, version, reason, note, channel, result, owner.
   * @example { "from": "waiting", "to": "in_progress", "version": 1 }
   */
  details: Record<string, unknown>;
}

@ApiSchema({ description: 'Everything about one order.' })
export class OrderDetail {
  /** The order. */
  order: FollowUpOrder;

  /** What staff have offered in answer to an enquiry, oldest first; empty for an order. @maxItems 1000 */
  offers: StaffOffer[];

  /** Null if the product is no longer sold there, and for a bespoke product. */
  offerNow: CurrentOffer | null;

  /** The extra charges, oldest first. @maxItems 1000 */
  charges: StaffCharge[];

  /** The check that the order cited; null if it cited none. */
  check: CitedCheck | null;

  /** The latest 200 entries, oldest first. @maxItems 200 */
  timeline: TimelineEntry[];

  /** Whether `timeline` leaves out earlier entries; the audit trail shows them to the operator. */
  timelineTruncated: boolean;

  /** The order that this one may repeat, and orders that may repeat this one. @maxItems 10 */
  possibleDuplicates: FollowUpOrder[];

  /** The newest ten other orders at the postcode. @maxItems 10 */
  othersAtPostcode: FollowUpOrder[];

  /** The newest ten other orders of the client. @maxItems 10 */
  othersOfClient: FollowUpOrder[];

  /** How many orders the client has, this one included, counted up to 10,000. @kind count */
  ordersOfClient: number;
}

import { OrderCharge, OrderContact } from '../record/orders.dto.js';
import type { OfferState } from '../record/offer-states.js';
import { ApiSchema } from '@nestjs/swagger';
import { OrderedDistance, ProductOffer } from '../../availability/availability.dto.js';
import { SiteConstraint } from '../../catalogue/catalogue-rows.dto.js';
import { type OrderState, type WorkKind } from '../record/order-states.js';
import { PreferredDaysView, SiteDetailsView } from '../record/site-details.dto.js';
import { StaffDelivery } from '../record/delivery.dto.js';
import { WantedView } from '../record/enquiries.dto.js';

@ApiSchema({ description: 'Prices that were confirmed with the client, excluding VAT.' })
export class ConfirmedTerms {
  /** A month, in the currency of the order. @minimum 0 @example 249.5 */
  price: number;

  /** One-off, in the currency of the order. @minimum 0 @example 950 */
  setupPrice: number;
}

@ApiSchema({ description: 'The API client that placed an order, and its contact.' })
export class FollowUpClient {
  /** Identifies the API client. @kind uuid */
  id: string;

  /** The name of the company. @maxLength 120 @example "Example Reseller Ltd" */
  name: string;

  /** The person to ask for. @kind person */
  contactName: string;

  /** Email address. @kind email */
  contactEmail: string;

  /** Phone number. @kind phone */
  contactPhone: string;
}

@ApiSchema({
  description: 'The contact that the client named in the order, as far as it named one.',
})
export class FollowUpContact extends OrderContact {}

@ApiSchema({ description: 'A price that the client of an enquiry was offered.' })
export class OfferedPrice {
  /** A month, excluding VAT, in major units. @example 549.99 */
  price: number;

  /** ISO 4217. @kind currency */
  currency: string;
}

@ApiSchema({ description: 'An order request or an enquiry as staff see it in the queue.' })
export class FollowUpOrder {
  /** Identifies the order request or the enquiry. @kind uuid */
  orderId: string;

  /** `order`: for a product of the catalogue. `enquiry`: for something that is not in it. */
  kind: WorkKind;

  /** Short, to be read aloud: `ORD-…` or, of an enquiry, `ENQ-…`. @kind workReference */
  reference: string;

  /**
   * - `waiting`: without an owner
   * - `in_progress`: a staff member works on it
   * - `scheduled`: its next action has a date
   * - `offered`: an enquiry, with offers that wait for the client
   * - `won`: agreed with the client
   * - `lost`: not agreed
   * - `cancelled`: by the client or by staff
   * - `duplicate`: repeats another order
   * @enumName OrderState
   */
  state: OrderState;

  /** When the request was received, UTC. */
  receivedAt: Date;

  /** Seconds since it was received. @kind count */
  ageSeconds: number;

  /** The deadline for the first contact, UTC, counted in working time. */
  firstContactDueAt: Date;

  /** Open, without a first contact, past the deadline for it. */
  late: boolean;

  /** Open, without a first contact, close to the deadline for it. */
  nearlyLate: boolean;

  /** A call-back whose time has come. */
  due: boolean;

  /** When the next action of a scheduled order is due, UTC. */
  nextActionAt: Date | null;

  /** Why it was scheduled. @kind reason */
  nextActionReason: string | null;

  /** When its owner got it, UTC. */
  claimedAt: Date | null;

  /** When staff first contacted the client, UTC. */
  firstContactAt: Date | null;

  /** When staff last contacted the client, UTC. */
  lastContactAt: Date | null;

  /** How often staff contacted or tried to contact the client. */
  contactAttempts: number;

  /** When it was closed, UTC. */
  closedAt: Date | null;

  /** Why it was lost or cancelled. @kind reason */
  closeReason: string | null;

  /** The reference of a won order in another system. @maxLength 64 @example "SF-88231" */
  externalReference: string | null;

  /** What was confirmed with the client of an order for an `indicative` price; null before, and for other prices. */
  confirmed: ConfirmedTerms | null;

  /** The order that a duplicate repeats. @kind uuid */
  duplicateOf: string | null;

  /** In canonical form. @kind postcode */
  postcode: string;

  /** The premises that the client named. @kind uprn */
  uprn: string | null;

  /** What was ordered, with the terms as quoted; null for an enquiry: see `wanted`. */
  product: ProductOffer | null;

  /** What the client wants; null for an order. */
  wanted: WantedView | null;

  /** For an enquiry, the price of the accepted offer or, before that, the highest one of the open offers. */
  offered: OfferedPrice | null;

  /** The enquiry that the order came from. @kind uuid */
  enquiryId: string | null;

  /** How near the network is to a place without coverage, when the request was placed; null for other places. */
  nearest: OrderedDistance | null;

  /** What made the place less than plain. @maxItems 20 @example [] */
  constraints: SiteConstraint[];

  /** The zone that price and lead time come from; null for an enquiry at a place without one. @kind zone */
  zone: string | null;

  /** Who placed it. */
  client: FollowUpClient;

  /** If it is empty, contact the API client's own contact. */
  contact: FollowUpContact;

  /** The client's own reference. @kind clientReference */
  clientReference: string | null;

  /** The client's notes. @maxLength 2000 @example "Access to the riser only on weekdays." */
  notes: string | null;

  /** Where in the building the service ends, as far as it is stated; null if nothing is. */
  details: SiteDetailsView | null;

  /** When the site contact can let an engineer in; null if it is not stated. */
  preferredDays: PreferredDaysView | null;

  /** Extra charges up to this sum are accepted in advance; null if the client named none. @minimum 0 @example 500 */
  acceptExtraUpTo: number | null;

  /** Whether the client asked for delivery before the lead time. */
  expedite: boolean;

  /** What happens after the order is accepted; null before, and for an enquiry. */
  delivery: StaffDelivery | null;

  /** The sum of the extra charges that await the client's answer. @minimum 0 @example 250 */
  chargesAwaiting: number;

  /** The sum of the extra charges that the client has accepted. @minimum 0 @example 0 */
  chargesAccepted: number;

  /** The check that the order cited. @kind check */
  checkId: string | null;

  /** The quote whose line it came from; null if it came from none. @kind uuid */
  quoteId: string | null;

  /** The line of the quote. @kind quoteLine */
  lineId: string | null;

  /** An order of the same client, product and postcode up to 24 hours earlier. @kind uuid */
  possibleDuplicateOf: string | null;

  /** The staff member who owns it. @kind uuid */
  ownerId: string | null;

  /** The owner's name. @kind person */
  ownerName: string | null;

  /** Counts the moves. Each move sends the version that the caller saw. @kind count */
  version: number;
}

@ApiSchema({ description: 'An offer as staff see it.' })
export class StaffOffer {
  /** Identifies the offer. @kind uuid */
  offerId: string;

  /** Offers that were sent together have the same number. @format int32 @minimum 1 @maximum 999999 @example 1 */
  answer: number;

  /**
   * - `awaitingApproval`: a manager other than its author has to approve it; the client does not see it
   * - `open`: the client can accept it
   * - `accepted`: it became an order
   * - `declined`: the client declined it, or accepted another one
   * - `withdrawn`: staff took it back, or the enquiry ended
   * - `replaced`: staff sent another answer
   * - `expired`: `validUntil` has passed
   * - `refused`: a manager did not approve it
   * @enumName StaffOfferState
   */
  state: OfferState;

  /** What is offered, with its terms. */
  product: ProductOffer;

  /**
   * The monthly prices of the whole term and the set-up price, in units of the currency.
   * @minimum 0
   * @example 14399.76
   */
  total: number;

  /** The last instant at which the client can accept it, UTC. */
  validUntil: Date;

  /** For the client. @maxLength 2000 @example "Includes a new duct from the street." */
  note: string | null;

  /** UTC. */
  createdAt: Date;

  /** The author. @kind uuid */
  authorId: string | null;

  /** The author's name. @kind person */
  authorName: string | null;

  /**
   * Why a manager has to approve it, or had to; null if no one has to.
   * @maxLength 1000
   * @example "above the limit of £25,000.00"
   */
  approvalReason: string | null;

  /** When the client could first see it, UTC. */
  openedAt: Date | null;

  /** The manager who approved or refused it. @kind person */
  approverName: string | null;

  /** When it was accepted, declined, withdrawn, replaced or refused, or expired, UTC. */
  endedAt: Date | null;

  /** The order that it became. @kind uuid */
  orderId: string | null;
}

@ApiSchema({ description: 'An extra charge as staff see it.' })
export class StaffCharge extends OrderCharge {
  /** The staff member who proposed it, and who cannot record that the client accepts it. @kind uuid */
  proposerId: string | null;
}

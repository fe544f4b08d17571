import type { ChargeCategory, ChargeState } from './charge-states.js';
import { ApiSchema, IntersectionType, PickType } from '@nestjs/swagger';
import { IsIn, IsNumber, IsOptional, Max, Min, IsBoolean } from 'class-validator';
import { OrderedDistance, ProductOffer } from '../../availability/availability.dto.js';
import { ByConstraint, SiteConstraint } from '../../catalogue/catalogue-rows.dto.js';
import {
  IsMailAddress,
  IsOptionalInstant,
  IsOptionalText,
  IsText,
  IsTextUpTo,
  IsPostcode,
  IsOptionalUprn,
  IsOptionalObject,
} from '../../platform/http/field-rules.js';
import { PageOf } from '../../platform/http/paging.js';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { ProblemBody } from '../../platform/problems/problem.dto.js';
import { type PublicState, publicStates, testTargets } from './order-states.js';
import { PreferredDaysView, SiteDetails, SiteDetailsView } from './site-details.dto.js';
import { AskedCancellationCost, OrderDelivery } from './delivery.dto.js';
import { waitingParties, type WaitingParty } from './milestones.js';

@ApiSchema({ description: "The client's answer to an extra charge." })
export class ChargeAnswer {
  /** `true` accepts the charge, `false` rejects it. @example true */
  @IsBoolean({ message: 'Must be true or false.' })
  accept: boolean;

  /** The person who decided: one line. @kind person */
  @IsOptionalText(120)
  by?: string;
}

@ApiSchema({ description: 'The charge waits for no answer any more.' })
export class ChargeAnsweredProblem extends ProblemBody {
  /** The state of the charge. @enumName ChargeState */
  state: ChargeState;
}

@ApiSchema({ description: 'An extra one-off amount that the operator proposes on an order.' })
export class OrderCharge {
  /** Identifies the charge. @kind uuid */
  chargeId: string;

  /**
   * `construction`, `survey`, `connection`, `expedite` or `other`. `cancellation` is what the cancellation of an
   * accepted order costs: the client cancels it by accepting the charge.
   * @enumName ChargeCategory
   */
  category: ChargeCategory;

  /** One-off, excluding VAT, in the currency of the order. @minimum 0 @example 250 */
  amount: number;

  /** What it is for; null once personal data of the order has been erased. @maxLength 1000 @example "Traffic management on Curtain Road." */
  note: string | null;

  /**
   * - `awaitingResponse`: the client has not answered yet
   * - `accepted`: by an answer, or in advance by `acceptExtraUpTo` of the order
   * - `rejected`: by an answer
   * - `lapsed`: no answer by `dueAt`
   * - `withdrawn`: by the operator, or because the order ended
   * @enumName ChargeState
   */
  state: ChargeState;

  /** Without an answer by then it lapses, UTC. */
  dueAt: Date;

  /** When the operator proposed it, UTC. */
  proposedAt: Date;

  /** When it left `awaitingResponse`, UTC; null before. */
  endedAt: Date | null;

  /** The person who answered, as far as the answer named one. @kind person */
  answeredBy: string | null;
}

@ApiSchema({ description: "The person whom the operator's staff contact about this order." })
export class OrderContact {
  /** The person to ask for. @kind person */
  @IsOptionalText(120)
  name?: string;

  /** Email address. @kind email */
  @IsOptional()
  @IsTextUpTo(254)
  @IsMailAddress()
  email?: string;

  /** Phone number, preferably with its country code. @kind phone */
  @IsOptionalText(40)
  phone?: string;
}

@ApiSchema({ description: 'A request for one product at one postcode.' })
export class OrderRequest {
  /**
   * UK postcode at which to order, in any case and spacing.
   * @pattern ^[A-Za-z0-9\s]+$
   * @example "EC2A 2BS"
   */
  @IsTextUpTo(40)
  @IsPostcode()
  postcode: string;

  /**
   * The UPRN of the premises. If the operator lists them, the order gets their price and lead time. Without
   * it, the order is for the premises of the cited check.
   * @pattern ^[0-9]+$
   * @example "100023336956"
   */
  @IsOptionalUprn()
  uprn?: string;

  /** `productCode` in the response to a check. @kind product */
  @IsText(32)
  productCode: string;

  /**
   * The check that showed the offer, made by the same API client for the same postcode. While its
   * price hold lasts, the order gets its terms. After that, the order is refused if they have changed.
   * @pattern ^[0-9A-Za-z -]+$
   * @example "KR3FVJ7P2M"
   */
  @IsOptionalText(20)
  checkId?: string;

  /** The client's own reference for this order: one line. @kind clientReference */
  @IsOptionalText(64)
  reference?: string;

  /** Without it, the operator contacts the API client's own contact. */
  @IsOptionalObject(() => OrderContact)
  contact?: OrderContact;

  /**
   * Anything that the operator's staff should know.
   * @example "Access to the riser only on weekdays."
   */
  @IsOptionalText(2000, 'lines')
  notes?: string;

  /**
   * Extra charges are accepted in advance while their sum is at most this amount: one-off, excluding VAT,
   * in the currency of the order.
   * @minimum 0
   * @maximum 21474836.47
   * @example 500
   */
  @IsOptional()
  @IsNumber({}, { message: 'Enter an amount, such as 500.' })
  @Min(0, { message: 'Enter an amount from 0.' })
  @Max(21_474_836.47, { message: 'Enter at most 21,474,836.47.' })
  acceptExtraUpTo?: number;

  /** Where in the building the service ends, and at which interconnect it starts. */
  @IsOptionalObject(() => SiteDetails)
  details?: SiteDetails;

  /**
   * Asks for delivery before the lead time. The operator may then propose an `expedite` charge, also where
   * the terms exclude extra charges.
   */
  @IsOptional()
  @IsBoolean({ message: 'Must be true or false.' })
  expedite?: boolean;
}

/** What an order and an enquiry have in common. */
export type RequestOfClient = Pick<OrderRequest, 'uprn' | 'contact' | 'reference' | 'notes'> & {
  readonly details?: SiteDetails | null;
};

@ApiSchema({ description: 'The order request was received and is stored.' })
export class OrderAcknowledgement {
  /**
   * Says that the request was received and that a team member will make contact.
   * @maxLength 200
   * @example "Your order request was received. Its reference is ORD-7F3K9Q. A member of our team will contact you."
   */
  message: string;

  /** Identifies the order request. @kind uuid */
  orderId: string;
}

@ApiSchema({ description: 'A change of the state of an order.' })
export class StateChange {
  /** The new state. @enumName PublicState */
  state: PublicState;

  /** When, UTC. */
  at: Date;

  /**
   * Why the order was rejected: `notServiceable` (it cannot be supplied there) or `invalidDetails`.
   * Only with `rejected`.
   */
  reason?: 'notServiceable' | 'invalidDetails';

  /** Who cancelled the order: the `client` or the `operator`. Only with `cancelled`. */
  cancelledBy?: 'client' | 'operator';
}

@ApiSchema({ description: 'An order request as its API client sees it.' })
export class ClientOrder {
  /** Identifies the order request. @kind uuid */
  orderId: string;

  /** The operator's short reference, to be read aloud. @kind reference */
  orderReference: string;

  /** The client's own reference. @kind clientReference */
  reference: string | null;

  /**
   * - `acknowledged`: received, and waiting for a member of staff
   * - `inProgress`: a member of staff is working on it
   * - `accepted`: agreed with the client
   * - `rejected`: it cannot be supplied, or its details are not valid
   * - `cancelled`: by the client or by the operator
   * - `closed`: ended in another way
   * @enumName PublicState
   */
  state: PublicState;

  /** Oldest first. @maxItems 1000 */
  stateChanges: StateChange[];

  /** In canonical form. @kind postcode */
  postcode: string;

  /** The premises that the order is for; null if the client named none. @kind uprn */
  uprn: string | null;

  /** What was ordered, with the terms as quoted. */
  product: ProductOffer;

  /** The check that the order cited. @kind check */
  checkId: string | null;

  /** The enquiry whose offer it accepts; null if there is none. @kind uuid */
  enquiryId: string | null;

  /** The offer that it accepts; null if there is none. @kind uuid */
  offerId: string | null;

  /** The quote whose line it came from; null if it came from none. @kind uuid */
  quoteId: string | null;

  /** The line of the quote. @kind quoteLine */
  lineId: string | null;

  /** If it was priced by distance to the network; otherwise null. */
  nearest: OrderedDistance | null;

  /** What made the place less than plain. Not for the compatibility `0.2`. @maxItems 20 @example [] */
  constraints?: SiteConstraint[];

  /** Where in the building the service ends, as far as it is stated; null if nothing is. */
  details: SiteDetailsView | null;

  /** When the site contact can let an engineer in; null if it is not stated. */
  preferredDays: PreferredDaysView | null;

  /** When the request was received, UTC. */
  receivedAt: Date;

  /** Extra charges up to this sum are accepted in advance; null if the client named none. @minimum 0 @example 500 */
  acceptExtraUpTo: number | null;

  /** Whether the client asked for delivery before the lead time. */
  expedite: boolean;

  /** The extra charges that the operator has proposed, oldest first. @maxItems 1000 */
  charges: OrderCharge[];

  /** What happens after the order is accepted; null before. */
  delivery: OrderDelivery | null;

  /** When `state`, `charges` or `delivery` last changed, or the order was amended, UTC. */
  updatedAt: Date;
}

@ApiSchema({ description: "Which of the API client's orders to list." })
export class ClientOrderQuery extends IntersectionType(PageQuery, ByConstraint) {
  /** Only orders that are `acknowledged`, `inProgress`, `accepted`, `rejected`, `cancelled` or `closed`. @example "inProgress" */
  @IsOptional()
  @IsIn(publicStates, { message: `Must be one of ${publicStates.join(', ')}.` })
  state?: PublicState;

  /** Only orders with this own reference of the client. @example "PO-4711" */
  @IsOptionalText(64)
  reference?: string;

  /** Only orders whose `state`, `charges` or `delivery` have changed, or that were amended, at or after this time (RFC 3339). */
  @IsOptionalInstant()
  updatedSince?: Date;

  /** Only orders whose delivery waits for the `client`, the `operator` or a `thirdParty`. @example "client" */
  @IsOptional()
  @IsIn(waitingParties, { message: `Must be one of ${waitingParties.join(', ')}.` })
  waitingFor?: WaitingParty;
}

@ApiSchema({ description: "A page of the API client's orders, newest first." })
export class ClientOrderPage extends PageOf(ClientOrder) {}

@ApiSchema({ description: 'Why the client cancels an order.' })
export class Cancellation {
  /** A reason for the operator's staff. @example "The end customer moves elsewhere." */
  @IsOptionalText(500, 'lines')
  reason?: string;
}

@ApiSchema({ description: 'Why the client cancels an order, and what that may cost.' })
export class OrderCancellation extends Cancellation {
  /**
   * Of an accepted order: if `delivery.cancellation` is at most this sum, its charge is accepted and the order is cancelled
   * at once.
   * @minimum 0
   * @maximum 21474836.47
   * @example 250
   */
  @IsOptional()
  @IsNumber({}, { message: 'Enter an amount, such as 250.' })
  @Min(0, { message: 'Enter an amount from 0.' })
  @Max(21_474_836.47, { message: 'Enter at most 21,474,836.47.' })
  acceptUpTo?: number;
}

@ApiSchema({ description: 'Cancelling the order costs more than the client accepts.' })
export class CancellationCostsMoreProblem extends ProblemBody {
  /** What it costs now. */
  cancellation: AskedCancellationCost;
}

@ApiSchema({ description: 'The next state of a test order.' })
export class TestAdvance {
  /**
   * The state to move it to; by default the next one. `inProgress`: a member of staff starts to work
   * on it. `accepted`: the client agrees. `rejected`: not serviceable. `cancelled`: by the operator.
   * `closed`: the client cannot be reached.
   * @example "rejected"
   */
  @IsOptional()
  @IsIn(testTargets, { message: `Must be one of ${testTargets.join(', ')}.` })
  to?: 'inProgress' | 'accepted' | 'rejected' | 'cancelled' | 'closed';
}

@ApiSchema({ description: 'The product is not sold at this postcode; others may be.' })
export class ProductNotAvailableProblem extends ProblemBody {
  /**
   * The codes of the products that are sold there.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$
   * @maxLength 32
   * @maxItems 10000
   * @example ["INT-100M-12", "INT-1G-12"]
   */
  availableProducts: string[];
}

@ApiSchema({ description: 'The terms of an offer.' })
export class OfferTerms extends PickType(ProductOffer, [
  'price',
  'currency',
  'leadTimeDays',
  'setupPrice',
  'basis',
  'extraChargesPossible',
  'network',
]) {}

@ApiSchema({
  description: 'Price, set-up price, lead time or basis has changed since the cited check.',
})
export class OfferChangedProblem extends ProblemBody {
  /** The terms in the cited check. */
  quoted: OfferTerms;

  /**
   * The current terms; null if the product is no longer sold there.
   * @example { "price": 575, "currency": "GBP", "leadTimeDays": 98, "setupPrice": 250, "basis": "firm", "extraChargesPossible": false, "network": "onNetWithoutBuild" }
   */
  current: OfferTerms | null;
}

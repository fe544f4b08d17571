import { ApiSchema, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsEmail, IsIn, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { ProductOffer } from '../availability/availability.dto.js';
import { IsOptionalInstant, IsOptionalText, IsText, IsTextUpTo } from '../http/field-rules.js';
import { IsPostcode } from '../http/is-postcode.js';
import { PageOf } from '../http/lists.js';
import { PageQuery } from '../http/paging.dto.js';
import { ProblemBody } from '../problems/problem.dto.js';
import { type PublicState, testTargets } from './moves/order-states.js';

@ApiSchema({ description: "Whom the operator's staff should contact about this order." })
export class OrderContact {
  /**
   * The person to ask for.
   * @example "Ada Lovelace"
   */
  @IsOptionalText(120)
  name?: string;

  /**
   * E-mail address.
   * @example "ada@example.com"
   */
  @IsOptionalText(254)
  @IsEmail({}, { message: 'Must be an e-mail address, such as ada@example.com.' })
  email?: string;

  /**
   * Telephone number, best with its country code.
   * @example "+44 20 7946 0958"
   */
  @IsOptionalText(40)
  phone?: string;
}

@ApiSchema({ description: 'What is asked for: one product at one postcode.' })
export class OrderRequest {
  /**
   * UK postcode at which to order, in any case and spacing.
   * @pattern ^[A-Za-z0-9\s]+$
   * @example "EC2A 2BS"
   */
  @IsTextUpTo(40)
  @IsPostcode()
  postcode: string;

  /** Code of the product: `productCode` in the answer to a postcode check. @kind product */
  @IsText(32)
  productCode: string;

  /**
   * The check in which the client saw the offer. It must be the same API client's, and of the same
   * postcode. While its price holds, the order gets its price and lead time; after that they must
   * still be the same.
   * @pattern ^[0-9A-Za-z -]+$
   * @example "KR3FVJ7P2M"
   */
  @IsOptionalText(20)
  checkId?: string;

  /**
   * The client's own reference for this order.
   * @example "PO-4711"
   */
  @IsOptionalText(64)
  reference?: string;

  /** Without it, the operator contacts the API client's own person. */
  @IsOptional()
  @IsObject({ message: 'Must be an object.' })
  @ValidateNested()
  @Type(() => OrderContact)
  contact?: OrderContact;

  /**
   * Anything that the person who follows up should know.
   * @example "Access to the riser only on weekdays."
   */
  @IsOptionalText(2000)
  notes?: string;
}

@ApiSchema({ description: 'The order request was received, and is stored.' })
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

@ApiSchema({ description: 'The order came into this state at this time.' })
export class StateChange {
  /**
   * The state that it came into.
   * @enumName PublicState
   */
  state: PublicState;

  /** When, UTC. */
  at: Date;

  /**
   * Why the order was rejected, only with `rejected`: `notServiceable` (it cannot be supplied there) or
   * `invalidDetails`.
   * @example "notServiceable"
   */
  reason?: 'notServiceable' | 'invalidDetails';

  /**
   * Who called the order off, only with `cancelled`: the `client` or the `operator`.
   * @example "client"
   */
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
   * - `acknowledged`: received; nobody has taken it up yet
   * - `inProgress`: a person works on it
   * - `accepted`: agreed with the client
   * - `rejected`: it cannot be supplied, or its details are not valid
   * - `cancelled`: called off
   * - `closed`: ended otherwise
   * @enumName PublicState
   * @example "acknowledged"
   */
  state: PublicState;

  /**
   * Oldest first; a change within one public state is left out.
   * @maxItems 1000
   */
  stateChanges: StateChange[];

  /** In canonical form. @kind postcode */
  postcode: string;

  /** What was ordered, with the terms as quoted. */
  product: ProductOffer;

  /** The check that the order cited. @kind check */
  checkId: string | null;

  /** When the request was received, UTC. */
  receivedAt: Date;

  /** When `state` last changed, UTC. */
  updatedAt: Date;
}

@ApiSchema({ description: "Which of the API client's orders to list." })
export class ClientOrderQuery extends PageQuery {
  /**
   * Only orders whose `state` has changed at or after this time (RFC 3339).
   * @example "2026-11-21T09:30:00Z"
   */
  @IsOptionalInstant()
  updatedSince?: Date;
}

@ApiSchema({ description: "A page of the API client's orders, newest first." })
export class ClientOrderPage extends PageOf(ClientOrder) {}

@ApiSchema({ description: 'Why an order is called off.' })
export class Cancellation {
  /**
   * For the person who follows up.
   * @example "The end customer moves elsewhere."
   */
  @IsText(500)
  reason: string;
}

@ApiSchema({ description: 'What becomes of a test order.' })
export class TestAdvance {
  /**
   * The state to move it on to; the next one where it is left out. `inProgress` as when a person takes
   * it up, `accepted` as when the client agrees, `rejected` as not serviceable, `cancelled` by the
   * operator, `closed` as when the client cannot be reached.
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

@ApiSchema({ description: 'What an offer costs, and when it comes.' })
export class OfferTerms extends PickType(ProductOffer, ['price', 'currency', 'leadTimeDays']) {}

@ApiSchema({ description: 'Price or lead time have changed since the cited check.' })
export class OfferChangedProblem extends ProblemBody {
  /** The terms in the cited check. */
  quoted: OfferTerms;

  /**
   * The terms of today; null where the product is no longer sold there.
   * @example { "price": 575, "currency": "GBP", "leadTimeDays": 98 }
   */
  current: OfferTerms | null;
}

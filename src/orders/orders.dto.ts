import { ApiSchema } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsDate,
  IsEmail,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { ProductOffer } from '../availability/availability.dto.js';
import { toInstant } from '../kernel/instant.js';
import { IsPostcode } from '../http/is-postcode.js';
import { PageQuery } from '../http/paging.dto.js';
import { ProblemBody } from '../problems/problem.dto.js';
import { type PublicState, testTargets } from './moves/order-states.js';

const text = { message: 'Must be a text.' };
const notEmpty = { message: 'Must not be empty.' };
const atMost = (length: number) => ({ message: `Must have at most ${length} characters.` });

@ApiSchema({ description: "Whom the operator's staff should contact about this order." })
export class OrderContact {
  /**
   * The person to ask for.
   * @example "Ada Lovelace"
   */
  @IsOptional()
  @IsString(text)
  @MaxLength(120, atMost(120))
  name?: string;

  /**
   * E-mail address.
   * @example "ada@example.com"
   */
  @IsOptional()
  @IsString(text)
  @MaxLength(254, atMost(254))
  @IsEmail({}, { message: 'Must be an e-mail address, such as ada@example.com.' })
  email?: string;

  /**
   * Telephone number, best with its country code.
   * @example "+44 20 7946 0958"
   */
  @IsOptional()
  @IsString(text)
  @MaxLength(40, atMost(40))
  phone?: string;
}

@ApiSchema({ description: 'What is asked for: one product at one postcode.' })
export class OrderRequest {
  /**
   * UK postcode at which to order, in any case and spacing.
   * @pattern ^[A-Za-z0-9\s]+$
   * @example "EC2A 2BS"
   */
  @IsString(text)
  @MaxLength(40, atMost(40))
  @IsPostcode()
  postcode: string;

  /**
   * Code of the product: `productCode` in the answer to a postcode check.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$
   * @example "INT-1G-12"
   */
  @IsString(text)
  @MinLength(1, notEmpty)
  @MaxLength(32, atMost(32))
  productCode: string;

  /**
   * The check in which the client saw the offer. It must be the same API client's, and of the same
   * postcode. While its price holds, the order gets its price and lead time; after that they must
   * still be the same.
   * @pattern ^[0-9A-Za-z -]+$
   * @example "KR3FVJ7P2M"
   */
  @IsOptional()
  @IsString(text)
  @MaxLength(20, atMost(20))
  checkId?: string;

  /**
   * The client's own reference for this order.
   * @example "PO-4711"
   */
  @IsOptional()
  @IsString(text)
  @MaxLength(64, atMost(64))
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
  @IsOptional()
  @IsString(text)
  @MaxLength(2000, atMost(2000))
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

  /**
   * Identifies the order request.
   * @format uuid
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  orderId: string;
}

@ApiSchema({ description: 'The order came into this state at this time.' })
export class StateChange {
  /**
   * The state that it came into.
   * @enumName PublicState
   */
  state: PublicState;

  /**
   * When, UTC.
   * @example "2026-11-21T09:30:00.000Z"
   */
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
  /**
   * Identifies the order request.
   * @format uuid
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  orderId: string;

  /**
   * The operator's short reference, to be read aloud.
   * @pattern ^ORD-[0-9A-HJKMNP-TV-Z]{6}$
   * @maxLength 10
   * @example "ORD-7F3K9Q"
   */
  orderReference: string;

  /**
   * The client's own reference.
   * @maxLength 64
   * @example "PO-4711"
   */
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

  /**
   * In canonical form.
   * @pattern ^[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}$
   * @maxLength 8
   * @example "EC2A 2BS"
   */
  postcode: string;

  /** What was ordered, with the terms as quoted. */
  product: ProductOffer;

  /**
   * The check that the order cited.
   * @pattern ^[0-9A-HJKMNP-TV-Z]{10}$
   * @maxLength 10
   * @example "KR3FVJ7P2M"
   */
  checkId: string | null;

  /**
   * When the request was received, UTC.
   * @example "2026-11-21T09:30:00.000Z"
   */
  receivedAt: Date;

  /**
   * When `state` last changed, UTC.
   * @example "2026-11-21T09:30:00.000Z"
   */
  updatedAt: Date;
}

@ApiSchema({ description: "Which of the API client's orders to list." })
export class ClientOrderQuery extends PageQuery {
  /**
   * Only orders whose `state` has changed at or after this time (RFC 3339).
   * @example "2026-11-21T09:30:00Z"
   */
  @IsOptional()
  @Transform(toInstant)
  @IsDate({ message: 'Must be a time such as 2026-11-21T09:30:00Z.' })
  updatedSince?: Date;
}

@ApiSchema({ description: "A page of the API client's orders, newest first." })
export class ClientOrderPage {
  /**
   * As many as `limit` allows.
   * @maxItems 200
   */
  items: ClientOrder[];

  /**
   * Send it as `cursor` for the next page; null on the last one.
   * @pattern ^[A-Za-z0-9_-]+$
   * @maxLength 100
   * @example "MTc5NTI1MzQwMDAwMCAwMTlhOWI1ZS03YzFkLTdjM2EtOWQyZi01YjFlNmE3YzhkOTA"
   */
  nextCursor: string | null;
}

@ApiSchema({ description: 'Why an order is called off.' })
export class Cancellation {
  /**
   * For the person who follows up.
   * @example "The end customer moves elsewhere."
   */
  @IsString(text)
  @MinLength(1, notEmpty)
  @MaxLength(500, atMost(500))
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
export class OfferTerms {
  /**
   * Price a month, in units of the currency, excluding VAT.
   * @minimum 0
   * @maximum 2147483647
   * @example 550
   */
  price: number;

  /**
   * ISO 4217 code.
   * @pattern ^[A-Z]{3}$
   * @maxLength 3
   * @example "GBP"
   */
  currency: string;

  /**
   * Lead time, in calendar days.
   * @format int32
   * @minimum 0
   * @maximum 3650
   * @example 84
   */
  leadTimeDays: number;
}

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

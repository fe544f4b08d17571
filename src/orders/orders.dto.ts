import { Type } from 'class-transformer';
import {
  IsEmail,
  IsObject,
  IsOptional,
  IsString,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { ProductOffer } from '../availability/availability.dto.js';
import { IsPostcode } from '../common/is-postcode.js';

const text = { message: 'Must be a text.' };
const notEmpty = { message: 'Must not be empty.' };
const atMost = (length: number) => ({ message: `Must have at most ${length} characters.` });

/** Whom the operator's staff should contact about this order. */
export class OrderContact {
  /** @example "Ada Lovelace" */
  @IsOptional()
  @IsString(text)
  @MaxLength(120, atMost(120))
  name?: string;

  /** @example "ada@example.com" */
  @IsOptional()
  @IsString(text)
  @MaxLength(254, atMost(254))
  @IsEmail({}, { message: 'Must be an e-mail address, such as ada@example.com.' })
  email?: string;

  /** @example "+44 20 7946 0958" */
  @IsOptional()
  @IsString(text)
  @MaxLength(40, atMost(40))
  phone?: string;
}

/** What is asked for: one product at one postcode. */
export class OrderRequest {
  /**
   * UK postcode at which to order.
   * @example "EC2A 2BS"
   */
  @IsString(text)
  @MaxLength(40, atMost(40))
  @IsPostcode()
  postcode: string;

  /**
   * Code of the product, from a postcode check.
   * @example "INT-1G-12"
   */
  @IsString(text)
  @MinLength(1, notEmpty)
  @MaxLength(32, atMost(32))
  productCode: string;

  /**
   * The check in which the client saw the offer. It must be the same API client's, and of the same
   * postcode. While its price holds, the order gets its price and lead time.
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

/** The order request was received, and is stored. */
export class OrderAcknowledgement {
  /**
   * Says that the request was received and that a team member will make contact.
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

export const publicStates = [
  'acknowledged',
  'inProgress',
  'accepted',
  'rejected',
  'cancelled',
  'closed',
] as const;
export type PublicState = (typeof publicStates)[number];

/** The order came into this state at this time. */
export class StateChange {
  state: PublicState;

  /**
   * UTC.
   * @example "2026-11-21T09:30:00.000Z"
   */
  at: Date;
}

/** An order request as its API client sees it. */
export class ClientOrder {
  /**
   * Identifies the order request.
   * @format uuid
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  orderId: string;

  /**
   * The operator's short reference, to be read aloud.
   * @example "ORD-7F3K9Q"
   */
  orderReference: string;

  /**
   * The client's own reference.
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
   * @example "acknowledged"
   */
  state: PublicState;

  /** Oldest first. */
  stateChanges: StateChange[];

  /** @example "EC2A 2BS" */
  postcode: string;

  /** What was ordered, with the terms as quoted. */
  product: ProductOffer;

  /**
   * The check that the order cited.
   * @example "KR3FVJ7P2M"
   */
  checkId: string | null;

  /**
   * When the request was received, UTC.
   * @example "2026-11-21T09:30:00.000Z"
   */
  receivedAt: Date;
}

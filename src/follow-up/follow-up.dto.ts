import { ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { ProductOffer } from '../availability/availability.dto.js';
import { PageQuery } from '../common/paging.dto.js';
import { type OrderState, orderStates } from '../orders/order-state.js';

export class FollowUpQuery extends PageQuery {
  /**
   * Only orders in these states: `state=waiting&state=scheduled`, or `state=waiting,scheduled`.
   * @enumName OrderState
   * @maxItems 20
   */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => String(value).split(','))
  @IsIn(orderStates, { each: true, message: `Each must be one of ${orderStates.join(', ')}.` })
  state: OrderState[] = ['waiting'];

  /**
   * Only orders of the API client with this id.
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  @IsOptional()
  @IsUUID('all', { message: 'Must be a UUID.' })
  client?: string;
}

@ApiSchema({ description: 'The API client that placed an order, and whom to contact there.' })
export class FollowUpClient {
  /**
   * Identifies the API client.
   * @format uuid
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  id: string;

  /**
   * The name of the company.
   * @maxLength 120
   * @example "Example Reseller Ltd"
   */
  name: string;

  /**
   * The person to ask for.
   * @maxLength 120
   * @example "Grace Hopper"
   */
  contactName: string;

  /**
   * E-mail address.
   * @format email
   * @maxLength 254
   * @example "grace@example.com"
   */
  contactEmail: string;

  /**
   * Telephone number.
   * @maxLength 40
   * @example "+44 20 7946 0123"
   */
  contactPhone: string;
}

@ApiSchema({ description: 'Whom the client named in the order; what it did not give is left out.' })
export class FollowUpContact {
  /**
   * The person to ask for.
   * @maxLength 120
   * @example "Ada Lovelace"
   */
  name?: string;

  /**
   * E-mail address.
   * @format email
   * @maxLength 254
   * @example "ada@example.com"
   */
  email?: string;

  /**
   * Telephone number.
   * @maxLength 40
   * @example "+44 20 7946 0958"
   */
  phone?: string;
}

@ApiSchema({ description: 'An order request as the staff see it in the queue.' })
export class FollowUpOrder {
  /**
   * Identifies the order request.
   * @format uuid
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  orderId: string;

  /**
   * Short, to be read aloud.
   * @pattern ^ORD-[0-9A-HJKMNP-TV-Z]{6}$
   * @maxLength 10
   * @example "ORD-7F3K9Q"
   */
  reference: string;

  /**
   * - `waiting`: nobody has taken it up yet
   * - `in_progress`: a staff member works on it
   * - `scheduled`: its next action has a date
   * - `won`: agreed with the client
   * - `lost`: it comes to nothing
   * - `cancelled`: called off
   * - `duplicate`: the same as another order
   * @enumName OrderState
   * @example "waiting"
   */
  state: OrderState;

  /**
   * When the request was received, UTC.
   * @example "2026-11-21T09:30:00.000Z"
   */
  receivedAt: Date;

  /**
   * Since it was received, in seconds.
   * @format int32
   * @minimum 0
   * @maximum 2147483647
   * @example 5400
   */
  ageSeconds: number;

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
   * The zone whose price and lead time these are.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$
   * @maxLength 32
   * @example "LONDON-ONNET"
   */
  zone: string;

  /** Who placed it. */
  client: FollowUpClient;

  /** Given with the order; contact the API client's own person where it is empty. */
  contact: FollowUpContact;

  /**
   * The client's own reference.
   * @maxLength 64
   * @example "PO-4711"
   */
  clientReference: string | null;

  /**
   * Given with the order.
   * @maxLength 2000
   * @example "Access to the riser only on weekdays."
   */
  notes: string | null;

  /**
   * The check that the order cited.
   * @pattern ^[0-9A-HJKMNP-TV-Z]{10}$
   * @maxLength 10
   * @example "KR3FVJ7P2M"
   */
  checkId: string | null;

  /**
   * An earlier order of the same client for the same product and postcode, within 24 hours.
   * @format uuid
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  possibleDuplicateOf: string | null;

  /**
   * The staff member who has it.
   * @format uuid
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  ownerId: string | null;

  /**
   * Counts the moves.
   * @format int32
   * @minimum 0
   * @maximum 2147483647
   * @example 0
   */
  version: number;
}

@ApiSchema({ description: 'A page of the queue, longest waiting first.' })
export class FollowUpPage {
  /**
   * As many as `limit` allows.
   * @maxItems 200
   */
  items: FollowUpOrder[];

  /**
   * Send it as `cursor` for the next page; null on the last one.
   * @pattern ^[A-Za-z0-9_-]+$
   * @maxLength 100
   * @example "MTc5NTI1MzQwMDAwMCAwMTlhOWI1ZS03YzFkLTdjM2EtOWQyZi01YjFlNmE3YzhkOTA"
   */
  nextCursor: string | null;
}

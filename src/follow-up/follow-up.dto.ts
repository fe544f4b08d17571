import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { ProductOffer } from '../availability/availability.dto.js';
import { PageQuery } from '../common/paging.dto.js';
import { type OrderState, orderStates } from '../orders/order.entity.js';
import { OrderContact } from '../orders/orders.dto.js';

export class FollowUpQuery extends PageQuery {
  /** Only orders in these states, given once for each, or separated by commas; `waiting` if left out. */
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

/** The API client that placed an order, and whom to contact there. */
export class FollowUpClient {
  /** @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90" */
  id: string;

  /** @example "Example Reseller Ltd" */
  name: string;

  /** @example "Grace Hopper" */
  contactName: string;

  /** @example "grace@example.com" */
  contactEmail: string;

  /** @example "+44 20 7946 0123" */
  contactPhone: string;
}

/** An order request as the staff see it in the queue. */
export class FollowUpOrder {
  /** @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90" */
  orderId: string;

  /**
   * Short, to be read aloud.
   * @example "ORD-7F3K9Q"
   */
  reference: string;

  /** @example "waiting" */
  state: OrderState;

  /**
   * UTC.
   * @example "2026-11-21T09:30:00.000Z"
   */
  receivedAt: Date;

  /**
   * Since it was received, in seconds.
   * @example 5400
   */
  ageSeconds: number;

  /** @example "EC2A 2BS" */
  postcode: string;

  /** What was ordered, with the terms as quoted. */
  product: ProductOffer;

  /** @example "LONDON-ONNET" */
  zone: string;

  client: FollowUpClient;

  /** Given with the order; contact the API client's own person where it is empty. */
  contact: OrderContact;

  /**
   * The client's own reference.
   * @example "PO-4711"
   */
  clientReference: string | null;

  /** @example "Access to the riser only on weekdays." */
  notes: string | null;

  /**
   * The check that the order cited.
   * @example "KR3FVJ7P2M"
   */
  checkId: string | null;

  /**
   * An earlier order of the same client for the same product and postcode, within 24 hours.
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  possibleDuplicateOf: string | null;

  /**
   * The staff member who has it.
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  ownerId: string | null;

  /**
   * Counts the moves.
   * @example 0
   */
  version: number;
}

/** A page of the queue, longest waiting first. */
export class FollowUpPage {
  items: FollowUpOrder[];

  /**
   * Send it as `cursor` for the next page; null on the last one.
   * @example null
   */
  nextCursor: string | null;
}

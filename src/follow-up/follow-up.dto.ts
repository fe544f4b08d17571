import { ApiSchema, IntersectionType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { ProductOffer } from '../availability/availability.dto.js';
import { IsId, IsOptionalInstant } from '../http/field-rules.js';
import { PageOf } from '../http/lists.js';
import { PageQuery } from '../http/paging.dto.js';
import { type OrderState, orderStates } from '../orders/moves/order-states.js';
import { OrderContact } from '../orders/orders.dto.js';
import { type Sort, sorts, type View, viewNames } from './queue/views.js';

@ApiSchema({ description: 'Which orders a list or an export is about.' })
export class FollowUpFilter {
  /**
   * - `waiting`: nobody has them yet
   * - `mine`: open, and the caller's
   * - `due`: call-backs whose time has come
   * - `nearly-late`: open, without a first contact, and most of the time for it has passed
   * - `late`: open, without a first contact, and the time for it has passed
   * - `open`, `closed`, `all`
   *
   * `waiting` if neither this nor `state` is given.
   * @example "mine"
   */
  @IsOptional()
  @IsIn(viewNames, { message: `Must be one of ${viewNames.join(', ')}.` })
  view?: View;

  /**
   * Only orders in these states: `state=waiting&state=scheduled`, or `state=waiting,scheduled`.
   * @enumName OrderState
   * @maxItems 20
   */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => String(value).split(','))
  @IsIn(orderStates, { each: true, message: `Each must be one of ${orderStates.join(', ')}.` })
  state?: OrderState[];

  /**
   * Only orders of the staff member with this id; `me` and `none` are understood.
   * @maxLength 36
   * @example "me"
   */
  @IsOptional()
  @Matches(/^(me|none|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/, {
    message: 'Must be the UUID of a staff member, `me` or `none`.',
  })
  owner?: string;

  /** Only orders of the API client with this id. @kind uuid */
  @IsOptional()
  @IsId()
  client?: string;

  /** Only orders of the product with this code. @kind product */
  @IsOptional()
  @MaxLength(32, { message: 'Must have at most 32 characters.' })
  product?: string;

  /** Only orders in this zone. @kind zone */
  @IsOptional()
  @MaxLength(32, { message: 'Must have at most 32 characters.' })
  zone?: string;

  /**
   * The postcode's area.
   * @pattern ^[A-Za-z]{1,2}$
   * @example "EC"
   */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => String(value).trim().toUpperCase())
  @MaxLength(2, { message: 'Must be one or two letters, such as EC.' })
  area?: string;

  /** Received at or after this time. */
  @IsOptionalInstant()
  receivedFrom?: Date;

  /** Received before this time. */
  @IsOptionalInstant()
  receivedTo?: Date;

  /** First contact due at or after this time. */
  @IsOptionalInstant()
  dueFrom?: Date;

  /** First contact due before this time. */
  @IsOptionalInstant()
  dueTo?: Date;

  /**
   * `only` possible duplicates, or `none` of them.
   * @example "only"
   */
  @IsOptional()
  @IsIn(['only', 'none'], { message: 'Must be only or none.' })
  duplicates?: 'only' | 'none';

  /**
   * Search: a reference, order id, check id, postcode or a part of it in any spelling, API client,
   * contact, the client's own reference, or words of notes.
   * @example "ec2a2bs"
   */
  @IsOptional()
  @IsString({ message: 'Must be given once, as text.' })
  @MaxLength(100, { message: 'Must have at most 100 characters.' })
  q?: string;

  /**
   * One of `received`, `-received`, `due`, `-due`, `nextAction`, `-nextAction`, `closed`, `-closed`;
   * `-` in front turns it round. By `nextAction` only scheduled orders are listed, by `closed` only
   * closed ones.
   * @example "received"
   */
  @IsOptional()
  @IsIn(sorts, { message: `Must be one of ${sorts.join(', ')}.` })
  sort?: Sort;
}

@ApiSchema({ description: 'A page of a list.' })
export class FollowUpQuery extends IntersectionType(FollowUpFilter, PageQuery) {}

@ApiSchema({ description: 'The API client that placed an order, and whom to contact there.' })
export class FollowUpClient {
  /** Identifies the API client. @kind uuid */
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
   * E-mail address. @kind email
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
export class FollowUpContact extends OrderContact {}

@ApiSchema({ description: 'An order request as the staff see it in the queue.' })
export class FollowUpOrder {
  /** Identifies the order request. @kind uuid */
  orderId: string;

  /** Short, to be read aloud. @kind reference */
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

  /** When the request was received, UTC. */
  receivedAt: Date;

  /** Since it was received, in seconds. @kind count */
  ageSeconds: number;

  /** By when its client should be contacted first, UTC: working time after it was received. */
  firstContactDueAt: Date;

  /** Open, without a first contact, and the time for it has passed. */
  late: boolean;

  /** Open, without a first contact, and most of the time for it has passed. */
  nearlyLate: boolean;

  /** A call-back whose time has come. */
  due: boolean;

  /**
   * When it comes back to its owner, UTC; of scheduled orders only.
   * @example "2026-11-23T10:00:00.000Z"
   */
  nextActionAt: Date | null;

  /** Why it was scheduled. @kind reason */
  nextActionReason: string | null;

  /** When its owner got it, UTC. */
  claimedAt: Date | null;

  /** When its client was contacted first, UTC. */
  firstContactAt: Date | null;

  /** When its client was contacted last, UTC. */
  lastContactAt: Date | null;

  /** How often its client was contacted. */
  contactAttempts: number;

  /** When it was closed, UTC. */
  closedAt: Date | null;

  /** Why it was lost or cancelled. @kind reason */
  closeReason: string | null;

  /**
   * Of a won order: its reference in another system.
   * @maxLength 64
   * @example "SF-88231"
   */
  externalReference: string | null;

  /** Of a duplicate: the order that it repeats. @kind uuid */
  duplicateOf: string | null;

  /** In canonical form. @kind postcode */
  postcode: string;

  /** What was ordered, with the terms as quoted. */
  product: ProductOffer;

  /** The zone whose price and lead time these are. @kind zone */
  zone: string;

  /** Who placed it. */
  client: FollowUpClient;

  /** Given with the order; contact the API client's own person where it is empty. */
  contact: FollowUpContact;

  /** The client's own reference. @kind clientReference */
  clientReference: string | null;

  /**
   * Given with the order.
   * @maxLength 2000
   * @example "Access to the riser only on weekdays."
   */
  notes: string | null;

  /** The check that the order cited. @kind check */
  checkId: string | null;

  /**
   * An earlier order of the same client for the same product and postcode, within 24 hours. @kind uuid
   */
  possibleDuplicateOf: string | null;

  /** The staff member who has it. @kind uuid */
  ownerId: string | null;

  /** The name of the staff member who has it. @kind person */
  ownerName: string | null;

  /** Counts the moves; a move names the version that it saw. @kind count */
  version: number;
}

@ApiSchema({ description: 'A page of a list of the queue.' })
export class FollowUpPage extends PageOf(FollowUpOrder) {
  /** How many orders the whole list has, counted up to 10,000. */
  total: number;

  /** Whether there are no more than `total`. */
  totalIsExact: boolean;
}

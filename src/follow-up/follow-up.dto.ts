import { ApiSchema, IntersectionType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';

import { IsDate, IsIn, IsOptional, IsString, IsUUID, Matches, MaxLength } from 'class-validator';
import { ProductOffer } from '../availability/availability.dto.js';
import { toInstant } from '../kernel/instant.js';
import { PageQuery } from '../http/paging.dto.js';
import { type OrderState, orderStates } from '../orders/moves/order-states.js';

export const sorts = [
  'received',
  '-received',
  'due',
  '-due',
  'nextAction',
  '-nextAction',
  'closed',
  '-closed',
] as const;
export type Sort = (typeof sorts)[number];

export const views = [
  'waiting',
  'mine',
  'due',
  'nearly-late',
  'late',
  'open',
  'closed',
  'all',
] as const;
export type View = (typeof views)[number];

const anInstant = { message: 'Must be a time such as 2026-11-21T09:30:00Z.' };
const aUuid = { message: 'Must be a UUID.' };

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
  @IsIn(views, { message: `Must be one of ${views.join(', ')}.` })
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

  /**
   * Only orders of the API client with this id.
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  @IsOptional()
  @IsUUID('all', aUuid)
  client?: string;

  /**
   * Only orders of the product with this code.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$
   * @example "INT-1G-12"
   */
  @IsOptional()
  @MaxLength(32, { message: 'Must have at most 32 characters.' })
  product?: string;

  /**
   * Only orders in this zone.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$
   * @example "LONDON-ONNET"
   */
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

  /**
   * Received at or after this time.
   * @example "2026-11-21T09:30:00.000Z"
   */
  @IsOptional()
  @Transform(toInstant)
  @IsDate(anInstant)
  receivedFrom?: Date;

  /**
   * Received before this time.
   * @example "2026-11-21T09:30:00.000Z"
   */
  @IsOptional()
  @Transform(toInstant)
  @IsDate(anInstant)
  receivedTo?: Date;

  /**
   * First contact due at or after this time.
   * @example "2026-11-21T09:30:00.000Z"
   */
  @IsOptional()
  @Transform(toInstant)
  @IsDate(anInstant)
  dueFrom?: Date;

  /**
   * First contact due before this time.
   * @example "2026-11-21T09:30:00.000Z"
   */
  @IsOptional()
  @Transform(toInstant)
  @IsDate(anInstant)
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
   * By when its client should be contacted first, UTC: working time after it was received.
   * @example "2026-11-21T13:30:00.000Z"
   */
  firstContactDueAt: Date;

  /**
   * Open, without a first contact, and the time for it has passed.
   * @example false
   */
  late: boolean;

  /**
   * Open, without a first contact, and most of the time for it has passed.
   * @example false
   */
  nearlyLate: boolean;

  /**
   * A call-back whose time has come.
   * @example false
   */
  due: boolean;

  /**
   * When it comes back to its owner, UTC; of scheduled orders only.
   * @example "2026-11-23T10:00:00.000Z"
   */
  nextActionAt: Date | null;

  /**
   * Why it was scheduled.
   * @pattern ^[a-z]+(_[a-z]+)*$
   * @maxLength 32
   * @example "callback_agreed"
   */
  nextActionReason: string | null;

  /**
   * When its owner got it, UTC.
   * @example "2026-11-23T10:00:00.000Z"
   */
  claimedAt: Date | null;

  /**
   * When its client was contacted first, UTC.
   * @example "2026-11-23T10:00:00.000Z"
   */
  firstContactAt: Date | null;

  /**
   * When its client was contacted last, UTC.
   * @example "2026-11-23T10:00:00.000Z"
   */
  lastContactAt: Date | null;

  /**
   * How often its client was contacted.
   * @example 0
   */
  contactAttempts: number;

  /**
   * When it was closed, UTC.
   * @example "2026-11-23T10:00:00.000Z"
   */
  closedAt: Date | null;

  /**
   * Why it was lost or cancelled.
   * @pattern ^[a-z]+(_[a-z]+)*$
   * @maxLength 32
   * @example "price"
   */
  closeReason: string | null;

  /**
   * Of a won order: its reference in another system.
   * @maxLength 64
   * @example "SF-88231"
   */
  externalReference: string | null;

  /**
   * Of a duplicate: the order that it repeats.
   * @format uuid
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  duplicateOf: string | null;

  /**
   * In canonical form.
   * @pattern ^[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}$
   * @maxLength 8
   * @example "EC2A 2BS"
   */
  postcode: string;

  /**
   * What was ordered, with the terms as quoted.
   */
  product: ProductOffer;

  /**
   * The zone whose price and lead time these are.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$
   * @maxLength 32
   * @example "LONDON-ONNET"
   */
  zone: string;

  /**
   * Who placed it.
   */
  client: FollowUpClient;

  /**
   * Given with the order; contact the API client's own person where it is empty.
   */
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
   * The name of the staff member who has it.
   * @maxLength 120
   * @example "Ada Lovelace"
   */
  ownerName: string | null;

  /**
   * Counts the moves; a move names the version that it saw.
   * @format int32
   * @minimum 0
   * @maximum 2147483647
   * @example 0
   */
  version: number;
}

@ApiSchema({ description: 'A page of a list of the queue.' })
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

  /**
   * How many orders the whole list has, counted up to 10,000.
   * @example 12
   */
  total: number;

  /**
   * Whether there are no more than `total`.
   * @example true
   */
  totalIsExact: boolean;
}

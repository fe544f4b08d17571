import { ApiSchema, IntersectionType } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsPositive,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { ProductOffer } from '../../availability/availability.dto.js';
import { priceBases, type PriceBasis } from '../../catalogue/content/cells.js';
import { IsId, IsOptionalInstant } from '../../platform/http/field-rules.js';
import { PageOf } from '../../platform/http/lists.js';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { type OrderState, orderStates, type WorkKind, workKinds } from '../record/order-states.js';
import { WantedView } from '../enquiries/enquiries.dto.js';
import { OrderContact } from '../orders.dto.js';
import { type Sort, sorts, type View, viewNames } from '../../queue/lists/views.js';

@ApiSchema({ description: 'Which orders to list or export.' })
export class FollowUpFilter {
  /**
   * - `waiting`: without an owner
   * - `mine`: open, and owned by the caller
   * - `due`: call-backs whose time has come
   * - `nearly-late`: open, without a first contact, close to the deadline for it
   * - `late`: open, without a first contact, past the deadline for it
   * - `open`, `closed`, `all`
   *
   * The default is `waiting` if `state` is not given either.
   * @example "mine"
   */
  @IsOptional()
  @IsIn(viewNames, { message: `Must be one of ${viewNames.join(', ')}.` })
  view?: View;

  /** Only `order` or only `enquiry`. @example "enquiry" */
  @IsOptional()
  @IsIn(workKinds, { message: `Must be one of ${workKinds.join(', ')}.` })
  kind?: WorkKind;

  /**
   * Only orders in these states: `state=waiting&state=scheduled`, or `state=waiting,scheduled`. They are
   * `waiting`, `in_progress`, `scheduled`, `offered`, `won`, `lost`, `cancelled` and `duplicate`.
   * @maxItems 20
   */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => String(value).split(','))
  @IsIn(orderStates, { each: true, message: `Each must be one of ${orderStates.join(', ')}.` })
  state?: OrderState[];

  /**
   * Only orders of the staff member with this id, or `me`, or `none`.
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

  /**
   * Only orders of products of this family: the product's code up to the first hyphen.
   * @pattern ^[A-Z0-9]{1,32}$
   * @maxLength 32
   * @example "INT"
   */
  @IsOptional()
  @MaxLength(32, { message: 'Must have at most 32 characters.' })
  family?: string;

  /** Only orders of products with this provisioned bandwidth, in Gbit/s. @minimum 0 @example 1 */
  @IsOptional()
  @Type(() => Number)
  @IsNumber({}, { message: 'Must be a number of Gbit/s, such as 0.1.' })
  @IsPositive({ message: 'Must be more than 0.' })
  @Max(100_000, { message: 'Must be at most 100000.' })
  bandwidth?: number;

  /** Only orders with this term, in months. @format int32 @minimum 1 @maximum 120 @example 36 */
  @IsOptional()
  @Type(() => Number)
  @IsInt({ message: 'Must be a whole number of months.' })
  @Min(1, { message: 'Must be at least 1.' })
  @Max(120, { message: 'Must be at most 120.' })
  term?: number;

  /** Only orders in this zone. @kind zone */
  @IsOptional()
  @MaxLength(32, { message: 'Must have at most 32 characters.' })
  zone?: string;

  /** The postcode's area. @pattern ^[A-Za-z]{1,2}$ @example "EC" */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => String(value).trim().toUpperCase())
  @MaxLength(2, { message: 'Must be one or two letters, such as EC.' })
  area?: string;

  /**
   * Only orders whose price has this basis: `firm`, `subjectToSurvey`, or `indicative`, which need a firm
   * offer.
   * @example "indicative"
   */
  @IsOptional()
  @IsIn(priceBases, { message: `Must be one of ${priceBases.join(', ')}.` })
  basis?: PriceBasis;

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

  /** `only` possible duplicates, or `none` of them. */
  @IsOptional()
  @IsIn(['only', 'none'], { message: 'Must be only or none.' })
  duplicates?: 'only' | 'none';

  /**
   * Search for a reference or its first or last characters, order id, check id, UPRN, postcode or part of one in any spelling, API client,
   * name, email or phone number (its last six digits suffice) of the client's or the order's contact, the client's own reference, or words
   * of notes. Several words find the orders that have all of them.
   * @example "ec2a2bs"
   */
  @IsOptional()
  @IsString({ message: 'Must be given once, as text.' })
  @MaxLength(100, { message: 'Must have at most 100 characters.' })
  q?: string;

  /**
   * `received`, `-received`, `due`, `-due`, `nextAction`, `-nextAction`, `closed`, `-closed`, `next`,
   * `-next`, `price` or `-price`; `-` means descending. `nextAction` lists scheduled orders only, `closed`
   * closed ones only. `next` sorts open orders by the time of their next action or, without one, by the
   * deadline for the first contact; `price` lists open orders, without
   * enquiries, by the monthly price in minor units.
   */
  @IsOptional()
  @IsIn(sorts, { message: `Must be one of ${sorts.join(', ')}.` })
  sort?: Sort;
}

@ApiSchema({ description: 'A page of a list.' })
export class FollowUpQuery extends IntersectionType(FollowUpFilter, PageQuery) {}

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

  /** Extra charges up to this sum are accepted in advance; null if the client named none. @minimum 0 @example 500 */
  acceptExtraUpTo: number | null;

  /** The sum of the extra charges that await the client's answer. @minimum 0 @example 250 */
  chargesAwaiting: number;

  /** The sum of the extra charges that the client has accepted. @minimum 0 @example 0 */
  chargesAccepted: number;

  /** The check that the order cited. @kind check */
  checkId: string | null;

  /** An order of the same client, product and postcode up to 24 hours earlier. @kind uuid */
  possibleDuplicateOf: string | null;

  /** The staff member who owns it. @kind uuid */
  ownerId: string | null;

  /** The owner's name. @kind person */
  ownerName: string | null;

  /** Counts the moves. Each move sends the version that the caller saw. @kind count */
  version: number;
}

@ApiSchema({ description: 'A page of a list of the queue.' })
export class FollowUpPage extends PageOf(FollowUpOrder) {
  /** The number of orders in the whole list, counted up to 10,000. */
  total: number;

  /** Whether `total` counts all of them. */
  totalIsExact: boolean;
}

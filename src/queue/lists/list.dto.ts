import { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
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
import { priceBases, type PriceBasis } from '../../catalogue/content/cells.js';
import { ByConstraint } from '../../catalogue/catalogue-rows.dto.js';
import { IsId, IsOptionalInstant } from '../../platform/http/field-rules.js';
import { PageOf } from '../../platform/http/paging.js';
import { CsvQuery, PageQuery } from '../../platform/http/paging.dto.js';
import {
  type OrderState,
  orderStates,
  type WorkKind,
  workKinds,
} from '../../orders/record/order-states.js';
import { waitingParties, type WaitingParty } from '../../orders/record/milestones.js';
import { type Sort, sorts, type View, viewNames } from './views.js';

@ApiSchema({ description: 'Which orders to list or export.' })
export class FollowUpFilter extends ByConstraint {
  /**
   * - `waiting`: without an owner
   * - `mine`: open, and owned by the caller
   * - `due`: call-backs whose time has come
   * - `nearly-late`: open, without a first contact, close to the deadline for it
   * - `late`: open, without a first contact, past the deadline for it
   * - `no-next-step`: in progress after a contact, with nothing scheduled
   * - `waiting-for-client`: accepted, and the delivery waits for the client
   * - `date-at-risk`: accepted, and the committed or promised date has passed or cannot be kept as planned
   * - `cancellation-requests`: accepted, and the client asks to cancel
   * - `approvals`: enquiries with offers that a manager has to approve
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

  /** Only accepted orders whose delivery waits for the `client`, the `operator` or a `thirdParty`. @example "client" */
  @IsOptional()
  @IsIn(waitingParties, { message: `Must be one of ${waitingParties.join(', ')}.` })
  waitingFor?: WaitingParty;

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
   * `-next`, `price`, `-price`, `waiting` or `-waiting`; `-` means descending. `waiting` lists accepted orders whose delivery waits, the longest wait first. `nextAction` lists scheduled orders only, `closed`
   * closed ones only. `next` sorts open orders by the time of their next action or, before the first contact, by its
   * deadline; those with an open offer are last, and those that need a next step first, in the view `open` last of all; `price` lists open orders, without
   * enquiries, by the monthly price in minor units.
   */
  @IsOptional()
  @IsIn(sorts, { message: `Must be one of ${sorts.join(', ')}.` })
  sort?: Sort;
}

@ApiSchema({ description: 'A page of a list.' })
export class FollowUpQuery extends IntersectionType(FollowUpFilter, PageQuery) {}

export class ExportQuery extends IntersectionType(FollowUpFilter, CsvQuery) {}

@ApiSchema({ description: 'A page of a list of the queue.' })
export class FollowUpPage extends PageOf(FollowUpOrder) {
  /** The number of orders in the whole list, counted up to 10,000. */
  total: number;

  /** Whether `total` counts all of them. */
  totalIsExact: boolean;
}

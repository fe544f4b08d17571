import {
  ApiProperty,
  ApiSchema,
  getSchemaPath,
  type ReferenceObject,
  type SchemaObject,
} from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
} from 'class-validator';
import { AcceptanceDetails } from '../orders/record/enquiries.dto.js';
import { SiteDetails } from '../orders/record/site-details.dto.js';
import { LONGEST_SERVICE } from '../catalogue/content/cells.js';
import { IsBandwidth, IsOptionalText, IsWholeNumber } from '../platform/http/field-rules.js';
import { ProblemBody } from '../platform/problems/problem.dto.js';

/** Lines that are ordered at once. */
export const MOST_ORDERED = 100;

/** Any `lineId` is a key. */
const DescribedByLine = (additionalProperties: ReferenceObject | SchemaObject) =>
  ApiProperty({ type: 'object', additionalProperties, maxProperties: MOST_ORDERED });

@ApiSchema({ description: 'The lines that the customer orders.' })
export class QuoteAcceptance extends AcceptanceDetails {
  /** `lineId` of from 1 to 100 lines. @maxItems 100 @example ["1", "7"] */
  @IsArray({ message: 'Must be a list of line ids.' })
  @ArrayMinSize(1, { message: 'Must have at least one line.' })
  @ArrayMaxSize(MOST_ORDERED, { message: 'Must have at most 100 lines.' })
  @ArrayUnique({ message: 'Must name each line once.' })
  @IsString({ each: true, message: 'Must be a list of line ids.' })
  @MaxLength(4, { each: true, message: 'Each must be a lineId, such as "7".' })
  @Matches(/^[1-9][0-9]{0,3}$/, { each: true, message: 'Each must be a lineId, such as "7".' })
  lines: string[];

  /**
   * Details of single lines, by their `lineId`; field by field, they take precedence over `details`, and these over those of the quote.
   * @example { "1": { "floor": "2", "interconnect": "NNI-LON1" } }
   */
  @IsOptional()
  @IsObject({ message: 'Must be an object with the lineId of each line.' })
  @DescribedByLine({ $ref: getSchemaPath(SiteDetails) })
  sites?: Record<string, SiteDetails>;

  /**
   * The `offerId` of single lines as it was read, by their `lineId`; null where it was null. A line that has no such offer any more is refused. Without it, a line is ordered at the offer that it has by then.
   * @example { "7": "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90" }
   */
  @IsOptional()
  @IsObject({ message: 'Must be an object with the offerId of each line.' })
  @DescribedByLine({ type: 'string', format: 'uuid', maxLength: 36, nullable: true })
  offers?: Record<string, string | null>;
}

@ApiSchema({ description: 'The order that a line became.' })
export class OrderedLine {
  /** The line. @kind quoteLine */
  lineId: string;

  /** Identifies the order. @kind uuid */
  orderId: string;

  /** The short reference of the order. @kind reference */
  orderReference: string;
}

@ApiSchema({ description: 'All lines were ordered.' })
export class AcceptedLines {
  /** Says that the orders were received. @maxLength 200 @example "2 orders were received. A member of our team will contact you." */
  message: string;

  /** In the order of the request. @maxItems 100 */
  orders: OrderedLine[];
}

@ApiSchema({ description: 'The lines for which to ask.' })
export class QuoteEnquiry {
  /** `lineId` of lines that are `notAvailable`; without it, all of them, up to 100. @maxItems 100 @example ["2"] */
  @IsOptional()
  @IsArray({ message: 'Must be a list of line ids.' })
  @ArrayMinSize(1, { message: 'Must have at least one line.' })
  @ArrayMaxSize(MOST_ORDERED, { message: 'Must have at most 100 lines.' })
  @ArrayUnique({ message: 'Must name each line once.' })
  @IsString({ each: true, message: 'Must be a list of line ids.' })
  @MaxLength(4, { each: true, message: 'Each must be a lineId, such as "7".' })
  @Matches(/^[1-9][0-9]{0,3}$/, { each: true, message: 'Each must be a lineId, such as "7".' })
  lines?: string[];

  /** Anything that the operator's staff should know about all of them. @example "The customer decides in January." */
  @IsOptionalText(2_000, 'lines')
  notes?: string;
}

@ApiSchema({ description: 'The enquiry of a line.' })
export class EnquiredLine {
  /** The line. @kind quoteLine */
  lineId: string;

  /** Identifies the enquiry. @kind uuid */
  enquiryId: string;

  /** The short reference of the enquiry. @kind workReference */
  enquiryReference: string;
}

@ApiSchema({ description: 'The enquiries were received.' })
export class EnquiredLines {
  /** Says that the enquiries were received. @maxLength 200 @example "3 enquiries were received. A member of our team will contact you." */
  message: string;

  /** In the order of the lines. @maxItems 100 */
  enquiries: EnquiredLine[];
}

export const lineRefusals = [
  'notPriced',
  'alreadyOrdered',
  'offerExpired',
  'offerChanged',
  'notAsked',
  'alreadyEnquired',
  'interconnectRequired',
  'unknownInterconnect',
  'tooFewPlaces',
] as const;
export type LineRefusal = (typeof lineRefusals)[number];

@ApiSchema({ description: 'Why a line was refused.' })
export class RefusedLine {
  /** The line. @kind quoteLine */
  lineId: string;

  /**
   * `notPriced`: it has no product; `alreadyOrdered`: see `orderId`; `offerExpired`: the offers of its enquiry have
   * expired; `offerChanged`: its terms are not held, and have changed, or it does not have the offer that `offers` names; `notAsked`: only a line that is not available can be asked for; `alreadyEnquired`: it has had an enquiry; `interconnectRequired`: its product needs an interconnect; `unknownInterconnect`: the client does not have it; `tooFewPlaces`: its discount needs `discountFrom` places that are ordered together.
   * @example "alreadyOrdered"
   */
  reason: LineRefusal;

  /** Only with `alreadyOrdered`: the order. @kind uuid */
  orderId?: string;
}

@ApiSchema({ description: 'None of the lines was ordered or asked for.' })
export class LineNotOrderableProblem extends ProblemBody {
  /** The lines that cannot be. @maxItems 100 */
  lines: RefusedLine[];
}

/** What a spreadsheet does not say; with JSON, the body takes precedence. */
export class QuoteDefaults {
  /** As in the body. */
  @IsOptionalText(64)
  reference?: string;

  /** As in the body. @example "Fernhill Schools Trust" */
  @IsOptionalText(120)
  customer?: string;

  /** As `wanted.bandwidth` in the body, in Gbit/s. @minimum 0.001 @maximum 100000 @example 1 */
  @IsOptional()
  @Type(() => Number)
  @IsBandwidth()
  bandwidth?: number;

  /** As `wanted.term` in the body, in months. @format int32 @minimum 1 @maximum 120 @example 36 */
  @IsOptional()
  @Type(() => Number)
  @IsWholeNumber('months', 1, 120)
  term?: number;

  /** As `wanted.service` in the body. @maxLength 40 @example "Internet" */
  @IsOptionalText(LONGEST_SERVICE)
  service?: string;
}

/** Of a quote; the last three only say how a file is read. */
export class QuoteParameters extends QuoteDefaults {
  /**
   * Which columns of a file are which, each by its name in the file, or by its letter.
   * @example "site:Library name,postcode:Address postcode"
   */
  @IsOptionalText(1_000)
  columns?: string;

  /** `true`: other columns of a file are left out, and the response names them. `false`, the default: they are refused. @example "true" */
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'Must be true or false.' })
  ignoreOtherColumns?: 'true' | 'false';

  /** The sheet of a workbook, in any case; the first one by default. @example "Sites" */
  @IsOptionalText(31)
  sheet?: string;
}

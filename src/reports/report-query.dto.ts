import { ApiSchema } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsNumber, IsOptional, IsPositive, Max, MaxLength, Min } from 'class-validator';
import { IsDay, IsId } from '../platform/http/field-rules.js';

@ApiSchema({ description: 'Which orders and checks a report counts.' })
export class ReportFilter {
  /** Only orders and checks of the API client with this id. @kind uuid */
  @IsOptional()
  @IsId()
  client?: string;

  /** Only orders of the staff member with this id. Checks have no owner, and stay. @kind uuid */
  @IsOptional()
  @IsId()
  owner?: string;

  /**
   * Only orders of products of this family: the product's code up to the first hyphen.
   * Checks and enquiries have no product, and stay.
   * @pattern ^[A-Z0-9]{1,32}$ @maxLength 32 @example "INT"
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
}

@ApiSchema({ description: 'Days in London, both included; at most 400, the last 28 if left out.' })
export class ReportQuery extends ReportFilter {
  /** The first day. @format date @example "2026-11-01" */
  @IsOptional()
  @IsDay()
  from?: string;

  /** The last day. @format date @example "2026-11-28" */
  @IsOptional()
  @IsDay()
  to?: string;
}

@ApiSchema({ description: 'Amounts in one currency, added up, without VAT.' })
export class ReportAmount {
  /** ISO 4217. @kind currency */
  currency: string;

  /** In major units. @example 12345.5 */
  amount: number;
}

/** Whether only orders of some products are meant. */
export function isOfProducts({ family, bandwidth, term }: ReportFilter): boolean {
  return (family ?? bandwidth ?? term) !== undefined;
}

import { ApiSchema } from '@nestjs/swagger';
import { IsOptional, MaxLength } from 'class-validator';
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
   * Only orders of the product with this code, or of those whose code starts with the text before `*`.
   * Checks and enquiries have no product, and stay.
   * @maxLength 33 @example "INT-*"
   */
  @IsOptional()
  @MaxLength(33, { message: 'Must have at most 33 characters.' })
  product?: string;
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

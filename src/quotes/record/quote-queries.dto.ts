import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { IsOptionalInstant, IsOptionalText } from '../../platform/http/field-rules.js';
import { CsvQuery, PageQuery } from '../../platform/http/paging.dto.js';
import { type QuoteState, quoteStates } from './quotes.dto.js';

/** Lines in one page of a quote. */
export const MOST_LINES = 500;

export class QuoteLinesQuery extends CsvQuery {
  /** The maximum number of lines. @format int32 @example 500 */
  @IsOptional()
  @Type(() => Number)
  @IsInt({ message: 'Must be a whole number from 1 to 500.' })
  @Min(1, { message: 'Must be a whole number from 1 to 500.' })
  @Max(MOST_LINES, { message: 'Must be a whole number from 1 to 500.' })
  limit: number = MOST_LINES;

  /** `nextCursor` of the answer before; without it, the first lines. @pattern ^[0-9]{1,4}$ @example "500" */
  @IsOptional()
  @IsString({ message: 'Must be given once, as text.' })
  @MaxLength(4, { message: 'Must have at most 4 characters.' })
  @Matches(/^[0-9]{1,4}$/, {
    message: 'This is not a cursor of a quote. Start again without a cursor.',
  })
  cursor?: string;
}

export class QuoteQuery extends PageQuery {
  /** Only quotes that are `open`, have `expired`, or were `withdrawn`. @example "open" */
  @IsOptional()
  @IsIn(quoteStates, { message: `Must be one of ${quoteStates.join(', ')}.` })
  state?: QuoteState;

  /** Only quotes with this own reference of the client. @example "RFQ-118" */
  @IsOptionalText(64)
  reference?: string;

  /** Only quotes of which a line has changed at or after this time (RFC 3339). */
  @IsOptionalInstant()
  updatedSince?: Date;
}

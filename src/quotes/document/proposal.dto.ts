import { Type } from 'class-transformer';
import {
  IsIn,
  IsNumber,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { IsOptionalText } from '../../platform/http/field-rules.js';
import { CsvQuery } from '../../platform/http/paging.dto.js';

/** What a price may be rounded up to a multiple of. */
export const roundings = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100] as const;

/** What a reseller adds to a quote for its customer. */
export class ProposalQuery extends CsvQuery {
  /** Percent that are added to each monthly price, with up to two decimals. @minimum 0 @maximum 1000 @example 15 */
  @IsOptional()
  @Type(() => Number)
  @IsNumber({ maxDecimalPlaces: 2 }, { message: 'Enter percent with at most two decimals.' })
  @Min(0, { message: 'Enter at least 0.' })
  @Max(1_000, { message: 'Enter at most 1000.' })
  markupPercent: number = 0;

  /** Percent that are added to each set-up price. @minimum 0 @maximum 1000 @example 10 */
  @IsOptional()
  @Type(() => Number)
  @IsNumber({ maxDecimalPlaces: 2 }, { message: 'Enter percent with at most two decimals.' })
  @Min(0, { message: 'Enter at least 0.' })
  @Max(1_000, { message: 'Enter at most 1000.' })
  setupMarkupPercent: number = 0;

  /** Prices are rounded up to a multiple of this amount: `0.01`, `0.05`, `0.1`, `0.5`, `1`, `5`, `10`, `50` or `100`. @example 1 */
  @IsOptional()
  @Type(() => Number)
  @IsIn(roundings, { message: `Must be one of ${roundings.join(', ')}.` })
  roundTo: (typeof roundings)[number] = 0.01;

  /** The name of the reseller, at the head of the proposal: one line. @example "Acme Telecom" */
  @IsOptionalText(120)
  name?: string;

  /**
   * `lineId` of the lines to propose, with commas between them; without it, all with a product.
   * @pattern ^[1-9][0-9]{0,3}(,[1-9][0-9]{0,3})*$
   * @maxLength 10000
   * @example "1,7"
   */
  @IsOptional()
  @IsString({ message: 'Must be given once, as text.' })
  @MaxLength(10_000, { message: 'Must have at most 10,000 characters.' })
  @Matches(/^[1-9][0-9]{0,3}(,[1-9][0-9]{0,3})*$/, {
    message: 'Must be line ids with commas between them, such as 1,7.',
  })
  lines?: string;
}

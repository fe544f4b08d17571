import { ApiSchema } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsNumber,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { type PriceBasis, priceBases } from '../../catalogue/content/cells.js';
import {
  IsBandwidth,
  IsDay,
  IsOptionalText,
  IsText,
  IsWholeNumber,
} from '../../platform/http/field-rules.js';
import { Seen } from '../staff/moves.dto.js';

/** The most offers of one answer. */
export const MOST_OFFERS = 5;

const aPrice = { message: 'Enter an amount from 0, such as 549.99.' };

@ApiSchema({ description: 'One offer of an answer to an enquiry.' })
export class NewOffer {
  /** What the client sees. @example "2G Internet over microwave" */
  @IsText(120)
  name: string;

  /**
   * Bandwidth at which the product is connected, in Gbit/s; up to three decimals, 0.1 is 100 Mbit/s.
   * @format double
   * @minimum 0.001
   * @maximum 100000
   * @example 2
   */
  @IsBandwidth()
  bandwidthProvisioned: number;

  /**
   * Maximum bandwidth of the bearer, in Gbit/s. By default the bandwidth provisioned.
   * @format double
   * @minimum 0.001
   * @maximum 100000
   * @example 10
   */
  @IsOptional()
  @IsBandwidth()
  bandwidthCapacity?: number;

  /** Contract term, in months. @format int32 @minimum 1 @maximum 120 @example 24 */
  @IsWholeNumber('months', 1, 120)
  term: number;

  /** Price a month, in units of the currency, excluding VAT. @minimum 0 @maximum 2147483647 @example 549.99 */
  @IsNumber({}, aPrice)
  @Min(0, aPrice)
  @Max(2_147_483_647, aPrice)
  price: number;

  /**
   * One-off price of the set-up, in units of the currency, excluding VAT: 0 is free; without it, it is not
   * stated.
   * @minimum 0
   * @maximum 2147483647
   * @example 1200
   */
  @IsOptional()
  @IsNumber({}, aPrice)
  @Min(0, aPrice)
  @Max(2_147_483_647, aPrice)
  setupPrice?: number;

  /** ISO 4217 code. @kind currency */
  @Matches(/^[A-Z]{3}$/, { message: 'Enter the ISO 4217 code of a currency, such as GBP.' })
  currency: string;

  /** Lead time, in calendar days. @format int32 @minimum 0 @maximum 3650 @example 60 */
  @IsWholeNumber('days', 0, 3650)
  leadTimeDays: number;

  /** `firm`, `subjectToSurvey` or `indicative`. @example "subjectToSurvey" */
  @IsIn(priceBases, { message: `Must be one of ${priceBases.join(', ')}.` })
  basis: PriceBasis;

  /** Whether charges can be added after the order. By default, wherever the basis is not `firm`. */
  @IsOptional()
  @IsBoolean({ message: 'Must be true or false.' })
  extraChargesPossible?: boolean;

  /**
   * The last day on which the client can accept it, until 23:59 in London; 30 days from now by default.
   * A day without work counts as the next working day.
   * @pattern ^\d{4}-\d{2}-\d{2}$
   * @maxLength 10
   * @example "2026-12-23"
   */
  @IsOptional()
  @IsDay()
  validUntil?: string;

  /** The client sees it. @example "Includes a new duct from the street." */
  @IsOptionalText(2000, 'lines')
  note?: string;
}

@ApiSchema({ description: 'An answer to an enquiry, as the caller saw it.' })
export class Answer extends Seen {
  /** The client can accept one of them. @maxItems 5 */
  @IsArray({ message: 'Must be a list of offers.' })
  @ArrayMinSize(1, { message: 'Enter at least one offer.' })
  @ArrayMaxSize(MOST_OFFERS, { message: `Enter at most ${MOST_OFFERS} offers.` })
  @ValidateNested({ each: true })
  @Type(() => NewOffer)
  offers: NewOffer[];
}

@ApiSchema({ description: 'Why a manager does not approve an answer.' })
export class AnswerRefusal {
  /** For its author. @example "Below cost: ask for a longer term." */
  @IsText(500, 'lines')
  reason: string;
}

@ApiSchema({ description: 'Whether a manager approves an answer.' })
export class AnswerDecision {
  /** `true` shows the offers to the client, `false` refuses the answer. @example true */
  @IsBoolean({ message: 'Must be true or false.' })
  approve: boolean;

  /** Why it is refused, for its author; only then, and required. @example "Below cost: ask for a longer term." */
  @ValidateIf(({ approve, reason }: AnswerDecision) => approve !== true || reason != null)
  @ValidateBy(
    {
      name: 'isOnly',
      validator: { validate: (_, about) => !(about!.object as AnswerDecision).approve },
    },
    { message: 'Only a refusal has a reason.' },
  )
  @IsText(500, 'lines')
  reason?: string;
}

@ApiSchema({ description: 'Who accepts an offer for the client.' })
export class RecordedAcceptance {
  /** The person of the client who told staff. @example "Ada Lovelace" */
  @IsText(120)
  by: string;
}

@ApiSchema({ description: 'Why an offer is withdrawn.' })
export class OfferWithdrawal {
  /** Only staff see it. @example "The supplier has raised the price." */
  @IsOptionalText(500, 'lines')
  note?: string;
}

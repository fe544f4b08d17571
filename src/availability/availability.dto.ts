import { ApiSchema, PickType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsString, MaxLength } from 'class-validator';
import { NamedProduct } from '../catalogue/catalogue.dto.js';
import { MOST_POSTCODES } from '../access/counting.js';
import type { ProblemBody } from '../problems/problem.dto.js';

@ApiSchema({ description: 'A product at a place, with its price and lead time there.' })
export class ProductOffer extends PickType(NamedProduct, ['productCode', 'name']) {
  /**
   * Bandwidth at which the product is connected, in Gbit/s; up to three decimals, 0.1 is 100 Mbit/s.
   * @format double
   * @minimum 0.001
   * @maximum 100000
   */
  bandwidthProvisioned: number;

  /**
   * Maximum bandwidth of the bearer, in Gbit/s; up to three decimals.
   * @format double
   * @minimum 0.001
   * @maximum 100000
   * @example 10
   */
  bandwidthCapacity: number;

  /**
   * Contract term, in months.
   * @format int32
   * @minimum 1
   * @maximum 120
   * @example 12
   */
  term: number;

  /**
   * Price a month, in units of the currency (pounds, not pence), excluding VAT.
   * @minimum 0
   * @maximum 2147483647
   * @example 550
   */
  price: number;

  /**
   * ISO 4217 code.
   * @pattern ^[A-Z]{3}$
   * @maxLength 3
   * @example "GBP"
   */
  currency: string;

  /**
   * Lead time, in calendar days.
   * @format int32
   * @minimum 0
   * @maximum 3650
   * @example 84
   */
  leadTimeDays: number;
}

@ApiSchema({ description: 'The answer to a postcode check.' })
export class AvailabilityResult {
  /**
   * Names this check: 10 characters of Crockford's base 32. An order may cite it as `checkId`. @kind check
   */
  id: string;

  /**
   * Says in words what is available, and how to order.
   * @maxLength 1000
   * @example "1 product is available at EC2A 2BS. To order, place an order request or contact sales@example.net."
   */
  message: string;

  /** The postcode that was checked, in canonical form: upper case, one space. @kind postcode */
  postcode: string;

  /**
   * By bandwidth provisioned, then term, then price, then code. Empty where nothing is sold.
   * @maxItems 10000
   */
  availableProducts: ProductOffer[];
}

const atMost = `Must have at most ${MOST_POSTCODES} postcodes.`;

@ApiSchema({ description: 'Postcodes to check at once.' })
export class PostcodeList {
  /**
   * From 1 to 100 postcodes, in any case and spacing; one may stand there more than once.
   * @maxItems 100
   * @example ["EC2A 2BS", "N1 1AA"]
   */
  @IsArray({ message: 'Must be a list of texts.' })
  @ArrayMinSize(1, { message: 'Must have at least one postcode.' })
  @ArrayMaxSize(MOST_POSTCODES, { message: atMost })
  @IsString({ each: true, message: 'Must be a list of texts.' })
  @MaxLength(256, { each: true, message: 'Each must have at most 256 characters.' })
  postcodes: string[];
}

@ApiSchema({ description: 'The answers to many postcode checks.' })
export class AvailabilityResults {
  /**
   * One for each postcode, in the order in which they were sent. Only a problem has a `code`.
   * @maxItems 100
   * @anyOf AvailabilityResult InvalidPostcodeProblem Problem
   */
  results: (AvailabilityResult | ProblemBody)[];
}

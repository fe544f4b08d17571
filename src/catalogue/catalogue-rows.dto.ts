import { ApiSchema } from '@nestjs/swagger';
import type { Network } from './content/offer-fields.js';
import type { PriceBasis } from './content/cells.js';

/** Extended by every view of a product. */
export class NamedProduct {
  /** What an order takes as `productCode`. @kind product */
  productCode: string;

  /** Descriptive product name. @maxLength 120 @example "1G Internet on a 10G bearer" */
  name: string;
}

@ApiSchema({ description: 'A price with its further terms.' })
export class TermsView {
  /** A month, excluding VAT, in units of the currency. @example 550 */
  price: number;

  /** ISO 4217 code. @kind currency */
  currency: string;

  /** Lead time, in calendar days. @example 84 */
  leadTimeDays: number;

  /** One-off, excluding VAT, in units of the currency; 0 is free, null is not stated. @example 250 */
  setupPrice: number | null;

  /**
   * How sure the price is: `firm`, `subjectToSurvey`, or `indicative` until a person confirms it.
   * @enumName PriceBasis
   * @example "firm"
   */
  basis: PriceBasis;

  /** Whether charges can be added after the order; always false where `basis` is `firm`. @example false */
  extraChargesPossible: boolean;
}

@ApiSchema({ description: 'A row of zones.csv.' })
export class ZoneView {
  /** The zone. @kind zone */
  zone: string;

  /** For staff; may be empty. @maxLength 120 @example "London, lit buildings" */
  label: string;

  /**
   * `onNetWithoutBuild`: on the operator's network, with nothing to build; `onNetWithBuild`: on it, but
   * something must be built; `offNetWithoutBuild`: on another operator's network, with nothing to build;
   * `offNetWithBuild`: on another one, and something must be built. Null if not stated.
   * @example "onNetWithoutBuild"
   */
  network: Network | null;

  /** The first day of sale, in London time; null if it sells already. @format date @example "2026-12-01" */
  readyDate: string | null;

  /** For staff; may be empty. @maxLength 500 @example "Duct works until November" */
  note: string;

  /** The last day of sale, in London time; null if there is none. @format date @example "2027-06-30" */
  endDate: string | null;
}

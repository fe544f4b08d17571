/** A product that can be ordered at the postcode. */
export class ProductOffer {
  /**
   * What an order takes as `productCode`.
   * @example "INT-1G-12"
   */
  productCode: string;

  /**
   * Descriptive product name.
   * @example "1G Internet on a 10G bearer"
   */
  name: string;

  /**
   * Bandwidth at which the product is connected, in Gbit/s.
   * @example 1
   */
  bandwidthProvisioned: number;

  /**
   * Maximum bandwidth of the bearer, in Gbit/s.
   * @example 10
   */
  bandwidthCapacity: number;

  /**
   * Contract term, in months.
   * @example 12
   */
  term: number;

  /**
   * Price a month, in units of the currency (pounds, not pence), excluding VAT.
   * @example 550
   */
  price: number;

  /**
   * ISO 4217 code.
   * @example "GBP"
   */
  currency: string;

  /**
   * Lead time, in calendar days.
   * @example 84
   */
  leadTimeDays: number;
}

/** The answer to a postcode check. */
export class AvailabilityResult {
  /**
   * Names this check: 10 characters of Crockford's base 32. An order may cite it.
   * @example "KR3FVJ7P2M"
   */
  id: string;

  /**
   * Says in words what is available, and how to order.
   * @example "1 product is available at EC2A 2BS. To order, place an order request or contact sales@example.net."
   */
  message: string;

  /**
   * The postcode that was checked, in canonical form: upper case, one space.
   * @example "EC2A 2BS"
   */
  postcode: string;

  /** By bandwidth, then term, then price, then code. Empty where nothing is sold. */
  availableProducts: ProductOffer[];
}

import { ApiSchema } from '@nestjs/swagger';
import { ListOf } from '../platform/http/lists.js';
import { MonthlyAmount } from './reports.dto.js';

@ApiSchema({
  description: 'Enquiries received in this period, and what was offered for them to date.',
})
export class EnquiryFigures {
  /** Enquiries received. */
  received: number;

  /** Of these, those with an offer that the client could see. */
  offered: number;

  /**
   * Working minutes from receipt to the first offer, nearest rank; null without one.
   * @example 480
   */
  medianMinutesToOffer: number | null;

  /** Of the enquiries received, those of which the client accepted an offer. */
  won: number;

  /** Lost: declined by the client, or not possible. */
  lost: number;

  /** Lost because the client did not answer the offers in time. */
  expired: number;

  /** Cancelled, or duplicates. */
  cancelled: number;

  /** The largest monthly price that was offered for each enquiry, by currency. @maxItems 200 */
  offeredAmounts: MonthlyAmount[];

  /** Monthly prices of the accepted offers, by currency. @maxItems 200 */
  wonAmounts: MonthlyAmount[];
}

@ApiSchema({ description: 'The enquiries of a postcode area.' })
export class EnquiryRow extends EnquiryFigures {
  /** The postcode area. @pattern ^[A-Z]{1,2}$ @maxLength 2 @example "EC" */
  area: string;
}

@ApiSchema({ description: 'Enquiries by postcode area; most enquiries first.' })
export class EnquiryReport extends ListOf(EnquiryRow, 126) {
  /** Of all areas. */
  total: EnquiryFigures;
}

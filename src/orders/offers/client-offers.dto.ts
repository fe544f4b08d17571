import { ApiSchema } from '@nestjs/swagger';
import { ProductOffer } from '../../availability/availability.dto.js';
import { IsId, IsOptionalText } from '../../platform/http/field-rules.js';
import type { PublicOfferState } from './offer-states.js';

@ApiSchema({ description: 'An offer that the operator has made in answer to an enquiry.' })
export class EnquiryOffer {
  /** Identifies the offer. @kind uuid */
  offerId: string;

  /**
   * - `open`: the client can accept it
   * - `accepted`: it became an order
   * - `declined`: the client declined it, or accepted another one
   * - `withdrawn`: the operator took it back
   * - `replaced`: the operator sent another answer
   * - `expired`: `validUntil` has passed
   * @enumName OfferState
   */
  state: PublicOfferState;

  /**
   * What is offered, with its terms. `productCode` is `BESPOKE-` and the reference of the offer; no check
   * shows it.
   */
  product: ProductOffer;

  /** The last instant at which the client can accept it, UTC: 23:59 in London on a working day. */
  validUntil: Date;

  /** What the operator adds. @maxLength 2000 @example "Includes a new duct from the street." */
  note: string | null;

  /** The order that an accepted offer became. @kind uuid */
  orderId: string | null;
}

@ApiSchema({ description: 'The offer that the client accepts.' })
export class OfferAcceptance {
  /** `offerId` of one of the `offers` of the enquiry. @kind uuid */
  @IsId()
  offerId: string;
}

@ApiSchema({ description: 'That the client accepts none of the offers.' })
export class OfferDecline {
  /** A reason for the operator's staff. @example "Another supplier is cheaper." */
  @IsOptionalText(500, 'lines')
  reason?: string;
}

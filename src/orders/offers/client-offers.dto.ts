import { ApiSchema } from '@nestjs/swagger';
import { IsId, IsOptionalText } from '../../platform/http/field-rules.js';

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

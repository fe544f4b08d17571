import { IntersectionType, PickType } from '@nestjs/swagger';
import { EnquiryRequest, EnquiryWanted } from '../orders/record/enquiries.dto.js';
import { OrderContact, OrderRequest } from '../orders/record/orders.dto.js';
import { IsMailAddress, IsTextUpTo } from '../platform/http/field-rules.js';
import { SiteDetails } from '../orders/record/site-details.dto.js';

/** What a staff member takes down for a caller who orders. */
export class TelephoneOrder extends IntersectionType(
  OrderContact,
  PickType(OrderRequest, ['productCode', 'reference', 'notes', 'acceptExtraUpTo']),
  PickType(SiteDetails, ['interconnect']),
) {}

/** What a staff member takes down for a caller who enquires. */
export class TelephoneEnquiry extends IntersectionType(
  EnquiryWanted,
  OrderContact,
  PickType(EnquiryRequest, ['reference', 'notes']),
) {}

/** Where a caller who is no client wants to be notified. */
export class CallerWatch {
  /** @example "ada@example.com" */
  @IsTextUpTo(254)
  @IsMailAddress()
  email: string;
}

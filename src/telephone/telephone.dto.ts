import { IntersectionType, PickType } from '@nestjs/swagger';
import { EnquiryRequest, EnquiryWanted } from '../orders/record/enquiries.dto.js';
import { OrderContact, OrderRequest } from '../orders/record/orders.dto.js';

/** What a staff member takes down for a caller who orders. */
export class TelephoneOrder extends IntersectionType(
  OrderContact,
  PickType(OrderRequest, ['productCode', 'reference', 'notes', 'acceptExtraUpTo']),
) {}

/** What a staff member takes down for a caller who enquires. */
export class TelephoneEnquiry extends IntersectionType(
  EnquiryWanted,
  OrderContact,
  PickType(EnquiryRequest, ['reference', 'notes']),
) {}

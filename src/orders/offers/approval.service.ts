import { Injectable } from '@nestjs/common';
import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { Config } from '../../platform/config/config.js';
import { Clock } from '../../platform/kernel/clock.js';
import { placeOf } from '../../platform/problems/postcode.errors.js';
import type { Order } from '../record/order.entity.js';
import { approvalReasons } from './approval.js';
import { comparableOffer } from './list-price.js';

/** Decides which offers need the approval of a manager, by the settings and the live catalogue. */
@Injectable()
export class ApprovalService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Why this offer needs approval; null if it does not. */
  reasonFor(
    enquiry: Pick<Order, 'postcode' | 'uprn' | 'priceList'>,
    product: OfferedProduct,
  ): string | null {
    const { offerApprovalOver: over, offerApprovalBelowPercent: belowPercent } = this.config;
    const { priceList } = enquiry;
    const at = this.clock.now().getTime();
    const listed = this.catalogue.loaded
      ? comparableOffer(this.catalogue.current, { place: placeOf(enquiry), priceList, at }, product)
      : undefined;
    return approvalReasons(product, listed, { over, belowPercent }).join('; ') || null;
  }
}

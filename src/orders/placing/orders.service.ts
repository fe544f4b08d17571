import { Injectable } from '@nestjs/common';
import { familyOf, offeredProduct } from '../../catalogue/content/offers.js';
import type { Postcode } from '../../platform/kernel/postcode.js';
import { parseUprn } from '../../platform/kernel/uprn.js';
import { minorUnitsOf } from '../record/orders.errors.js';
import type { OrderAcknowledgement, OrderRequest } from '../record/orders.dto.js';
import type { Placing } from './ordering-client.js';
import { OpenRequestsService } from './open-requests.service.js';
import { PlacingService } from './placing.service.js';
import { TermsService } from './terms.service.js';

export interface PlacedOrder extends OrderAcknowledgement {
  /** This repeats the response to the first request with the same key. */
  readonly replayed: boolean;
}

@Injectable()
export class OrdersService {
  constructor(
    private readonly terms: TermsService,
    private readonly placing: PlacingService,
    private readonly openRequests: OpenRequestsService,
  ) {}

  /** Stores an order request, as `PlacingService.place`. */
  async place(body: OrderRequest, key: string | undefined, placing: Placing): Promise<PlacedOrder> {
    const postcode = this.terms.placeOf(body.postcode, placing.client);
    const request = { kind: 'order', body, postcode } as const;
    const { id, ...placed } = await this.placing.place(request, key, placing, () =>
      this.ordered(body, postcode, placing),
    );
    if (!placed.replayed) this.openRequests.add(placing);
    return { orderId: id, ...placed };
  }

  private async ordered(
    { productCode, uprn: text, checkId: cited, acceptExtraUpTo }: OrderRequest,
    postcode: Postcode,
    placing: Placing,
  ) {
    this.openRequests.requireRoom(placing);
    const { client } = placing;
    const { offer, uprn, catalogueVersion, checkId } = await this.terms.for(
      { postcode, uprn: parseUprn(text ?? ''), productCode, checkId: cited ?? undefined },
      client,
    );
    return {
      uprn,
      productCode: offer.productCode,
      productFamily: familyOf(offer.productCode),
      bandwidthMbps: Math.round(offer.bandwidthProvisioned * 1_000),
      terms: offeredProduct(offer),
      wanted: null,
      enquiryId: null,
      termMonths: offer.term,
      amountMinor: offer.amountMinor,
      currency: offer.currency,
      basis: offer.basis,
      zone: offer.zone,
      priceList: offer.priceList,
      catalogueVersion,
      checkId,
      acceptExtraMinor: minorUnitsOrNull(acceptExtraUpTo ?? null, offer.currency),
    };
  }
}

function minorUnitsOrNull(most: number | null, currency: string): number | null {
  return most === null ? null : minorUnitsOf(most, currency, '/acceptExtraUpTo');
}

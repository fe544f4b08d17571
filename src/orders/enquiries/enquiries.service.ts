import { Injectable } from '@nestjs/common';
import type { Postcode } from '../../platform/kernel/postcode.js';
import { parseUprn } from '../../platform/kernel/uprn.js';
import type { EnquiryAcknowledgement, EnquiryRequest } from '../record/enquiries.dto.js';
import type { Placing } from '../placing/ordering-client.js';
import { OpenRequestsService } from '../placing/open-requests.service.js';
import { PlacingService } from '../placing/placing.service.js';
import { TermsService } from '../placing/terms.service.js';

export interface PlacedEnquiry extends EnquiryAcknowledgement {
  /** This repeats the response to the first request with the same key. */
  readonly replayed: boolean;
}

@Injectable()
export class EnquiriesService {
  constructor(
    private readonly terms: TermsService,
    private readonly placing: PlacingService,
    private readonly openRequests: OpenRequestsService,
  ) {}

  /** Stores an enquiry, as `PlacingService.place`. */
  async place(
    body: EnquiryRequest,
    key: string | undefined,
    placing: Placing,
  ): Promise<PlacedEnquiry> {
    const postcode = this.terms.placeOf(body.postcode, placing.client);
    const request = { kind: 'enquiry', body, postcode } as const;
    const { id, ...placed } = await this.placing.place(request, key, placing, () =>
      this.wanted(body, postcode, placing),
    );
    if (!placed.replayed) this.openRequests.add(placing);
    return { enquiryId: id, ...placed };
  }

  private async wanted(
    { wanted, uprn: text, checkId: cited }: EnquiryRequest,
    postcode: Postcode,
    placing: Placing,
  ) {
    this.openRequests.requireRoom(placing);
    const { client } = placing;
    const { bandwidth = null, term = null, description = null } = wanted ?? {};
    const { uprn, zone, checkId } = await this.terms.placeOfEnquiry(
      { postcode, uprn: parseUprn(text ?? ''), checkId: cited ?? undefined },
      client,
    );
    return {
      uprn,
      productCode: null,
      productFamily: null,
      bandwidthMbps: bandwidth === null ? null : Math.round(bandwidth * 1_000),
      terms: null,
      wanted: { bandwidth, term, description },
      enquiryId: null,
      termMonths: term,
      amountMinor: null,
      currency: null,
      basis: null,
      zone,
      priceList: client.priceList,
      catalogueVersion: null,
      checkId,
      acceptExtraMinor: null,
    };
  }
}

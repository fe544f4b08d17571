import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import type { Response } from 'express';
import { Client, type ClientCaller } from '../../platform/access/caller.js';
import { Requires } from '../../platform/access/rules.js';
import { Creates, Described } from '../../platform/http/described.js';
import { IdParameter } from '../../platform/http/parameters.js';
import { ValidBody, ValidOptionalBody } from '../../platform/http/valid.js';
import { ClientEnquiry, OfferAcceptance, OfferDecline } from '../record/enquiries.dto.js';
import { OrderAcknowledgement } from '../record/orders.dto.js';
import { ClientOrdersService } from '../views/client-orders.service.js';
import { enquiryView } from '../views/client-views.js';
import { AcceptanceService } from './acceptance.service.js';
import { EnquiryMovedProblem } from '../moves/order-moved.dto.js';

const EnquiryId = () => IdParameter('enquiryId');

@Controller('product-availability/enquiry')
@Described('Enquiries', 'For API clients: requests for what is not in the catalogue at a place.')
@ApiExtraModels(EnquiryMovedProblem)
export class ClientOffersController {
  constructor(
    private readonly acceptance: AcceptanceService,
    private readonly clientOrders: ClientOrdersService,
  ) {}

  /**
   * Accept an offer
   *
   * @remarks Creates the order at exactly the terms of the offer, once; the other offers of the enquiry
   * count as declined. Without `reference` and `contact`, the order has those of the enquiry. If the API client repeats the request, it gets the same order again, with
   * `Idempotent-Replayed: true`, so a retry is safe.
   * @throws {404} not-found
   * @throws {409} offer-expired, offer-withdrawn, enquiry-moved
   */
  @Post(':enquiryId/acceptance')
  @Requires('orders:write')
  @Creates({ isReplayed: true })
  async acceptOffer(
    @EnquiryId() enquiryId: string,
    @ValidBody() { offerId, ...details }: OfferAcceptance,
    @Client() client: ClientCaller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OrderAcknowledgement> {
    const { orderId, message, replayed } = await this.acceptance.accept(
      enquiryId,
      offerId,
      details,
      client,
    );
    response.setHeader('Location', `/product-availability/order/${orderId}`);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message, orderId };
  }

  /**
   * Decline all offers
   *
   * @remarks The enquiry ends as `declined`. If it is already declined, the response is the same, so a
   * retry is safe.
   * @throws {404} not-found
   * @throws {409} offer-expired, enquiry-moved
   */
  @Post(':enquiryId/decline')
  @HttpCode(200)
  @Requires('orders:write')
  async declineOffers(
    @EnquiryId() enquiryId: string,
    @ValidOptionalBody() { reason }: OfferDecline,
    @Client() client: ClientCaller,
  ): Promise<ClientEnquiry> {
    await this.acceptance.decline(enquiryId, reason, client);
    return this.clientOrders.find(enquiryView, enquiryId, client);
  }
}

import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  Client,
  type ClientCaller,
  Staff,
  type StaffCaller,
} from '../../platform/access/caller.js';
import { Requires } from '../../platform/access/rules.js';
import { Creates, Described, PathParameter } from '../../platform/http/described.js';
import { IdParameter } from '../../platform/http/parameters.js';
import { ValidBody, ValidOptionalBody } from '../../platform/http/valid.js';
import { ClientEnquiry, OfferAcceptance, OfferDecline } from '../record/enquiries.dto.js';
import { OrderAcknowledgement } from '../record/orders.dto.js';
import { ClientOrdersService } from '../views/client-orders.service.js';
import { enquiryView } from '../views/client-views.js';
import { answerOnce } from '../placing/idempotency.js';
import { AcceptanceService } from './acceptance.service.js';
import { EnquiryMovedProblem, OrderMovedProblem } from '../moves/order-moved.dto.js';
import { NotFound } from '../../platform/problems/problem.js';
import { OrderDetail } from '../staff/detail.dto.js';
import { OrderDetailService } from '../staff/order-detail.service.js';
import { Answer, AnswerDecision, OfferWithdrawal, RecordedAcceptance } from './staff-offers.dto.js';
import { StaffOffersService } from './staff-offers.service.js';

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
   * @throws {422} unknown-interconnect
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
    const accepted = await this.acceptance.accept(enquiryId, offerId, details, client);
    return answerOnce(response, accepted, `order/${accepted.orderId}`);
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

const OrderId = () => IdParameter('orderId');

function readNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new NotFound('There is no answer with this number.');
}

const AnswerNumber = () =>
  PathParameter(
    {
      name: 'answer',
      description: 'The number of an answer to the enquiry.',
      schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 999_999, example: 1 },
    },
    { transform: readNumber },
  );

@Controller('follow-up')
@Described('Offers', "For the operator's staff: bespoke offers in answer to enquiries.")
@ApiExtraModels(EnquiryMovedProblem, OrderMovedProblem)
export class StaffOffersController {
  constructor(
    private readonly offers: StaffOffersService,
    private readonly details: OrderDetailService,
  ) {}

  /**
   * Answer an enquiry
   *
   * @remarks By its owner or a manager: sends one to five offers to the client. They replace the open
   * offers of an earlier answer. If one of them is above or below the operator's limits
   * (`approvalReason`), all of them wait for the approval of a manager other than the caller. For ten seconds, the
   * caller can undo the sending; webhook and email wait as long.
   * @throws {403} not-permitted
   * @throws {404} not-found
   * @throws {409} order-moved
   */
  @Post('orders/:orderId/offers')
  @Requires('follow-up:write')
  @Creates({ hasPath: false })
  async answerEnquiry(
    @OrderId() id: string,
    @ValidBody() answer: Answer,
    @Staff() caller: StaffCaller,
  ): Promise<OrderDetail> {
    await this.offers.send(id, answer, caller);
    return this.details.find(id);
  }

  /**
   * Approve or refuse an answer
   *
   * @remarks By a manager other than its author. With the approval, the client sees the offers; for ten seconds, the
   * manager can undo it, and webhook and email wait as long. The client never sees refused offers.
   * @throws {403} not-permitted
   * @throws {404} not-found
   * @throws {409} enquiry-moved, offer-expired, order-moved
   */
  @Post('orders/:orderId/answers/:answer/decision')
  @HttpCode(200)
  @Requires('follow-up:write')
  async decideAnswer(
    @OrderId() id: string,
    @AnswerNumber() answer: number,
    @ValidBody() decision: AnswerDecision,
    @Staff() caller: StaffCaller,
  ): Promise<OrderDetail> {
    await this.offers.decide(id, answer, decision, caller);
    return this.details.find(id);
  }

  /**
   * Withdraw an offer
   *
   * @remarks By the owner of the enquiry or a manager. Without another open offer, the enquiry is in
   * progress again.
   * @throws {403} not-permitted
   * @throws {404} not-found
   * @throws {409} enquiry-moved
   */
  @Post('orders/:orderId/offers/:offerId/withdrawal')
  @HttpCode(200)
  @Requires('follow-up:write')
  async withdrawOffer(
    @OrderId() id: string,
    @IdParameter('offerId') offerId: string,
    @ValidOptionalBody() { note }: OfferWithdrawal,
    @Staff() caller: StaffCaller,
  ): Promise<OrderDetail> {
    await this.offers.withdraw(id, offerId, note, caller);
    return this.details.find(id);
  }

  /**
   * Record that the client accepts an offer
   *
   * @remarks By any staff member, for a client who says so by telephone or email; by the author of the offer only
   * up to `ACCEPTANCE_ALONE_UP_TO`. Creates
   * the order at exactly the terms of the offer, once; the other offers count as declined. If the request is
   * repeated, the response names the same order: `orderId` of the offer.
   * @throws {403} not-permitted
   * @throws {404} not-found
   * @throws {409} enquiry-moved, offer-expired, offer-withdrawn
   */
  @Post('orders/:orderId/offers/:offerId/acceptance')
  @HttpCode(200)
  @Requires('follow-up:write')
  async recordAcceptance(
    @OrderId() id: string,
    @IdParameter('offerId') offerId: string,
    @ValidBody() { by }: RecordedAcceptance,
    @Staff() caller: StaffCaller,
  ): Promise<OrderDetail> {
    await this.offers.recordAcceptance(id, offerId, by, caller);
    return this.details.find(id);
  }
}

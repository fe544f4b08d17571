import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { Staff, type StaffCaller } from '../../platform/access/caller.js';
import { Requires } from '../../platform/access/rules.js';
import { Creates, Described, PathParameter } from '../../platform/http/described.js';
import { IdParameter } from '../../platform/http/parameters.js';
import { ValidBody, ValidOptionalBody } from '../../platform/http/valid.js';
import { OrderMovedProblem, EnquiryMovedProblem } from '../moves/order-moved.dto.js';
import { NotFound } from '../../platform/problems/problem.js';
import {
  Answer,
  AnswerRefusal,
  AwaitedAnswers,
  OfferWithdrawal,
  RecordedAcceptance,
  StaffOfferList,
} from './staff-offers.dto.js';
import { StaffOffersService } from './staff-offers.service.js';

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
  constructor(private readonly offers: StaffOffersService) {}

  /**
   * List the offers of an enquiry
   *
   * @throws {404} not-found
   */
  @Get('orders/:orderId/offers')
  @Requires('follow-up:read')
  listOffers(@OrderId() id: string): Promise<StaffOfferList> {
    return this.offers.list(id);
  }

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
  answerEnquiry(
    @OrderId() id: string,
    @ValidBody() answer: Answer,
    @Staff() caller: StaffCaller,
  ): Promise<StaffOfferList> {
    return this.offers.send(id, answer, caller);
  }

  /**
   * Approve an answer
   *
   * @remarks By a manager other than its author: the client sees the offers. For ten seconds, the manager can
   * undo the approval; webhook and email wait as long.
   * @throws {403} not-permitted
   * @throws {404} not-found
   * @throws {409} enquiry-moved, offer-expired, order-moved
   */
  @Post('orders/:orderId/answers/:answer/approval')
  @HttpCode(200)
  @Requires('follow-up:write')
  approveAnswer(
    @OrderId() id: string,
    @AnswerNumber() answer: number,
    @Staff() caller: StaffCaller,
  ): Promise<StaffOfferList> {
    return this.offers.approve(id, answer, caller);
  }

  /**
   * Refuse an answer
   *
   * @remarks By a manager other than its author: the client never sees the offers.
   * @throws {403} not-permitted
   * @throws {404} not-found
   * @throws {409} enquiry-moved
   */
  @Post('orders/:orderId/answers/:answer/refusal')
  @HttpCode(200)
  @Requires('follow-up:write')
  refuseAnswer(
    @OrderId() id: string,
    @AnswerNumber() answer: number,
    @ValidBody() { reason }: AnswerRefusal,
    @Staff() caller: StaffCaller,
  ): Promise<StaffOfferList> {
    return this.offers.refuse(id, answer, reason, caller);
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
  withdrawOffer(
    @OrderId() id: string,
    @IdParameter('offerId') offerId: string,
    @ValidOptionalBody() { note }: OfferWithdrawal,
    @Staff() caller: StaffCaller,
  ): Promise<StaffOfferList> {
    return this.offers.withdraw(id, offerId, note, caller);
  }

  /**
   * Record that the client accepts an offer
   *
   * @remarks By the owner of the enquiry or a manager, for a client who says so by telephone or email. Creates
   * the order at exactly the terms of the offer, once; the other offers count as declined. If the request is
   * repeated, the response names the same order.
   * @throws {403} not-permitted
   * @throws {404} not-found
   * @throws {409} enquiry-moved, offer-expired, offer-withdrawn
   */
  @Post('orders/:orderId/offers/:offerId/acceptance')
  @HttpCode(200)
  @Requires('follow-up:write')
  recordAcceptance(
    @OrderId() id: string,
    @IdParameter('offerId') offerId: string,
    @ValidBody() { by }: RecordedAcceptance,
    @Staff() caller: StaffCaller,
  ): Promise<StaffOfferList> {
    return this.offers.recordAcceptance(id, offerId, by, caller);
  }

  /** List the answers that wait for approval */
  @Get('approvals')
  @Requires('follow-up:read')
  listApprovals(): Promise<AwaitedAnswers> {
    return this.offers.awaited();
  }
}

import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { Staff, type StaffCaller } from '../../platform/access/caller.js';
import { Requires } from '../../platform/access/rules.js';
import { Creates, Described } from '../../platform/http/described.js';
import { IdParameter } from '../../platform/http/parameters.js';
import { ValidBody } from '../../platform/http/valid.js';
import { ChargeAnsweredProblem } from '../record/orders.dto.js';
import { OrderMovedProblem } from '../moves/order-moved.dto.js';
import {
  ChargeProposalBody,
  ChargeResult,
  HeardAnswer,
  OrderCharges,
} from './staff-charges.dto.js';
import { StaffChargesService } from './staff-charges.service.js';

@Controller('follow-up/orders/:orderId/charges')
@Described('Charges', "For the operator's staff: extra one-off charges on orders.")
@ApiExtraModels(ChargeAnsweredProblem, OrderMovedProblem)
export class StaffChargesController {
  constructor(private readonly charges: StaffChargesService) {}

  /**
   * List the extra charges of an order
   *
   * @throws {404} not-found
   */
  @Get()
  @Requires('follow-up:read')
  listCharges(@IdParameter('orderId') orderId: string): Promise<OrderCharges> {
    return this.charges.list(orderId);
  }

  /**
   * Propose an extra charge
   *
   * @remarks By the owner or a manager, on an open order with an owner whose terms have
   * `extraChargesPossible`. If it fits, with the charges already accepted, into `acceptExtraUpTo` of the
   * order, it is accepted at once, unless its proposer took the order down by phone. Otherwise an order without a scheduled action is scheduled for the
   * working morning before the charge lapses. An answer of the API client, or none in time, makes the order due for its owner.
   *
   * @throws {403} not-permitted
   * @throws {404} not-found
   * @throws {409} order-moved
   * @throws {422} extra-charges-excluded
   */
  @Post()
  @Requires('follow-up:write')
  @Creates({ hasPath: false })
  proposeCharge(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...proposal }: ChargeProposalBody,
    @Staff() caller: StaffCaller,
  ): Promise<ChargeResult> {
    return this.charges.propose({ orderId, version }, proposal, caller);
  }

  /**
   * Withdraw an extra charge
   *
   * @remarks By the owner or a manager, while it awaits an answer. If it is already withdrawn, the
   * response is the same.
   *
   * @throws {403} not-permitted
   * @throws {404} not-found
   * @throws {409} charge-answered
   */
  @Post(':chargeId/withdraw')
  @HttpCode(200)
  @Requires('follow-up:write')
  withdrawCharge(
    @IdParameter('orderId') orderId: string,
    @IdParameter('chargeId') chargeId: string,
    @Staff() caller: StaffCaller,
  ): Promise<ChargeResult> {
    return this.charges.withdraw(orderId, chargeId, caller);
  }

  /**
   * Record the answer to an extra charge
   *
   * @remarks For a client who answers by phone. The first answer counts. The same answer again gets the
   * same response. That the client accepts the charge is recorded by another person than its proposer.
   *
   * @throws {403} not-permitted
   * @throws {404} not-found
   * @throws {409} charge-answered
   */
  @Post(':chargeId/answer')
  @HttpCode(200)
  @Requires('follow-up:write')
  recordChargeAnswer(
    @IdParameter('orderId') orderId: string,
    @IdParameter('chargeId') chargeId: string,
    @ValidBody() answer: HeardAnswer,
    @Staff() caller: StaffCaller,
  ): Promise<ChargeResult> {
    return this.charges.recordAnswer(orderId, chargeId, answer, caller);
  }
}

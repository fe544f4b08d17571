import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import {
  Client,
  type ClientCaller,
  Staff,
  type StaffCaller,
} from '../../platform/access/caller.js';
import { Requires } from '../../platform/access/rules.js';
import { Described, Examples, Creates } from '../../platform/http/described.js';
import { IdParameter } from '../../platform/http/parameters.js';
import { ValidBody } from '../../platform/http/valid.js';
import { ClientOrder, ChargeAnswer, ChargeAnsweredProblem } from '../record/orders.dto.js';
import { ClientOrdersService } from '../views/client-orders.service.js';
import { orderView } from '../views/client-views.js';
import { ChargesService } from './charges.service.js';
import { OrderMovedProblem } from '../moves/order-moved.dto.js';
import { OrderDetail } from '../staff/detail.dto.js';
import { OrderDetailService } from '../staff/order-detail.service.js';
import { ChargeProposalBody, HeardAnswer } from './staff-charges.dto.js';
import { StaffChargesService } from './staff-charges.service.js';

@Controller('product-availability/order')
@Described('Orders', 'For API clients: order requests and their status.')
@ApiExtraModels(ChargeAnsweredProblem)
export class ChargesController {
  constructor(
    private readonly charges: ChargesService,
    private readonly clientOrders: ClientOrdersService,
  ) {}

  /**
   * Answer an extra charge
   *
   * @remarks Accepts or rejects a charge that is `awaitingResponse`. The first answer counts. The same
   * answer again, with the same `by`, gets the same response, so a retry is safe. If the charge has
   * ended in another way, the response is 409 `charge-answered`, with its `state`.
   * @throws {404} not-found
   * @throws {409} charge-answered
   */
  @Post(':orderId/charge/:chargeId/answer')
  @HttpCode(200)
  @Requires('orders:write')
  @Examples({
    request: {
      accepted: { summary: 'Accept', value: { accept: true, by: 'Ada Lovelace' } },
      rejected: { summary: 'Reject', value: { accept: false } },
    },
  })
  async answerCharge(
    @IdParameter('orderId') orderId: string,
    @IdParameter('chargeId') chargeId: string,
    @ValidBody() answer: ChargeAnswer,
    @Client() client: ClientCaller,
  ): Promise<ClientOrder> {
    await this.charges.answer(orderId, chargeId, answer, client);
    return this.clientOrders.find(orderView, orderId, client);
  }
}

@Controller('follow-up/orders/:orderId/charges')
@Described('Charges', "For the operator's staff: extra one-off charges on orders.")
@ApiExtraModels(ChargeAnsweredProblem, OrderMovedProblem)
export class StaffChargesController {
  constructor(
    private readonly charges: StaffChargesService,
    private readonly details: OrderDetailService,
  ) {}

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
  async proposeCharge(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...proposal }: ChargeProposalBody,
    @Staff() caller: StaffCaller,
  ): Promise<OrderDetail> {
    await this.charges.propose({ orderId, version }, proposal, caller);
    return this.details.find(orderId);
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
  @Post(':chargeId/withdrawal')
  @HttpCode(200)
  @Requires('follow-up:write')
  async withdrawCharge(
    @IdParameter('orderId') orderId: string,
    @IdParameter('chargeId') chargeId: string,
    @Staff() caller: StaffCaller,
  ): Promise<OrderDetail> {
    await this.charges.withdraw(orderId, chargeId, caller);
    return this.details.find(orderId);
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
  async recordChargeAnswer(
    @IdParameter('orderId') orderId: string,
    @IdParameter('chargeId') chargeId: string,
    @ValidBody() answer: HeardAnswer,
    @Staff() caller: StaffCaller,
  ): Promise<OrderDetail> {
    await this.charges.recordAnswer(orderId, chargeId, answer, caller);
    return this.details.find(orderId);
  }
}

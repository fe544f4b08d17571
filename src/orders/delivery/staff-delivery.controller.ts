import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { Staff, type StaffCaller } from '../../platform/access/caller.js';
import { Requires } from '../../platform/access/rules.js';
import { Described } from '../../platform/http/described.js';
import { IdParameter } from '../../platform/http/parameters.js';
import { ValidBody } from '../../platform/http/valid.js';
import { ChargeOpenProblem, OrderMovedProblem } from '../moves/order-moved.dto.js';
import { FollowUpOrder } from '../staff/follow-up.dto.js';
import { CancellationsService } from './cancellations.service.js';
import { OrderDeliveriesService } from './order-deliveries.service.js';
import { CancellationAnswerBody, DeliveryChangeBody } from './staff-delivery.dto.js';

@Controller('follow-up/orders/:orderId')
@Described('Deliveries', "For the operator's staff: what happens after an order is accepted.")
@ApiExtraModels(ChargeOpenProblem, OrderMovedProblem)
export class StaffDeliveryController {
  constructor(
    private readonly deliveries: OrderDeliveriesService,
    private readonly cancellations: CancellationsService,
  ) {}

  /**
   * Change the delivery of an order
   *
   * @remarks By any staff member, on an order that is won: one or several milestones, the committed date, who is
   * waited for, and the service id. The client sees all but the note. A change that says what is so already
   * changes nothing.
   *
   * @throws {404} not-found
   * @throws {409} order-moved
   */
  @Post('delivery')
  @HttpCode(200)
  @Requires('follow-up:write')
  changeDelivery(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...change }: DeliveryChangeBody,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.deliveries.change({ orderId, version }, change, caller);
  }

  /**
   * Answer a request to cancel an accepted order
   *
   * @remarks By the owner or a manager. Without an `amount`, the order is cancelled at once. With one, a charge
   * of the category `cancellation` is proposed, and the order is cancelled when the client accepts it; until it is
   * answered or withdrawn, the response is 409 `charge-open`.
   *
   * @throws {403} not-permitted
   * @throws {404} not-found
   * @throws {409} order-moved, charge-open
   */
  @Post('cancellation-answer')
  @HttpCode(200)
  @Requires('follow-up:write')
  answerCancellation(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...answer }: CancellationAnswerBody,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.cancellations.answer({ orderId, version }, answer, caller);
  }
}

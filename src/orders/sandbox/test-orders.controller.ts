import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { Client, type ClientCaller } from '../../platform/access/caller.js';
import { Described, Examples } from '../../platform/http/described.js';
import { IdParameter } from '../../platform/http/parameters.js';
import { Requires } from '../../platform/access/rules.js';
import { ValidOptionalBody } from '../../platform/http/valid.js';
import { ClientOrder, TestAdvance } from '../record/orders.dto.js';
import { OrderMovedProblem } from '../moves/order-moved.dto.js';
import { TestOrdersService } from './test-orders.service.js';

@Controller('product-availability/test/order')
@Described('Sandbox', 'For API clients with a test token: operations that only the sandbox has.')
@ApiExtraModels(OrderMovedProblem)
export class TestOrdersController {
  constructor(private readonly testOrders: TestOrdersService) {}

  /**
   * Advance a test order
   *
   * @remarks For test tokens only: does what the operator's staff would do, and calls the webhook for
   * each new state. Without a body, the order moves to the next of `acknowledged`, `inProgress` and
   * `accepted`; with `to`, to that state, through `inProgress` if needed. If the order has ended, the
   * response is 409 `order-moved`. With a live token it is 404.
   * @throws {404} not-found
   * @throws {409} order-moved
   */
  @Post(':orderId/advance')
  @HttpCode(200)
  @Requires('orders:write')
  @Examples({
    request: {
      next: { summary: 'To the next state', value: {} },
      rejected: { summary: 'To a chosen state', value: { to: 'rejected' } },
    },
  })
  advanceTestOrder(
    @IdParameter('orderId') orderId: string,
    @ValidOptionalBody() { to }: TestAdvance,
    @Client() client: ClientCaller,
  ): Promise<ClientOrder> {
    return this.testOrders.advance(orderId, to, client);
  }
}

import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { Client, type ClientCaller } from '../../access/caller.js';
import { Described, Examples } from '../../http/described.js';
import { IdParameter } from '../../http/id-parameter.js';
import { Requires } from '../../access/scopes.js';
import { ValidOptionalBody } from '../../http/valid.js';
import { ClientOrder, TestAdvance } from '../orders.dto.js';
import { OrderMovedProblem } from '../moves/order-moved.dto.js';
import { TestOrdersService } from './test-orders.service.js';

@Controller('product-availability/test/order')
@Described('Sandbox', 'For API clients with a test token: what only the sandbox has.')
@ApiExtraModels(OrderMovedProblem)
export class TestOrdersController {
  constructor(private readonly testOrders: TestOrdersService) {}

  /**
   * Move a test order on
   *
   * @remarks For test tokens only: does what the operator's staff would do, and fires the webhook.
   * Without a body the order comes into its next state: `acknowledged`, `inProgress`, `accepted`.
   * With `to` it comes into that one, through `inProgress` where that lies between, each of them told
   * to the webhook. An order that has ended stays as it is: 409 `order-moved`. To a live token no test order exists: 404.
   * @throws {404} not-found
   * @throws {409} order-moved
   */
  @Post(':orderId/advance')
  @HttpCode(200)
  @Requires('orders:write')
  @Examples({
    request: {
      next: { summary: 'To the next state', value: {} },
      rejected: { summary: 'To an end of your choice', value: { to: 'rejected' } },
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

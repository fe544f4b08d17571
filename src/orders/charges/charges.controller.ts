import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { Client, type ClientCaller } from '../../platform/access/caller.js';
import { Requires } from '../../platform/access/rules.js';
import { Described, Examples } from '../../platform/http/described.js';
import { IdParameter } from '../../platform/http/parameters.js';
import { ValidBody } from '../../platform/http/valid.js';
import { ClientOrder, ChargeAnswer, ChargeAnsweredProblem } from '../record/orders.dto.js';
import { ClientOrdersService } from '../views/client-orders.service.js';
import { orderView } from '../views/client-views.js';
import { ChargesService } from './charges.service.js';

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

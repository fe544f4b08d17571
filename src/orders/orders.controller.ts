import { Controller, Get, Headers, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Client, type ClientCaller } from '../access/caller.js';
import { Requires } from '../access/scopes.js';
import { IdParameter } from '../http/id-parameter.js';
import { ValidBody, ValidQuery } from '../http/valid.js';
import { ClientOrdersService } from './views/client-orders.service.js';
import { readIdempotencyKey } from './placing/idempotency.js';
import {
  Cancellation,
  ClientOrder,
  ClientOrderPage,
  ClientOrderQuery,
  OrderAcknowledgement,
  OrderRequest,
} from './orders.dto.js';
import { OrdersService } from './placing/orders.service.js';

@Controller('product-availability/order')
export class OrdersController {
  constructor(
    private readonly orders: OrdersService,
    private readonly clientOrders: ClientOrdersService,
  ) {}

  /**
   * Place an order request
   *
   * @remarks Stores a request for one product at one postcode; a person then contacts the client.
   * With an `Idempotency-Key` the request can be repeated safely: the first answer is given again.
   * Without one, equal requests are separate orders.
   * @throws {409} request-in-progress, offer-changed
   * @throws {422} unknown-product, product-not-available, unknown-check, idempotency-key-reused
   */
  @Post()
  @Requires('orders:write')
  async placeOrder(
    @ValidBody() request: OrderRequest,
    @Client() client: ClientCaller,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OrderAcknowledgement> {
    const placed = await this.orders.place(request, readIdempotencyKey(key), client);
    response.setHeader('Location', `/product-availability/order/${placed.orderId}`);
    if (placed.replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message: placed.message, orderId: placed.orderId };
  }

  /**
   * List order requests
   *
   * @remarks The API client's own, newest first.
   */
  @Get()
  @Requires('orders:read')
  listOrders(
    @ValidQuery() query: ClientOrderQuery,
    @Client() client: ClientCaller,
  ): Promise<ClientOrderPage> {
    return this.clientOrders.list(query, client);
  }

  /**
   * Read an order request
   *
   * @remarks What was ordered, with the terms as quoted, and what has become of it. Only the API
   * client that placed it can read it.
   * @throws {404} not-found
   */
  @Get(':orderId')
  @Requires('orders:read')
  readOrder(
    @IdParameter('orderId') orderId: string,
    @Client() client: ClientCaller,
  ): Promise<ClientOrder> {
    return this.clientOrders.find(orderId, client);
  }

  /**
   * Call an order request off
   *
   * @remarks Possible while it is open. One that is cancelled already stays so, and is answered the
   * same, so that the call can be repeated; one that has ended otherwise is a 409 `order-moved`.
   * @throws {404} not-found
   * @throws {409} order-moved
   */
  @Post(':orderId/cancellation')
  @HttpCode(200)
  @Requires('orders:write')
  cancelOrder(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { reason }: Cancellation,
    @Client() client: ClientCaller,
  ): Promise<ClientOrder> {
    return this.clientOrders.cancel(orderId, reason, client);
  }
}

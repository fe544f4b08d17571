import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Client, type ClientCaller } from '../../platform/access/caller.js';
import { Requires } from '../../platform/access/rules.js';
import { Creates, Described, Examples } from '../../platform/http/described.js';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { IdParameter } from '../../platform/http/parameters.js';
import { ValidBody, ValidQuery } from '../../platform/http/valid.js';
import { answerOnce, IdempotencyKeyHeader, readIdempotencyKey } from '../placing/idempotency.js';
import { MessagePage, MessageReceipt, NewMessage } from './messages.dto.js';
import { type WrittenAbout, MessagesService } from './messages.service.js';

const text = 'The site contact is Grace Hopper, 020 7946 0958, from 8:00.';
const examples = {
  request: {
    question: {
      summary: 'Ask or tell something',
      value: { text: 'May we have the second floor?' },
    },
    answer: { summary: 'Answer what is waited for', value: { text, answersWaiting: true } },
  },
};

@Controller('product-availability/order/:orderId/message')
@Described('Orders', 'For API clients: order requests and their status.')
export class OrderMessagesController {
  constructor(private readonly messages: MessagesService) {}

  /**
   * Write about an order
   *
   * @remarks The operator's staff read the message and answer it. With `answersWaiting`, the delivery waits for the operator
   * from then on; if it does not wait for the client, the response is 409 `not-waiting`. Possible until 30 days
   * after the end of the order, then 409 `order-moved`; at most 50 messages a day on one order.
   * @throws {404} not-found
   * @throws {409} not-waiting, order-moved, request-in-progress
   * @throws {422} idempotency-key-reused
   */
  @Post()
  @Requires('orders:write')
  @Creates({ hasPath: false })
  @Examples(examples)
  sendOrderMessage(
    @IdParameter('orderId') id: string,
    @ValidBody() body: NewMessage,
    @Client() client: ClientCaller,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageReceipt> {
    return receive(this.messages, { kind: 'order', id }, body, client, key, response);
  }

  /**
   * Read the messages of an order
   *
   * @remarks Of both sides, oldest first.
   * @throws {404} not-found
   */
  @Get()
  @Requires('orders:read')
  listOrderMessages(
    @IdParameter('orderId') id: string,
    @ValidQuery() query: PageQuery,
    @Client() client: ClientCaller,
  ): Promise<MessagePage> {
    return this.messages.list({ kind: 'order', id }, query, client);
  }
}

@Controller('product-availability/enquiry/:enquiryId/message')
@Described('Enquiries', 'For API clients: requests for what is not in the catalogue at a place.')
export class EnquiryMessagesController {
  constructor(private readonly messages: MessagesService) {}

  /**
   * Write about an enquiry
   *
   * @remarks As about an order. An enquiry has no delivery, so `answersWaiting` gets 409 `not-waiting`. After its end: 409 `enquiry-moved`.
   * @throws {404} not-found
   * @throws {409} not-waiting, enquiry-moved, request-in-progress
   * @throws {422} idempotency-key-reused
   */
  @Post()
  @Requires('orders:write')
  @Creates({ hasPath: false })
  @Examples({ request: { question: examples.request.question } })
  sendEnquiryMessage(
    @IdParameter('enquiryId') id: string,
    @ValidBody() body: NewMessage,
    @Client() client: ClientCaller,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageReceipt> {
    return receive(this.messages, { kind: 'enquiry', id }, body, client, key, response);
  }

  /**
   * Read the messages of an enquiry
   *
   * @remarks Of both sides, oldest first.
   * @throws {404} not-found
   */
  @Get()
  @Requires('orders:read')
  listEnquiryMessages(
    @IdParameter('enquiryId') id: string,
    @ValidQuery() query: PageQuery,
    @Client() client: ClientCaller,
  ): Promise<MessagePage> {
    return this.messages.list({ kind: 'enquiry', id }, query, client);
  }
}

async function receive(
  messages: MessagesService,
  subject: WrittenAbout,
  body: NewMessage,
  client: ClientCaller,
  key: string | undefined,
  response: Response,
): Promise<MessageReceipt> {
  const receipt = await messages.receive(subject, body, readIdempotencyKey(key), client);
  return answerOnce(response, receipt);
}

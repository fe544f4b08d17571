import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import type { Response } from 'express';
import { Client, type ClientCaller } from '../platform/access/caller.js';
import { Requires } from '../platform/access/rules.js';
import { Described, Examples } from '../platform/http/described.js';
import { IdParameter } from '../platform/http/parameters.js';
import { ValidBody, ValidOptionalBody, ValidQuery } from '../platform/http/valid.js';
import { AmendmentsService } from './conversation/amendments.service.js';
import { CancellationsService } from './delivery/cancellations.service.js';
import { ClientOrdersService } from './views/client-orders.service.js';
import { orderView, enquiryView } from './views/client-views.js';
import { answerOnce, readIdempotencyKey, IdempotencyKeyHeader } from './placing/idempotency.js';
import { OrderMovedProblem, EnquiryMovedProblem } from './moves/order-moved.dto.js';
import {
  Cancellation,
  CancellationCostsMoreProblem,
  ClientOrder,
  ClientOrderPage,
  ClientOrderQuery,
  OfferChangedProblem,
  OrderAcknowledgement,
  OrderCancellation,
  OrderRequest,
  ProductNotAvailableProblem,
  TestAdvance,
} from './record/orders.dto.js';
import { placingOf } from './placing/ordering-client.js';
import { PlacingService } from './placing/placing.service.js';
import {
  Amendment,
  ClientEnquiry,
  ClientEnquiryPage,
  ClientEnquiryQuery,
  EnquiryAcknowledgement,
  EnquiryRequest,
  EnquiryTestAdvance,
} from './record/enquiries.dto.js';
import { TestOrdersService } from './sandbox/test-orders.service.js';

const amendmentExamples = {
  request: {
    days: {
      summary: 'Days, another floor, and no contact of its own',
      value: { contact: null, details: { floor: '3' }, preferredDays: { days: ['mon', 'thu'] } },
    },
  },
};

@Controller('product-availability/order')
@Described('Orders', 'For API clients: order requests and their status.')
@ApiExtraModels(
  CancellationCostsMoreProblem,
  OfferChangedProblem,
  OrderMovedProblem,
  ProductNotAvailableProblem,
)
export class OrdersController {
  constructor(
    private readonly placing: PlacingService,
    private readonly clientOrders: ClientOrdersService,
    private readonly cancellations: CancellationsService,
    private readonly amendments: AmendmentsService,
  ) {}

  /**
   * Place an order request
   *
   * @remarks Stores a request for one product at one postcode. A member of staff then contacts the
   * client. With an `Idempotency-Key`, a retry is safe: it gets the first response again. Without one,
   * equal requests are separate orders.
   * @throws {409} request-in-progress, offer-changed, too-many-open
   * @throws {422} unknown-product, product-not-available, interconnect-required, unknown-interconnect, unknown-check, idempotency-key-reused
   */
  @Post()
  @Requires('orders:write')
  @Examples({
    request: {
      least: {
        summary: 'Required fields',
        value: { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' },
      },
      all: {
        summary: 'All fields',
        value: {
          postcode: 'EC2A 2BS',
          productCode: 'INT-1G-12',
          checkId: 'KR3FVJ7P2M',
          reference: 'PO-4711',
          contact: { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+44 20 7946 0958' },
          notes: 'Access to the riser only on weekdays.',
        },
      },
    },
  })
  async placeOrder(
    @ValidBody() request: OrderRequest,
    @Client() client: ClientCaller,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OrderAcknowledgement> {
    const placing = placingOf(client);
    const placed = await this.placing.placeOrder(request, readIdempotencyKey(key), placing);
    return answerOnce(response, placed, `order/${placed.orderId}`);
  }

  /**
   * List order requests
   *
   * @remarks The API client's own orders, newest first.
   */
  @Get()
  @Requires('orders:read')
  listOrders(
    @ValidQuery() query: ClientOrderQuery,
    @Client() client: ClientCaller,
  ): Promise<ClientOrderPage> {
    return this.clientOrders.list(orderView, query, client);
  }

  /**
   * Read an order request
   *
   * @remarks The ordered product with its agreed terms, and the status. Only the API client that
   * placed the order can read it.
   * @throws {404} not-found
   */
  @Get(':orderId')
  @Requires('orders:read')
  readOrder(
    @IdParameter('orderId') orderId: string,
    @Client() client: ClientCaller,
  ): Promise<ClientOrder> {
    return this.clientOrders.find(orderView, orderId, client);
  }

  /**
   * Cancel an order request
   *
   * @remarks While it is open, the order is cancelled. Once it is `accepted`, this is a request, which the
   * operator answers, with a charge or without: `delivery.cancellationRequestedAt` says that it is open.
   * With `acceptUpTo` of at least `delivery.cancellation`, the charge is accepted and the order is cancelled at once. If the
   * order is already cancelled, or the request made, the response is the same, so a retry is safe. If the service
   * is live, or the order has ended in another way, the response is 409 `order-moved`.
   * @throws {404} not-found
   * @throws {409} order-moved, cancellation-costs-more
   */
  @Post(':orderId/cancellation')
  @HttpCode(200)
  @Requires('orders:write')
  cancelOrder(
    @IdParameter('orderId') orderId: string,
    @ValidOptionalBody() body: OrderCancellation,
    @Client() client: ClientCaller,
  ): Promise<ClientOrder> {
    return this.cancellations.cancel(orderId, body, client);
  }

  /**
   * Amend an order request
   *
   * @remarks Product, place and terms cannot be amended: place another order, and cancel this one. Possible until the milestone `installed` is done; then
   * the response is 409 `order-moved`. If nothing changes, the response is the same and no one is notified, so a
   * retry is safe. Of two amendments at once, both apply; where both name the same member, the later one replaces it.
   * @throws {404} not-found
   * @throws {409} order-moved
   * @throws {422} interconnect-required, unknown-interconnect
   */
  @Post(':orderId/amendment')
  @HttpCode(200)
  @Requires('orders:write')
  @Examples(amendmentExamples)
  amendOrder(
    @IdParameter('orderId') orderId: string,
    @ValidBody() amendment: Amendment,
    @Client() client: ClientCaller,
  ): Promise<ClientOrder> {
    return this.amendments.amend(orderView, orderId, amendment, client);
  }
}

const EnquiryId = () => IdParameter('enquiryId');

@Controller('product-availability')
@Described('Enquiries', 'For API clients: requests for what is not in the catalogue at a place.')
@ApiExtraModels(EnquiryMovedProblem)
export class EnquiriesController {
  constructor(
    private readonly placing: PlacingService,
    private readonly clientOrders: ClientOrdersService,
    private readonly testOrders: TestOrdersService,
    private readonly amendments: AmendmentsService,
  ) {}

  /**
   * Place an enquiry
   *
   * @remarks Stores a request for something that is not in the catalogue at this place. A member of
   * staff then answers it. Idempotency keys and limits are those of orders.
   * @throws {409} request-in-progress, too-many-open
   * @throws {422} unknown-check, uprn-not-at-postcode, unknown-interconnect, idempotency-key-reused
   */
  @Post('enquiry')
  @Requires('orders:write')
  @Examples({
    request: {
      least: { summary: 'Required fields', value: { postcode: 'EC2A 2BS' } },
      all: {
        summary: 'All fields',
        value: {
          postcode: 'EC2A 2BS',
          wanted: { bandwidth: 10, term: 36, description: 'Two diverse routes.' },
          checkId: 'KR3FVJ7P2M',
          reference: 'RFQ-204',
          contact: { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+44 20 7946 0958' },
          notes: 'Call after 14:00.',
        },
      },
    },
  })
  async placeEnquiry(
    @ValidBody() request: EnquiryRequest,
    @Client() client: ClientCaller,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EnquiryAcknowledgement> {
    const placing = placingOf(client);
    const placed = await this.placing.placeEnquiry(request, readIdempotencyKey(key), placing);
    return answerOnce(response, placed, `enquiry/${placed.enquiryId}`);
  }

  /**
   * List enquiries
   *
   * @remarks The API client's own enquiries, newest first.
   */
  @Get('enquiry')
  @Requires('orders:read')
  listEnquiries(
    @ValidQuery() query: ClientEnquiryQuery,
    @Client() client: ClientCaller,
  ): Promise<ClientEnquiryPage> {
    return this.clientOrders.list(enquiryView, query, client);
  }

  /**
   * Read an enquiry
   *
   * @remarks What the client wants, and the status. Only the API client that placed the enquiry can
   * read it.
   * @throws {404} not-found
   */
  @Get('enquiry/:enquiryId')
  @Requires('orders:read')
  readEnquiry(@EnquiryId() id: string, @Client() client: ClientCaller): Promise<ClientEnquiry> {
    return this.clientOrders.find(enquiryView, id, client);
  }

  /**
   * Cancel an enquiry
   *
   * @remarks Possible while it is open. If it is already cancelled, the response is the same, so a
   * retry is safe. If it has ended in another way, the response is 409 `enquiry-moved`.
   * @throws {404} not-found
   * @throws {409} enquiry-moved
   */
  @Post('enquiry/:enquiryId/cancellation')
  @HttpCode(200)
  @Requires('orders:write')
  cancelEnquiry(
    @EnquiryId() id: string,
    @ValidOptionalBody() { reason }: Cancellation,
    @Client() client: ClientCaller,
  ): Promise<ClientEnquiry> {
    return this.clientOrders.cancel(enquiryView, id, reason, client);
  }

  /**
   * Amend an enquiry
   *
   * @remarks As for an order, until the enquiry is closed; then the response is 409 `enquiry-moved`.
   * @throws {404} not-found
   * @throws {409} enquiry-moved
   * @throws {422} unknown-interconnect
   */
  @Post('enquiry/:enquiryId/amendment')
  @HttpCode(200)
  @Requires('orders:write')
  @Examples(amendmentExamples)
  amendEnquiry(
    @EnquiryId() id: string,
    @ValidBody() amendment: Amendment,
    @Client() client: ClientCaller,
  ): Promise<ClientEnquiry> {
    return this.amendments.amend(enquiryView, id, amendment, client);
  }

  /**
   * Advance a test enquiry
   *
   * @remarks For test tokens only: does what the operator's staff would do, and calls the webhook for
   * each new state, and first answers what you have written. Without a body, the enquiry moves to the next state of its sandbox postcode; with
   * `to`, to that state, through `inProgress` if needed. If the enquiry has ended, the response is
   * 409 `enquiry-moved`. With a live token it is 404.
   * @throws {404} not-found
   * @throws {409} enquiry-moved
   */
  @Post('test/enquiry/:enquiryId/advance')
  @HttpCode(200)
  @Requires('orders:write')
  @Examples({
    request: {
      next: { summary: 'To the next state', value: {} },
      unable: { summary: 'To a chosen state', value: { to: 'unableToProvide' } },
    },
  })
  advanceTestEnquiry(
    @EnquiryId() id: string,
    @ValidOptionalBody() { to }: EnquiryTestAdvance,
    @Client() client: ClientCaller,
  ): Promise<ClientEnquiry> {
    return this.testOrders.advanceEnquiry(id, to, client);
  }
}

@Controller('product-availability/test/order')
@Described('Sandbox', 'For API clients with a test token: operations that only the sandbox has.')
@ApiExtraModels(OrderMovedProblem)
export class TestOrdersController {
  constructor(private readonly testOrders: TestOrdersService) {}

  /**
   * Advance a test order
   *
   * @remarks For test tokens only: does what the operator's staff would do, and calls the webhook for
   * each new state, and first answers what you have written. Without a body, the order moves to the next of `acknowledged`, `inProgress` and
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

import { Controller, Get, Res, HttpCode, Post } from '@nestjs/common';
import type { Response } from 'express';
import { Staff, type StaffCaller } from '../platform/access/caller.js';
import { Heavy, LongLived, Requires } from '../platform/access/rules.js';
import { attach, CSV } from '../platform/http/attachment.js';
import { IdParameter } from '../platform/http/parameters.js';
import { Described, Streams, Examples } from '../platform/http/described.js';
import { ValidQuery } from '../platform/http/valid.js';
import { OrderDetail } from '../orders/staff/detail.dto.js';
import { ExportService } from './lists/export.service.js';
import { ExportQuery, FollowUpPage, FollowUpQuery } from './lists/list.dto.js';
import { FollowUpService } from './lists/follow-up.service.js';
import { LiveService } from './live/live.service.js';
import { StaffPeople, BulkResult, TakenOrder } from '../orders/staff/moves.dto.js';
import { OrderActionsService } from '../orders/staff/order-actions.service.js';
import { OrderDetailService } from '../orders/staff/order-detail.service.js';
import { ApiExtraModels } from '@nestjs/swagger';
import { ValidKind } from '../platform/http/kinds-of-body.js';
import { AmendmentsService } from '../orders/conversation/amendments.service.js';
import { ChargeOpenProblem, OrderMovedProblem } from '../orders/moves/order-moved.dto.js';
import { FollowUpOrder } from '../orders/staff/follow-up.dto.js';
import {
  type MoveOfMany,
  movesOfMany,
  type OrderMove,
  orderMoves,
} from '../orders/staff/move-bodies.js';
import { TakeNextService } from './lists/take-next.service.js';

@Controller('follow-up')
@Described('Follow-up', "For the operator's staff: the queue of order requests.")
export class FollowUpController {
  constructor(
    private readonly followUp: FollowUpService,
    private readonly details: OrderDetailService,
    private readonly actions: OrderActionsService,
    private readonly exports: ExportService,
    private readonly live: LiveService,
  ) {}

  /**
   * List orders to follow up
   *
   * @remarks A view of the queue, narrowed by filters and a search. Each order has its contacts and
   * the ordered product.
   */
  @Get('orders')
  @Requires('follow-up:read')
  @Heavy('q')
  listFollowUp(
    @ValidQuery() query: FollowUpQuery,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpPage> {
    return this.followUp.list(query, caller);
  }

  /**
   * Export orders as CSV
   *
   * @remarks The whole list that the same query shows in pages, RFC 4180, times in UTC. A text that a
   * spreadsheet would read as a formula starts with an apostrophe. The audit trail records each export.
   *
   * @throws {422} search-too-broad
   */
  @Get('orders.csv')
  @Requires('follow-up:read')
  @Heavy()
  @Streams({
    mediaType: 'text/csv',
    description: 'A header, and one record for each order.',
    example:
      'orderId,reference,state\r\n019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90,ORD-7F3K9Q,waiting\r\n',
  })
  async exportCsv(
    @ValidQuery() query: ExportQuery,
    @Staff() caller: StaffCaller,
    @Res() response: Response,
  ): Promise<void> {
    const whole = await this.exports.begin(query, caller);
    attach(response, CSV, 'orders.csv');
    await whole.writeTo(response);
  }

  /**
   * Read everything about one order
   *
   * @remarks The ordered and the current terms, client and contact, the cited check, the latest 200
   * entries of the timeline, possible duplicates, other orders at this postcode and of this client.
   *
   * @throws {404} not-found
   */
  @Get('orders/:orderId')
  @Requires('follow-up:read')
  readFollowUp(@IdParameter('orderId') orderId: string): Promise<OrderDetail> {
    return this.details.find(orderId);
  }

  /** List the staff members who can own orders */
  @Get('people')
  @Requires('follow-up:read')
  listPeople(): Promise<StaffPeople> {
    return this.actions.people();
  }

  /**
   * Receive changes
   *
   * @remarks Server-sent events: `changed` with `{"number": N}` immediately, and again after each
   * order that is placed or changed on any instance. The number only grows. The stream ends when the
   * token expires or is revoked.
   */
  @Get('changes')
  @Requires('follow-up:read')
  @LongLived()
  @Streams({
    mediaType: 'text/event-stream',
    description: 'Events `changed`, until the connection closes or the token ends.',
    example: 'id: 42\nevent: changed\ndata: {"number":42}\n\n',
  })
  followChanges(@Staff() caller: StaffCaller, @Res() response: Response): void {
    this.live.open(response, caller);
  }
}

const contact = { channel: 'phone', result: 'no_answer', note: 'Rang twice.' };
const call = { nextActionAt: '2026-11-23T10:00:00Z', reason: 'retry_no_answer' };
const orderId = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90';
const ownerId = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d91';

@Controller('follow-up')
@Described('Moves', "For the operator's staff: what they do to an order.")
@ApiExtraModels(ChargeOpenProblem, OrderMovedProblem)
export class MovesController {
  constructor(
    private readonly actions: OrderActionsService,
    private readonly takeNext: TakeNextService,
    private readonly amendments: AmendmentsService,
  ) {}

  /**
   * Take the next order
   *
   * @remarks Gives the caller the most urgent order, and no two callers the same one: the caller's
   * due call-backs first, then waiting orders that are late or nearly late, then the longest waiting.
   * A call-back stays due until a call is recorded. Until then it is given again when nothing else is left,
   * and after 15 minutes before all else.
   */
  @Post('take-next')
  @HttpCode(200)
  @Requires('follow-up:write')
  takeNextOrder(@Staff() caller: StaffCaller): Promise<TakenOrder> {
    return this.takeNext.take(caller);
  }

  /**
   * Move an order
   *
   * @remarks Makes the move that `move` names, or adds a note. `version` is that of the order as the caller saw it:
   * if a colleague was faster, the response is 409 `order-moved` with state, owner and version. Otherwise it is
   * the order with its new version.
   *
   * @throws {403} not-permitted
   * @throws {404} not-found
   * @throws {409} order-moved, charge-open
   * @throws {422} unknown-person, interconnect-required, unknown-interconnect
   */
  @Post('orders/:orderId/moves')
  @HttpCode(200)
  @Requires('follow-up:write')
  @Examples({
    request: {
      claim: { summary: 'Claim a waiting order', value: { move: 'claim', version: 0 } },
      contact: {
        summary: 'Log a contact',
        value: { move: 'logContact', version: 1, ...contact },
      },
      schedule: {
        summary: 'Schedule the next action',
        value: { move: 'schedule', version: 2, ...call },
      },
      win: {
        summary: 'Close as won',
        value: { move: 'win', version: 3, externalReference: 'SF-88231' },
      },
      note: {
        summary: 'Add a note',
        value: { move: 'note', note: 'The riser is locked at weekends.' },
      },
      undo: { summary: 'Undo the last move', value: { move: 'undo', version: 4 } },
    },
  })
  moveOrder(
    @IdParameter('orderId') id: string,
    @ValidKind(orderMoves) move: OrderMove,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return move.move === 'amend'
      ? this.amendments.amendSeen({ orderId: id, ...move }, move, caller)
      : this.actions.make(id, move, caller);
  }

  /**
   * Move several orders
   *
   * @remarks Makes the same move of up to 100 orders, each separately, with its own result.
   *
   * @throws {404} not-found
   * @throws {422} unknown-person
   */
  @Post('moves')
  @HttpCode(200)
  @Requires('follow-up:write')
  @Examples({
    request: {
      handOver: {
        summary: 'Hand over',
        value: {
          move: 'handOver',
          orders: [{ orderId, version: 3 }],
          ownerId,
          note: 'Sam is on holiday from tomorrow.',
        },
      },
    },
  })
  moveOrders(
    @ValidKind(movesOfMany) move: MoveOfMany,
    @Staff() caller: StaffCaller,
  ): Promise<BulkResult> {
    return this.actions.makeMany(move, caller);
  }
}

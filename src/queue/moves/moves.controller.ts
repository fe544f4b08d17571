import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { Staff, type StaffCaller } from '../../platform/access/caller.js';
import { Requires } from '../../platform/access/rules.js';
import { Described, Examples } from '../../platform/http/described.js';
import { ValidKind } from '../../platform/http/kinds-of-body.js';
import { IdParameter } from '../../platform/http/parameters.js';
import { AmendmentsService } from '../../orders/conversation/amendments.service.js';
import { ChargeOpenProblem, OrderMovedProblem } from '../../orders/moves/order-moved.dto.js';
import { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import {
  type MoveOfMany,
  movesOfMany,
  type OrderMove,
  orderMoves,
} from '../../orders/staff/move-bodies.js';
import { BulkResult, TakenOrder } from '../../orders/staff/moves.dto.js';
import { OrderActionsService } from '../../orders/staff/order-actions.service.js';
import { TakeNextService } from '../lists/take-next.service.js';

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

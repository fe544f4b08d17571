import { applyDecorators, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExtraModels, ApiResponse } from '@nestjs/swagger';
import { Staff, type StaffCaller } from '../../platform/access/caller.js';
import { IdParameter } from '../../platform/http/parameters.js';
import { Requires } from '../../platform/access/rules.js';
import { Described } from '../../platform/http/described.js';
import { ValidBody } from '../../platform/http/valid.js';
import { ChargeOpenProblem, OrderMovedProblem } from '../../orders/moves/order-moved.dto.js';
import {
  Assignment,
  BulkCancellation,
  BulkMove,
  BulkResult,
  StaffCancellation,
  ContactAndNext,
  DuplicateMark,
  HandOver,
  Loss,
  NextStep,
  Note,
  Reasoned,
  Schedule,
  Seen,
  SeenWithNote,
  TakenOrder,
  Win,
} from '../../orders/staff/moves.dto.js';
import { ValidationFailed } from '../../platform/problems/problem.js';
import { moveRules, type StaffMove } from '../../orders/moves/move-rules.js';
import { OrderActionsService, type SentMove } from '../../orders/staff/order-actions.service.js';
import { TakeNextService } from '../lists/take-next.service.js';

const OrderId = () => IdParameter('orderId');

/** The route of a move, with the problems that follow from its rule. */
const MoveRoute = (name: StaffMove) => {
  const { path, who, carries } = moveRules[name];
  const problem = (status: number, description: string) => ApiResponse({ status, description });
  return applyDecorators(
    Post(`orders/:orderId/${path}`),
    HttpCode(200),
    Requires('follow-up:write'),
    ...(who.includes('staff') ? [] : [problem(403, 'not-permitted')]),
    problem(404, 'not-found'),
    problem(409, name === 'win' ? 'order-moved, charge-open' : 'order-moved'),
    ...('ownerId' in carries ? [problem(422, 'unknown-person')] : []),
  );
};

/** One route for each move. A move by a caller who saw an older version is a 409 `order-moved`. */
@Controller('follow-up')
@Described(
  'Moves',
  "For the operator's staff: what they do to an order, one operation for each move.",
)
@ApiExtraModels(ChargeOpenProblem, OrderMovedProblem)
export class MovesController {
  constructor(
    private readonly actions: OrderActionsService,
    private readonly takeNext: TakeNextService,
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
   * Claim an order
   *
   * @remarks Takes a waiting order for the caller.
   */
  @MoveRoute('claim')
  claimOrder(@OrderId() id: string, @ValidBody() sent: Seen, @Staff() caller: StaffCaller) {
    return this.actions.move({ orderId: id, ...sent }, { name: 'claim', ...sent }, caller);
  }

  /**
   * Log a contact
   *
   * @remarks By the owner: how the client was contacted, and with what result. With `next`, the same
   * call also schedules the next action or closes the order.
   */
  @MoveRoute('logContact')
  logContact(
    @OrderId() id: string,
    @ValidBody() { next, ...sent }: ContactAndNext,
    @Staff() caller: StaffCaller,
  ) {
    return this.actions.moveAll(
      { orderId: id, ...sent },
      [{ name: 'logContact', ...sent }, ...nextMoves(next)],
      caller,
    );
  }

  /**
   * Schedule the next action
   *
   * @remarks By the owner: the order becomes due at that time.
   */
  @MoveRoute('schedule')
  scheduleOrder(@OrderId() id: string, @ValidBody() sent: Schedule, @Staff() caller: StaffCaller) {
    return this.actions.move({ orderId: id, ...sent }, { name: 'schedule', ...sent }, caller);
  }

  /**
   * Resume a scheduled order
   *
   * @remarks By the owner or a manager: its call is cancelled. An offered enquiry with a call stays offered.
   */
  @MoveRoute('resume')
  resumeOrder(
    @OrderId() id: string,
    @ValidBody() sent: SeenWithNote,
    @Staff() caller: StaffCaller,
  ) {
    return this.actions.move({ orderId: id, ...sent }, { name: 'resume', ...sent }, caller);
  }

  /**
   * Return an order to the queue
   *
   * @remarks By the owner or a manager. It keeps its place and its deadline.
   */
  @MoveRoute('release')
  releaseOrder(@OrderId() id: string, @ValidBody() sent: Reasoned, @Staff() caller: StaffCaller) {
    return this.actions.move({ orderId: id, ...sent }, { name: 'release', ...sent }, caller);
  }

  /**
   * Close an order as won
   *
   * @remarks By the owner. An order for an `indicative` price needs the `price` and the `setupPrice` that were confirmed. While an extra charge awaits an answer, the response is 409 `charge-open`: withdraw each
   * charge of `chargeIds`, or record its answer, first.
   */
  @MoveRoute('win')
  winOrder(@OrderId() id: string, @ValidBody() sent: Win, @Staff() caller: StaffCaller) {
    return this.actions.move({ orderId: id, ...sent }, { name: 'win', ...sent }, caller);
  }

  /**
   * Close an order as lost
   *
   * @remarks By the owner, with the reason.
   */
  @MoveRoute('lose')
  loseOrder(@OrderId() id: string, @ValidBody() sent: Loss, @Staff() caller: StaffCaller) {
    return this.actions.move({ orderId: id, ...sent }, { name: 'lose', ...sent }, caller);
  }

  /**
   * Close an order as cancelled
   *
   * @remarks By the owner or a manager, with the reason.
   */
  @MoveRoute('cancel')
  callOrderOff(
    @OrderId() id: string,
    @ValidBody() sent: StaffCancellation,
    @Staff() caller: StaffCaller,
  ) {
    return this.actions.move({ orderId: id, ...sent }, { name: 'cancel', ...sent }, caller);
  }

  /**
   * Reopen a closed order
   *
   * @remarks By a manager, or by its owner within 24 hours. An accepted order cannot be reopened while its
   * service is live, or while its client's request to cancel awaits an answer.
   */
  @MoveRoute('reopen')
  reopenOrder(@OrderId() id: string, @ValidBody() sent: Reasoned, @Staff() caller: StaffCaller) {
    return this.actions.move({ orderId: id, ...sent }, { name: 'reopen', ...sent }, caller);
  }

  /**
   * Assign a waiting order
   *
   * @remarks By a manager.
   */
  @MoveRoute('assign')
  assignOrder(@OrderId() id: string, @ValidBody() sent: Assignment, @Staff() caller: StaffCaller) {
    return this.actions.move({ orderId: id, ...sent }, { name: 'assign', ...sent }, caller);
  }

  /**
   * Hand an order over
   *
   * @remarks By the owner or a manager, with a note for the next person.
   */
  @MoveRoute('handOver')
  handOrderOver(@OrderId() id: string, @ValidBody() sent: HandOver, @Staff() caller: StaffCaller) {
    return this.actions.move({ orderId: id, ...sent }, { name: 'handOver', ...sent }, caller);
  }

  /**
   * Close an order as a duplicate
   *
   * @remarks Of another order of the same API client.
   */
  @MoveRoute('duplicate')
  markDuplicate(
    @OrderId() id: string,
    @ValidBody() sent: DuplicateMark,
    @Staff() caller: StaffCaller,
  ) {
    return this.actions.move({ orderId: id, ...sent }, { name: 'duplicate', ...sent }, caller);
  }

  /**
   * Undo the last move
   *
   * @remarks By the staff member who closed, released or cancelled the order, or marked it as a duplicate,
   * for 10 seconds. The webhook of such a move waits as long, and is never sent if it is undone. The
   * timeline shows both.
   *
   * @throws {403} not-permitted
   * @throws {404} not-found
   * @throws {409} order-moved
   */
  @Post('orders/:orderId/undo')
  @HttpCode(200)
  @Requires('follow-up:write')
  undoMove(@OrderId() id: string, @ValidBody() { version }: Seen, @Staff() caller: StaffCaller) {
    return this.actions.undo({ orderId: id, version }, caller);
  }

  /**
   * Add a note
   *
   * @remarks To the timeline of any order. It is not a move: the version stays the same.
   *
   * @throws {404} not-found
   */
  @Post('orders/:orderId/notes')
  @HttpCode(200)
  @Requires('follow-up:write')
  addNote(@OrderId() id: string, @ValidBody() { note }: Note, @Staff() caller: StaffCaller) {
    return this.actions.addNote(id, note, caller);
  }

  /**
   * Assign several waiting orders
   *
   * @remarks By a manager. Each order is assigned separately, with its own result.
   *
   * @throws {422} unknown-person
   */
  @Post('bulk/assign')
  @HttpCode(200)
  @Requires('follow-up:write')
  assignOrders(@ValidBody() bulk: BulkMove, @Staff() caller: StaffCaller): Promise<BulkResult> {
    return this.actions.giveMany('assign', bulk, caller);
  }

  /**
   * Hand several orders over
   *
   * @remarks Each order is handed over separately, with its own result. Needs a note.
   *
   * @throws {422} unknown-person
   */
  @Post('bulk/hand-over')
  @HttpCode(200)
  @Requires('follow-up:write')
  handOrdersOver(@ValidBody() bulk: BulkMove, @Staff() caller: StaffCaller): Promise<BulkResult> {
    return this.actions.giveMany('handOver', bulk, caller);
  }

  /**
   * Cancel several orders
   *
   * @remarks By the owner of each order, or a manager. Each order is cancelled separately, with its own
   * result. As after a single cancellation, each can be undone for 10 seconds, the API client is
   * notified of each after that, and a manager can reopen each later.
   */
  @Post('bulk/cancel')
  @HttpCode(200)
  @Requires('follow-up:write')
  cancelOrders(
    @ValidBody() { orders, ...sent }: BulkCancellation,
    @Staff() caller: StaffCaller,
  ): Promise<BulkResult> {
    return this.actions.moveMany(orders, { name: 'cancel', ...sent }, caller);
  }
}

/** @throws {ValidationFailed} unless the step names exactly one move */
function nextMoves(next: NextStep | undefined): SentMove[] {
  if (!next) return [];
  const { schedule, win, lose } = next;
  const steps: (SentMove | undefined)[] = [
    schedule && { ...schedule, name: 'schedule', at: '/next/schedule' },
    win && { ...win, name: 'win', at: '/next/win' },
    lose && { ...lose, name: 'lose', at: '/next/lose' },
  ];
  // A client may send null for an absent step.
  const moves = steps.filter((move) => !!move);
  if (moves.length === 1) return moves;
  const detail = 'Must name exactly one of schedule, win and lose.';
  throw new ValidationFailed([{ pointer: '/next', code: 'not-allowed', detail }]);
}

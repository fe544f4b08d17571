import { applyDecorators, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExtraModels, ApiResponse } from '@nestjs/swagger';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { IdParameter } from '../../http/id-parameter.js';
import { Requires } from '../../access/scopes.js';
import { Described } from '../../http/described.js';
import { ValidBody } from '../../http/valid.js';
import { OrderMovedProblem } from '../../orders/moves/order-moved.dto.js';
import { FollowUpOrder } from '../follow-up.dto.js';
import {
  Assignment,
  BulkMove,
  BulkResult,
  StaffCancellation,
  ContactLog,
  DuplicateMark,
  HandOver,
  Loss,
  Note,
  Reasoned,
  Schedule,
  Seen,
  SeenWithNote,
  TakenOrder,
  Win,
} from './moves.dto.js';
import { type MoveName, moveRules } from '../../orders/moves/order-state.js';
import { OrderActionsService } from './order-actions.service.js';
import { TakeNextService } from '../queue/take-next.service.js';

/** The route of a move, with the problems that follow from its rule. */
const MoveRoute = (name: MoveName) => {
  const { path, who, carries } = moveRules[name];
  const problem = (status: number, description: string) => ApiResponse({ status, description });
  return applyDecorators(
    Post(`orders/:orderId/${path}`),
    HttpCode(200),
    Requires('follow-up:write'),
    ...(who.includes('staff') ? [] : [problem(403, 'not-permitted')]),
    problem(404, 'not-found'),
    problem(409, 'order-moved'),
    ...('ownerId' in carries ? [problem(422, 'unknown-person')] : []),
  );
};

/** The moves of the state table, one route each. A move that came too late is a 409 `order-moved`. */
@Controller('follow-up')
@Described(
  'Moves',
  "For the operator's staff: what is done to an order, one operation for each move.",
)
@ApiExtraModels(OrderMovedProblem)
export class MovesController {
  constructor(
    private readonly actions: OrderActionsService,
    private readonly takeNext: TakeNextService,
  ) {}

  /**
   * Take the next order
   *
   * @remarks Gives the caller, and nobody else, the order that needs somebody most: the caller's
   * call-backs that are due, then waiting orders that are late or nearly, then those that wait longest.
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
  claimOrder(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version }: Seen,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.actions.move({ orderId, version }, { name: 'claim' }, caller);
  }

  /**
   * Log a contact
   *
   * @remarks By the owner: how the client was contacted, and with what result.
   */
  @MoveRoute('logContact')
  logContact(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...carried }: ContactLog,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.actions.move({ orderId, version }, { name: 'logContact', ...carried }, caller);
  }

  /**
   * Schedule the next action
   *
   * @remarks By the owner: the order comes back as due at that time.
   */
  @MoveRoute('schedule')
  scheduleOrder(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...carried }: Schedule,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.actions.move({ orderId, version }, { name: 'schedule', ...carried }, caller);
  }

  /**
   * Resume a scheduled order
   *
   * @remarks By the owner or a manager.
   */
  @MoveRoute('resume')
  resumeOrder(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...carried }: SeenWithNote,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.actions.move({ orderId, version }, { name: 'resume', ...carried }, caller);
  }

  /**
   * Give an order back to the queue
   *
   * @remarks By the owner or a manager. It keeps its place and its deadline.
   */
  @MoveRoute('release')
  releaseOrder(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...carried }: Reasoned,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.actions.move({ orderId, version }, { name: 'release', ...carried }, caller);
  }

  /**
   * Close an order as won
   *
   * @remarks By the owner.
   */
  @MoveRoute('win')
  winOrder(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...carried }: Win,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.actions.move({ orderId, version }, { name: 'win', ...carried }, caller);
  }

  /**
   * Close an order as lost
   *
   * @remarks By the owner, with the reason.
   */
  @MoveRoute('lose')
  loseOrder(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...carried }: Loss,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.actions.move({ orderId, version }, { name: 'lose', ...carried }, caller);
  }

  /**
   * Close an order as cancelled
   *
   * @remarks By the owner or a manager, with the reason.
   */
  @MoveRoute('cancel')
  callOrderOff(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...carried }: StaffCancellation,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.actions.move({ orderId, version }, { name: 'cancel', ...carried }, caller);
  }

  /**
   * Reopen a closed order
   *
   * @remarks By a manager, or by its owner within 24 hours.
   */
  @MoveRoute('reopen')
  reopenOrder(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...carried }: Reasoned,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.actions.move({ orderId, version }, { name: 'reopen', ...carried }, caller);
  }

  /**
   * Assign a waiting order
   *
   * @remarks By a manager.
   */
  @MoveRoute('assign')
  assignOrder(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...carried }: Assignment,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.actions.move({ orderId, version }, { name: 'assign', ...carried }, caller);
  }

  /**
   * Hand an order over
   *
   * @remarks By the owner or a manager, with a note for the next person.
   */
  @MoveRoute('handOver')
  handOrderOver(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...carried }: HandOver,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.actions.move({ orderId, version }, { name: 'handOver', ...carried }, caller);
  }

  /**
   * Close an order as a duplicate
   *
   * @remarks Of another order of the same API client.
   */
  @MoveRoute('duplicate')
  markDuplicate(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { version, ...carried }: DuplicateMark,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.actions.move({ orderId, version }, { name: 'duplicate', ...carried }, caller);
  }

  /**
   * Add a note
   *
   * @remarks To the timeline of any order. It is no move: the version stays.
   *
   * @throws {404} not-found
   */
  @Post('orders/:orderId/notes')
  @HttpCode(200)
  @Requires('follow-up:write')
  addNote(
    @IdParameter('orderId') orderId: string,
    @ValidBody() { note }: Note,
    @Staff() caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.actions.addNote(orderId, note, caller);
  }

  /**
   * Assign several waiting orders
   *
   * @remarks By a manager. Each order by itself, with a result for each.
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
   * @remarks Each order by itself, with a result for each; needs a note.
   *
   * @throws {422} unknown-person
   */
  @Post('bulk/hand-over')
  @HttpCode(200)
  @Requires('follow-up:write')
  handOrdersOver(@ValidBody() bulk: BulkMove, @Staff() caller: StaffCaller): Promise<BulkResult> {
    return this.actions.giveMany('handOver', bulk, caller);
  }
}

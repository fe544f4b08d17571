import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Staff, type StaffCaller } from '../platform/access/caller.js';
import { Heavy, LongLived, Requires } from '../platform/access/rules.js';
import { attach, CSV } from '../platform/http/attachment.js';
import { IdParameter } from '../platform/http/parameters.js';
import { Described, Streams } from '../platform/http/described.js';
import { ValidQuery } from '../platform/http/valid.js';
import { OrderDetail } from '../orders/staff/detail.dto.js';
import { ExportService } from './lists/export.service.js';
import { ExportQuery, FollowUpPage, FollowUpQuery } from './lists/list.dto.js';
import { FollowUpService } from './lists/follow-up.service.js';
import { LiveService } from './live/live.service.js';
import { StaffPeople } from '../orders/staff/moves.dto.js';
import { OrderActionsService } from '../orders/staff/order-actions.service.js';
import { OrderDetailService } from '../orders/staff/order-detail.service.js';

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

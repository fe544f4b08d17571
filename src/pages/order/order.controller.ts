import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Page } from '../../access/scopes.js';
import type { SeeOther, WrittenHtml } from '../../http/written-html.js';
import { LiveService } from '../../follow-up/live/live.service.js';
import { OrderDetailService } from '../../follow-up/queue/order-detail.service.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { OrderPages } from './order-pages.service.js';

/** One order, its moves, and the news of what changes. */
@Controller('staff')
@ApiExcludeController()
export class OrderController {
  constructor(
    private readonly pages: OrderPages,
    private readonly details: OrderDetailService,
    private readonly live: LiveService,
  ) {}

  @Post('take-next')
  @Page('agent')
  takeNext(@Staff() caller: StaffCaller): Promise<SeeOther> {
    return this.pages.takeNextOrder(caller);
  }

  @Get('orders/:reference')
  @Page('agent')
  showOrder(
    @Param('reference') reference: string,
    @QueryForm() query: Form,
    @Staff() caller: StaffCaller,
  ): Promise<WrittenHtml | SeeOther> {
    return this.pages.show(reference, query, caller);
  }

  @Get('orders/:reference/:move')
  @Page('agent')
  showMove(
    @Param('reference') reference: string,
    @Param('move') move: string,
    @Staff() caller: StaffCaller,
  ): Promise<WrittenHtml> {
    return this.pages.showForm(reference, move, caller);
  }

  @Post('orders/:reference/:move')
  @HttpCode(200)
  @Page('agent')
  makeMove(
    @Param('reference') reference: string,
    @Param('move') move: string,
    @SentForm() form: Form,
    @Staff() caller: StaffCaller,
  ): Promise<WrittenHtml | SeeOther> {
    return this.pages.make(reference, move, form, caller);
  }

  /** Server-sent events, until the session ends; `?order=` also tells of one order and its viewers. */
  @Get('changes')
  @Page('agent')
  async followChanges(
    @QueryForm() query: Form,
    @Staff() caller: StaffCaller,
    @Res() response: Response,
  ): Promise<void> {
    const order = query.text('order');
    const id = order === '' ? undefined : await this.details.idOf(order);
    this.live.open(response, caller, id);
  }
}

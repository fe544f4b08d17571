import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Page } from '../../access/scopes.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import { ExportService } from '../../follow-up/queue/export.service.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { Preferred, type Preferences } from '../shell/preferences.js';
import { queueAddress, readQueueState } from './queue-state.js';
import { QueuePages } from './queue-pages.service.js';

/** The lists of orders: the queue and the search. */
@Controller('staff')
@ApiExcludeController()
export class QueueController {
  constructor(
    private readonly pages: QueuePages,
    private readonly exports: ExportService,
  ) {}

  @Get()
  @Page('agent')
  goHome(): SeeOther {
    return new SeeOther('/staff/queue');
  }

  @Get('queue')
  @Page('agent')
  showQueue(
    @QueryForm() query: Form,
    @Staff() caller: StaffCaller,
    @Preferred() preferences: Preferences,
  ): Promise<WrittenHtml> {
    return this.pages.show(query, caller, preferences);
  }

  /** The whole list that the same address without `.csv` shows in pages. */
  @Get('queue.csv')
  @Page('agent')
  async exportQueue(
    @QueryForm() query: Form,
    @Staff() caller: StaffCaller,
    @Res() response: Response,
  ): Promise<void> {
    const whole = await this.exports.begin('csv', await this.pages.filterOf(query), caller);
    response.setHeader('Content-Type', 'text/csv; charset=utf-8; header=present');
    response.setHeader('Content-Disposition', 'attachment; filename="orders.csv"');
    await whole.writeTo(response);
  }

  /** Whoever loads the answer of a form again is led back to the list. */
  @Get('queue/bulk')
  @Page('agent')
  goBackToQueue(@QueryForm() query: Form): SeeOther {
    return new SeeOther(queueAddress(readQueueState(query)));
  }

  @Post('queue/bulk')
  @HttpCode(200)
  @Page('agent')
  giveTicked(
    @QueryForm() query: Form,
    @SentForm() form: Form,
    @Staff() caller: StaffCaller,
    @Preferred() preferences: Preferences,
  ): Promise<WrittenHtml> {
    return this.pages.giveTicked(query, form, caller, preferences);
  }

  @Get('search')
  @Page('agent')
  search(@QueryForm() query: Form, @Staff() caller: StaffCaller): Promise<WrittenHtml | SeeOther> {
    return this.pages.search(query, caller);
  }
}

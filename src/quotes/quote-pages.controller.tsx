import { Get, Param, Post, Res } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Response } from 'express';
import { Clock } from '../platform/kernel/clock.js';
import { type Visit, Visited } from '../platform/ui/forms/form.js';
import { page } from '../platform/ui/render.js';
import { StaffPages } from '../platform/ui/staff-pages.js';
import { ClientsService } from '../clients/clients.service.js';
import { FlashMessages } from '../platform/ui/flash-messages.js';
import { send } from '../platform/ui/forms/input-form.js';
import { attach, CSV, PDF } from '../platform/http/attachment.js';
import { DocumentsService } from './document/documents.service.js';
import { QuoteFormPage, quoteFormFor } from './quote-form.js';
import { quoteCsv } from './quote-csv.js';
import { QuotePage, QuotesListPage } from './quote-pages.js';
import { StaffQuotesService } from './staff-quotes.service.js';

/** Lines on one page. */
const LINES = 200;

const messages = new FlashMessages({ 'quote-made': 'Quote made. The client can read it, too.' });

@StaffPages('staff/quotes', 'agent')
export class QuotePagesController {
  constructor(
    private readonly quotes: StaffQuotesService,
    private readonly documents: DocumentsService,
    private readonly clients: ClientsService,
    private readonly clock: Clock,
  ) {}

  @Get()
  async showQuotes(@Visited() { viewer, query }: Visit) {
    const cursor = query.text('cursor');
    const client = query.text('client');
    const { items, nextCursor } = await this.quotes.list(
      cursor === '' ? undefined : cursor,
      client === '' ? undefined : client,
    );
    const further = new URLSearchParams({
      ...(client !== '' && { client }),
      ...(nextCursor !== null && { cursor: nextCursor }),
    });
    const older = nextCursor === null ? null : `/staff/quotes?${further.toString()}`;
    return page(<QuotesListPage {...{ viewer, quotes: items, older, now: this.clock.now() }} />);
  }

  @Get('new')
  async showQuoteForm(@Visited() { viewer }: Visit) {
    const form = quoteFormFor(await this.clients.list());
    return page(<QuoteFormPage {...{ viewer, form }} onceKey={randomUUID()} />);
  }

  @Post()
  async quoteClient(@Visited() { viewer, form: sent }: Visit) {
    const clients = await this.clients.list();
    const form = quoteFormFor(clients);
    const onceKey = sent.text('key') || randomUUID();
    const made = await send(form, sent, (pasted) =>
      this.quotes.quoteClient(pasted, clients, onceKey),
    );
    if ('result' in made) {
      return messages.redirect(
        `/staff/quotes/${made.result.quoteReference}`,
        'quote-made',
        'quotes/new',
      );
    }
    return page(<QuoteFormPage {...{ viewer, form, onceKey }} {...made} />, made.status);
  }

  @Get(':quote.csv')
  async exportQuote(@Param('quote') named: string, @Res() response: Response): Promise<void> {
    const quote = await this.quotes.find(named);
    attach(response, CSV, `${quote.quoteReference}.csv`);
    response.end(quoteCsv(quote));
  }

  @Get(':quote.pdf')
  async printQuote(@Param('quote') named: string, @Res() response: Response): Promise<void> {
    const quote = await this.quotes.find(named);
    const pdf = await this.documents.quote(quote, quote.client.name);
    attach(response, PDF, `${quote.quoteReference}.pdf`);
    response.end(pdf);
  }

  @Get(':quote')
  async showQuote(@Visited() { viewer, query }: Visit, @Param('quote') named: string) {
    const from = Number(/^\d{1,4}$/.exec(query.text('from'))?.[0] ?? 0);
    const quote = await this.quotes.find(named, from, LINES);
    const said = messages.in(query);
    return page(<QuotePage {...{ viewer, quote, said, now: this.clock.now() }} />);
  }
}

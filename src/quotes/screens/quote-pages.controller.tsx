import { actorOf } from '../../platform/audit/audit.service.js';
import { Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Response } from 'express';
import { Clock } from '../../platform/kernel/clock.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { ClientsService } from '../../clients/clients.service.js';
import { FlashMessages } from '../../platform/ui/flash-messages.js';
import { refuseForm } from '../../platform/ui/forms/form-spec.js';
import { type Refusal, send } from '../../platform/ui/forms/input-form.js';
import { MOST_OF_QUOTE, MOST_SITES } from '../../platform/access/counting.js';
import { Takes } from '../../platform/http/json-body.js';
import { DocumentsService } from '../document/documents.service.js';
import { draftMessages } from './draft-pages.controller.js';
import { listSent, QuoteFormPage, quoteFormFor } from './quote-form.js';
import { quoteCsv } from '../quote-csv.js';
import { sendCsv, sendPdf } from '../quote-reading.service.js';
import { QuoteDraftsService } from '../quote-drafts.service.js';
import { LineNotOrderable } from '../quotes.errors.js';
import { orderForm, type OrderOfLines, refusalWords } from './quote-order.js';
import { QuotePage, QuotesListPage } from './quote-pages.js';
import { callForm, commonForm, OF_CALL, QuoteEnquiriesPage, typedIn } from './quote-enquiries.js';
import { QuoteEnquiriesService } from '../quote-enquiries.service.js';
import { ValidationFailed } from '../../platform/problems/problem.js';
import { StaffQuotesService } from '../staff-quotes.service.js';

/** Lines on one page. */
const LINES = 500;

const messages = new FlashMessages({
  ordered: 'Ordered.',
  withdrawn: 'Quote withdrawn. Its orders and enquiries go on.',
  'withdrawn-before': 'The quote was withdrawn before.',
  restored: 'Undone. The quote is open as before.',
  'undo-too-late': 'It is too late to undo this: the client sees it.',
  'enquiries-claimed': 'The sites are now yours.',
  'enquiries-partly-claimed': 'A colleague has claimed some of the sites. The others are yours.',
  'answers-undone': 'Undone. The client sees none of these answers.',
  'answers-partly-undone': 'Some answers can no longer be undone. The others are taken back.',
  'call-recorded': 'Call recorded for all your open sites.',
});

@StaffPages('staff/quotes', 'agent')
export class QuotePagesController {
  constructor(
    private readonly quotes: StaffQuotesService,
    private readonly documents: DocumentsService,
    private readonly clients: ClientsService,
    private readonly enquiries: QuoteEnquiriesService,
    private readonly drafts: QuoteDraftsService,
    private readonly clock: Clock,
  ) {}

  @Get()
  async showQuotes(@Visited() { viewer, query }: Visit) {
    const filter = {
      client: query.text('client'),
      q: query.text('q').slice(0, 100),
      cursor: query.text('cursor'),
    };
    const { items, nextCursor } = await this.quotes.list(filter);
    const further = Object.entries({ ...filter, cursor: nextCursor ?? '' });
    const older = new URLSearchParams(further.filter(([, value]) => value !== '')).toString();
    const isFirst = filter.q + filter.client + filter.cursor === '';
    const drafts = isFirst ? await this.drafts.list() : [];
    const shown = { viewer, quotes: items, drafts, q: filter.q, now: this.clock.now() };
    return page(
      <QuotesListPage {...shown} older={nextCursor === null ? null : `/staff/quotes?${older}`} />,
    );
  }

  @Get('new')
  async showQuoteForm(@Visited() { viewer }: Visit) {
    const form = quoteFormFor(await this.clients.list());
    return page(<QuoteFormPage viewer={viewer} form={form} onceKey={randomUUID()} />);
  }

  @Post()
  @Takes({ ...MOST_OF_QUOTE, files: true })
  async quoteClient(@Visited() visit: Visit) {
    const { viewer } = visit;
    const sent = await listSent(visit);
    const form = quoteFormFor(await this.clients.list());
    const onceKey = sent.text('key') || randomUUID();
    const made = await send(form, sent, (pasted) =>
      this.drafts.start({ ...pasted, id: onceKey }, actorOf(viewer)),
    );
    if ('result' in made) {
      const path = `/staff/quotes/drafts/${made.result}`;
      return draftMessages.redirect(path, 'draft-made', 'quotes/new');
    }
    return page(
      <QuoteFormPage viewer={viewer} form={form} onceKey={onceKey} {...made} />,
      made.status,
    );
  }

  @Get(':quote.csv')
  async exportQuote(@Param('quote') named: string, @Res() response: Response): Promise<void> {
    const quote = await this.quotes.find(named);
    await sendCsv(response, `${quote.quoteReference}.csv`, quoteCsv(quote));
  }

  @Get(':quote.pdf')
  async printQuote(
    @Visited() { viewer }: Visit,
    @Param('quote') named: string,
    @Res() response: Response,
  ): Promise<void> {
    const { quoteReference } = await this.quotes.find(named, { from: 0, limit: 0 });
    const pdf = await this.documents.draw(viewer.staffId, async () => {
      const quote = await this.quotes.find(named);
      const { brand } = this.documents;
      // A caller without an account is the customer.
      if (!quote.isDirect || quote.customer === null)
        return { quote, client: quote.client.name, brand };
      return { quote: { ...quote, customer: null }, client: quote.customer, brand };
    });
    sendPdf(response, `${quoteReference}.pdf`, pdf);
  }

  @Get(':quote/enquiries')
  async showEnquiries(@Visited() { viewer, query }: Visit, @Param('quote') named: string) {
    const found = await this.enquiries.of(named);
    return page(<QuoteEnquiriesPage {...found} viewer={viewer} said={messages.in(query)} />);
  }

  @Post(':quote/claim')
  async claimEnquiries(@Visited() { viewer }: Visit, @Param('quote') named: string) {
    const found = await this.enquiries.of(named);
    const { failed } = await this.enquiries.claim(found, viewer);
    const said = failed === 0 ? 'enquiries-claimed' : 'enquiries-partly-claimed';
    return messages.redirect(`/staff/quotes/${found.quote.reference}/enquiries`, said);
  }

  @Post(':quote/contact')
  async callAboutEnquiries(@Visited() { viewer, form }: Visit, @Param('quote') named: string) {
    const found = await this.enquiries.of(named);
    const sent = await send(
      callForm,
      form,
      (call) => this.enquiries.contact(found, call, viewer),
      OF_CALL,
    );
    if ('result' in sent) {
      return messages.redirect(`/staff/quotes/${found.quote.reference}/enquiries`, 'call-recorded');
    }
    return page(<QuoteEnquiriesPage {...found} viewer={viewer} {...sent} />, sent.status);
  }

  /** Shows what became of each line; reloading the result leads back to the table. */
  @Post(':quote/answer')
  @Takes({ size: MOST_OF_QUOTE.size })
  @HttpCode(200)
  async answerEnquiries(@Visited() { viewer, form }: Visit, @Param('quote') named: string) {
    const found = await this.enquiries.of(named);
    const typed = new Map(found.rows.map(({ lineId }) => [lineId, typedIn(form, lineId)]));
    const sent = await send(commonForm, form, async (common) => {
      const answered = await this.enquiries.answer(found, typed, common, viewer);
      if (answered.length > 0) return answered;
      const detail = 'Enter the monthly price of a site, or tick one that you cannot provide.';
      throw new ValidationFailed([{ pointer: '', code: 'required', detail }]);
    });
    if ('result' in sent) {
      const now = await this.enquiries.of(named);
      const answered = sent.result;
      const hasFailed = answered.some(({ outcome }) => outcome === 'failed');
      const refused = hasFailed ? refuseForm(commonForm.fields, form, new Map()) : undefined;
      // Also what waits for its price.
      const kept = { typed: form, refused };
      return page(<QuoteEnquiriesPage {...now} {...kept} viewer={viewer} answered={answered} />);
    }
    const { problem } = sent;
    const ofLines =
      problem instanceof ValidationFailed
        ? problem.errors.filter(({ pointer }) => /^\/\d+\./.test(pointer))
        : [];
    const faults = new Map(ofLines.map(({ pointer, detail }) => [pointer.slice(1), detail]));
    const shown = { ...found, viewer, typed: form, faults, ...sent };
    return page(<QuoteEnquiriesPage {...shown} />, sent.status);
  }

  @Post(':quote/undo')
  @Takes({ size: MOST_OF_QUOTE.size })
  async undoAnswers(@Visited() { viewer, form }: Visit, @Param('quote') named: string) {
    const found = await this.enquiries.of(named);
    const answered = form.text('answered').matchAll(/(\d{1,4}):(\d{1,9})/g);
    const versions = new Map(
      [...answered].map(([, line = '', version]) => [line, Number(version)]),
    );
    const isWhole = await this.enquiries.undo(found, versions, viewer);
    const said = isWhole ? 'answers-undone' : 'answers-partly-undone';
    return messages.redirect(`/staff/quotes/${found.quote.reference}/enquiries`, said);
  }

  @Post(':quote/withdrawal')
  async withdrawQuote(@Visited() { viewer }: Visit, @Param('quote') named: string) {
    const isNew = await this.quotes.withdraw(named, actorOf(viewer));
    return messages.redirect(`/staff/quotes/${named}`, isNew ? 'withdrawn' : 'withdrawn-before');
  }

  @Post(':quote/reversal')
  async restoreQuote(@Visited() { viewer }: Visit, @Param('quote') named: string) {
    const undone = await this.quotes.undo(named, actorOf(viewer));
    return typeof undone === 'string'
      ? draftMessages.redirect(`/staff/quotes/drafts/${undone}`, 'draft-again')
      : messages.redirect(`/staff/quotes/${named}`, undone ? 'restored' : 'undo-too-late');
  }

  /** Orders lines for a client on the telephone. */
  @Post(':quote/orders')
  async orderLines(@Visited() visit: Visit, @Param('quote') named: string) {
    const { viewer, form } = visit;
    const ticked = form.all('line').slice(0, MOST_SITES);
    const onceKey = form.text('key') || randomUUID();
    const sent = await send(orderForm, form, (order) =>
      this.quotes.order(named, { lines: ticked, ...order }, onceKey, viewer),
    );
    if ('result' in sent) {
      const { quoteReference } = await this.quotes.find(named, { from: 0, limit: 0 });
      return messages.redirect(`/staff/quotes/${quoteReference}`, 'ordered');
    }
    const { problem } = sent;
    const refused = problem instanceof LineNotOrderable ? problem.lines : [];
    const lines = new Map(refused.map(({ lineId, reason }) => [lineId, refusalWords[reason]]));
    return this.draw(visit, named, { onceKey, ticked: new Set(ticked), lines, ...sent });
  }

  @Get(':quote')
  showQuote(@Visited() visit: Visit, @Param('quote') named: string) {
    const order = { onceKey: randomUUID(), ticked: new Set<string>(), lines: new Map() };
    return this.draw(visit, named, order);
  }

  private async draw(
    { viewer, query }: Visit,
    named: string,
    order: OrderOfLines & Partial<Pick<Refusal, 'status'>>,
  ) {
    const from = Number(/^\d{1,4}$/.exec(query.text('from'))?.[0] ?? 0);
    const quote = await this.quotes.find(named, { from, limit: LINES });
    const said = messages.in(query);
    const shown = { viewer, quote, said, order, now: this.clock.now() };
    return page(<QuotePage {...shown} />, order.status);
  }
}

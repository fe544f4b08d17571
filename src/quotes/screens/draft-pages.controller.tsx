import { Get, Param, ParseIntPipe, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { actorOf } from '../../platform/audit/audit.service.js';
import { MOST_OF_QUOTE } from '../../platform/access/counting.js';
import { Takes } from '../../platform/http/json-body.js';
import { Clock } from '../../platform/kernel/clock.js';
import { csvLine } from '../../platform/kernel/text.js';
import { FlashMessages } from '../../platform/ui/flash-messages.js';
import { type Form, type Visit, Visited } from '../../platform/ui/forms/form.js';
import { type Refusal, refusalOf, send } from '../../platform/ui/forms/input-form.js';
import { fragment, page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import type { ListAnswers, TypedCells } from '../draft-body.js';
import { QuoteDraftsService } from '../quote-drafts.service.js';
import { sendCsv } from '../quote-reading.service.js';
import { type SiteColumn, siteColumns } from '../site-columns.js';
import { DraftPage, editedColumns, generalForm, LineAnswer } from './draft-page.js';
import { listForm, listSent } from './quote-form.js';

export const draftMessages = new FlashMessages({
  'draft-made': 'Draft made. Check what we read, then send it.',
  'draft-again': 'Undone. The quote is a draft again: the client has seen nothing of it.',
  read: 'The list is read again.',
  corrected: 'Corrections saved.',
});

const LETTERS = /^[A-Z]{1,2}$/;

@StaffPages('staff/quotes/drafts', 'agent')
export class DraftPagesController {
  constructor(
    private readonly drafts: QuoteDraftsService,
    private readonly clock: Clock,
  ) {}

  @Get(':draft.csv')
  async exportDraft(@Param('draft') id: string, @Res() response: Response): Promise<void> {
    const { list, lines } = await this.drafts.find(id);
    const head = [...list.columns.map(({ name }) => name), 'problem'];
    const rows = list.rows.map(({ cells }, i) => [...cells, lines[i]?.problem?.detail ?? '']);
    await sendCsv(response, 'sites.csv', [[head, ...rows].map(csvLine).join('')]);
  }

  @Get(':draft')
  showDraft(@Visited() visit: Visit, @Param('draft') id: string) {
    return this.draw(visit, id);
  }

  private async draw(visit: Visit, id: string, refusal?: Partial<Refusal>) {
    const { viewer, query } = visit;
    const draft = await this.drafts.find(id);
    const from = Number(/^\d{1,4}$/.exec(query.text('from'))?.[0] ?? 0);
    const shown = { viewer, draft, from, edited: query.text('edit'), now: this.clock.now() };
    return page(
      <DraftPage {...shown} said={draftMessages.in(query)} {...refusal} />,
      refusal?.status,
    );
  }

  @Post(':draft/columns')
  async chooseColumns(@Visited() visit: Visit, @Param('draft') id: string) {
    const columns = columnsIn(visit.form);
    if (typeof columns === 'string')
      return this.draw(visit, id, { status: 422, conflict: columns });
    await this.drafts.answer(id, { columns, isSettled: true });
    return draftMessages.redirect(`/staff/quotes/drafts/${id}`, null);
  }

  @Post(':draft/answers')
  async answerQuestion(@Visited() { form }: Visit, @Param('draft') id: string) {
    const unit = form.text('unit');
    if (unit === 'g' || unit === 'm') await this.drafts.answer(id, { unit });
    if (form.has('service'))
      await this.drafts.answer(id, { service: form.text('service').slice(0, 40) });
    return draftMessages.redirect(`/staff/quotes/drafts/${id}`, null);
  }

  @Post(':draft/general')
  async setGeneral(@Visited() visit: Visit, @Param('draft') id: string) {
    const sent = await send(generalForm, visit.form, ({ bandwidth, term, service }) =>
      this.drafts.answer(id, {
        bandwidth: bandwidth ?? null,
        term: term ?? null,
        service: service ?? null,
      }),
    );
    if ('result' in sent) return draftMessages.redirect(`/staff/quotes/drafts/${id}`, null);
    return this.draw(visit, id, sent);
  }

  @Post(':draft/list')
  @Takes({ ...MOST_OF_QUOTE, files: true })
  async replaceList(@Visited() visit: Visit, @Param('draft') id: string) {
    const form = await listSent(visit);
    const sent = await send(listForm, form, ({ sites = '' }) => this.drafts.replaceList(id, sites));
    if ('result' in sent) return draftMessages.redirect(`/staff/quotes/drafts/${id}`, 'read');
    return this.draw(visit, id, sent);
  }

  @Post(':draft/corrections')
  @Takes({ size: MOST_OF_QUOTE.size })
  async correctLines(@Visited() { form }: Visit, @Param('draft') id: string) {
    await this.drafts.correct(id, typedIn(form));
    return draftMessages.redirect(`/staff/quotes/drafts/${id}`, 'corrected');
  }

  /** For a script: stores one line, and answers it. */
  @Post(':draft/lines/:line')
  async correctLine(
    @Visited() { form }: Visit,
    @Param('draft') id: string,
    @Param('line', ParseIntPipe) number: number,
  ) {
    const cells = typedIn(form).get(number - 1) ?? {};
    return fragment(<LineAnswer {...await this.drafts.correctLine(id, number, cells)} />);
  }

  @Post(':draft/send')
  @Takes({ size: MOST_OF_QUOTE.size })
  async sendQuote(@Visited() visit: Visit, @Param('draft') id: string) {
    const { form, viewer } = visit;
    try {
      const version = form.number('version');
      const made = await this.drafts.send(id, version, typedIn(form), actorOf(viewer));
      return draftMessages.redirect(`/staff/quotes/${made}`, null, 'quotes/new');
    } catch (error) {
      return this.draw(visit, id, refusalOf(error, generalForm, form));
    }
  }

  @Post(':draft/removal')
  async removeDraft(@Param('draft') id: string) {
    await this.drafts.remove(id);
    return draftMessages.redirect('/staff/quotes', null);
  }
}

/** What each column is, by its letter; a sentence if that cannot be. */
function columnsIn(form: Form): ListAnswers['columns'] | string {
  const chosen: { -readonly [C in SiteColumn]?: string | null } = {};
  for (const [letter, column] of form.entries()) {
    const meaning = siteColumns.find((one) => one === column);
    if (!LETTERS.test(letter) || !meaning) continue;
    if (chosen[meaning] !== undefined) return `Choose one column for ${meaning}: two are chosen.`;
    chosen[meaning] = letter;
  }
  if (chosen.postcode === undefined) return 'Choose the column that has the postcode.';
  const none = siteColumns.filter((column) => chosen[column] === undefined);
  return { ...chosen, ...Object.fromEntries(none.map((column) => [column, null])) };
}

/** The corrected cells, by the number of the row from 0: fields such as `7.postcode`. */
function typedIn(form: Form): ReadonlyMap<number, TypedCells> {
  const typed = new Map<number, { -readonly [C in SiteColumn]?: string }>();
  for (const [field, text] of form.entries()) {
    const [, line, name] = /^(\d{1,4})\.([a-z]+)$/.exec(field) ?? [];
    const column = editedColumns.find((one) => one === name);
    if (line === undefined || !column) continue;
    const row = Number(line) - 1;
    typed.set(row, { ...typed.get(row), [column]: text.trim().slice(0, 256) });
  }
  return typed;
}

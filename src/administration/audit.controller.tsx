import { Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AuditNamesService } from '../platform/audit/audit-names.service.js';
import { AuditService } from '../platform/audit/audit.service.js';
import { Heavy } from '../platform/access/rules.js';
import { AuditExportService } from '../platform/audit/recorded-export.service.js';
import { page as pageOf, parseCursor } from '../platform/http/paging.js';
import { OrderDetailService } from '../orders/staff/order-detail.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { StaffService } from '../staff/staff.service.js';
import { checkForm } from '../platform/ui/forms/form-spec.js';
import { page } from '../platform/ui/render.js';
import { fromLocalInput } from '../platform/kernel/time-words.js';
import { auditFields, AuditPage, subjectsIn } from './audit.js';
import { type Form, type Visit, Visited } from '../platform/ui/forms/form.js';
import { StaffPages } from '../platform/ui/staff-pages.js';

const MOST_ENTRIES = 100;

@StaffPages('staff', 'manager')
export class AuditPagesController {
  constructor(
    private readonly audit: AuditService,
    private readonly names: AuditNamesService,
    private readonly exports: AuditExportService,
    private readonly orders: OrderDetailService,
    private readonly staff: StaffService,
    private readonly clock: Clock,
  ) {}

  @Get('audit')
  async showAudit(@Visited() { viewer, query }: Visit) {
    const people = (await this.staff.list()).map(({ name }) => name);
    const filters = auditFields(query, people);
    const refused = checkForm(filters, query);
    const after = parseCursor(query.text('after'));
    const filter = { ...(await this.filterOf(query)), after, limit: MOST_ENTRIES + 1 };
    // An invalid field may change the meaning of the others.
    const found = refused ? [] : await this.audit.list(filter);
    const { items: entries, nextCursor } = pageOf(
      found,
      MOST_ENTRIES,
      (entry) => entry,
      (entry) => entry,
    );
    const nameOfSubject = await this.names.of([...entries, ...subjectsIn(entries)]);
    const fields = new URLSearchParams(query.entries());
    if (nextCursor) fields.set('after', nextCursor);
    const earlier = nextCursor && `/staff/audit?${fields.toString()}`;
    const [now, continued] = [this.clock.now(), after !== undefined];
    return page(
      <AuditPage
        {...{
          viewer,
          query,
          fields: filters,
          refused,
          entries,
          nameOfSubject,
          earlier,
          now,
          continued,
        }}
      />,
      refused ? 422 : undefined,
    );
  }

  /** An invalid time is left out, as in the address of a list. */
  @Get('audit.csv')
  @Heavy()
  async exportAudit(@Visited() { viewer, query }: Visit, @Res() response: Response) {
    const whole = await this.exports.begin(await this.filterOf(query), viewer);
    response.setHeader('Content-Type', 'text/csv; charset=utf-8; header=present');
    response.setHeader('Content-Disposition', 'attachment; filename="audit.csv"');
    await whole.writeTo(response);
  }

  /** A reference in any spelling means the order or enquiry. */
  private async filterOf(query: Form) {
    const filter = filterOf(query);
    const text = query.text('id').trim();
    const [orderId] = (await this.orders.idsOf([text])).values();
    if (orderId === undefined) return { ...filter, subjectId: text || undefined };
    // With the type, an index finds the entries.
    return { ...filter, subjectType: filter.subjectType ?? 'order', subjectId: orderId };
  }
}

function filterOf(query: Form) {
  return {
    subjectType: query.text('subject') || undefined,
    action: query.text('action') || undefined,
    actorName: query.text('actor') || undefined,
    since: fromLocalInput(query.text('since')) ?? undefined,
    until: fromLocalInput(query.text('until')) ?? undefined,
  };
}

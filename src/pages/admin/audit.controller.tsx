import { Get } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { page as pageOf, parseCursor } from '../../http/paging.js';
import { Clock } from '../../kernel/clock.js';
import { checkForm } from '../forms/form-spec.js';
import { page } from '../shell/render.js';
import { fromLocalInput } from '../shell/times.js';
import { auditFields, AuditPage } from './audit.js';
import { Form, QueryForm } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';

const MOST_ENTRIES = 100;

@StaffPages('staff/audit', 'manager')
export class AuditPagesController {
  constructor(
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  @Get()
  async showAudit(@Staff() viewer: StaffCaller, @QueryForm() query: Form) {
    const refused = checkForm(auditFields, query);
    const after = parseCursor(query.text('after'));
    const filter = {
      subjectType: query.text('subject') || undefined,
      subjectId: query.text('id') || undefined,
      action: query.text('action') || undefined,
      actorName: query.text('actor') || undefined,
      since: fromLocalInput(query.text('since')) ?? undefined,
      until: fromLocalInput(query.text('until')) ?? undefined,
      after,
      limit: MOST_ENTRIES + 1,
    };
    // An invalid field may change the meaning of the others.
    const found = refused ? [] : await this.audit.list(filter);
    const { items: entries, nextCursor } = pageOf(
      found,
      MOST_ENTRIES,
      (entry) => entry,
      (entry) => entry,
    );
    const fields = new URLSearchParams(query.entries());
    if (nextCursor) fields.set('after', nextCursor);
    const earlier = nextCursor && `/staff/audit?${fields.toString()}`;
    const [now, continued] = [this.clock.now(), after !== undefined];
    return page(
      <AuditPage {...{ viewer, query, refused, entries, earlier, now, continued }} />,
      refused ? 422 : undefined,
    );
  }
}

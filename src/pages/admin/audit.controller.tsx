import { Get } from '@nestjs/common';
import { isUuid } from '../../kernel/uuid.js';
import type { AuditEntry } from '../../audit/audit-entry.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Clock } from '../../kernel/clock.js';
import { checkForm } from '../forms/form-spec.js';
import { page } from '../shell/render.js';
import { fromLocalInput } from '../shell/times.js';
import { auditFields, AuditPage } from './audit.js';
import { Form, QueryForm } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';

const MOST_ENTRIES = 100;

/** Who did what to which subject. */
@StaffPages('staff/audit', 'manager')
export class AuditPagesController {
  constructor(
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  @Get()
  async showAudit(@Staff() viewer: StaffCaller, @QueryForm() query: Form) {
    const refused = checkForm(auditFields, query);
    const after = placeAt(query.text('after'));
    const filter = {
      subjectType: query.text('subject') || undefined,
      subjectId: query.text('id') || undefined,
      action: query.text('action') || undefined,
      actor: query.text('actor') || undefined,
      since: fromLocalInput(query.text('since')) ?? undefined,
      until: fromLocalInput(query.text('until')) ?? undefined,
      after,
      limit: MOST_ENTRIES + 1,
    };
    // With a fault the other fields are no filter that anybody meant.
    const found = refused ? [] : await this.audit.list(filter);
    const entries = found.slice(0, MOST_ENTRIES);
    const earlier = found.length > entries.length ? earlierThan(entries.at(-1)!, query) : null;
    const [now, continued] = [this.clock.now(), after !== undefined];
    return page(
      <AuditPage {...{ viewer, query, refused, entries, earlier, now, continued }} />,
      refused ? 422 : undefined,
    );
  }
}

/** The same page from after its last entry on. */
function earlierThan({ at, id }: AuditEntry, query: Form): string {
  const fields = new URLSearchParams(query.entries());
  fields.set('after', `${at.getTime()}.${id}`);
  return `/staff/audit?${fields.toString()}`;
}

/** What `earlierThan` wrote; undefined for another text. */
function placeAt(text: string): Pick<AuditEntry, 'at' | 'id'> | undefined {
  const [, at, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(text) ?? [];
  return at !== undefined && id !== undefined && isUuid(id)
    ? { at: new Date(Number(at)), id }
    : undefined;
}

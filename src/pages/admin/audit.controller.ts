import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { isUuid } from '../../kernel/uuid.js';
import type { AuditEntry } from '../../audit/audit-entry.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Clock } from '../../kernel/clock.js';
import { Page } from '../../access/scopes.js';
import type { WrittenHtml } from '../../http/written-html.js';
import { Form, QueryForm } from '../forms/form.js';
import { fromLocalInput } from '../shell/times.js';
import { auditPage, MOST_ENTRIES } from './audit.js';

/** Who did what to which subject. */
@Controller('staff/audit')
@ApiExcludeController()
export class AuditPagesController {
  constructor(
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Page('manager')
  async showAudit(@Staff() viewer: StaffCaller, @QueryForm() query: Form): Promise<WrittenHtml> {
    const faults = new Map<string, string>();
    const instant = (name: string) => {
      const text = query.text(name);
      const at = text === '' ? undefined : fromLocalInput(text);
      if (at === null) faults.set(name, 'Write a day and a time, such as 21/11/2026, 09:30.');
      return at ?? undefined;
    };
    const filter = {
      subjectType: query.text('subject') || undefined,
      subjectId: query.text('id') || undefined,
      action: query.text('action') || undefined,
      actor: query.text('actor') || undefined,
      since: instant('since'),
      until: instant('until'),
    };
    const after = placeAt(query.text('after'));
    // With a fault the other fields are no filter that anybody meant.
    const found =
      faults.size > 0 ? [] : await this.audit.list({ ...filter, after, limit: MOST_ENTRIES + 1 });
    const entries = found.slice(0, MOST_ENTRIES);
    return auditPage({
      viewer,
      entries,
      query,
      faults,
      now: this.clock.now(),
      continued: after !== undefined,
      earlier: found.length > entries.length ? earlierThan(entries.at(-1)!, query) : null,
    });
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

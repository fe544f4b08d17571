import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AuditService } from '../../audit/audit.service.js';
import { Staff, type StaffCaller } from '../../common/caller.js';
import { Clock } from '../../common/clock.js';
import { Page } from '../../common/scopes.js';
import type { WrittenHtml } from '../../common/written-html.js';
import { Form, QueryForm } from '../form.js';
import { fromLocalInput, toLocalInput } from '../times.js';
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
    const found = await this.audit.list({ ...filter, limit: MOST_ENTRIES + 1 });
    const entries = found.slice(0, MOST_ENTRIES);
    return auditPage({
      viewer,
      entries,
      query,
      faults,
      now: this.clock.now(),
      earlier: found.length > entries.length ? earlierThan(entries.at(-1)!.at, query) : null,
    });
  }
}

/**
 * The same page up to, and with, the minute of its last entry: those of that minute are shown again,
 * rather than one be missed.
 */
function earlierThan(at: Date, query: Form): string {
  const fields = new URLSearchParams(query.entries());
  fields.set('until', toLocalInput(new Date(at.getTime() + 59_999)));
  return `/staff/audit?${fields.toString()}`;
}

import { Injectable } from '@nestjs/common';
import type { Writable } from 'node:stream';
import type { StaffCaller } from '../../access/caller.js';
import type { AuditEntry } from '../../audit/audit-entry.entity.js';
import { AuditNamesService, type SubjectNames } from '../../audit/audit-names.service.js';
import { actorOf, type AuditFilter, AuditService } from '../../audit/audit.service.js';
import { newId } from '../../database/new-id.js';
import { Transactions } from '../../database/transactions.js';
import { writeTexts } from '../../http/write-texts.js';
import { csvCell } from '../queue/export-format.js';

/** Entries that an export reads at a time and holds in memory. */
const GROUP = 500;

type ExportedEntries = Omit<AuditFilter, 'after' | 'limit'>;

type Column = (entry: AuditEntry, nameOfSubject: SubjectNames) => unknown;

/** Codes stay codes: programs compare them. */
const columns: Readonly<Record<string, Column>> = {
  at: ({ at }) => at,
  subject: ({ subjectType }) => subjectType,
  subjectId: ({ subjectId }) => subjectId,
  subjectName: ({ subjectType, subjectId }, nameOf) => nameOf(subjectType, subjectId),
  action: ({ action }) => action,
  actor: ({ actorType }) => actorType,
  actorId: ({ actorId }) => actorId,
  actorName: ({ actorName }) => actorName,
  details: ({ details }) => details && JSON.stringify(details),
};

/** Exports the audit trail as CSV, newest first. The trail records each export of it. */
@Injectable()
export class AuditExportService {
  constructor(
    private readonly audit: AuditService,
    private readonly names: AuditNamesService,
    private readonly transactions: Transactions,
  ) {}

  /** Records the start of an export. */
  async begin(
    filter: ExportedEntries,
    caller: StaffCaller,
  ): Promise<{ writeTo: (out: Writable) => Promise<void> }> {
    const id = newId();
    // Later entries, such as those of this export, are not part of it.
    const [newest] = await this.audit.list({ ...filter, limit: 1 });
    await this.record(id, 'began', { format: 'csv', filter: { ...filter, of: 'audit' } }, caller);
    return { writeTo: (out) => this.write(id, filter, newest, caller, out) };
  }

  private async write(
    id: string,
    filter: ExportedEntries,
    newest: AuditEntry | undefined,
    caller: StaffCaller,
    out: Writable,
  ): Promise<void> {
    const done = { rows: 0, complete: false };
    const { audit, names } = this;
    async function* texts() {
      yield lineOf(Object.keys(columns));
      if (!newest) return;
      yield textOf([newest], await names.of([newest]));
      for (let after = newest; ;) {
        const entries = await audit.list({ ...filter, after, limit: GROUP });
        done.rows += entries.length;
        yield textOf(entries, await names.of(entries));
        const last = entries.at(-1);
        if (!last || entries.length < GROUP) return;
        after = last;
      }
    }
    if (newest) done.rows = 1;
    try {
      done.complete = await writeTexts(out, texts());
    } finally {
      if (!done.complete) out.destroy();
      await this.record(id, 'ended', done, caller);
    }
    out.end();
  }

  private record(
    id: string,
    action: string,
    details: Record<string, unknown>,
    caller: StaffCaller,
  ): Promise<void> {
    const actor = actorOf(caller);
    return this.transactions.run((tx) =>
      this.audit.record(tx, { subject: ['export', id], action, actor, details }),
    );
  }
}

function textOf(entries: readonly AuditEntry[], nameOfSubject: SubjectNames): string {
  const cells = Object.values(columns);
  return entries
    .map((entry) => lineOf(cells.map((cell) => csvCell(cell(entry, nameOfSubject)))))
    .join('');
}

function lineOf(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}

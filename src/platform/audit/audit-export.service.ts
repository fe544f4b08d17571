import { Injectable } from '@nestjs/common';
import type { StaffCaller } from '../access/caller.js';
import type { AuditEntry } from './audit-entry.entity.js';
import { AuditNamesService, type SubjectNames } from './audit-names.service.js';
import { type AuditFilter, AuditService } from './audit.service.js';
import { csvLine } from '../kernel/text.js';
import {
  type BegunExport,
  type ExportPart,
  RecordedExportService,
} from './recorded-export.service.js';

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
    private readonly exports: RecordedExportService,
    private readonly audit: AuditService,
    private readonly names: AuditNamesService,
  ) {}

  /** Records the start of an export. */
  async begin(filter: ExportedEntries, caller: StaffCaller): Promise<BegunExport> {
    // Later entries, such as those of this export, are not part of it.
    const [newest] = await this.audit.list({ ...filter, limit: 1 });
    const details = { format: 'csv', filter: { ...filter, of: 'audit' } };
    return this.exports.begin(details, caller, () => this.parts(filter, newest));
  }

  private async *parts(
    filter: ExportedEntries,
    newest: AuditEntry | undefined,
  ): AsyncGenerator<ExportPart> {
    yield { text: csvLine(Object.keys(columns)), rows: 0 };
    if (!newest) return;
    yield await this.partOf([newest]);
    for (let after = newest; ;) {
      const entries = await this.audit.list({ ...filter, after, limit: GROUP });
      yield await this.partOf(entries);
      const last = entries.at(-1);
      if (!last || entries.length < GROUP) return;
      after = last;
    }
  }

  private async partOf(entries: readonly AuditEntry[]): Promise<ExportPart> {
    const nameOfSubject = await this.names.of(entries);
    const cells = Object.values(columns);
    const lines = entries.map((entry) => csvLine(cells.map((cell) => cell(entry, nameOfSubject))));
    return { text: lines.join(''), rows: entries.length };
  }
}

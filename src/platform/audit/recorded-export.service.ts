import { Injectable } from '@nestjs/common';
import type { Writable } from 'node:stream';
import type { StaffCaller } from '../access/caller.js';
import type { AuditAction } from './audit-actions.js';
import { actorOf, AuditService, type AuditFilter } from './audit.service.js';
import { newId } from '../database/new-id.js';
import { Transactions } from '../database/transactions.js';
import { contentFor, writeChunks } from '../http/attachment.js';
import type { AuditEntry } from './audit-entry.entity.js';
import { AuditNamesService, type SubjectNames } from './audit-names.service.js';
import { csvLine } from '../kernel/text.js';

/** A part of an export, and the number of rows in it. */
export interface ExportPart {
  readonly text: string | Uint8Array;
  /** Not counted for files. */
  readonly rows?: number;
}

export interface BegunExport {
  /** Writes as fast as the client reads, and ends `out`. */
  readonly writeTo: (out: Writable) => Promise<void>;
}

/** Exports for staff. The audit trail records who began one, with what, and how many rows it had at its end. */
@Injectable()
export class RecordedExportService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** @param details of the entry in the audit trail */
  async begin(
    details: Record<string, unknown>,
    caller: StaffCaller,
    parts: () => AsyncIterable<ExportPart>,
  ): Promise<BegunExport> {
    const id = newId();
    await this.record(id, 'began', details, caller);
    return { writeTo: (out) => this.write(id, parts(), caller, out) };
  }

  private async write(
    id: string,
    parts: AsyncIterable<ExportPart>,
    caller: StaffCaller,
    out: Writable,
  ): Promise<void> {
    const done: { rows?: number; complete: boolean } = { complete: false };
    async function* texts() {
      for await (const { text, rows } of parts) {
        if (rows !== undefined) done.rows = (done.rows ?? 0) + rows;
        yield text;
      }
    }
    try {
      done.complete = await writeChunks(out, contentFor(out, texts()));
    } finally {
      await this.record(id, 'ended', done, caller);
    }
    out.end();
  }

  private record(
    id: string,
    action: AuditAction,
    details: Record<string, unknown>,
    caller: StaffCaller,
  ): Promise<void> {
    const actor = actorOf(caller);
    return this.transactions.run((tx) =>
      this.audit.record(tx, { subject: ['export', id], action, actor, details }),
    );
  }
}

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

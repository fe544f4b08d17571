import { Injectable } from '@nestjs/common';
import type { Writable } from 'node:stream';
import type { StaffCaller } from '../access/caller.js';
import type { AuditAction } from './audit-actions.js';
import { actorOf, AuditService } from './audit.service.js';
import { newId } from '../database/new-id.js';
import { Transactions } from '../database/transactions.js';
import { writeChunks } from '../http/write-chunks.js';

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
      done.complete = await writeChunks(out, texts());
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

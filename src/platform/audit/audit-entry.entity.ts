import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../database/columns.js';

/** Who did what to which subject, when. Append-only. */
@Entity({ name: 'audit_entries' })
@Index('ix_audit_entries_subject', ['subjectType', 'subjectId', 'id'])
@Index('ix_audit_entries_at', ['at', 'id'])
export class AuditEntry {
  /** UUID v7, which sorts by time. */
  @PrimaryColumn(column.uuid)
  id: string;

  @Column(column.instant)
  at: Date;

  @Column(column.text(32))
  subjectType: string;

  @Column(column.text(64))
  subjectId: string;

  /** A word such as `received` or `revoked`. */
  @Column(column.text(64))
  action: string;

  /** `client`, `staff`, `operator` (the command line) or `system`. */
  @Column(column.text(16))
  actorType: string;

  @Column(optional(column.uuid))
  actorId: string | null;

  @Column(column.text(120))
  actorName: string;

  @Column(optional(column.json))
  details: Record<string, unknown> | null;
}

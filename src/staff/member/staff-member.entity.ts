import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { StaffRole } from '../../platform/access/scopes.js';
import { column, optional } from '../../platform/database/columns.js';

@Entity({ name: 'staff_members' })
@Index('ux_staff_members_email', ['email'], { unique: true })
export class StaffMember {
  @PrimaryColumn(column.uuid)
  id: string;

  @Column(column.text(120))
  name: string;

  /** Lower case. */
  @Column(column.text(254))
  email: string;

  @Column(column.text(16))
  role: StaffRole;

  @Column(column.boolean)
  enabled: boolean;

  @Column(column.instant)
  createdAt: Date;

  /** When the latest session was opened; null before the first. */
  @Column(optional(column.instant))
  lastSignedInAt: Date | null;
}

import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { column } from '../../database/columns.js';
import { StaffMember } from '../staff-member.entity.js';

/** A link with which a member sets a password, once; it is deleted with its use. */
@Entity({ name: 'staff_links' })
@Index('ix_staff_links_staff_member', ['staffMemberId'])
export class StaffLink {
  /** SHA-256 of the link's secret, hexadecimal. */
  @PrimaryColumn(column.text(64))
  hash: string;

  @Column(column.uuid)
  @ForeignKey(() => StaffMember, { name: 'fk_staff_links_staff_member' })
  staffMemberId: string;

  @Column(column.instant)
  createdAt: Date;

  @Column(column.instant)
  expiresAt: Date;
}

import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { column } from '../../database/columns.js';
import { StaffMember } from '../staff-member.entity.js';

/** A code that replaces the second factor once; it is deleted with its use. */
@Entity({ name: 'staff_recovery_codes' })
@Index('ix_staff_recovery_codes_staff_member', ['staffMemberId'])
export class StaffRecoveryCode {
  /** SHA-256 of member and code, hexadecimal. */
  @PrimaryColumn(column.text(64))
  hash: string;

  @Column(column.uuid)
  @ForeignKey(() => StaffMember, { name: 'fk_staff_recovery_codes_staff_member' })
  staffMemberId: string;
}

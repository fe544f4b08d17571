import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { column, optional } from '../../database/columns.js';
import { StaffMember } from '../staff-member.entity.js';

/** What a member proves to be itself with; apart from the member, so that no list carries it. */
@Entity({ name: 'staff_credentials' })
export class StaffCredential {
  @PrimaryColumn(column.uuid)
  @ForeignKey(() => StaffMember, { name: 'fk_staff_credentials_staff_member' })
  staffMemberId: string;

  /** Argon2id, as a PHC string; null: none was set yet. */
  @Column(optional(column.text(200)))
  passwordHash: string | null;

  @Column(optional(column.instant))
  passwordSetAt: Date | null;

  /** The key of the second factor, sealed; see common/sealed-text.ts. */
  @Column(optional(column.text(300)))
  sealedTotp: string | null;

  /** Null: it is being set up, and not asked for. */
  @Column(optional(column.instant))
  totpConfirmedAt: Date | null;

  /** The time step (RFC 6238 §4.2) of the code that was taken last; it and older ones are refused. */
  @Column(optional(column.integer))
  totpStep: number | null;
}

import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { column } from '../../database/columns.js';
import { StaffMember } from '../staff-member.entity.js';

/** Who a member is to an OpenID provider. The e-mail address there can change hands; these cannot. */
@Entity({ name: 'staff_identities' })
@Index('ix_staff_identities_staff_member', ['staffMemberId'])
export class StaffIdentity {
  @PrimaryColumn(column.text(255))
  issuer: string;

  @PrimaryColumn(column.text(255))
  subject: string;

  @Column(column.uuid)
  @ForeignKey(() => StaffMember, { name: 'fk_staff_identities_staff_member' })
  staffMemberId: string;

  @Column(column.instant)
  createdAt: Date;
}

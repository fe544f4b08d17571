import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../../database/columns.js';
import { StaffMember } from '../staff-member.entity.js';

/** How a member proves who it is; apart from the member, so that no list contains it. */
@Entity({ name: 'staff_credentials' })
export class StaffCredential {
  @PrimaryColumn(column.uuid)
  @ForeignKey(() => StaffMember, { name: 'fk_staff_credentials_staff_member' })
  staffMemberId: string;

  /** Argon2id, as a PHC string; null before one is set. */
  @Column(optional(column.text(200)))
  passwordHash: string | null;

  @Column(optional(column.instant))
  passwordSetAt: Date | null;

  /** The key of the second factor, sealed; see kernel/sealed-text.ts. */
  @Column(optional(column.text(300)))
  sealedTotp: string | null;

  /** Null while the member sets it up. */
  @Column(optional(column.instant))
  totpConfirmedAt: Date | null;

  /** The time step (RFC 6238 §4.2) of the last accepted code; it and older ones are refused. */
  @Column(optional(column.integer))
  totpStep: number | null;
}

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

/** How long a name has to wait after failed sign-ins, whether it is a member's or not. */
@Entity({ name: 'sign_in_delays' })
@Index('ix_sign_in_delays_failed', ['failedAt'])
export class SignInDelay {
  /** SHA-256 of what was tried: `password` or `code`, and the name in lower case. */
  @PrimaryColumn(column.text(64))
  key: string;

  @Column(column.integer)
  failures: number;

  @Column(column.instant)
  failedAt: Date;

  /** The service refuses attempts before then. */
  @Column(column.instant)
  nextAt: Date;
}

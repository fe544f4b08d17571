import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../../platform/database/columns.js';
import { StaffMember } from '../member/staff-member.entity.js';

/** The secrets of a member, in a separate table, so that no list contains them. */
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

/** A member's identity at an OpenID provider. Unlike an email address it never changes owner. */
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

/** A one-time link to set a password; deleted on use. */
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

/** A one-time replacement for the second factor; deleted on use. */
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

/**
 * The delay of a name after failed sign-ins, even of an unknown name: one row for each network that
 * tries it, and one for all networks together.
 */
@Entity({ name: 'sign_in_delays' })
@Index('ix_sign_in_delays_counted', ['countedSince'])
export class SignInDelay {
  /** SHA-256 of `password` or `code`, the name in lower case, and the network, if it is of one. */
  @PrimaryColumn(column.text(64))
  key: string;

  @Column(column.integer)
  failures: number;

  /** The count starts again a day later. */
  @Column(column.instant)
  countedSince: Date;

  /** The service refuses attempts before then. */
  @Column(column.instant)
  nextAt: Date;

  /** The name has signed in from this network: failures elsewhere do not delay it here until then. */
  @Column(optional(column.instant))
  trustedUntil: Date | null;
}

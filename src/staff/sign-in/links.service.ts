import { HOUR } from '../../platform/kernel/time.js';
import { Injectable } from '@nestjs/common';
import { In, LessThan } from 'typeorm';
import { type Actor, AuditService } from '../../platform/audit/audit.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { Refused } from '../../platform/problems/refused.js';
import { Config } from '../../platform/config/config.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { hashSecret, newSecret } from '../sessions/session-cookie.js';
import { StaffLink } from './sign-in.entity.js';
import { StaffMember } from '../member/staff-member.entity.js';

/** Hours until a link expires. */
export const LINK_HOURS = 72;

export interface PasswordLink {
  /** Shown this once; only its hash is stored. */
  readonly url: string;
  readonly expiresAt: Date;
}

/** One-time links with which members set their first password, or a new one. */
@Injectable()
export class LinksService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * Makes a link, and deletes the member's earlier ones.
   * @throws {Refused} where the member is disabled, or passwords are switched off
   */
  async make(staffMemberId: string, actor: Actor): Promise<PasswordLink> {
    if (!this.config.staffPasswords) {
      throw new Refused('STAFF_PASSWORDS is off: members sign in with the OpenID provider.');
    }
    const { secret, hash } = newSecret();
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + LINK_HOURS * HOUR);
    await this.transactions.run(async (tx) => {
      const member = await tx.findOneByOrFail(StaffMember, { id: staffMemberId });
      if (!member.enabled)
        throw new Refused(`${member.name} is disabled: enable the member first.`);
      await this.endAll(tx, staffMemberId);
      await tx.insert(StaffLink, { hash, staffMemberId, createdAt, expiresAt });
      const subject = ['staff', staffMemberId] as const;
      await this.audit.record(tx, { subject, action: 'link-made', actor, details: { expiresAt } });
    });
    return { url: `${this.config.publicUrl}/staff/set-password/${secret}`, expiresAt };
  }

  /** Undefined where the link is unusable. */
  ownerOf(secret: string): Promise<StaffMember | undefined> {
    return this.transactions.read((tx) => this.ownerIn(tx, secret));
  }

  /** As `ownerOf`, and deletes the link. */
  async use(tx: Tx, secret: string): Promise<StaffMember | undefined> {
    const member = await this.ownerIn(tx, secret);
    if (!member) return undefined;
    const { affected } = await tx.delete(StaffLink, { hash: hashSecret(secret) });
    return affected === 1 ? member : undefined;
  }

  /** Deletes the links of a member, in the caller's transaction. */
  async endAll(tx: Tx, staffMemberId: string): Promise<void> {
    await tx.delete(StaffLink, { staffMemberId });
  }

  /** Deletes up to `most` expired links. @returns how many */
  async prune(tx: Tx, most: number): Promise<number> {
    const where = { expiresAt: LessThan(this.clock.now()) };
    const rows = await tx.find(StaffLink, { where, take: most });
    if (rows.length > 0) await tx.delete(StaffLink, { hash: In(rows.map(({ hash }) => hash)) });
    return rows.length;
  }

  private async ownerIn(tx: Tx, secret: string): Promise<StaffMember | undefined> {
    const link = await tx.findOneBy(StaffLink, { hash: hashSecret(secret) });
    if (!link || link.expiresAt <= this.clock.now() || !this.config.staffPasswords)
      return undefined;
    const member = await tx.findOneBy(StaffMember, { id: link.staffMemberId });
    return member?.enabled ? member : undefined;
  }
}

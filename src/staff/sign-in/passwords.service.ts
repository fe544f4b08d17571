import { Injectable } from '@nestjs/common';
import { type Actor, AuditService } from '../../platform/audit/audit.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { Config } from '../../platform/config/config.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { LinksService } from './links.service.js';
import { hashPassword } from './password-hash.js';
import { commonPasswords, passwordFault } from './password-rules.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { StaffCredential } from './sign-in.entity.js';
import type { StaffMember } from '../member/staff-member.entity.js';

/** Members' passwords. Setting one ends all sessions of the member, and all links. */
@Injectable()
export class PasswordsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly sessions: SessionsService,
    private readonly links: LinksService,
    private readonly config: Config,
  ) {}

  get areOn(): boolean {
    return this.config.staffPasswords;
  }

  /** Faults by form field; undefined where the password is acceptable. */
  async faultsOf(
    password: string,
    again: string,
    member: Pick<StaffMember, 'name' | 'email'>,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const fault = passwordFault(password, member, await commonPasswords());
    if (fault) return new Map([['password', fault]]);
    return password === again
      ? undefined
      : new Map([['again', 'The passwords do not match. Enter both again.']]);
  }

  credentialOf(staffMemberId: string): Promise<StaffCredential | null> {
    return this.transactions.read((tx) => tx.findOneBy(StaffCredential, { staffMemberId }));
  }

  /**
   * Sets the password of the link's owner, and uses up the link.
   * @returns the member; undefined where the link is unusable
   */
  async setByLink(secret: string, password: string): Promise<StaffMember | undefined> {
    const hash = await hashPassword(password);
    return this.transactions.run(async (tx) => {
      const member = await this.links.use(tx, secret);
      if (!member) return undefined;
      const actor = { type: 'staff', id: member.id, name: member.name } as const;
      await this.store(tx, member.id, hash, { actor, by: 'link' });
      return member;
    });
  }

  /** Sets a password that `faultsOf` accepts. */
  async set(staffMemberId: string, password: string, by: 'member' | 'command', actor: Actor) {
    const hash = await hashPassword(password);
    await this.transactions.run((tx) => this.store(tx, staffMemberId, hash, { actor, by }));
  }

  private async store(
    tx: Tx,
    staffMemberId: string,
    passwordHash: string,
    { actor, by }: { readonly actor: Actor; readonly by: string },
  ): Promise<void> {
    const row = { passwordHash, passwordSetAt: this.clock.now() };
    const { affected } = await tx.update(StaffCredential, { staffMemberId }, row);
    if (affected !== 1) await tx.insert(StaffCredential, { staffMemberId, ...row });
    const subject = ['staff', staffMemberId] as const;
    await this.audit.record(tx, { subject, action: 'password-set', actor, details: { by } });
    await this.sessions.endAll(tx, staffMemberId, actor);
    await this.links.endAll(tx, staffMemberId);
  }
}

import { Injectable, Logger } from '@nestjs/common';
import type { AuditAction } from '../../platform/audit/audit-actions.js';
import { AuditService } from '../../platform/audit/audit.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { isUniqueViolation } from '../../platform/database/engine/errors.js';
import { staffRoles, type StaffRole } from '../../platform/access/scopes.js';
import { Config } from '../../platform/config/config.js';
import { newId } from '../../platform/database/new-id.js';
import { RevisionsService } from '../../platform/database/revisions.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type { ProviderIdentity } from './oidc.service.js';
import { isOverage, nameOf, provenEmail, valuesOf } from './provider-claims.js';
import { StaffIdentity } from './sign-in.entity.js';
import { StaffMember } from '../member/staff-member.entity.js';

/** The member, or why the person is refused. */
export type Admission =
  | { readonly member: StaffMember; readonly refused?: undefined; readonly known?: undefined }
  | { readonly member?: undefined; readonly refused: string; readonly known?: StaffMember };

/**
 * Finds the member for a person at the provider, by issuer and subject. The first time, it uses the
 * email address, which must be proven: see `provenEmail`.
 */
@Injectable()
export class ProviderMembersService {
  private readonly logger = new Logger(ProviderMembersService.name);

  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async admit(person: ProviderIdentity): Promise<Admission> {
    const role = this.roleOf(person);
    if (role === null) return { refused: this.withoutRole(person) };
    const admission = await this.transactions
      .run((tx) => this.find(tx, person, role))
      .catch((error: unknown) => {
        // A concurrent request of the same person was first.
        if (!isUniqueViolation(error)) throw error;
        return this.transactions.run((tx) => this.find(tx, person, role));
      });
    await this.revisions.catchUp();
    return admission;
  }

  private withoutRole({ claims }: ProviderIdentity): string {
    return isOverage(claims, this.config.oidcRoleClaim)
      ? 'You are in too many groups: the provider sent none of them. Ask an administrator to limit the groups that it sends.'
      : 'Your account has no role in this service.';
  }

  /** Undefined where this service sets the roles, null where the claim has no role. */
  private roleOf({ claims }: ProviderIdentity): StaffRole | null | undefined {
    const { oidcRoles, oidcRoleClaim } = this.config;
    if (!oidcRoles) return undefined;
    const values = new Set(valuesOf(claims, oidcRoleClaim));
    const roles = oidcRoles.filter(({ value }) => values.has(value)).map((one) => one.role);
    return staffRoles.findLast((known) => roles.includes(known)) ?? null;
  }

  private async find(
    tx: Tx,
    person: ProviderIdentity,
    role: StaffRole | undefined,
  ): Promise<Admission> {
    const { issuer, subject } = person;
    const identity = await tx.findOneBy(StaffIdentity, { issuer, subject });
    const member = identity
      ? await tx.findOneByOrFail(StaffMember, { id: identity.staffMemberId })
      : await this.admitFirst(tx, person, role ?? 'agent');
    if (!(member instanceof StaffMember)) return member;
    if (!member.enabled) return { refused: 'Your account is disabled.', known: member };
    if (role !== undefined && member.role !== role) {
      await tx.update(StaffMember, { id: member.id }, { role });
      const details = { from: member.role, to: role, by: 'provider' };
      await this.note(tx, member, 'role-set', details);
      await this.revisions.bump(tx, 'access');
      member.role = role;
    }
    return { member };
  }

  /** The first sign-in of an invited member, or of anyone if `OIDC_MEMBERS` is `all`. */
  private async admitFirst(
    tx: Tx,
    person: ProviderIdentity,
    role: StaffRole,
  ): Promise<StaffMember | Admission> {
    const { issuer, subject, claims } = person;
    const email = provenEmail(claims, this.config);
    if (email === null) {
      this.logger.warn(
        `Refused a person: the provider sent no proven address (claim ${this.config.oidcEmailProof}). See OIDC_EMAIL_PROOF.`,
      );
      return { refused: 'The provider has not verified your email address.' };
    }
    const createdAt = this.clock.now();
    let member = await tx.findOneBy(StaffMember, { email });
    if (member && (await tx.existsBy(StaffIdentity, { issuer, staffMemberId: member.id }))) {
      return { refused: 'This email address belongs to another account.', known: member };
    }
    if (!member) {
      if (this.config.oidcMembers !== 'all') {
        return { refused: 'You have no account. Ask an administrator to add you.' };
      }
      const about = { name: nameOf(claims) || email, email, role, enabled: true, createdAt };
      const row = { ...about, id: newId(), lastSignedInAt: null };
      await tx.insert(StaffMember, row);
      member = Object.assign(new StaffMember(), row);
      await this.note(tx, member, 'added', { by: 'provider' });
    }
    await tx.insert(StaffIdentity, { issuer, subject, staffMemberId: member.id, createdAt });
    await this.note(tx, member, 'identity-linked', { issuer });
    return member;
  }

  private note(
    tx: Tx,
    { id, name }: StaffMember,
    action: AuditAction,
    details: Record<string, unknown>,
  ): Promise<void> {
    const actor = { type: 'staff', id, name } as const;
    return this.audit.record(tx, { subject: ['staff', id], action, actor, details });
  }
}

import { Injectable } from '@nestjs/common';
import { type Actor, AuditService } from '../platform/audit/audit.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { isUniqueViolation } from '../platform/database/engine/errors.js';
import { Refused } from '../platform/problems/refused.js';
import type { StaffRole } from '../platform/access/scopes.js';
import { newId } from '../platform/database/new-id.js';
import { RevisionsService } from '../platform/database/revisions.service.js';
import { Transactions } from '../platform/database/transactions.js';
import { SessionsService } from './sessions/sessions.service.js';
import { LinksService } from './sign-in/links.service.js';
import { StaffMember } from './member/staff-member.entity.js';

@Injectable()
export class StaffService {
  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly sessions: SessionsService,
    private readonly links: LinksService,
  ) {}

  /** @throws {Refused} where the email address is taken */
  async add(
    member: Pick<StaffMember, 'name' | 'email' | 'role'>,
    actor: Actor,
  ): Promise<StaffMember> {
    const row = {
      ...member,
      email: member.email.toLowerCase(),
      id: newId(),
      enabled: true,
      createdAt: this.clock.now(),
      lastSignedInAt: null,
    };
    try {
      await this.transactions.run(async (tx) => {
        await tx.insert(StaffMember, row);
        await this.audit.record(tx, { subject: ['staff', row.id], action: 'added', actor });
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new Refused(`There is a staff member with the address ${row.email} already.`, 'email');
    }
    return Object.assign(new StaffMember(), row);
  }

  list(): Promise<StaffMember[]> {
    return this.transactions.read((tx) => tx.find(StaffMember, { order: { name: 'ASC' } }));
  }

  get(id: string): Promise<StaffMember> {
    return this.transactions.read((tx) => tx.findOneByOrFail(StaffMember, { id }));
  }

  /** By id or email address. @throws {Refused} where there is none */
  async find(idOrEmail: string): Promise<StaffMember> {
    const wanted = idOrEmail.toLowerCase();
    const member = (await this.list()).find(({ id, email }) => id === wanted || email === wanted);
    if (member) return member;
    throw new Refused(
      `There is no staff member ${JSON.stringify(idOrEmail)}; the page Staff lists them.`,
    );
  }

  /** Disabling ends sessions and links for good; tokens work again when the member is enabled. */
  async setEnabled(id: string, enabled: boolean, actor: Actor): Promise<void> {
    await this.transactions.run(async (tx) => {
      const { affected } = await tx.update(StaffMember, { id, enabled: !enabled }, { enabled });
      if (affected !== 1) return;
      const action = enabled ? 'enabled' : 'disabled';
      await this.audit.record(tx, { subject: ['staff', id], action, actor });
      if (!enabled) {
        await this.sessions.endAll(tx, id, actor);
        await this.links.endAll(tx, id);
      }
      await this.revisions.bump(tx, 'access');
    });
    await this.revisions.catchUp();
  }

  /** Takes effect with the next request. */
  async setRole(id: string, role: StaffRole, actor: Actor): Promise<void> {
    await this.transactions.run(async (tx) => {
      const member = await tx.findOneByOrFail(StaffMember, { id });
      if (member.role === role) return;
      await tx.update(StaffMember, { id }, { role });
      const details = { from: member.role, to: role };
      await this.audit.record(tx, { subject: ['staff', id], action: 'role-set', actor, details });
      await this.revisions.bump(tx, 'access');
    });
    await this.revisions.catchUp();
  }
}

import { Injectable } from '@nestjs/common';
import { In, LessThan, Not } from 'typeorm';
import { isUuid } from '../../platform/kernel/uuid.js';
import { type Actor, AuditService } from '../../platform/audit/audit.service.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Clock } from '../../platform/kernel/clock.js';
import { scopesOfRole } from '../../platform/access/scopes.js';
import { newId } from '../../platform/database/new-id.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { ABSOLUTE, hashSecret, IDLE, isLive, newSecret, timeOf } from './session-cookie.js';
import { StaffMember } from '../member/staff-member.entity.js';
import { StaffSession } from './staff-session.entity.js';

/** Milliseconds between two updates of `lastSeenAt`. */
const LAST_SEEN_INTERVAL = 60_000;

export interface Browser {
  readonly userAgent: string;
  readonly address: string;
}

export type NewSession = Pick<StaffSession, 'staffMemberId' | 'stage' | 'method'> &
  Partial<Pick<StaffSession, 'secondFactorAt'>>;

export interface FoundSession {
  readonly session: StaffSession;
  readonly member: StaffMember;
}

@Injectable()
export class SessionsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts a session in the transaction of the sign-in, always with a new cookie, against session
   * fixation.
   * @returns the value of the cookie
   */
  async start(tx: Tx, about: NewSession, { userAgent, address }: Browser): Promise<string> {
    const { secret, hash } = newSecret();
    const now = this.clock.now();
    await tx.insert(StaffSession, {
      ...about,
      id: newId(),
      hash,
      createdAt: now,
      lastSeenAt: now,
      userAgent: userAgent.slice(0, 200),
      address: address.slice(0, 45),
    });
    if (about.stage === 'open') {
      await tx.update(StaffMember, { id: about.staffMemberId }, { lastSignedInAt: now });
    }
    return secret;
  }

  /** As `start`, after the second factor. */
  startProven(
    tx: Tx,
    about: Pick<NewSession, 'staffMemberId' | 'method'>,
    browser: Browser,
  ): Promise<string> {
    return this.start(tx, { ...about, stage: 'open', secondFactorAt: this.clock.now() }, browser);
  }

  /** Ends the session of the cookie in the caller's transaction. @returns whether there was one */
  async forget(tx: Tx, cookie: string): Promise<boolean> {
    const { affected } = await tx.delete(StaffSession, { hash: hashSecret(cookie) });
    return affected === 1;
  }

  /**
   * The member with this cookie; undefined without a live session.
   * @param isUse whether a person acts: automatic refreshes do not keep a session alive
   */
  async callerOf(cookie: string | undefined, isUse = true): Promise<StaffCaller | undefined> {
    const found = await this.find(cookie);
    if (!found || found.session.stage !== 'open') return undefined;
    const { session, member } = found;
    const lastSeenAt = isUse ? await this.see(session) : session.lastSeenAt;
    return {
      kind: 'staff',
      tokenId: session.id,
      sessionId: session.id,
      sessionTime: timeOf({ ...session, lastSeenAt }, this.clock.now()),
      staffId: member.id,
      name: member.name,
      role: member.role,
      scopes: scopesOfRole(member.role),
    };
  }

  /** The session of the cookie, at any stage, and its member. */
  async find(cookie: string | undefined): Promise<FoundSession | undefined> {
    if (!cookie) return undefined;
    const row = await this.transactions.read((tx) =>
      tx
        .createQueryBuilder(StaffSession, 's')
        .innerJoinAndMapOne('s.member', StaffMember, 'm', 'm.id = s.staffMemberId')
        .where('s.hash = :hash', { hash: hashSecret(cookie) })
        .getOne(),
    );
    if (!row) return undefined;
    const { member, ...session } = row as StaffSession & { member: StaffMember };
    return member.enabled && isLive(session, this.clock.now()) ? { session, member } : undefined;
  }

  /** The live ones among these sessions, for open streams. */
  async liveAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const now = this.clock.now();
    const rows = await this.transactions.read((tx) =>
      tx
        .createQueryBuilder(StaffSession, 's')
        .innerJoin(StaffMember, 'm', 'm.id = s.staffMemberId')
        .where({ id: In([...ids]) })
        .andWhere('m.enabled = :enabled', { enabled: true })
        .getMany(),
    );
    return new Set(rows.filter((row) => isLive(row, now)).map(({ id }) => id));
  }

  /** The live sessions of a member, most recently used first. */
  async list(staffMemberId: string): Promise<StaffSession[]> {
    const rows = await this.transactions.read((tx) =>
      tx.find(StaffSession, {
        where: { staffMemberId },
        order: { lastSeenAt: 'DESC', id: 'DESC' },
      }),
    );
    const now = this.clock.now();
    return rows.filter((row) => row.stage === 'open' && isLive(row, now));
  }

  /** Ends one session of a member. @returns whether there was one */
  async end(
    staffMemberId: string,
    id: string,
    action: SessionEnding,
    actor: Actor,
  ): Promise<boolean> {
    if (!isUuid(id)) return false;
    return this.transactions.run(async (tx) => {
      const { affected } = await tx.delete(StaffSession, { id, staffMemberId });
      if (affected !== 1) return false;
      const details = { session: id };
      await this.audit.record(tx, { subject: ['staff', staffMemberId], action, actor, details });
      return true;
    });
  }

  /** Ends all of a member's sessions, except `but`. @returns how many */
  endAllOf(staffMemberId: string, actor: Actor, but?: string): Promise<number> {
    return this.transactions.run((tx) => this.endAll(tx, staffMemberId, actor, but));
  }

  /** As `endAllOf`, in the caller's transaction. */
  async endAll(tx: Tx, staffMemberId: string, actor: Actor, but?: string): Promise<number> {
    const rows = await tx.find(StaffSession, {
      select: { id: true },
      where: { staffMemberId, ...(but !== undefined && { id: Not(but) }) },
    });
    for (const { id } of rows) {
      await tx.delete(StaffSession, { id });
      const details = { session: id };
      const subject = ['staff', staffMemberId] as const;
      await this.audit.record(tx, { subject, action: 'session-ended', actor, details });
    }
    return rows.length;
  }

  /** Deletes up to `most` expired sessions. @returns how many */
  async prune(tx: Tx, most: number): Promise<number> {
    const now = this.clock.now().getTime();
    const ended = await tx.find(StaffSession, {
      select: { id: true },
      where: [
        { lastSeenAt: LessThan(new Date(now - IDLE)) },
        { createdAt: LessThan(new Date(now - ABSOLUTE)) },
      ],
      take: most,
    });
    if (ended.length > 0) await tx.delete(StaffSession, { id: In(ended.map(({ id }) => id)) });
    return ended.length;
  }

  /** @returns when the session was last seen by now */
  private async see({ id, lastSeenAt }: StaffSession): Promise<Date> {
    const now = this.clock.now();
    if (now.getTime() - lastSeenAt.getTime() < LAST_SEEN_INTERVAL) return lastSeenAt;
    await this.transactions.run((tx) =>
      tx.update(StaffSession, { id, lastSeenAt: LessThan(now) }, { lastSeenAt: now }),
    );
    return now;
  }
}

/** Actions of the audit trail. */
export type SessionEnding = 'signed-out' | 'session-ended';

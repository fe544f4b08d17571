import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../../platform/audit/audit-actions.js';
import { type Actor, AuditService } from '../../platform/audit/audit.service.js';
import { Config } from '../../platform/config/config.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { hashPassword, isOutdated, isPassword } from './password-hash.js';
import { SecondFactorService } from './second-factor.service.js';
import { type Browser, type FoundSession, SessionsService } from '../sessions/sessions.service.js';
import { SignInDelaysService } from './sign-in-delays.service.js';
import { StaffCredential } from './sign-in.entity.js';
import { StaffMember } from '../member/staff-member.entity.js';
import type { SessionStage, StaffSession } from '../sessions/staff-session.entity.js';

/** A browser that signs in. */
export interface Visitor extends Browser {
  /** The new session replaces the session of this cookie. */
  readonly cookie: string | undefined;
}

type SignInRefusal =
  { readonly kind: 'wrong' } | { readonly kind: 'wait'; readonly seconds: number };

export type SignInOutcome =
  { readonly kind: 'in'; readonly cookie: string; readonly stage: SessionStage } | SignInRefusal;

/** Whether a signed-in member has proved a secret again. */
export type ProofOutcome = { readonly kind: 'right' } | SignInRefusal;

/** The session of the first step has ended before the second was stored. */
export class SessionEnded extends Error {}

const visitor: Actor = { type: 'system', id: null, name: 'sign-in' };

/** Signs members in. The audit trail records every attempt. */
@Injectable()
export class SignInService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly config: Config,
    private readonly sessions: SessionsService,
    private readonly delays: SignInDelaysService,
    private readonly secondFactor: SecondFactorService,
  ) {}

  /** The outcome and time do not differ for unknown names, wrong passwords and disabled members. */
  async withPassword(email: string, password: string, from: Visitor): Promise<SignInOutcome> {
    const name = email.toLowerCase();
    const target = ['password', name] as const;
    const { member, credential } = await this.transactions.read(async (tx) => {
      const member = await tx.findOneBy(StaffMember, { email: name });
      const staffMemberId = member?.id ?? NO_MEMBER;
      return { member, credential: await tx.findOneBy(StaffCredential, { staffMemberId }) };
    });
    const seconds = await this.delays.take(target, from.address);
    if (seconds > 0) {
      this.noteFailure(member, from, 'password', 'too soon');
      return { kind: 'wait', seconds };
    }
    const isRight = await isPassword(credential?.passwordHash ?? null, password);
    if (!isRight || !member?.enabled) {
      this.noteFailure(member, from, 'password', isRight ? 'disabled' : 'wrong');
      return { kind: 'wrong' };
    }
    const { staffMemberId, passwordHash } = credential!;
    const strong = { passwordHash: await upgraded(passwordHash!, password) };
    const outcome = await this.transactions.run(async (tx) => {
      // Also locks the row: a change of the password ends this session, or is seen here.
      const seen = { staffMemberId, passwordHash: passwordHash! };
      const { affected } = await tx.update(StaffCredential, seen, strong);
      if (affected !== 1) return undefined;
      await this.delays.succeed(tx, target, from.address);
      return this.start(tx, member, 'password', from);
    });
    // The password or its hash was replaced meanwhile: compare with the new one.
    return outcome ?? this.withPassword(email, password, from);
  }

  /**
   * The second step, after the right password.
   * @throws {SessionEnded} if the session ends meanwhile, as by a new password
   */
  async withCode(
    { session, member }: FoundSession,
    code: string,
    from: Visitor,
  ): Promise<SignInOutcome> {
    const target = ['code', member.id] as const;
    const seconds = await this.delays.take(target, from.address);
    if (seconds > 0) {
      this.noteFailure(member, from, 'code', 'too soon');
      return { kind: 'wait', seconds };
    }
    const outcome = await this.transactions.run(async (tx): Promise<SignInOutcome | undefined> => {
      const how = await this.secondFactor.accepts(tx, member.id, code);
      if (!how) return undefined;
      await this.delays.succeed(tx, target, from.address);
      return this.finish(tx, { session, member }, how, from);
    });
    if (outcome) return outcome;
    this.noteFailure(member, from, 'code', 'wrong');
    return { kind: 'wrong' };
  }

  /** Signs in a member whom a link or the provider has identified. */
  signInBy(
    member: StaffMember,
    method: 'link' | 'provider',
    from: Visitor,
  ): Promise<SignInOutcome> {
    return this.transactions.run(async (tx) => {
      if (method === 'link') {
        await this.delays.succeed(tx, ['password', member.email], from.address);
      }
      return this.start(tx, member, method, from);
    });
  }

  /** Signs in a member who has just set up the required second factor. @throws {SessionEnded} as `withCode` */
  afterEnrolment(found: FoundSession, from: Visitor): Promise<SignInOutcome> {
    return this.transactions.run((tx) => this.finish(tx, found, 'code', from));
  }

  /** Asks for the password again, before a change. */
  async provePassword(
    { id, email }: StaffMember,
    password: string,
    { address }: Browser,
  ): Promise<ProofOutcome> {
    const target = ['password', email] as const;
    const seconds = await this.delays.take(target, address);
    if (seconds > 0) return { kind: 'wait', seconds };
    const credential = await this.transactions.read((tx) =>
      tx.findOneBy(StaffCredential, { staffMemberId: id }),
    );
    if (!(await isPassword(credential?.passwordHash ?? null, password))) return { kind: 'wrong' };
    await this.transactions.run((tx) => this.delays.succeed(tx, target, address));
    return { kind: 'right' };
  }

  /** Asks for a code of the second factor, and uses it up. */
  async proveCode(
    staffMemberId: string,
    code: string,
    { address }: Browser,
  ): Promise<ProofOutcome> {
    const target = ['code', staffMemberId] as const;
    const seconds = await this.delays.take(target, address);
    if (seconds > 0) return { kind: 'wait', seconds };
    return this.transactions.run(async (tx): Promise<ProofOutcome> => {
      if (!(await this.secondFactor.accepts(tx, staffMemberId, code))) return { kind: 'wrong' };
      await this.delays.succeed(tx, target, address);
      return { kind: 'right' };
    });
  }

  /** Replaces the session of the cookie with a new one. */
  renew(
    session: Pick<StaffSession, 'staffMemberId' | 'method' | 'secondFactorAt'>,
    stage: SessionStage,
    from: Visitor,
  ): Promise<string> {
    return this.transactions.run(async (tx) => {
      if (from.cookie) await this.sessions.forget(tx, from.cookie);
      const { staffMemberId, method, secondFactorAt } = session;
      return this.sessions.start(tx, { staffMemberId, method, secondFactorAt, stage }, from);
    });
  }

  private async start(
    tx: Tx,
    member: StaffMember,
    method: StaffSession['method'],
    from: Visitor,
  ): Promise<SignInOutcome> {
    if (from.cookie) await this.sessions.forget(tx, from.cookie);
    const stage = method === 'provider' ? 'open' : await this.stageOf(tx, member);
    const about = { staffMemberId: member.id, stage, method };
    const cookie = await this.sessions.start(tx, about, from);
    const action = stage === 'open' ? 'signed-in' : 'password-accepted';
    await this.note(tx, member, action, from, { method });
    return { kind: 'in', cookie, stage };
  }

  private async finish(
    tx: Tx,
    { session, member }: FoundSession,
    how: 'code' | 'recovery',
    from: Visitor,
  ): Promise<SignInOutcome> {
    if (!(await this.sessions.forget(tx, from.cookie ?? ''))) throw new SessionEnded();
    const { method } = session;
    const cookie = await this.sessions.startProven(tx, { staffMemberId: member.id, method }, from);
    await this.note(tx, member, 'signed-in', from, { method, secondFactor: how });
    return { kind: 'in', cookie, stage: 'open' };
  }

  private async stageOf(tx: Tx, { id }: StaffMember): Promise<SessionStage> {
    const credential = await tx.findOneBy(StaffCredential, { staffMemberId: id });
    if (credential?.totpConfirmedAt) return 'second-factor';
    return this.config.staffSecondFactor === 'required' ? 'enrolment' : 'open';
  }

  /** Does not keep an unknown name: it may be a password in the wrong field. */
  noteFailure(
    member: StaffMember | null | undefined,
    { address }: Browser,
    what: 'password' | 'code' | 'link' | 'provider',
    why: string,
  ): void {
    this.audit.recordSoon({
      subject: member ? ['staff', member.id] : ['sign-in', 'unknown'],
      action: 'sign-in-failed',
      actor: visitor,
      details: { what, why, address },
    });
  }

  private note(
    tx: Tx,
    { id, name }: StaffMember,
    action: AuditAction,
    { address }: Browser,
    details: Record<string, unknown>,
  ): Promise<void> {
    const actor = { type: 'staff', id, name } as const;
    return this.audit.record(tx, {
      subject: ['staff', id],
      action,
      actor,
      details: { ...details, address },
    });
  }
}

/** A hash of the present strength; the same if it has that. */
async function upgraded(passwordHash: string, password: string): Promise<string> {
  return isOutdated(passwordHash) ? hashPassword(password) : passwordHash;
}

/** The id of no member, so that an unknown name causes the same query. */
const NO_MEMBER = '00000000-0000-0000-0000-000000000000';

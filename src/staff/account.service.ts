import { Injectable } from '@nestjs/common';
import { actorOf } from '../platform/audit/audit.service.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { Clock } from '../platform/kernel/clock.js';
import { NotFound } from '../platform/problems/problem.js';
import { PasswordsService } from './sign-in/passwords.service.js';
import { type SecondFactorSetup, SecondFactorService } from './sign-in/second-factor.service.js';
import { SessionsService } from './sessions/sessions.service.js';
import { type ProofOutcome, SignInService, type Visitor } from './sign-in/sign-in.service.js';
import { StaffService } from './staff.service.js';
import type { StaffSession } from './sessions/staff-session.entity.js';

export interface Account {
  readonly email: string;
  readonly now: Date;
  readonly sessions: readonly StaffSession[];
  /** Null where passwords are off. */
  readonly password: { readonly setAt: Date | null } | null;
  /** Null where second factors are off. */
  readonly secondFactor: { readonly since: Date | null; readonly codesLeft: number } | null;
}

/** The outcome of a change; `faults` are by form field. */
export interface AccountChange {
  /** Whether the password or code that it needs was right. */
  readonly isProven: boolean;
  readonly faults?: ReadonlyMap<string, string>;
  /** The wait after too many attempts. */
  readonly seconds?: number;
  /** Shown this once. */
  readonly codes?: readonly string[];
  /** The cookie of the session that replaces the current one. */
  readonly cookie?: string;
}

const WRONG_PASSWORD = 'This password is incorrect.';

/** Changes that members make to their own accounts. */
@Injectable()
export class AccountService {
  constructor(
    private readonly staff: StaffService,
    private readonly passwords: PasswordsService,
    private readonly sessions: SessionsService,
    private readonly secondFactor: SecondFactorService,
    private readonly signIn: SignInService,
    private readonly clock: Clock,
  ) {}

  async view(staffId: string): Promise<Account> {
    const { email } = await this.staff.get(staffId);
    const credential = await this.passwords.credentialOf(staffId);
    const codesLeft = await this.secondFactor.codesLeft(staffId);
    return {
      email,
      now: this.clock.now(),
      sessions: await this.sessions.list(staffId),
      password: this.passwords.areOn ? { setAt: credential?.passwordSetAt ?? null } : null,
      secondFactor: this.secondFactor.isAvailable
        ? { since: credential?.totpConfirmedAt ?? null, codesLeft }
        : null,
    };
  }

  /** @throws {NotFound} unless the member has a password */
  async requirePassword(staffId: string): Promise<{ readonly email: string }> {
    const { password, email } = await this.view(staffId);
    if (!password?.setAt) throw new NotFound('You sign in without a password.');
    return { email };
  }

  /** Ends all sessions of the member, and starts a new one. */
  async changePassword(
    caller: StaffCaller,
    { current, password, again }: Readonly<Record<'current' | 'password' | 'again', string>>,
    from: Visitor,
  ): Promise<AccountChange> {
    const { staffId, sessionId } = caller;
    const member = await this.staff.get(staffId);
    const proof = await this.signIn.provePassword(member, current, from);
    if (proof.kind !== 'right') return refused('current', proof, WRONG_PASSWORD);
    const faults = await this.passwords.faultsOf(password, again, member);
    if (faults) return { isProven: true, faults };
    const session = (await this.sessions.list(staffId)).find(({ id }) => id === sessionId);
    if (!session) throw new NotFound('Your session has ended.');
    await this.passwords.set(staffId, password, 'member', actorOf(caller));
    return { isProven: true, cookie: await this.signIn.renew(session, 'open', from) };
  }

  async hasSecondFactor(staffId: string): Promise<boolean> {
    if (!this.secondFactor.isAvailable) {
      throw new NotFound('Two-factor sign-in is off.');
    }
    return !!(await this.passwords.credentialOf(staffId))?.totpConfirmedAt;
  }

  /** Null if there is a second factor already. */
  async setUp(staffId: string): Promise<{
    readonly email: string;
    readonly offer: SecondFactorSetup;
    readonly asksPassword: boolean;
  } | null> {
    const member = await this.staff.get(staffId);
    const offer = await this.secondFactor.offer(member);
    if (offer === null) return null;
    const credential = await this.passwords.credentialOf(staffId);
    return { email: member.email, offer, asksPassword: !!credential?.passwordHash };
  }

  async confirmSecondFactor(
    caller: StaffCaller,
    { code, current }: { readonly code: string; readonly current: string },
    from: Visitor,
  ): Promise<AccountChange> {
    const { staffId } = caller;
    const credential = await this.passwords.credentialOf(staffId);
    if (credential?.passwordHash) {
      const member = await this.staff.get(staffId);
      const proof = await this.signIn.provePassword(member, current, from);
      if (proof.kind !== 'right') return refused('current', proof, WRONG_PASSWORD);
    }
    const codes = await this.secondFactor.confirm(staffId, code, actorOf(caller));
    if (codes) return { isProven: true, codes };
    const wrong =
      'This code is incorrect. Wait for the next one, and check the time of your phone.';
    return { isProven: false, faults: new Map([['code', wrong]]) };
  }

  /** Replaces the recovery codes or removes the second factor; needs one of its codes. */
  async changeSecondFactor(
    caller: StaffCaller,
    { what, code }: { readonly what: 'codes' | 'remove'; readonly code: string },
    from: Visitor,
  ): Promise<AccountChange> {
    const { staffId } = caller;
    const proof = await this.signIn.proveCode(staffId, code, from);
    if (proof.kind !== 'right') {
      return refused('code', proof, 'This code is incorrect, or was used before.');
    }
    if (what === 'codes') {
      const codes = await this.secondFactor.newCodes(staffId, actorOf(caller));
      return { isProven: true, codes };
    }
    await this.secondFactor.remove(staffId, actorOf(caller));
    if (!this.secondFactor.isRequired) return { isProven: true };
    const session = { staffMemberId: staffId, method: 'password', secondFactorAt: null } as const;
    return { isProven: true, cookie: await this.signIn.renew(session, 'enrolment', from) };
  }
}

function refused(field: string, proof: ProofOutcome, wrong: string): AccountChange {
  if (proof.kind !== 'wait') return { isProven: false, faults: new Map([[field, wrong]]) };
  const { seconds } = proof;
  const fault = `Too many attempts. Try again in ${seconds} s.`;
  return { isProven: false, faults: new Map([[field, fault]]), seconds };
}

import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { LessThan, IsNull, Not } from 'typeorm';
import { Secret, TOTP } from 'otpauth';
import { type Actor, AuditService, resealedEvent } from '../../platform/audit/audit.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { type Resealed, SealingKeys } from '../../platform/kernel/sealed-text.js';
import { Config } from '../../platform/config/config.js';
import { addRows } from '../../platform/database/engine/rows.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { hashSecret } from '../sessions/session-cookie.js';
import { StaffCredential, StaffRecoveryCode } from './sign-in.entity.js';
import type { StaffMember } from '../member/staff-member.entity.js';

/** Seconds of one code (RFC 6238 §5.2). */
const PERIOD = 30;
const RECOVERY_CODES = 10;

const noSecrets = {
  passwordHash: null,
  passwordSetAt: null,
  sealedTotp: null,
  totpConfirmedAt: null,
  totpStep: null,
};

/** What an authenticator needs, once. */
export interface SecondFactorSetup {
  /** The content of the QR code. */
  readonly uri: string;
  /** The key in base32, in groups of four, for typing. */
  readonly key: string;
}

/** Authenticator codes (TOTP, RFC 6238), and recovery codes for a lost authenticator. */
@Injectable()
export class SecondFactorService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  get isAvailable(): boolean {
    return this.config.staffKey !== null;
  }

  /** Whether a sign-in with a password needs one. */
  get isRequired(): boolean {
    return this.config.staffSecondFactor === 'required';
  }

  /** The same until it is confirmed; null from then on, as in another browser. */
  async offer(member: StaffMember): Promise<SecondFactorSetup | null> {
    const sealed = await this.transactions.run(async (tx) => {
      const credential = await tx.findOneBy(StaffCredential, { staffMemberId: member.id });
      if (credential?.totpConfirmedAt) return null;
      if (credential?.sealedTotp) return credential.sealedTotp;
      const staffMemberId = member.id;
      const sealedTotp = this.keys.seal(new Secret({ size: 20 }).base32, staffMemberId);
      if (!credential) {
        await addRows(tx, StaffCredential, [{ staffMemberId, ...noSecrets }], 'is left out');
      }
      // Another request may be first: both show its key.
      await tx.update(StaffCredential, { staffMemberId, sealedTotp: IsNull() }, { sealedTotp });
      const stored = await tx.findOneByOrFail(StaffCredential, { staffMemberId });
      return stored.totpConfirmedAt ? null : stored.sealedTotp;
    });
    if (sealed === null) return null;
    const totp = this.totpOf(sealed, member.id, member.email);
    return { uri: totp.toString(), key: totp.secret.base32.replaceAll(/(.{4})(?=.)/g, '$1 ') };
  }

  /**
   * Enables the second factor, after a code has shown that the authenticator works.
   * @returns the recovery codes, shown this once; undefined where the code is wrong
   */
  confirm(staffMemberId: string, code: string, actor: Actor): Promise<string[] | undefined> {
    return this.transactions.run(async (tx) => {
      const credential = await tx.findOneBy(StaffCredential, { staffMemberId });
      if (!credential?.sealedTotp || credential.totpConfirmedAt) return undefined;
      const totpStep = this.stepOf(credential.sealedTotp, staffMemberId, code);
      if (totpStep === undefined) return undefined;
      const { affected } = await tx.update(
        StaffCredential,
        { staffMemberId, totpConfirmedAt: IsNull() },
        { totpConfirmedAt: this.clock.now(), totpStep },
      );
      if (affected !== 1) return undefined;
      const subject = ['staff', staffMemberId] as const;
      await this.audit.record(tx, { subject, action: 'second-factor-set', actor });
      return this.replaceCodes(tx, staffMemberId);
    });
  }

  /**
   * Whether the code is right: newer than the last accepted one, or a recovery code, which this uses
   * up.
   */
  async accepts(
    tx: Tx,
    staffMemberId: string,
    typed: string,
  ): Promise<false | 'code' | 'recovery'> {
    const code = typed.replaceAll(/[\s-]/g, '').toLowerCase();
    const credential = await tx.findOneBy(StaffCredential, { staffMemberId });
    if (!credential?.sealedTotp || !credential.totpConfirmedAt) return false;
    const step = this.stepOf(credential.sealedTotp, staffMemberId, code);
    if (step !== undefined) {
      const { affected } = await tx.update(
        StaffCredential,
        { staffMemberId, totpStep: LessThan(step) },
        { totpStep: step },
      );
      return affected === 1 && 'code';
    }
    const hash = hashOf(staffMemberId, code);
    const { affected } = await tx.delete(StaffRecoveryCode, { hash, staffMemberId });
    return affected === 1 && 'recovery';
  }

  /** Replaces the recovery codes. */
  async newCodes(staffMemberId: string, actor: Actor): Promise<string[]> {
    return this.transactions.run(async (tx) => {
      const subject = ['staff', staffMemberId] as const;
      await this.audit.record(tx, { subject, action: 'recovery-codes-made', actor });
      return this.replaceCodes(tx, staffMemberId);
    });
  }

  /** The ids of the members who have a second factor. */
  async owners(): Promise<ReadonlySet<string>> {
    const rows = await this.transactions.read((tx) =>
      tx.find(StaffCredential, {
        select: { staffMemberId: true },
        where: { totpConfirmedAt: Not(IsNull()) },
      }),
    );
    return new Set(rows.map(({ staffMemberId }) => staffMemberId));
  }

  codesLeft(staffMemberId: string): Promise<number> {
    return this.transactions.read((tx) => tx.countBy(StaffRecoveryCode, { staffMemberId }));
  }

  async remove(staffMemberId: string, actor: Actor): Promise<void> {
    await this.transactions.run((tx) => this.removeIn(tx, staffMemberId, actor));
  }

  async removeIn(tx: Tx, staffMemberId: string, actor: Actor): Promise<void> {
    await tx.update(
      StaffCredential,
      { staffMemberId },
      { sealedTotp: null, totpConfirmedAt: null, totpStep: null },
    );
    await tx.delete(StaffRecoveryCode, { staffMemberId });
    const subject = ['staff', staffMemberId] as const;
    await this.audit.record(tx, { subject, action: 'second-factor-removed', actor });
  }

  /** Encrypts the keys of second factors with `STAFF_KEY` that are encrypted with the second key. */
  reseal(actor: Actor): Promise<Resealed> {
    return this.transactions.run(async (tx) => {
      const rows = await tx.findBy(StaffCredential, { sealedTotp: Not(IsNull()) });
      const resealed = this.keys.resealAll(
        rows.map(({ staffMemberId, sealedTotp }) => ({
          context: staffMemberId,
          sealed: sealedTotp ?? '',
        })),
      );
      for (const { context: staffMemberId, earlier, sealed } of resealed.changed) {
        const where = { staffMemberId, sealedTotp: earlier };
        await tx.update(StaffCredential, where, { sealedTotp: sealed });
      }
      await this.audit.record(tx, resealedEvent('STAFF_KEY', resealed, actor));
      return resealed;
    });
  }

  private async replaceCodes(tx: Tx, staffMemberId: string): Promise<string[]> {
    await tx.delete(StaffRecoveryCode, { staffMemberId });
    const codes = Array.from({ length: RECOVERY_CODES }, () => newCode());
    for (const code of codes) {
      const hash = hashOf(staffMemberId, code.replaceAll('-', ''));
      await tx.insert(StaffRecoveryCode, { hash, staffMemberId });
    }
    return codes;
  }

  /** The time step of the code: the current, previous or next one. */
  private stepOf(sealed: string, staffMemberId: string, typed: string): number | undefined {
    const token = typed.replaceAll(/\s/g, '');
    if (!/^\d{6}$/.test(token)) return undefined;
    const timestamp = this.clock.now().getTime();
    const delta = this.totpOf(sealed, staffMemberId).validate({ token, timestamp, window: 1 });
    return delta === null ? undefined : Math.floor(timestamp / 1_000 / PERIOD) + delta;
  }

  private totpOf(sealed: string, staffMemberId: string, label = ''): TOTP {
    const secret = Secret.fromBase32(this.keys.open(sealed, staffMemberId));
    // A colon ends the issuer in the address.
    const issuer = this.config.brandName.replaceAll(':', ' ');
    return new TOTP({ issuer, label, secret, period: PERIOD });
  }

  private get keys(): SealingKeys {
    const keys = SealingKeys.of(this.config.staffKey, this.config.staffKeySecond);
    if (!keys) throw new Error('STAFF_KEY is not set.');
    return keys;
  }
}

/** 80 random bits, which cannot be guessed through a hash: `k3vf-9q2x-7mbn-p4ws`. */
function newCode(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'.padEnd(32, '0');
  const letters = [...randomBytes(16)].map((byte) => alphabet[byte % 32]);
  return letters.join('').replaceAll(/(.{4})(?=.)/g, '$1-');
}

function hashOf(staffMemberId: string, code: string): string {
  return hashSecret(`${staffMemberId}:${code}`);
}

import { Injectable } from '@nestjs/common';
import { AuditEntry } from '../platform/audit/audit-entry.entity.js';
import { backupSubject } from '../platform/audit/audit.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { HOUR, SECOND } from '../platform/kernel/time.js';
import { Transactions } from '../platform/database/transactions.js';

/** Milliseconds after which a backup is reported as old: a daily one that was missed once. */
const OLD = 36 * HOUR;

/** When the last verified backup was made, as the command that made it has recorded. */
@Injectable()
export class BackupsService {
  private latestAt: Date | null = null;

  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  async look(): Promise<void> {
    const [subjectType, subjectId] = backupSubject;
    const latest = await this.transactions.read((tx) =>
      tx.findOne(AuditEntry, { where: { subjectType, subjectId }, order: { id: 'DESC' } }),
    );
    this.latestAt = latest?.at ?? null;
  }

  /** Null if none is recorded. */
  get ageSeconds(): number | null {
    if (this.latestAt === null) return null;
    return Math.max(0, (this.clock.now().getTime() - this.latestAt.getTime()) / SECOND);
  }

  get warning(): string | null {
    const { ageSeconds } = this;
    if (ageSeconds === null || ageSeconds * SECOND <= OLD) return null;
    return `The last verified backup is ${Math.floor((ageSeconds * SECOND) / HOUR)} hours old.`;
  }
}

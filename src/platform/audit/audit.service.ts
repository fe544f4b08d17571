import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import type { Scope } from '../access/scopes.js';
import type { BackgroundBuffer } from '../kernel/background-buffer.js';
import { BackgroundWork } from '../kernel/background-work.js';
import { Clock } from '../kernel/clock.js';
import type { Resealed } from '../kernel/sealed-text.js';
import { newId } from '../database/new-id.js';
import { addRows } from '../database/engine/rows.js';
import { Transactions } from '../database/transactions.js';
import type { Tx } from '../database/engine/tx.js';
import type { SideTx } from '../database/sides.js';
import type { AuditAction } from './audit-actions.js';
import { AuditEntry } from './audit-entry.entity.js';

/** Milliseconds for which an entry that is written in the background may wait for others. */
const DELAY = 500;
/** Entries of one transaction. */
const BATCH = 256;
/** Entries kept while the database is away; later ones are dropped and counted. */
const MOST_WAITING = 10_000;

export interface Actor {
  readonly type: 'client' | 'staff' | 'operator' | 'system';
  readonly id: string | null;
  readonly name: string;
  /** The access token of an API client. An entry names it only in its details. */
  readonly tokenId?: string;
  /** Of a staff member. */
  readonly scopes?: ReadonlySet<Scope>;
}

export const operator: Actor = { type: 'operator', id: null, name: 'command line' };

/** The subject of the entries about verified backups. */
export const backupSubject = ['database', 'backup'] as const;

export function actorOf(caller: Caller): Actor {
  const { kind, name, tokenId } = caller;
  return kind === 'client'
    ? { type: kind, id: caller.clientId, name, tokenId }
    : { type: kind, id: caller.staffId, name, scopes: caller.scopes };
}

export interface AuditEvent {
  readonly subject: readonly [type: string, id: string];
  readonly action: AuditAction;
  readonly actor: Actor;
  readonly details?: Record<string, unknown>;
  /** By default now. */
  readonly at?: Date;
}

/** That the texts encrypted with the key of this setting were encrypted again. */
export function resealedEvent(
  setting: string,
  { changed, unreadable }: Resealed,
  actor: Actor,
): AuditEvent {
  const details = { resealed: changed.length, unreadable };
  return { subject: ['key', setting], action: 'resealed', actor, details };
}

type AuditTexts = Pick<AuditEntry, 'subjectType' | 'subjectId' | 'action' | 'actorName'>;

export interface AuditFilter extends Partial<AuditTexts> {
  readonly since?: Date;
  /** Exclusive. */
  readonly until?: Date;
  /** Only entries older than this one. */
  readonly after?: Pick<AuditEntry, 'id' | 'at'>;
  readonly limit: number;
}

@Injectable()
export class AuditService {
  private readonly logger = new Logger(AuditService.name);
  private readonly waiting: BackgroundBuffer<AuditEntry>;

  constructor(
    private readonly clock: Clock,
    private readonly transactions: Transactions,
    background: BackgroundWork,
  ) {
    this.waiting = background.buffer({
      keyOf: ({ id }) => id,
      write: (entries) => transactions.run((tx) => addRows(tx, AuditEntry, entries)),
      delay: DELAY,
      batchSize: BATCH,
      capacity: MOST_WAITING,
      onFailure: (error) =>
        this.logger.warn(
          `${this.waiting.size} audit entries wait for the database (${this.waiting.dropped} dropped): ${String(error)}`,
        ),
    });
  }

  /** The newest matching entries, newest first. */
  list(filter: AuditFilter): Promise<AuditEntry[]> {
    const { subjectType, subjectId, action, actorName, since, until, after, limit } = filter;
    return this.transactions.read((tx) => {
      const query = tx.createQueryBuilder(AuditEntry, 'a').orderBy('a.at', 'DESC');
      query.addOrderBy('a.id', 'DESC').limit(limit);
      const equal = { subjectType, subjectId, action, actorName };
      for (const [column, value] of Object.entries(equal)) {
        if (value !== undefined) query.andWhere(`a.${column} = :${column}`, { [column]: value });
      }
      if (since) query.andWhere('a.at >= :since', { since: since.getTime() });
      if (until) query.andWhere('a.at < :until', { until: until.getTime() });
      if (after) {
        const place = { at: after.at.getTime(), id: after.id };
        query.andWhere('(a.at < :at OR (a.at = :at AND a.id < :id))', place);
      }
      return query.getMany();
    });
  }

  /** Adds the entries with one statement, in the transaction of the change. */
  async record(tx: Tx, ...events: readonly AuditEvent[]): Promise<void> {
    const entries = events.map((event) => this.entryOf(event));
    await addRows(tx, AuditEntry, entries);
  }

  /** As `record`. Of tests, only orders have an audit trail. */
  async recordLive(tx: SideTx, ...events: readonly AuditEvent[]): Promise<void> {
    if (!tx.isTest) await this.record(tx, ...events);
  }

  /**
   * Adds the entry within `DELAY`, with others in one transaction: for events that an attacker can
   * cause without limit, which must not delay orders. A crash can lose the last of them.
   */
  recordSoon(event: AuditEvent): void {
    this.waiting.add(this.entryOf(event));
  }

  /** Writes the entries that wait. Never rejects. */
  flush(): Promise<void> {
    return this.waiting.flush();
  }

  /** For callers that store the entry themselves. */
  entryOf({ subject, action, actor, details, at }: AuditEvent): AuditEntry {
    return {
      id: newId(),
      at: at ?? this.clock.now(),
      subjectType: subject[0],
      subjectId: subject[1],
      action,
      actorType: actor.type,
      actorId: actor.id,
      actorName: actor.name,
      details: details ?? null,
    };
  }
}

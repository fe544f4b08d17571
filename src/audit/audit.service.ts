import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { Clock } from '../kernel/clock.js';
import { newId } from '../database/new-id.js';
import { addRows } from '../database/engine/rows.js';
import { Transactions } from '../database/transactions.js';
import type { Tx } from '../database/engine/tx.js';
import { AuditEntry } from './audit-entry.entity.js';

export interface Actor {
  readonly type: 'client' | 'staff' | 'operator' | 'system';
  readonly id: string | null;
  readonly name: string;
}

/** A person at the command line. */
export const operator: Actor = { type: 'operator', id: null, name: 'command line' };

export function actorOf(caller: Caller): Actor {
  const id = caller.kind === 'client' ? caller.clientId : caller.staffId;
  return { type: caller.kind, id, name: caller.name };
}

export interface AuditEvent {
  readonly subject: readonly [type: string, id: string];
  readonly action: string;
  readonly actor: Actor;
  readonly details?: Record<string, unknown>;
  /** The time of the event where the caller stores it, too; by default now. */
  readonly at?: Date;
}

export interface AuditFilter {
  readonly subjectType?: string;
  readonly subjectId?: string;
  readonly action?: string;
  readonly actor?: string;
  readonly since?: Date;
  /** Exclusive. */
  readonly until?: Date;
  /** Only entries older than this one. */
  readonly after?: Pick<AuditEntry, 'id' | 'at'>;
  readonly limit: number;
}

@Injectable()
export class AuditService {
  constructor(
    private readonly clock: Clock,
    private readonly transactions: Transactions,
  ) {}

  /** The newest matching entries, newest first. */
  list(filter: AuditFilter): Promise<AuditEntry[]> {
    const { subjectType, subjectId, action, actor, since, until, after, limit } = filter;
    return this.transactions.read((tx) => {
      const query = tx.createQueryBuilder(AuditEntry, 'a').orderBy('a.at', 'DESC');
      query.addOrderBy('a.id', 'DESC').limit(limit);
      const equal = { subjectType, subjectId, action, actorName: actor };
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

  /** Adds the entry in the transaction of the change: neither happens without the other. */
  record(tx: Tx, event: AuditEvent): Promise<void> {
    return this.recordAll(tx, [event]);
  }

  /** As `record`, for several events in one statement. */
  async recordAll(tx: Tx, events: readonly AuditEvent[]): Promise<void> {
    await addRows(
      tx,
      AuditEntry,
      events.map((event) => this.entryOf(event)),
    );
  }

  /** For callers that store the entry themselves, together with the change. */
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

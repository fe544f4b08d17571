import { Injectable } from '@nestjs/common';
import { type EntityTarget, In } from 'typeorm';
import { Transactions } from '../database/transactions.js';
import type { Tx } from '../database/engine/tx.js';
import { isUuid } from '../kernel/uuid.js';
import type { AuditEntry } from './audit-entry.entity.js';

/** The names of those subjects that still exist, by id. */
export type NamesOf = (tx: Tx, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

type AuditSubject = Pick<AuditEntry, 'subjectType' | 'subjectId'>;

/** The current name of a subject; undefined without one. */
export type SubjectNames = (subjectType: string, subjectId: string) => string | undefined;

/** Names for the ids in audit entries. Each feature registers the names of its subjects. */
@Injectable()
export class AuditNamesService {
  private readonly naming = new Map<string, NamesOf>();

  constructor(private readonly transactions: Transactions) {}

  register(subjectType: string, namesOf: NamesOf): void {
    this.naming.set(subjectType, namesOf);
  }

  async of(subjects: readonly AuditSubject[]): Promise<SubjectNames> {
    const named = new Map<string, ReadonlyMap<string, string>>();
    for (const [type, own] of Map.groupBy(subjects, ({ subjectType }) => subjectType)) {
      const namesOf = this.naming.get(type);
      const ids = [...new Set(own.map(({ subjectId }) => subjectId))].filter(isUuid);
      if (!namesOf || ids.length === 0) continue;
      named.set(type, await this.transactions.read((tx) => namesOf(tx, ids)));
    }
    return (type, id) => named.get(type)?.get(id);
  }
}

/** Names that are in the row of the subject itself. */
export function namesFrom<T extends { id: string }>(
  entity: EntityTarget<T>,
  nameOf: (row: T) => string,
): NamesOf {
  return async (tx, ids) => {
    const rows = await tx.findBy<T>(entity, { id: In([...ids]) } as object);
    return new Map(rows.map((row) => [row.id, nameOf(row)]));
  };
}

import { type EntityTarget, type FindOptionsWhere, In, type ObjectLiteral } from 'typeorm';
import type { Tx } from './engine/tx.js';

export interface StateCount<State extends string> {
  readonly state: State;
  readonly count: number;
  /** The earliest instant in the given column; null if there is no row. */
  readonly oldest: Date | null;
}

export async function countStates<T extends ObjectLiteral & { state: string }>(
  tx: Tx,
  entity: EntityTarget<T>,
  states: readonly T['state'][],
  instant: keyof T & string,
  where: FindOptionsWhere<T> = {},
): Promise<StateCount<T['state']>[]> {
  const rows = await tx
    .createQueryBuilder(entity, 'r')
    .select('r.state', 'state')
    .addSelect('COUNT(*)', 'count')
    .addSelect(`MIN(r.${instant})`, 'oldest')
    .where({ ...where, state: In([...states]) })
    .groupBy('r.state')
    .getRawMany<{ state: string; count: number | string; oldest: number | string }>();
  return states.map((state) => {
    const row = rows.find((one) => one.state === state);
    return {
      state,
      count: Number(row?.count ?? 0),
      oldest: row ? new Date(Number(row.oldest)) : null,
    };
  });
}

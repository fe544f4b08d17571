import { type FindOptionsWhere, getMetadataArgsStorage } from 'typeorm';
import type { Tx } from './engine/tx.js';

/** Live, or the sandbox of test tokens. Each has its tables, so that no query of live rows finds a test. An API client is on the side of its token. */
export interface Side {
  readonly isTest: boolean;
}

export const LIVE = { isTest: false } as const;
export const SANDBOX = { isTest: true } as const;

/** For work that both sides need. */
export const sides: readonly Side[] = [LIVE, SANDBOX];

export type Mode = 'live' | 'test';

/** The side in the words of the API and of pages. */
export function modeOf({ isTest }: Side): Mode {
  return isTest ? 'test' : 'live';
}

/** The columns of a row that has a side. */
export function sideOf({ isTest }: Side): Side {
  return isTest ? SANDBOX : LIVE;
}

/** For what only the sandbox simulates. @throws the refusal, on the live side */
export function requireSandbox({ isTest }: Side, refusal: Error): void {
  if (!isTest) throw refusal;
}

/** The database inside one transaction, for the rows of one side. */
export type SideTx = Tx & Side;

export function onSide(tx: Tx, side: Side): SideTx {
  return Object.assign(Object.create(tx) as Tx, sideOf(side));
}

/** One value for each side. */
export class BySide<T> {
  readonly both: readonly [live: T, sandbox: T];

  constructor(make: (side: Side) => T) {
    this.both = [make(LIVE), make(SANDBOX)];
  }

  of({ isTest }: Side): T {
    return this.both[isTest ? 1 : 0];
  }
}

type Entity<T> = new () => T;

const sandboxOf = new Map<Entity<object>, Entity<object>>();

/** The sandbox's tables of those of the entities that have one. */
export function sandboxesOf(entities: readonly Entity<object>[]): Entity<object>[] {
  return entities.flatMap((entity) => sandboxOf.get(entity) ?? []);
}

/**
 * Gives an entity a second table for the sandbox: the same columns, `test_` before its name. The decorator comes
 * first, and the class extends the one that has the columns.
 * @param indexes that the sandbox's table has too; by default all
 */
export function WithSandbox(...indexes: readonly string[]): (live: Entity<object>) => void {
  return (live) => {
    const entity = class extends (Object.getPrototypeOf(live) as Entity<object>) {};
    Object.defineProperty(entity, 'name', { value: `Test${live.name}` });
    const { tables, indices, foreignKeys } = getMetadataArgsStorage();
    const table = tables.find(({ target }) => target === live)!;
    const { name = '' } = table;
    const rename = (it?: string) => it?.replace(`_${name}_`, `_test_${name}_`);
    tables.push({ ...table, target: entity, name: `test_${name}` });
    for (const index of indices.filter(({ target }) => target === live)) {
      const isShared = indexes.length === 0 || indexes.includes(index.name ?? '');
      if (isShared) indices.push({ ...index, target: entity, name: rename(index.name) });
    }
    for (const key of foreignKeys.filter(({ target }) => target === live)) {
      foreignKeys.push({ ...key, target: entity, name: rename(key.name) });
    }
    sandboxOf.set(live, entity);
  };
}

/** The table of the entity on a side. @param entity the live one */
export function tableOn<T extends object>(entity: Entity<T>, { isTest }: Side): Entity<T> {
  if (!isTest) return entity;
  const table = sandboxOf.get(entity);
  if (!table) throw new Error(`${entity.name} has no table of tests.`);
  return table as Entity<T>;
}

/** The name of the table in SQL. @param name of the live one */
export function tableNameOn(name: string, { isTest }: Side): string {
  return isTest ? `test_${name}` : name;
}

/** The row of either side, with its side. @param entity the live one */
export async function findOn<T extends object>(
  tx: Tx,
  entity: Entity<T>,
  where: FindOptionsWhere<T>,
): Promise<{ readonly side: Side; readonly row: T } | null> {
  for (const side of sides) {
    const row = await tx.findOneBy(tableOn(entity, side), where);
    if (row) return { side, row };
  }
  return null;
}

import { UUID } from '../kernel/uuid.js';
import { ValidationFailed } from '../problems/problem.js';
import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { PageQuery } from './paging.dto.js';

/** The base class of a response with a list of up to `most` rows. */
export function ListOf<T>(row: Type<T>, most?: number, description = 'The rows.') {
  class List {
    @ApiProperty({ type: row, isArray: true, description, ...(most && { maxItems: most }) })
    items: T[];
  }
  return List;
}

/** The base class of a page of a list with a cursor. */
export function PageOf<T>(row: Type<T>) {
  class Page extends ListOf(row, 200, 'Up to `limit` rows.') {
    @ApiProperty({
      type: String,
      nullable: true,
      description: 'Send it as `cursor` for the next page; null on the last page. @kind cursor',
    })
    nextCursor: string | null;
  }
  return Page;
}

/** The instant and the id of the last row of a page. */
export interface Cursor {
  readonly at: Date;
  readonly id: string;
}

/** The cursor of a row in a list by creation. */
export function creationOf(row: { readonly createdAt: Date; readonly id: string }): Cursor {
  return { at: row.createdAt, id: row.id };
}

const printed = new RegExp(`^(\\d{1,15}) (${UUID})$`);

export function printCursor({ at, id }: Cursor): string {
  return Buffer.from(`${at.getTime()} ${id}`).toString('base64url');
}

/** Undefined for any other text. */
export function parseCursor(text: string): Cursor | undefined {
  const [, time, id] = printed.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return time && id ? { at: new Date(Number(time)), id } : undefined;
}

/** @throws {ValidationFailed} where the text is not a cursor of this service */
export function readCursor(text: string): Cursor {
  const cursor = parseCursor(text);
  if (cursor) return cursor;
  throw invalidCursor();
}

export function invalidCursor(): ValidationFailed {
  const detail = 'This is not a cursor of this list. Start again without a cursor.';
  return new ValidationFailed([{ pointer: '/cursor', code: 'invalid-cursor', detail }]);
}

/**
 * The rows of a query that a page and its cursor need, newest first.
 * @param column of their instant, with the alias of the query
 */
export function newestFirst<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  column: string,
  asked: PageQuery,
): Promise<T[]> {
  return inOrder(query, column, asked, 'DESC');
}

/** As `newestFirst`. */
export function oldestFirst<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  column: string,
  asked: PageQuery,
): Promise<T[]> {
  return inOrder(query, column, asked, 'ASC');
}

function inOrder<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  column: string,
  { limit, cursor }: PageQuery,
  direction: 'ASC' | 'DESC',
): Promise<T[]> {
  const id = `${query.alias}.id`;
  query
    .orderBy(column, direction)
    .addOrderBy(id, direction)
    .limit(limit + 1);
  if (cursor !== undefined) {
    const last = readCursor(cursor);
    const follows = direction === 'ASC' ? '>' : '<';
    const instant = last.at.getTime();
    query.andWhere(`(${column}, ${id}) ${follows} (:at, :id)`, { at: instant, id: last.id });
  }
  return query.getMany();
}

/** @param rows up to `limit` + 1 rows: one more means that there is a next page */
export function page<T, U>(
  rows: readonly T[],
  limit: number,
  cursorOf: (row: T) => Cursor,
  print: (row: T) => U,
): { items: U[]; nextCursor: string | null } {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  const nextCursor = rows.length > limit && last ? printCursor(cursorOf(last)) : null;
  return { items: kept.map(print), nextCursor };
}

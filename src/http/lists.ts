import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';

/** The base class of an answer that lists rows; `most` bounds them. */
export function ListOf<T>(row: Type<T>, most?: number, description = 'The rows.') {
  class List {
    @ApiProperty({ type: row, isArray: true, description, ...(most && { maxItems: most }) })
    items: T[];
  }
  return List;
}

/** The base class of a page of a list that is read by a cursor. */
export function PageOf<T>(row: Type<T>) {
  class Page extends ListOf(row, 200, 'As many as `limit` allows.') {
    @ApiProperty({
      type: String,
      nullable: true,
      description: 'Send it as `cursor` for the next page; null on the last one. @kind cursor',
    })
    nextCursor: string | null;
  }
  return Page;
}

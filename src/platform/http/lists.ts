import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';

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

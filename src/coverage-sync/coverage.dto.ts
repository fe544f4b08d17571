import { ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Matches } from 'class-validator';
import { CsvQuery } from '../platform/http/paging.dto.js';

export class CoverageChangesQuery extends CsvQuery {
  /**
   * The `ETag` of the whole download, or of the last changes, that you have applied. With or without `W/` and quotes.
   * @pattern ^(W/)?"?[A-Za-z0-9_-]{16}(\.[A-Za-z0-9_-]{16})?"?$
   * @maxLength 40
   * @example "q0Jx1mZ3rT5v7Yb9"
   */
  @Transform(({ value }) => String(value).replace(/^(?:W\/)?"(.*)"$/, '$1'))
  @Matches(/^[\w-]{16}(?:\.[\w-]{16})?$/, {
    message: 'Must be an ETag of your coverage, such as W/"q0Jx1mZ3rT5v7Yb9".',
  })
  since: string;
}

@ApiSchema({ description: 'The version that a client has after its next download.' })
export class CoverageVersionView {
  /**
   * As in the `ETag`, without `W/` and quotes.
   * @pattern ^[A-Za-z0-9_.-]+$
   * @maxLength 40
   * @example "q0Jx1mZ3rT5v7Yb9"
   */
  version: string;
}

import { applyDecorators, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Client, type ClientCaller } from '../platform/access/caller.js';
import { Requires } from '../platform/access/rules.js';
import { Described, Streams, Versioned } from '../platform/http/described.js';
import { ValidQuery } from '../platform/http/valid.js';
import { CsvQuery } from '../platform/http/paging.dto.js';
import { CoverageChangesQuery, CoverageVersionView } from './coverage.dto.js';
import { coverageColumns } from './coverage-rows.js';
import { CoverageNewsService } from './coverage-news.service.js';
import { CoverageService } from './coverage.service.js';

/** A file with one row. */
function SendsRows(isChanges: boolean): MethodDecorator {
  const op = isChanges ? { op: 'put' } : {};
  const row = { row: 'place', ...op, place: 'EC2A', area: '3f9a0c1d2e4b5a67' };
  const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
  const end = { row: 'end', version: 'q0Jx1mZ3rT5v7Yb9', rows: 1, sha256 };
  const rows = Streams({
    mediaType: 'application/x-ndjson',
    description: 'One JSON object a line.',
    example: `${JSON.stringify(row)}\n${JSON.stringify(end)}\n`,
    csv: `${coverageColumns(isChanges).join()}\n${Object.values(row).join()}\n`,
  });
  return applyDecorators(rows, Versioned());
}

@Controller('product-availability/coverage')
@Described(
  'Coverage',
  'For API clients with the scope `coverage:read`: all covered places and prices, to answer checks offline.',
)
export class CoverageController {
  constructor(private readonly coverage: CoverageService) {}

  /**
   * Download coverage and prices
   *
   * @remarks Every covered place, the listed premises, and all products and prices on the price list of the client, one row a
   * line, as NDJSON, or as CSV with `Accept: text/csv`. The last row, `end`, has the number of the others and the SHA-256 of all bytes before it, without the byte order mark of `bom`. With
   * `If-None-Match`, the response is 304 where nothing has changed. At most four downloads an hour. The guide
   * Coverage and price sync says how a check follows from the rows.
   */
  @Get()
  @Requires('coverage:read')
  @SendsRows(false)
  downloadCoverage(
    @ValidQuery() _query: CsvQuery,
    @Client() client: ClientCaller,
    @Res() response: Response,
  ): Promise<void> {
    return this.coverage.sendAll(client, response);
  }

  /**
   * Download changes of coverage and prices
   *
   * @remarks The rows that differ from an earlier version, each with `op`: `put` adds or replaces a row, `remove` removes one. If the
   * answer is 410, download everything again. At most sixty downloads of changes an hour.
   * @throws {410} version-gone
   */
  @Get('changes')
  @Requires('coverage:read')
  @SendsRows(true)
  downloadCoverageChanges(
    @ValidQuery() { since }: CoverageChangesQuery,
    @Client() client: ClientCaller,
    @Res() response: Response,
  ): Promise<void> {
    return this.coverage.sendChanges(since, client, response);
  }
}

@Controller('product-availability/test/coverage')
@Described('Sandbox', 'For API clients with a test token: operations that only the sandbox has.')
export class TestCoverageController {
  constructor(private readonly news: CoverageNewsService) {}

  /**
   * Advance the coverage of the sandbox
   *
   * @remarks For test tokens only: changes three prices of the sandbox, or changes them back, and calls the webhook. With a live token, the
   * response is 404.
   * @throws {404} not-found
   */
  @Post('advance')
  @HttpCode(200)
  @Requires('coverage:read', { counts: 'postcodes' })
  advanceTestCoverage(@Client() client: ClientCaller): Promise<CoverageVersionView> {
    return this.news.advance(client);
  }
}

import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { createHash } from 'node:crypto';
import { csvRecord } from '../platform/tables/csv.js';
import type { ClientCaller } from '../platform/access/caller.js';
import { CSV, hasAlready } from '../platform/http/attachment.js';
import { sendChunks } from '../platform/http/compression.js';
import { groupsOf } from '../platform/kernel/turns.js';
import { refuseExceeded } from '../platform/limits/count-window.js';
import { RateLimitsService } from '../platform/limits/rate-limits.service.js';
import { coverageChanges, coverageColumns, coverageRows, type SyncRow } from './coverage-rows.js';
import { CoverageVersionsService } from './coverage-versions.service.js';

/** Rows, or rows passed over, between two turns of the event loop: about two milliseconds. */
const ROWS_IN_TURN = 500;

interface CoverageFile {
  readonly isChanges: boolean;
  /** What the client has after it: the `since` of its next changes. */
  readonly version: string;
  readonly rows: () => Iterable<SyncRow | null> | Promise<Iterable<SyncRow | null>>;
}

/** Sends coverage and prices, whole or what has changed. Each row is made when the client can take it. */
@Injectable()
export class CoverageService {
  constructor(
    private readonly versions: CoverageVersionsService,
    private readonly limits: RateLimitsService,
  ) {}

  /** @throws {RateLimited} */
  async sendAll(client: ClientCaller, response: Response): Promise<void> {
    const now = await this.versions.current(client);
    const rows = () => coverageRows(now);
    await this.send({ isChanges: false, version: now.version, rows }, client, response);
  }

  /** @throws {VersionGone | RateLimited} */
  async sendChanges(since: string, client: ClientCaller, response: Response): Promise<void> {
    const now = await this.versions.current(client);
    const rows = async () =>
      since === now.version
        ? []
        : coverageChanges(await this.versions.earlier(since, now, client), now);
    await this.send({ isChanges: true, version: now.version, rows }, client, response);
  }

  private async send(
    { isChanges, version, rows }: CoverageFile,
    client: ClientCaller,
    response: Response,
  ): Promise<void> {
    const request: Request = response.req;
    const isCsv = request.accepts(['application/x-ndjson', 'text/csv']) === 'text/csv';
    const headers = { ETag: `W/"${version}"`, 'Cache-Control': 'private, no-cache' };
    response.vary('Accept').vary('Accept-Encoding').set(headers);
    if (hasAlready(request.headers['if-none-match'], headers.ETag)) {
      response.status(304).end();
      return;
    }
    // A problem has no version.
    for (const name of Object.keys(headers)) response.removeHeader(name);
    const counted = request.method !== 'HEAD' && this.limits.takeDownload(client, isChanges);
    if (counted) refuseExceeded(counted);
    const made = await rows();
    const type = isCsv ? CSV : 'application/x-ndjson';
    response.set(headers).setHeader('Content-Type', type);
    if (request.method === 'HEAD') response.end();
    else
      await sendChunks(
        response,
        coverageChunks(made, version, isCsv && coverageColumns(isChanges)),
      );
  }
}

/**
 * The text. The last row has the number of the others, and the SHA-256 of all bytes before it.
 * @param columns of a CSV file
 */
export function* coverageChunks(
  rows: Iterable<SyncRow | null>,
  version: string,
  columns: readonly string[] | false,
): Generator<string> {
  const line = (row: SyncRow) =>
    columns ? csvRecord(columns.map((name) => cell(row[name]))) : `${JSON.stringify(row)}\n`;
  const hash = createHash('sha256');
  const hashed = (text: string) => {
    hash.update(text);
    return text;
  };
  if (columns) yield hashed(csvRecord(columns));
  let count = 0;
  for (const group of groupsOf(rows, ROWS_IN_TURN)) {
    const lines = group.flatMap((row) => (row === null ? [] : line(row)));
    count += lines.length;
    yield hashed(lines.join(''));
  }
  yield line({ row: 'end', version, rows: count, sha256: hash.digest('hex') });
}

function cell(value: string | number | boolean | null | undefined): string | number {
  return typeof value === 'boolean' ? String(value) : (value ?? '');
}

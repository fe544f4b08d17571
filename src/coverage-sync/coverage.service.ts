import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ClientCaller } from '../platform/access/caller.js';
import { sendChunks } from '../platform/http/compression.js';
import { RateLimitsService } from '../platform/limits/rate-limits.service.js';
import { refuseExceeded } from '../platform/limits/count-window.js';
import { type CoverageFile, coverageFormats, coverageText } from './coverage-file.js';
import { coverageChanges, coverageRows } from './coverage-rows.js';
import { CoverageVersionsService } from './coverage-versions.service.js';

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
    const rows = function* () {
      for (const sorted of coverageRows(now)) yield sorted && sorted.row;
    };
    const file = { version: now.version, isChanges: false };
    await this.send({ ...file, rows: () => Promise.resolve(rows()) }, client, response);
  }

  /** @throws {VersionGone | RateLimited} */
  async sendChanges(since: string, client: ClientCaller, response: Response): Promise<void> {
    const now = await this.versions.current(client);
    const { version } = now;
    const rows = async () => {
      if (since === version) return [];
      const before = await this.versions.earlier(since, now, client);
      // Prices by distance are the same places in both: the network is the same.
      return coverageChanges(coverageRows(before, false), coverageRows(now, false));
    };
    await this.send({ version, isChanges: true, rows }, client, response);
  }

  private async send(
    {
      rows,
      version,
      isChanges,
    }: Omit<CoverageFile, 'rows' | 'format'> & {
      readonly rows: () => Promise<CoverageFile['rows']>;
    },
    client: ClientCaller,
    response: Response,
  ): Promise<void> {
    const request: Request = response.req;
    const accepted = request.accepts([...coverageFormats]);
    const format = accepted === 'text/csv' ? accepted : coverageFormats[0];
    const headers = { ETag: `W/"${version}"`, 'Cache-Control': 'private, no-cache' };
    response.set(headers);
    response.vary('Accept');
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    // A problem has no version.
    for (const name of Object.keys(headers)) response.removeHeader(name);
    const counted = request.method !== 'HEAD' && this.limits.takeDownload(client, isChanges);
    if (counted) refuseExceeded(counted);
    const made = await rows();
    response.set(headers);
    const isCsv = format === 'text/csv';
    response.setHeader('Content-Type', isCsv ? 'text/csv; charset=utf-8; header=present' : format);
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    await sendChunks(response, coverageText({ format, rows: made, version, isChanges }));
  }
}

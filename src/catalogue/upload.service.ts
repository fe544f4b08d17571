import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { Actor } from '../platform/audit/audit.service.js';
import { SECOND } from '../platform/kernel/time.js';
import { MalformedRequest, Problem } from '../platform/problems/problem.js';
import { Refused } from '../platform/problems/refused.js';
import { Config } from '../platform/config/config.js';
import { validated } from '../platform/http/valid.js';
import { type ImportView, UploadOptions } from './catalogue.dto.js';
import { CatalogueRejected, ImportRunning } from './versions/catalogue.errors.js';
import { calendarView } from './version-view.js';
import { diffAsJson } from './content/change-lists.js';
import { seesCosts } from './versions/costs.service.js';
import {
  type ImportOptions,
  type ImportReport,
  ImportService,
  LIVE,
} from './versions/import.service.js';
import { shownRails } from './content/review/guard-rails.js';
import type { PriceAdjustment } from './content/edits/adjust-prices.js';
import { type Upload, withUpload } from './upload.js';

/** Imports files that arrive over HTTP, one upload at a time. */
@Injectable()
export class UploadService {
  private isImporting = false;

  constructor(
    private readonly imports: ImportService,
    private readonly config: Config,
  ) {}

  /**
   * @param hear receives the form's text fields, even if the files are refused
   * @throws {Problem}
   */
  async importForm(
    request: IncomingMessage,
    actor: Actor,
    hear?: (fields: ReadonlyMap<string, string>) => void,
  ): Promise<ImportView> {
    return this.alone(() => this.receiveAndImport(request, actor, hear));
  }

  /** Adjusts prices, which takes as much as an import. @throws {Problem} */
  async adjustPrices(adjustment: PriceAdjustment, options: ImportOptions): Promise<ImportView> {
    return this.alone(async () =>
      importView(await this.imports.adjustPrices(adjustment, options), options.actor),
    );
  }

  /** See `ImportService.adjustAgain`. @throws {Problem} */
  async adjustAgain(number: number, actor: Actor): Promise<ImportView> {
    return this.alone(async () => importView(await this.imports.adjustAgain(number, actor), actor));
  }

  private async alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.isImporting) throw new ImportRunning();
    this.isImporting = true;
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refused) throw new CatalogueRejected(error.message);
      throw error;
    } finally {
      this.isImporting = false;
    }
  }

  private async receiveAndImport(
    request: IncomingMessage,
    actor: Actor,
    hear?: (fields: ReadonlyMap<string, string>) => void,
  ): Promise<ImportView> {
    if (!/^multipart\/form-data\s*;/i.test(request.headers['content-type'] ?? '')) {
      throw new Problem('unsupported-media-type', 'Send the files as multipart/form-data.', {
        headers: { 'Accept-Post': 'multipart/form-data' },
      });
    }
    const mostBytes = this.config.catalogueUploadMegabytes * 1_048_576;
    const use = async ({ folder, path, fields }: Upload) => {
      const options = await readOptions(fields, actor);
      try {
        return importView(
          await this.whileConnected(request, (signal) =>
            this.imports.importFiles(path, { ...options, signal }),
          ),
          actor,
        );
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        // The temporary folder's path is internal.
        throw new CatalogueRejected(error.message.replaceAll(`${folder}/`, ''));
      }
    };
    return withUpload(request, mostBytes, use, hear);
  }

  /** Aborts the work when the caller closes the connection, or after the time of an import. */
  private async whileConnected<T>(
    { socket }: IncomingMessage,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { catalogueImportSeconds: seconds } = this.config;
    const stopping = new AbortController();
    const leave = () =>
      stopping.abort(new MalformedRequest('The connection closed before the import had ended.'));
    const timer = setTimeout(() => {
      const detail = `Nothing was imported: it took more than ${seconds} s.`;
      stopping.abort(new CatalogueRejected(`${detail} Use the command line, or ask the operator.`));
    }, seconds * SECOND);
    socket.once('close', leave);
    if (socket.destroyed) leave();
    try {
      return await work(stopping.signal);
    } finally {
      clearTimeout(timer);
      socket.off('close', leave);
    }
  }
}

function importView(report: ImportReport, actor: Actor): ImportView {
  const { outcome, version, comparedWith, rails, warnings, diff, calendar } = report;
  return {
    outcome,
    version,
    comparedWith,
    rails: shownRails(rails, seesCosts(actor)),
    warnings: warnings.map((warning) => ({ ...warning, examples: [...warning.examples] })),
    diff: diff && diffAsJson(diff, seesCosts(actor)),
    calendar: calendarView(calendar),
  };
}

/** @throws {ValidationFailed} */
async function readOptions(
  fields: ReadonlyMap<string, string>,
  actor: Actor,
): Promise<ImportOptions> {
  const sent = await validated(UploadOptions, Object.fromEntries(fields));
  const { label = 'upload', accept = null, dryRun, then = 'stay', base } = sent;
  return {
    label,
    actor,
    accept,
    dryRun: dryRun === 'true',
    activate: then === 'activate',
    base: base === undefined || base === LIVE ? base : Number(base),
  };
}

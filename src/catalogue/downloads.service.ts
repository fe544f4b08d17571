import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { StaffCaller } from '../platform/access/caller.js';
import { actorOf } from '../platform/audit/audit.service.js';
import { ScopeInsufficient } from '../clients/clients.errors.js';
import { NotFound } from '../platform/problems/problem.js';
import { seesCosts } from './versions/costs.service.js';
import { RecordedExportService } from '../platform/audit/recorded-export.service.js';
import { attach, CSV, type Chunks } from '../platform/http/attachment.js';
import type { CatalogueContent } from './content/catalogue.js';
import { printDiffCsv } from './content/change-lists.js';
import { printCatalogue } from './content/files/csv-writer.js';
import { CatalogueService } from './versions/catalogue.service.js';
import { printMapCsv } from './worker/map-changes.js';
import { ReviewService } from './versions/review.service.js';
import { VersionsService } from './versions/versions.service.js';
import { type PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';

interface ZipEntry {
  readonly name: string;
  readonly chunks: Iterable<string>;
}

/** 1 January 1980 in local time, as zip files have it, so that equal entries make equal bytes. */
const SAME_TIME = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/** A zip file as a stream that holds only a few chunks in memory. Equal entries make equal bytes. */
export function zipStream(entries: Iterable<ZipEntry>): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough;
  for (const { name, chunks } of entries) {
    zip.addReadStreamLazy(name, SAME_TIME, (use) => {
      const input = Readable.from(chunks, { objectMode: false });
      // The package does not pass it on.
      input.on('error', (error) => output.destroy(error));
      use(null, input);
    });
  }
  zip.end();
  return output;
}

/** Downloads for staff. The audit trail records who downloaded which version. */
@Injectable()
export class DownloadsService {
  constructor(
    private readonly versions: VersionsService,
    private readonly catalogue: CatalogueService,
    private readonly reviews: ReviewService,
    private readonly exports: RecordedExportService,
  ) {}

  /** Sends all files of a version as `catalogue-7.zip`. @throws {NotFound | ScopeInsufficient} */
  async sendFiles(number: number, caller: StaffCaller, response: Response): Promise<void> {
    await this.versions.find(number);
    const files = await this.catalogue.files(number);
    const hasCosts = files.costs.length + files.margins.length > 0;
    if (hasCosts && !seesCosts(actorOf(caller))) throw new ScopeInsufficient('margins:read');
    const details = { format: 'zip', filter: { of: 'files', catalogueVersion: number } };
    const { writeTo } = await this.exports.begin(details, caller, () => partsOf(zipOf(files)));
    attach(response, 'application/zip', `catalogue-${number}.zip`);
    await writeTo(response);
  }

  /** Sends one file of a version, such as `volume.csv`, with all its columns if it has no rows. @throws {NotFound | ScopeInsufficient} */
  async sendFile(
    number: number,
    fileName: string,
    caller: StaffCaller,
    response: Response,
  ): Promise<void> {
    await this.versions.find(number);
    const content = await this.catalogue.files(number);
    const file = printCatalogue(content, true).find((one) => one.fileName === fileName);
    if (!file || file.supplier !== null) throw new NotFound();
    const isCost = file.file === 'margins' && content.margins.length > 0;
    if (isCost && !seesCosts(actorOf(caller))) throw new ScopeInsufficient('margins:read');
    const filter = { of: fileName, catalogueVersion: number };
    await this.sendCsv(fileName, file.chunks, filter, caller, response);
  }

  /** Sends what would change if the version were published, as CSV. @throws {NotFound} */
  async sendChanges(number: number, caller: StaffCaller, response: Response): Promise<void> {
    const { from, diff } = await this.reviews.preview(number);
    const filter = { of: 'changes', catalogueVersion: number, comparedWith: from };
    const name = `catalogue-${from ?? 'none'}-to-${number}.csv`;
    await this.sendCsv(name, diff ? printDiffCsv(diff) : [], filter, caller, response);
  }

  /** Sends the postcodes that change or are at a border of the map, as CSV. @throws {NotFound} if no polygon changes */
  async sendMap(number: number, caller: StaffCaller, response: Response): Promise<void> {
    const { from, diff, map } = await this.reviews.preview(number);
    if (!diff || !map) throw new NotFound();
    const filter = { of: 'map', catalogueVersion: number, comparedWith: from };
    await this.sendCsv(
      `map-${from}-to-${number}.csv`,
      printMapCsv(diff, map),
      filter,
      caller,
      response,
    );
  }

  private async sendCsv(
    fileName: string,
    chunks: Chunks,
    filter: Readonly<Record<string, string | number | null>>,
    caller: StaffCaller,
    response: Response,
  ): Promise<void> {
    const isMap = fileName.endsWith('.geojson');
    const details = { format: isMap ? 'geojson' : 'csv', filter };
    const { writeTo } = await this.exports.begin(details, caller, () => partsOf(chunks));
    attach(response, isMap ? 'application/geo+json' : CSV, fileName);
    await writeTo(response);
  }
}

/** Every file of a version as a zip, also those without rows: to import it again changes nothing. */
export function zipOf(content: CatalogueContent) {
  const files = printCatalogue(content, true);
  return zipStream(files.map(({ fileName, chunks }) => ({ name: fileName, chunks })));
}

async function* partsOf(chunks: Chunks) {
  for await (const text of chunks) yield { text };
}

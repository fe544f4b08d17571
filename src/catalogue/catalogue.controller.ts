import { Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExtraModels } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { actorOf } from '../platform/audit/audit.service.js';
import { Staff, type StaffCaller } from '../platform/access/caller.js';
import { Heavy, Requires } from '../platform/access/rules.js';
import { AlsoAnswers, Described, Examples, Streams } from '../platform/http/described.js';
import { Takes } from '../platform/http/json-body.js';
import { PostcodeParameter } from '../platform/http/parameters.js';
import { ValidBody, ValidQuery } from '../platform/http/valid.js';
import {
  AcceptBody,
  DatedVersionView,
  ImportView,
  VersionList,
  VersionView,
  CatalogueRejectedProblem,
  GuardRailProblem,
} from './catalogue.dto.js';
import { DiffQuery, VersionDiff } from './catalogue-diff.dto.js';
import { ExplainQuery, ExplanationView } from './catalogue-rows.dto.js';
import { DownloadsService } from './downloads.service.js';
import { uploadForm } from './upload.js';
import { ExplainService } from './shown/explain.service.js';
import { UploadService } from './upload.service.js';
import { calendarView, versionView, NumberParameter } from './version-view.js';
import { diffAsJson } from './content/change-lists.js';
import { seesCosts } from './versions/costs.service.js';
import { ReviewService } from './versions/review.service.js';
import { VersionsService } from './versions/versions.service.js';

/** Examples of the files. */
const files = {
  products:
    'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months,service,needs_interconnect\nINT-1G-12,1G Internet on a 10G bearer,1,10,12,Internet,no\n',
  prices:
    'product,zone,price_list,price,currency,lead_time_days,setup_price,basis\nINT-1G-12,LONDON-ONNET,standard,550,GBP,84,250,firm\n',
  coverage: 'place,zone\nEC2A 2,LONDON-ONNET\n',
};

@Controller('catalogue')
@Described('Catalogue', "For the operator's staff: versions of products, prices and coverage.")
@ApiExtraModels(CatalogueRejectedProblem, GuardRailProblem)
export class CatalogueController {
  constructor(
    private readonly versions: VersionsService,
    private readonly uploads: UploadService,
    private readonly reviews: ReviewService,
    private readonly explanations: ExplainService,
    private readonly downloads: DownloadsService,
  ) {}

  /**
   * List the catalogue versions
   *
   * @remarks Newest first.
   */
  @Get('versions')
  @Requires('catalogue:write')
  async listVersions(@Staff() staff: StaffCaller): Promise<VersionList> {
    const reader = actorOf(staff);
    return { items: (await this.versions.list()).map((row) => versionView(row, reader)) };
  }

  /**
   * Import a catalogue
   *
   * @remarks Takes products.csv, prices.csv and coverage.csv as the parts `products`, `prices` and
   * `coverage` of a form, and each optional file as the part that names it in the schema; or all of them
   * in one zip, as the part `files`. With `base`, the form needs only the files that change. Checks and
   * compares them, and stores a draft. Any fault rejects
   * all files. A guard rail leaves the version a draft. The answer is 200 for a dry run or if nothing
   * changes, and 201 for a new version. Cost books and margins.csv also need the scope `margins:read`.
   * The form must arrive within 15 seconds.
   * The import stops if the caller closes the connection.
   *
   * @throws {404} not-found
   * @throws {409} version-state, import-running
   * @throws {422} catalogue-rejected
   */
  @Post('versions')
  @Takes({ files: true })
  @Requires('catalogue:write')
  @ApiConsumes('multipart/form-data')
  @ApiBody(uploadForm)
  @AlsoAnswers(200, 'A dry run, or a catalogue without changes: nothing was stored.')
  @Examples({
    request: {
      tryOut: {
        summary: 'Only report what would change',
        value: { ...files, dryRun: 'true' },
      },
      activate: {
        summary: 'Store it and, unless a guard rail stops it, make it live',
        value: { ...files, label: 'November rate card', then: 'activate' },
      },
    },
  })
  async importCatalogue(
    @Req() request: Request,
    @Staff() staff: StaffCaller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ImportView> {
    return located(await this.uploads.importForm(request, actorOf(staff)), response);
  }

  /**
   * Show a catalogue version
   *
   * @remarks With its calendar: the days to come on which the dates of its rows change something, each compared
   * with the day before.
   *
   * @throws {404} not-found
   */
  @Get('versions/:number')
  @Requires('catalogue:write')
  @Heavy()
  async showVersion(
    @NumberParameter() number: number,
    @Staff() staff: StaffCaller,
  ): Promise<DatedVersionView> {
    const version = versionView(await this.versions.find(number), actorOf(staff));
    return { ...version, calendar: calendarView(await this.reviews.calendar(number)) };
  }

  /**
   * Download a catalogue version
   *
   * @remarks All CSV files in one zip. To import it again changes nothing. The audit trail records the download. A
   * version with cost books or margins.csv also needs the scope `margins:read`.
   *
   * @throws {404} not-found
   */
  @Get('versions/:number/files')
  @Requires('catalogue:write')
  @Heavy()
  @Streams({
    mediaType: 'application/zip',
    description: 'The files, also those without rows.',
    example: 'PK',
  })
  async downloadVersion(
    @NumberParameter() number: number,
    @Staff() staff: StaffCaller,
    @Res() response: Response,
  ): Promise<void> {
    await this.downloads.sendFiles(number, staff, response);
  }

  /**
   * Discard a draft
   *
   * @remarks Its number is not used again. The answer is the draft as it was.
   *
   * @throws {404} not-found
   * @throws {409} version-state
   */
  @Delete('versions/:number')
  @Requires('catalogue:write')
  async discardVersion(
    @NumberParameter() number: number,
    @Staff() staff: StaffCaller,
  ): Promise<VersionView> {
    const actor = actorOf(staff);
    return versionView(await this.versions.discard(number, actor), actor);
  }

  /**
   * Compare two catalogue versions
   *
   * @remarks Reports what changes for clients, by default from the active version to this one. Without the scope
   * `margins:read`, the lists `costs` and `margins` have counts only.
   *
   * @throws {404} not-found
   */
  @Get('versions/:number/diff')
  @Requires('catalogue:write')
  @Heavy()
  async diffVersions(
    @NumberParameter() number: number,
    @ValidQuery() { from }: DiffQuery,
    @Staff() staff: StaffCaller,
  ): Promise<VersionDiff> {
    const compared = await this.reviews.diff(from ?? null, number);
    return { ...compared, diff: diffAsJson(compared.diff, seesCosts(actorOf(staff))) };
  }

  /**
   * Activate or restore a catalogue version
   *
   * @remarks Makes a draft live, or the content of a retired version again, at once, under a new number: on this
   * instance before it answers, on others within about a second. The answer is the version that is live. A version
   * that is live stays so: the answer is the same. To change something on a day, give its rows dates.
   *
   * @throws {404} not-found
   * @throws {409} version-state, guard-rail
   */
  @Post('versions/:number/activation')
  @HttpCode(200)
  @Requires('catalogue:write')
  @Heavy()
  async activateVersion(
    @NumberParameter() number: number,
    @ValidBody() body: AcceptBody,
    @Staff() staff: StaffCaller,
  ): Promise<VersionView> {
    const actor = actorOf(staff);
    return versionView(await this.versions.publish(number, body, actor), actor);
  }

  /**
   * Explain an answer
   *
   * @remarks Reports which coverage row applied, the zone, the prices, and why other products are not
   * offered, now or at an earlier instant.
   *
   * @throws {400} invalid-postcode
   * @throws {404} not-found
   * @throws {422} uprn-not-at-postcode
   */
  @Get('explain/:postcode')
  @Requires('follow-up:read')
  @Heavy('at')
  explainPostcode(
    @PostcodeParameter() postcode: string,
    @ValidQuery() query: ExplainQuery,
  ): Promise<ExplanationView> {
    return this.explanations.explain(postcode, query);
  }
}

/** Sets the status of what was not stored, and the address of what was. */
function located(report: ImportView, response: Response): ImportView {
  if (report.outcome === 'dry-run' || report.outcome === 'no-change') response.status(200);
  else response.setHeader('Location', `/catalogue/versions/${report.version}`);
  return report;
}

import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  PipeTransform,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExtraModels, ApiParam } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { actorOf } from '../audit/audit.service.js';
import { Staff, type StaffCaller } from '../access/caller.js';
import { Heavy } from '../access/counting.js';
import { ANY_TEXT } from '../kernel/text-rules.js';
import { Requires } from '../access/scopes.js';
import { AlsoAnswers, Described, describedParameter, Examples } from '../http/described.js';
import { PostcodeParameter } from '../http/postcode-parameter.js';
import { ValidBody, ValidQuery } from '../http/valid.js';
import {
  AcceptBody,
  DiffQuery,
  ExplainQuery,
  ExplanationView,
  ImportView,
  ScheduleBody,
  VersionDiff,
  VersionList,
  VersionView,
} from './catalogue.dto.js';
import { CatalogueRejectedProblem, GuardRailProblem } from './catalogue-problems.dto.js';
import { VersionNotFound } from './versions/catalogue.errors.js';
import { ExplainService } from './versions/explain.service.js';
import { UploadService } from './upload.service.js';
import { versionView } from './version-view.js';
import { catalogueFileNames, fileInfo, requiredFiles } from './content/catalogue-files.js';
import { diffAsJson } from './content/diff-print.js';
import { ReviewService } from './versions/review.service.js';
import { VersionsService } from './versions/versions.service.js';

const readNumber: PipeTransform<string, number> = {
  transform(text) {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw new VersionNotFound();
  },
};

const NumberParameter = () =>
  describedParameter(
    Param('number', readNumber),
    ApiParam({
      name: 'number',
      description: 'The number of a catalogue version.',
      schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 999_999_999, example: 7 },
    }),
  );

/** The parts of the upload form: the files and the options. */
const form = {
  schema: {
    type: 'object',
    additionalProperties: false,
    required: requiredFiles,
    properties: {
      label: {
        type: 'string',
        maxLength: 120,
        pattern: ANY_TEXT,
        default: 'upload',
        description: 'A name for the version.',
      },
      dryRun: {
        type: 'string',
        enum: ['true', 'false'],
        default: 'false',
        description: '`true`: only reports what would change.',
      },
      then: {
        type: 'string',
        description:
          '`stay`: the version stays a draft; `activate`: it goes live now; or the instant at which it goes live.',
        pattern:
          '^(stay|activate|\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?([Zz]|[+-]\\d\\d:\\d\\d))$',
        maxLength: 35,
        default: 'stay',
      },
      accept: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        pattern: ANY_TEXT,
        description: 'The reason for a change that a guard rail stops.',
      },
      ...Object.fromEntries(
        catalogueFileNames.map((file) => [
          file,
          { type: 'string', format: 'binary', description: fileInfo(file).fileName },
        ]),
      ),
    },
  },
};

/** Examples of the files. */
const files = {
  products:
    'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months\nINT-1G-12,1G Internet on a 10G bearer,1,10,12\n',
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
  ) {}

  /**
   * List the catalogue versions
   *
   * @remarks Newest first.
   */
  @Get('versions')
  @Requires('catalogue:write')
  async listVersions(): Promise<VersionList> {
    return { items: (await this.versions.list()).map(versionView) };
  }

  /**
   * Import a catalogue
   *
   * @remarks Takes products.csv, prices.csv and coverage.csv as the parts `products`, `prices` and
   * `coverage` of a form, and premises.csv, zones.csv and price_lists.csv as the optional parts
   * `premises`, `zones` and `priceLists`. Checks and compares them, and stores a draft. Any fault rejects
   * all files. A guard rail leaves the version a draft. The answer is 200 for a dry run or if nothing
   * changes, and 201 for a new version. The form must arrive within 15 seconds.
   * The import stops if the caller closes the connection.
   *
   * @throws {409} version-state, import-running
   * @throws {422} catalogue-rejected
   */
  @Post('versions')
  @Requires('catalogue:write')
  @ApiConsumes('multipart/form-data')
  @ApiBody(form)
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
    const report = await this.uploads.importForm(request, actorOf(staff));
    if (report.outcome === 'dry-run' || report.outcome === 'no-change') response.status(200);
    else response.setHeader('Location', `/catalogue/versions/${report.version}`);
    return report;
  }

  /**
   * Show a catalogue version
   *
   * @throws {404} not-found
   */
  @Get('versions/:number')
  @Requires('catalogue:write')
  async showVersion(@NumberParameter() number: number): Promise<VersionView> {
    return versionView(await this.versions.find(number));
  }

  /**
   * Compare two catalogue versions
   *
   * @remarks Reports what changes for clients, by default from the active version to this one.
   *
   * @throws {404} not-found
   */
  @Get('versions/:number/diff')
  @Requires('catalogue:write')
  @Heavy()
  async diffVersions(
    @NumberParameter() number: number,
    @ValidQuery() { from }: DiffQuery,
  ): Promise<VersionDiff> {
    const compared = await this.reviews.diff(from ?? null, number);
    return { ...compared, diff: diffAsJson(compared.diff) };
  }

  /**
   * Activate a catalogue version
   *
   * @remarks Makes a draft or a scheduled version live: on this instance before it answers, on others
   * within about a second. To switch all of them at the same instant, schedule the version.
   *
   * @throws {404} not-found
   * @throws {409} version-state, guard-rail
   */
  @Post('versions/:number/activation')
  @HttpCode(200)
  @Requires('catalogue:write')
  async activateVersion(
    @NumberParameter() number: number,
    @ValidBody() { accept }: AcceptBody,
    @Staff() staff: StaffCaller,
  ): Promise<VersionView> {
    return versionView(await this.versions.activate(number, accept ?? null, actorOf(staff)));
  }

  /**
   * Schedule a catalogue version
   *
   * @remarks The version goes live on all instances at the same instant.
   *
   * @throws {404} not-found
   * @throws {409} version-state, guard-rail
   */
  @Post('versions/:number/schedule')
  @HttpCode(200)
  @Requires('catalogue:write')
  async scheduleVersion(
    @NumberParameter() number: number,
    @ValidBody() { at, accept }: ScheduleBody,
    @Staff() staff: StaffCaller,
  ): Promise<VersionView> {
    return versionView(await this.versions.schedule(number, at, accept ?? null, actorOf(staff)));
  }

  /**
   * Withdraw a schedule
   *
   * @remarks The version becomes a draft again. This is not possible in the last 5 seconds.
   *
   * @throws {404} not-found
   * @throws {409} version-state
   */
  @Delete('versions/:number/schedule')
  @Requires('catalogue:write')
  async withdrawSchedule(
    @NumberParameter() number: number,
    @Staff() staff: StaffCaller,
  ): Promise<VersionView> {
    return versionView(await this.versions.withdraw(number, actorOf(staff)));
  }

  /**
   * Restore a catalogue version
   *
   * @remarks Makes the content of a retired version live again, at once, under a new number. Scheduled
   * versions become drafts again.
   *
   * @throws {404} not-found
   * @throws {409} version-state
   */
  @Post('versions/:number/rollback')
  @Requires('catalogue:write')
  async rollBackToVersion(
    @NumberParameter() number: number,
    @Staff() staff: StaffCaller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<VersionView> {
    const version = await this.versions.rollback(number, actorOf(staff));
    response.setHeader('Location', `/catalogue/versions/${version.number}`);
    return versionView(version);
  }

  /**
   * Explain an answer
   *
   * @remarks Reports which coverage row applied, the zone, the prices, and why other products are not
   * offered, now or at an earlier instant.
   *
   * @throws {400} invalid-postcode
   * @throws {404} not-found
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

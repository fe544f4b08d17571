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

/** The three files as parts of a form, and what is to become of them. */
const form = {
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['products', 'prices', 'coverage'],
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
        description: '`true`: says what would change, and stores nothing.',
      },
      then: {
        type: 'string',
        description: '`stay` a draft, `activate`, or an instant such as 2026-12-01T00:00:00Z.',
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
        description: 'Says why a change that a guard rail stops is meant.',
      },
      products: { type: 'string', format: 'binary', description: 'products.csv' },
      prices: { type: 'string', format: 'binary', description: 'prices.csv' },
      coverage: { type: 'string', format: 'binary', description: 'coverage.csv' },
    },
  },
};

/** The first lines of each file of the form. */
const files = {
  products:
    'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months\nINT-1G-12,1G Internet on a 10G bearer,1,10,12\n',
  prices:
    'product,zone,price_list,price,currency,lead_time_days\nINT-1G-12,LONDON-ONNET,standard,550,GBP,84\n',
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
   * `coverage` of a form, checks and compares them, and stores a draft. A fault rejects them all and
   * changes nothing; a guard rail leaves the version a draft. 200 for a dry run or where there is no
   * change, 201 where a version was made. The form must arrive within 15 seconds.
   *
   * @throws {409} version-state
   * @throws {422} catalogue-rejected
   */
  @Post('versions')
  @Requires('catalogue:write')
  @ApiConsumes('multipart/form-data')
  @ApiBody(form)
  @AlsoAnswers(200, 'A dry run, or a catalogue that changes nothing: nothing was stored.')
  @Examples({
    request: {
      tryOut: {
        summary: 'What would change; nothing is stored',
        value: { ...files, dryRun: 'true' },
      },
      activate: {
        summary: 'Stored and, unless a guard rail stops it, taken into service',
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
   * @remarks What changes for clients from one version to another, by default from the active one.
   *
   * @throws {404} not-found
   */
  @Get('versions/:number/diff')
  @Requires('catalogue:write')
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
   * @remarks Takes a draft or a scheduled version into service at once: here before the answer, on
   * other instances within about a second. To switch all at one instant, schedule it.
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
   * @remarks All instances take the version into service at the same instant.
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
   * @remarks The version is a draft again. In the last 5 seconds it is too late.
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
   * Go back to a catalogue version
   *
   * @remarks Takes the content of a version that was active before into service again, at once, under
   * a new number. What is scheduled becomes a draft again.
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
   * @remarks Which row at which level decided, the zone, the prices, and why each other product is
   * not offered; also as it was at a past instant.
   *
   * @throws {400} invalid-postcode
   * @throws {404} not-found
   */
  @Get('explain/:postcode')
  @Requires('follow-up:read')
  explainPostcode(
    @PostcodeParameter() postcode: string,
    @ValidQuery() query: ExplainQuery,
  ): Promise<ExplanationView> {
    return this.explanations.explain(postcode, query);
  }
}

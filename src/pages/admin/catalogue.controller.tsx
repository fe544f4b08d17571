import { Get, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { type Actor, actorOf } from '../../audit/audit.service.js';
import type { DiffView } from '../../catalogue/catalogue.dto.js';
import { CatalogueRejected, VersionNotFound } from '../../catalogue/versions/catalogue.errors.js';
import { diffAsJson } from '../../catalogue/content/diff-print.js';
import { ReviewService } from '../../catalogue/versions/review.service.js';
import { UploadService } from '../../catalogue/upload.service.js';
import { versionView } from '../../catalogue/version-view.js';
import { VersionsService } from '../../catalogue/versions/versions.service.js';
import { Staff, type StaffCaller } from '../../access/caller.js';
import { Heavy } from '../../access/counting.js';
import { Clock } from '../../kernel/clock.js';
import { Problem } from '../../problems/problem.js';
import type { SeeOther, WrittenHtml } from '../../http/written-html.js';
import { checkForm, refuseForm, type RefusedForm } from '../forms/form-spec.js';
import { page } from '../shell/render.js';
import { redirectTo, type FlashCode, flashIn } from '../shell/flash-messages.js';
import { fromLocalInput } from '../shell/times.js';
import {
  activateFields,
  UploadPage,
  type UploadProps,
  VersionPage,
  type VersionProps,
  VersionsPage,
} from './catalogue.js';
import { attempt, inWords } from './refusals.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { StaffPages } from '../shell/staff-pages.js';

@StaffPages('staff/catalogue', 'admin')
export class CataloguePagesController {
  constructor(
    private readonly versions: VersionsService,
    private readonly reviews: ReviewService,
    private readonly uploads: UploadService,
    private readonly clock: Clock,
  ) {}

  @Get()
  async listVersions(@Staff() viewer: StaffCaller) {
    const versions = (await this.versions.list()).map(versionView);
    return page(<VersionsPage viewer={viewer} versions={versions} now={this.clock.now()} />);
  }

  @Get('new')
  newVersion(@Staff() viewer: StaffCaller) {
    return page(<UploadPage viewer={viewer} />);
  }

  @Post('versions')
  async upload(@Staff() viewer: StaffCaller, @Req() request: Request) {
    let label: string | undefined;
    const draw = (found: Partial<UploadProps>) =>
      page(<UploadPage {...{ viewer, label, ...found }} />, found.refused && 422);
    try {
      const report = await this.uploads.importForm(request, actorOf(viewer), (fields) => {
        label = fields.get('label');
      });
      return report.outcome === 'dry-run' || report.outcome === 'no-change'
        ? draw({ report })
        : redirectTo(`/staff/catalogue/versions/${report.version}`, 'version-draft');
    } catch (error) {
      if (error instanceof CatalogueRejected) return draw({ refused: error });
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return draw({ refused: { detail: inWords(error), faults: { shown: [], total: 0 } } });
    }
  }

  @Get('versions/:number')
  @Heavy()
  async showVersion(
    @Staff() viewer: StaffCaller,
    @Param('number') text: string,
    @QueryForm() query: Form,
  ) {
    return draw({ ...(await this.view(viewer, readNumber(text))), said: flashIn(query) });
  }

  @Post('versions/:number/activate')
  async activate(
    @Staff() viewer: StaffCaller,
    @Param('number') text: string,
    @SentForm() form: Form,
  ) {
    const number = readNumber(text);
    const refused = checkForm(activateFields, form);
    if (refused) return draw({ ...(await this.view(viewer, number)), refused });
    const at = fromLocalInput(form.text('at'));
    const accept = form.text('accept').slice(0, 200) || null;
    const move = (_: number, actor: Actor) =>
      at
        ? this.versions.schedule(number, at, accept, actor)
        : this.versions.activate(number, accept, actor);
    const typed = refuseForm(activateFields, form, new Map());
    return this.move(viewer, number, at ? 'version-scheduled' : 'version-activated', move, typed);
  }

  @Post('versions/:number/withdraw')
  withdraw(@Staff() viewer: StaffCaller, @Param('number') text: string) {
    return this.move(viewer, readNumber(text), 'version-withdrawn', (...version) =>
      this.versions.withdraw(...version),
    );
  }

  @Post('versions/:number/rollback')
  rollBack(@Staff() viewer: StaffCaller, @Param('number') text: string) {
    return this.move(viewer, readNumber(text), 'version-rolled-back', (...version) =>
      this.versions.rollback(...version),
    );
  }

  /** Redirects to the resulting version, or shows the refusal on the same page. */
  private async move(
    viewer: StaffCaller,
    number: number,
    said: FlashCode,
    work: (number: number, actor: Actor) => Promise<{ readonly number: number }>,
    typed?: RefusedForm,
  ): Promise<WrittenHtml | SeeOther> {
    const outcome = await attempt(() => work(number, actorOf(viewer)));
    if ('refused' in outcome) {
      const view = await this.view(viewer, number);
      return draw({ ...view, problem: outcome.refused, refused: typed });
    }
    return redirectTo(`/staff/catalogue/versions/${outcome.result.number}`, said);
  }

  /** @throws {VersionNotFound} */
  private async view(viewer: StaffCaller, number: number): Promise<VersionProps> {
    const version = versionView(await this.versions.find(number));
    const isPending = version.state === 'draft' || version.state === 'scheduled';
    const from = isPending ? await this.reviews.activeNumber() : version.comparedWith;
    return {
      viewer,
      version,
      history: await this.versions.history(number),
      rails: isPending ? await this.reviews.railsOf(number) : [],
      change: from === null || from === number ? null : await this.change(from, number),
      now: this.clock.now(),
    };
  }

  /** Null if the other version has been removed since. */
  private async change(from: number, to: number): Promise<{ from: number; diff: DiffView } | null> {
    try {
      return { from, diff: diffAsJson((await this.reviews.diff(from, to)).diff, 100) };
    } catch (error) {
      if (error instanceof VersionNotFound) return null;
      throw error;
    }
  }
}

function draw(props: VersionProps): WrittenHtml {
  const status = props.problem ? 409 : props.refused ? 422 : undefined;
  return page(<VersionPage {...props} />, status);
}

function readNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new VersionNotFound();
}

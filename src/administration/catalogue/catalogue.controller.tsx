import { catalogueMessages, versionPath } from './catalogue-parts.js';
import { Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type Actor, actorOf } from '../../platform/audit/audit.service.js';
import { CatalogueConflict } from '../../catalogue/versions/catalogue.errors.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { DownloadsService } from '../../catalogue/downloads.service.js';
import type { Publication, PublishedVersion } from '../../catalogue/versions/publication.js';
import { ReviewService } from '../../catalogue/versions/review.service.js';
import { UploadService } from '../../catalogue/upload.service.js';
import { versionView } from '../../catalogue/version-view.js';
import { VersionsService } from '../../catalogue/versions/versions.service.js';
import { ReplayService } from '../../orders/views/replay.service.js';
import { WatchEvaluationService } from '../../watches/watch-evaluation.service.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Heavy } from '../../platform/access/counting.js';
import { Clock } from '../../platform/kernel/clock.js';
import type { SeeOther, WrittenHtml } from '../../platform/http/written.js';
import {
  checkForm,
  ENTER_TIME,
  refuseForm,
  type RefusedForm,
} from '../../platform/ui/forms/form-spec.js';
import { type Form, type Visit, Visited } from '../../platform/ui/forms/form.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { fromLocalInput } from '../../platform/kernel/time-words.js';
import { VersionPage, type VersionProps, VersionsPage } from './catalogue.js';
import { NumberParameter } from '../../catalogue/number-parameter.js';
import { ChangesPage } from './catalogue-changes.js';
import type { PreviewProps } from './catalogue-preview.js';
import { ConfirmPage, reasonField, type WhenSent, withdrawField } from './catalogue-publish.js';
import { attempt, inWords } from '../refusals.js';
import { Problem } from '../../platform/problems/problem.js';

@StaffPages('staff/catalogue', 'admin')
export class CataloguePagesController {
  constructor(
    private readonly versions: VersionsService,
    private readonly reviews: ReviewService,
    private readonly catalogue: CatalogueService,
    private readonly uploads: UploadService,
    private readonly downloads: DownloadsService,
    private readonly replays: ReplayService,
    private readonly watches: WatchEvaluationService,
    private readonly clock: Clock,
  ) {}

  @Get()
  async listVersions(@Visited() { viewer, query }: Visit) {
    const versions = (await this.versions.list()).map(versionView);
    const said = catalogueMessages.in(query);
    return page(<VersionsPage {...{ viewer, versions, said, now: this.clock.now() }} />);
  }

  @Get('versions/:number')
  @Heavy()
  async showVersion(@Visited() { viewer, query }: Visit, @NumberParameter() number: number) {
    return draw({ ...(await this.view(viewer, number)), said: catalogueMessages.in(query) });
  }

  @Get('versions/:number/changes')
  @Heavy()
  async showChanges(@Visited() { viewer, query }: Visit, @NumberParameter() number: number) {
    const version = versionView(await this.versions.find(number));
    const { from, diff, effect } = await this.preview(version.number);
    const orders = effect?.orders ?? [];
    const [list, pageText] = [query.text('list'), query.text('page')];
    return page(<ChangesPage {...{ viewer, version, from, diff, orders, list, pageText }} />);
  }

  @Get('versions/:number/changes.csv')
  @Heavy()
  exportChanges(
    @Visited() { viewer }: Visit,
    @NumberParameter() number: number,
    @Res() response: Response,
  ) {
    return this.downloads.sendChanges(number, viewer, response);
  }

  @Get('versions/:number/files')
  @Heavy()
  download(
    @Visited() { viewer }: Visit,
    @NumberParameter() number: number,
    @Res() response: Response,
  ) {
    return this.downloads.sendFiles(number, viewer, response);
  }

  /** The second step of publishing. A refused first step is shown again. */
  @Get('versions/:number/publish')
  @Heavy()
  async confirmPublish(@Visited() { viewer, query }: Visit, @NumberParameter() number: number) {
    const sent = readWhen(query);
    if (sent.faults) return draw({ ...(await this.view(viewer, number)), sent });
    return page(<ConfirmPage {...await this.toConfirm(viewer, number, sent)} />);
  }

  @Get('versions/:number/restore')
  @Heavy()
  async confirmRestore(@Visited() { viewer }: Visit, @NumberParameter() number: number) {
    return page(<ConfirmPage {...await this.toConfirm(viewer, number)} />);
  }

  @Post('versions/:number/activate')
  async activate(@Visited() { viewer, form }: Visit, @NumberParameter() number: number) {
    const sent = readWhen(form);
    if (sent.faults) return draw({ ...(await this.view(viewer, number)), sent });
    const at = atOf(sent);
    return this.publish({ viewer, number, form, sent }, async (publication, actor) => {
      if (!at) return this.versions.activate(number, publication, actor);
      const { accept = null } = publication;
      return { ...(await this.versions.schedule(number, at, accept, actor)), withdrawn: [] };
    });
  }

  @Post('versions/:number/rollback')
  rollBack(@Visited() { viewer, form }: Visit, @NumberParameter() number: number) {
    return this.publish({ viewer, number, form }, (publication, actor) =>
      this.versions.restore(number, publication, actor),
    );
  }

  @Post('versions/:number/withdraw')
  withdraw(@Visited() { viewer }: Visit, @NumberParameter() number: number) {
    return this.move(viewer, number, [versionPath(number), 'version-withdrawn'], (actor) =>
      this.versions.withdraw(number, actor),
    );
  }

  @Post('versions/:number/discard')
  discard(@Visited() { viewer }: Visit, @NumberParameter() number: number) {
    return this.move(viewer, number, ['/staff/catalogue', 'version-discarded'], (actor) =>
      this.versions.discard(number, actor),
    );
  }

  @Post('versions/:number/rebase')
  async rebase(@Visited() { viewer }: Visit, @NumberParameter() number: number) {
    try {
      const { version } = await this.uploads.rebase(number, actorOf(viewer));
      return catalogueMessages.redirect(versionPath(version!), 'version-rebased');
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      const refusal =
        error instanceof CatalogueConflict
          ? { conflicts: { rows: error.conflicts, total: error.total } }
          : { problem: inWords(error) };
      return draw({ ...(await this.view(viewer, number)), ...refusal });
    }
  }

  /** Publishes what the person has seen, or shows the confirmation again with the refusal. */
  private async publish(
    about: {
      readonly viewer: StaffCaller;
      readonly number: number;
      readonly form: Form;
      /** Missing for a restore. */
      readonly sent?: WhenSent;
    },
    work: (publication: Publication, actor: Actor) => Promise<PublishedVersion>,
  ): Promise<WrittenHtml | SeeOther> {
    const { viewer, number, form, sent } = about;
    const again = async (refusal: { problem?: string; refused?: RefusedForm | null }) =>
      page(
        <ConfirmPage {...await this.toConfirm(viewer, number, sent)} {...refusal} />,
        refusal.problem === undefined ? 422 : 409,
      );
    const live = await this.reviews.activeNumber();
    if (form.has('live') && form.text('live') !== String(live ?? '')) {
      const problem = `Version ${live} went live while you looked. Check the changes again.`;
      return again({ problem });
    }
    const scheduled = sent && atOf(sent) ? [] : await this.reviews.overtakenBy(number);
    const named = form.text('scheduled').split(',').map(Number);
    const shown = scheduled.filter((one) => named.includes(one.number));
    const fields = [
      ...(form.has('accept') ? [reasonField] : []),
      ...withdrawField(shown, this.clock.now()),
    ];
    const refused = checkForm(fields, form);
    if (refused) return again({ refused });
    if (shown.length < scheduled.length) {
      const problem = 'Another version is scheduled, and would not go live. Check this again.';
      return again({ problem });
    }
    const accept = form.text('accept').slice(0, 200) || null;
    const publication = { accept, withdraw: shown.map((one) => one.number) };
    const outcome = await attempt(() => work(publication, actorOf(viewer)));
    if ('refused' in outcome) {
      return again({ problem: outcome.refused, refused: refuseForm(fields, form, new Map()) });
    }
    const { number: published, withdrawn } = outcome.result;
    const said =
      sent === undefined
        ? 'version-rolled-back'
        : atOf(sent)
          ? 'version-scheduled'
          : 'version-activated';
    return catalogueMessages.redirect(
      versionPath(published),
      withdrawn.length > 0 && said !== 'version-scheduled' ? `${said}-instead` : said,
    );
  }

  /** Redirects, or shows the refusal on the page of the version. */
  private async move(
    viewer: StaffCaller,
    number: number,
    then: Parameters<typeof catalogueMessages.redirect>,
    work: (actor: Actor) => Promise<unknown>,
  ): Promise<WrittenHtml | SeeOther> {
    const outcome = await attempt(() => work(actorOf(viewer)));
    return 'refused' in outcome
      ? draw({ ...(await this.view(viewer, number)), problem: outcome.refused })
      : catalogueMessages.redirect(...then);
  }

  /** @throws {VersionNotFound} */
  private async view(viewer: StaffCaller, number: number): Promise<VersionProps> {
    const version = versionView(await this.versions.find(number));
    return {
      viewer,
      version,
      history: await this.versions.history(number),
      preview: version.state === 'active' ? null : await this.preview(number),
      now: this.clock.now(),
    };
  }

  private async toConfirm(viewer: StaffCaller, number: number, sent?: WhenSent) {
    const version = versionView(await this.versions.find(number));
    const at = sent ? atOf(sent) : null;
    const preview = await this.preview(number);
    const scheduled = at ? [] : await this.reviews.overtakenBy(number);
    return { viewer, version, preview, scheduled, at, now: this.clock.now() };
  }

  private async preview(number: number): Promise<PreviewProps> {
    const review = await this.reviews.preview(number);
    const effect = review.from === null ? null : await this.replays.effect(number);
    const served = await this.watches.preview(await this.catalogue.version(number));
    return { number, ...review, effect, served };
  }
}

function readWhen(form: Form): WhenSent {
  const [when, at] = [form.text('when'), form.text('at')];
  const faults = new Map<string, string>();
  if (when !== 'now' && when !== 'later') faults.set('when', 'Choose when to publish.');
  if (when === 'now' && at !== '') {
    faults.set('at', 'You chose “Now”, but gave a time. Choose “At a time”, or clear the time.');
  }
  if (when === 'later' && fromLocalInput(at) === null) {
    faults.set('at', ENTER_TIME);
  }
  return { when, at, ...(faults.size > 0 && { faults }) };
}

/** Null: now. */
function atOf({ when, at }: WhenSent): Date | null {
  return when === 'later' ? fromLocalInput(at) : null;
}

function draw(props: VersionProps): WrittenHtml {
  const status = props.problem || props.conflicts ? 409 : props.sent?.faults ? 422 : undefined;
  return page(<VersionPage {...props} />, status);
}

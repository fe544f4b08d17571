import { Controller, Get, Param, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
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
import { Clock } from '../../kernel/clock.js';
import { Problem, ValidationFailed } from '../../problems/problem.js';
import { Page } from '../../access/scopes.js';
import { SeeOther, type WrittenHtml } from '../../http/written-html.js';
import { Form, QueryForm, SentForm } from '../forms/form.js';
import { fromLocalInput } from '../shell/times.js';
import { uploadPage, versionPage, versionsPage } from './catalogue.js';
import { refusal } from './refusals.js';

const done = new Map([
  ['draft', 'Stored as a draft. Nothing has changed for clients yet.'],
  ['activated', 'In service: here now, on other instances within about a second.'],
  ['scheduled', 'Scheduled: all instances switch at that instant.'],
  ['withdrawn', 'The schedule is withdrawn; the version is a draft again.'],
  ['rolled-back', 'The earlier content is in service again, under this new number.'],
]);

/** Catalogue versions: what changes, and which one is in service. */
@Controller('staff/catalogue')
@ApiExcludeController()
export class CataloguePagesController {
  constructor(
    private readonly versions: VersionsService,
    private readonly reviews: ReviewService,
    private readonly uploads: UploadService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Page('admin')
  async listVersions(@Staff() viewer: StaffCaller): Promise<WrittenHtml> {
    const versions = (await this.versions.list()).map(versionView);
    return versionsPage(viewer, versions, this.clock.now());
  }

  @Get('new')
  @Page('admin')
  newVersion(@Staff() viewer: StaffCaller): WrittenHtml {
    return uploadPage({ viewer });
  }

  @Post('versions')
  @Page('admin')
  async upload(
    @Staff() viewer: StaffCaller,
    @Req() request: Request,
  ): Promise<WrittenHtml | SeeOther> {
    let label: string | undefined;
    try {
      const report = await this.uploads.importForm(request, actorOf(viewer), (fields) => {
        label = fields.get('label');
      });
      if (report.outcome === 'dry-run' || report.outcome === 'no-change') {
        return uploadPage({ viewer, label, report });
      }
      return new SeeOther(`/staff/catalogue/versions/${report.version}?done=draft`);
    } catch (error) {
      if (error instanceof CatalogueRejected) return uploadPage({ viewer, label, refused: error });
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      const details = error instanceof ValidationFailed ? error.errors : [];
      const detail = [error.detail, ...details.map((one) => one.detail)].join(' ');
      return uploadPage({ viewer, label, refused: { detail, faults: { shown: [], total: 0 } } });
    }
  }

  @Get('versions/:number')
  @Page('admin')
  async showVersion(
    @Staff() viewer: StaffCaller,
    @Param('number') text: string,
    @QueryForm() query: Form,
  ): Promise<WrittenHtml> {
    const view = await this.view(viewer, readNumber(text));
    return versionPage({ ...view, done: done.get(query.text('done')) });
  }

  @Post('versions/:number/activate')
  @Page('admin')
  async activate(
    @Staff() viewer: StaffCaller,
    @Param('number') text: string,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const number = readNumber(text);
    const at = form.text('at') === '' ? undefined : fromLocalInput(form.text('at'));
    if (at === null) {
      const faults = new Map([['at', 'Write a day and a time, such as 21/11/2026, 09:30.']]);
      return versionPage({ ...(await this.view(viewer, number)), form, faults });
    }
    const accept = form.text('accept').slice(0, 200) || null;
    return this.move(viewer, number, form, async (actor) => {
      if (at) await this.versions.schedule(number, at, accept, actor);
      else await this.versions.activate(number, accept, actor);
      return [number, at ? 'scheduled' : 'activated'];
    });
  }

  @Post('versions/:number/withdraw')
  @Page('admin')
  async withdraw(
    @Staff() viewer: StaffCaller,
    @Param('number') text: string,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const number = readNumber(text);
    return this.move(viewer, number, form, async (actor) => {
      await this.versions.withdraw(number, actor);
      return [number, 'withdrawn'];
    });
  }

  @Post('versions/:number/rollback')
  @Page('admin')
  async rollBack(
    @Staff() viewer: StaffCaller,
    @Param('number') text: string,
    @SentForm() form: Form,
  ): Promise<WrittenHtml | SeeOther> {
    const number = readNumber(text);
    return this.move(viewer, number, form, async (actor) => {
      const made = await this.versions.rollback(number, actor);
      return [made.number, 'rolled-back'];
    });
  }

  /** Leads to the version that came out of it, or says on the same page why nothing did. */
  private async move(
    viewer: StaffCaller,
    number: number,
    form: Form,
    doing: (actor: Actor) => Promise<[number: number, done: string]>,
  ): Promise<WrittenHtml | SeeOther> {
    let outcome: [number, string] | undefined;
    const refused = await refusal(async () => {
      outcome = await doing(actorOf(viewer));
    });
    if (!outcome) return versionPage({ ...(await this.view(viewer, number)), form, refused });
    return new SeeOther(`/staff/catalogue/versions/${outcome[0]}?done=${outcome[1]}`);
  }

  /** @throws {VersionNotFound} */
  private async view(viewer: StaffCaller, number: number) {
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

  /** Null where the version that it was compared with has been removed since. */
  private async change(from: number, to: number): Promise<{ from: number; diff: DiffView } | null> {
    try {
      return { from, diff: diffAsJson((await this.reviews.diff(from, to)).diff, 100) };
    } catch (error) {
      if (error instanceof VersionNotFound) return null;
      throw error;
    }
  }
}

function readNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new VersionNotFound();
}

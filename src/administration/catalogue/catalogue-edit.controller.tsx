import { catalogueMessages, versionPath } from './catalogue-parts.js';
import { Get, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Heavy } from '../../platform/access/rules.js';
import { actorOf } from '../../platform/audit/audit.service.js';
import { adjustmentOf } from '../../catalogue/adjustment.js';
import { priceChoices } from '../../catalogue/content/browse/browse-prices.js';
import { UploadService } from '../../catalogue/upload.service.js';
import { CatalogueRejected } from '../../catalogue/versions/catalogue.errors.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Problem } from '../../platform/problems/problem.js';
import { Refused } from '../../platform/problems/refused.js';
import { type Refusal, send } from '../../platform/ui/forms/input-form.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { readVersionNumber } from '../../catalogue/number-parameter.js';
import {
  adjustForm,
  AdjustPage,
  adjustPath,
  UploadPage,
  type UploadProps,
} from './catalogue-edit.js';
import { inWords } from '../refusals.js';

/** Makes drafts: from files, or by adjusting prices. */
@StaffPages('staff/catalogue', 'admin')
export class CatalogueEditController {
  constructor(
    private readonly uploads: UploadService,
    private readonly catalogue: CatalogueService,
  ) {}

  @Get('new')
  newVersion(@Visited() { viewer, query }: Visit) {
    return page(<UploadPage viewer={viewer} {...this.baseIn(query.text('base'))} />);
  }

  @Post('versions')
  async upload(@Visited() { viewer }: Visit, @Req() request: Request) {
    let label: string | undefined;
    let base = '';
    const draw = (found: Partial<UploadProps>) =>
      page(
        <UploadPage {...{ viewer, label, ...this.baseIn(base), ...found }} />,
        found.refused && 422,
      );
    try {
      const { outcome, version } = await this.uploads.importForm(
        request,
        actorOf(viewer),
        (fields) => {
          label = fields.get('label');
          base = fields.get('base') ?? '';
        },
      );
      return outcome === 'no-change'
        ? draw({ same: version! })
        : catalogueMessages.redirect(`/staff/catalogue/versions/${version}`, 'version-draft');
    } catch (error) {
      if (error instanceof CatalogueRejected) return draw({ refused: error });
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return draw({ refused: { detail: inWords(error), faults: { shown: [], total: 0 } } });
    }
  }

  @Get('adjust')
  @Heavy()
  newAdjustment(@Visited() { viewer, query }: Visit) {
    return this.drawAdjustment(viewer, query.text('base'));
  }

  @Post('adjust')
  @Heavy()
  async adjust(@Visited() { viewer, form }: Visit) {
    const { base, isLive } = this.baseIn(form.text('base'));
    const asked = await this.formOf(base);
    const sent = await send(asked, form, async (input) => {
      const body = { ...input, ...(isLive && { base: undefined }) };
      const adjustment = adjustmentOf(body, actorOf(viewer));
      const { outcome, version } = await this.uploads.adjustPrices(...adjustment);
      if (outcome !== 'no-change') return version!;
      throw new Refused('Nothing changes: these are the prices of the live version.');
    });
    if ('refused' in sent) return this.drawAdjustment(viewer, form.text('base'), sent);
    const draft = adjustPath(isLive ? null : base);
    return catalogueMessages.redirect(versionPath(sent.result), 'version-draft', draft);
  }

  private async drawAdjustment(viewer: StaffCaller, asked: string, refusal?: Refusal) {
    const base = this.baseIn(asked);
    const form = await this.formOf(base.base);
    return page(<AdjustPage {...{ viewer, ...base, form, refusal }} />, refusal?.status);
  }

  /** @param text of the address or form: empty or `live`, or the number of a draft */
  private baseIn(text: string) {
    const live = this.catalogue.currentNumber;
    const base = text === '' || text === 'live' ? live : readVersionNumber(text);
    return { base, isLive: base === live };
  }

  /** @throws {Unavailable | VersionNotFound} */
  private async formOf(base: number | null) {
    const catalogue = base === null ? this.catalogue.current : await this.catalogue.version(base);
    return adjustForm(priceChoices(catalogue));
  }
}

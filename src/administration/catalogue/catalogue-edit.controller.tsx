import { catalogueMessages } from './catalogue-parts.js';
import { Get, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Heavy } from '../../platform/access/counting.js';
import { actorOf } from '../../platform/audit/audit.service.js';
import { adjustmentOf } from '../../catalogue/adjustment.js';
import { priceChoices } from '../../catalogue/content/browse/browse-prices.js';
import { UploadService } from '../../catalogue/upload.service.js';
import { CatalogueRejected } from '../../catalogue/versions/catalogue.errors.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { Problem } from '../../platform/problems/problem.js';
import { checkForm, refuseForm } from '../../platform/ui/forms/form-spec.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { readVersionNumber } from '../../catalogue/number-parameter.js';
import {
  adjustFields,
  AdjustPage,
  adjustPath,
  UploadPage,
  type UploadProps,
} from './catalogue-edit.js';
import { attempt, inWords } from '../refusals.js';

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
  async newAdjustment(@Visited() { viewer, query }: Visit) {
    const base = this.baseIn(query.text('base'));
    const fields = await this.fieldsOf(base.base);
    return page(<AdjustPage viewer={viewer} {...base} fields={fields} />);
  }

  @Post('adjust')
  @Heavy()
  async adjust(@Visited() { viewer, form }: Visit) {
    const base = this.baseIn(form.text('base'));
    const fields = await this.fieldsOf(base.base);
    const refused = checkForm(fields, form);
    if (refused) return page(<AdjustPage {...{ viewer, ...base, fields, refused }} />, 422);
    const text = (name: string) => form.text(name) || undefined;
    const number = (name: string) => (form.text(name) === '' ? undefined : Number(form.text(name)));
    const body = {
      percent: Number(form.text('percent')),
      priceList: text('priceList'),
      zone: text('zone'),
      product: text('product')?.toUpperCase(),
      roundTo: number('roundTo'),
      floor: number('floor'),
      setup: form.has('setup'),
      label: text('label'),
      ...(!base.isLive && base.base !== null && { base: base.base }),
    };
    const outcome = await attempt(() => this.uploads.adjustPrices(...adjustmentOf(body, viewer)));
    const problem =
      'refused' in outcome
        ? outcome.refused
        : outcome.result.outcome === 'no-change'
          ? 'Nothing changes: these are the prices of the live version.'
          : null;
    if ('result' in outcome && problem === null) {
      const draft = adjustPath(base.isLive ? null : base.base);
      const { version } = outcome.result;
      return catalogueMessages.redirect(
        `/staff/catalogue/versions/${version}`,
        'version-draft',
        draft,
      );
    }
    const typed = refuseForm(fields, form, new Map());
    const about = { viewer, ...base, fields, refused: typed, problem: problem! };
    return page(<AdjustPage {...about} />, 409);
  }

  /** @param text of the address or form: empty or `live`, or the number of a draft */
  private baseIn(text: string) {
    const live = this.catalogue.currentNumber;
    const base = text === '' || text === 'live' ? live : readVersionNumber(text);
    return { base, isLive: base === live };
  }

  /** @throws {Unavailable | VersionNotFound} */
  private async fieldsOf(base: number | null) {
    const catalogue = base === null ? this.catalogue.current : await this.catalogue.version(base);
    return adjustFields(priceChoices(catalogue));
  }
}

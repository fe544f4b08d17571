import { catalogueMessages, versionPath, FileLinks } from './catalogue-parts.js';
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
import { Takes } from '../../platform/http/json-body.js';
import { Problem } from '../../platform/problems/problem.js';
import { Refused } from '../../platform/problems/refused.js';
import {
  type Refusal,
  send,
  type InputForm,
  inputForm,
} from '../../platform/ui/forms/input-form.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { readVersionNumber } from '../../catalogue/version-view.js';
import { inWords } from '../refusals.js';
import { AdjustmentBody } from '../../catalogue/catalogue.dto.js';
import { FaultTable } from '../../platform/ui/fault-table.js';
import type { FileFaults as CatalogueFaults } from '../../platform/tables/csv-table.js';
import { ANY_FILE } from '../../catalogue/upload.js';
import type { FormField } from '../../platform/ui/forms/form-spec.js';
import { Fields, PostForm, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import { Notice } from '../../platform/ui/parts.js';
import { AdminLayout } from '../admin-layout.js';
import { catalogueFileNames, fileInfo } from '../../catalogue/content/catalogue-files.js';

/** Makes drafts: from files, or by adjusting prices. */
@StaffPages('staff/catalogue', 'commercial')
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
  @Takes({ files: true })
  async upload(@Visited() { viewer }: Visit, @Req() request: Request) {
    let label: string | undefined;
    let base = '';
    const draw = (found: Partial<UploadProps>) =>
      page(
        <UploadPage viewer={viewer} label={label} {...this.baseIn(base)} {...found} />,
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
    return page(
      <AdjustPage viewer={viewer} {...base} form={form} refusal={refusal} />,
      refusal?.status,
    );
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

/** The version that a change starts from. */
interface BaseProps {
  readonly viewer: StaffCaller;
  /** Null if no version is live. */
  readonly base: number | null;
  /** Whether it is the live version, not a draft. */
  readonly isLive: boolean;
}

interface UploadProps extends BaseProps {
  readonly label?: string;
  /** The version that has the uploaded content already. */
  readonly same?: number;
  readonly refused?: { readonly detail: string; readonly faults: CatalogueFaults };
}

const labelField: FormField = {
  name: 'label',
  label: 'Name',
  hint: 'For example, November rate card.',
  most: 120,
  input: { required: true },
};

function UploadPage(props: UploadProps) {
  const { viewer, base, isLive, label, same, refused } = props;
  const hint =
    base === null
      ? `One zip, or the files themselves: ${catalogueFileNames.map((file) => fileInfo(file).fileName).join(', ')}.`
      : `One zip, or the files that changed. Files that you leave out stay as in version ${base}; to empty one, upload it with only its header.`;
  const filesField: FormField = {
    name: ANY_FILE,
    label: 'Files',
    hint,
    input: {
      type: 'file',
      accept: '.csv,.xlsx,.geojson,.json,.zip,text/csv,application/zip',
      multiple: true,
      required: true,
    },
  };
  return (
    <AdminLayout
      title={isLive || base === null ? 'Upload files' : `Add files to version ${base}`}
      viewer={viewer}
      here="catalogue"
    >
      {refused && <Rejected {...refused} />}
      {base !== null && (
        <p>
          {`To change a file of version ${base}, download it, edit it, and upload it alone: `}
          <FileLinks number={base} />.
        </p>
      )}
      {same !== undefined && (
        <section tabIndex={-1} data-focus>
          <Notice kind="good" title={`Version ${same} has the same content. Nothing was stored.`}>
            <p>
              <a href={versionPath(same)}>{`Version ${same}`}</a>
            </p>
          </Notice>
        </section>
      )}
      <form method="post" action="/staff/catalogue/versions" encType="multipart/form-data">
        {base !== null && (
          <input type="hidden" name="base" value={isLive ? 'live' : String(base)} />
        )}
        <Fields of={[{ ...labelField, first: label }, filesField]} />
        <p class="actions">
          <button type="submit" class="primary">
            Upload as a draft
          </button>
          <a class="button" href={base === null || isLive ? '/staff/catalogue' : versionPath(base)}>
            Cancel
          </a>
        </p>
        <p class="hint">
          You get a {isLive || base === null ? 'draft' : 'new draft'}, which shows what would
          change. Clients see nothing of it until you publish it. Import very large files with{' '}
          <code>catalogue import</code> at the command line.
        </p>
      </form>
    </AdminLayout>
  );
}

function Rejected({ detail, faults }: { detail: string; faults: CatalogueFaults }) {
  return (
    <section class="notice bad" role="alert" tabIndex={-1} data-focus>
      <p class="notice-title">{detail}</p>
      <FaultTable faults={faults} again="Fix these and upload the files again." withFile />
    </section>
  );
}

/** The form of an adjustment, with the price lists and zones of the version that it starts from. */
function adjustForm(choices: {
  readonly zones: readonly string[];
  readonly priceLists: readonly string[];
}): InputForm<AdjustmentBody> {
  const named = (of: readonly string[]) => of.map((one) => ({ value: one, name: one }));
  const form = inputForm(AdjustmentBody, {
    percent: {
      label: 'Change in per cent',
      hint: 'Of monthly prices. For example, 3 or -2.5. 0 leaves them as they are.',
      unit: '%',
      input: { autofocus: true },
      missing: 'Enter the change in per cent.',
    },
    priceList: {
      label: 'Price list',
      hint: 'Choosing a derived list changes only its own prices, not those calculated from its base.',
      any: 'All price lists',
      choices: named(choices.priceLists),
    },
    zone: { label: 'Zone', any: 'All zones', choices: named(choices.zones) },
    product: {
      label: 'Start of the product code (optional)',
      hint: 'For example, ETH- for all Ethernet products. Empty: all products.',
      upper: true,
      input: { maxLength: 32 },
    },
    roundTo: {
      label: 'Round to (optional)',
      hint: 'An amount in the currency of each price, such as 0.50 for the nearest 50 pence. Empty rounds to the penny.',
    },
    floor: {
      label: 'Lowest monthly price (optional)',
      hint: 'In the currency of each price. Adjusted prices below it are raised to it.',
    },
    setupPercent: {
      label: 'Change of set-up prices in per cent (optional)',
      hint: '-100 makes set-up free, also where no set-up price is stated. Empty leaves set-up prices as they are.',
      unit: '%',
    },
    from: {
      label: 'First day (optional)',
      hint: 'In London. Empty: at once, when you publish it.',
      input: { type: 'date' },
    },
    until: {
      label: 'Last day (optional)',
      hint: 'From the next day on, the prices of before apply. Empty: no end.',
      input: { type: 'date' },
    },
    label: { label: 'Name (optional)', hint: 'For example, November rise.' },
  });
  const rules = ({ from, until }: Partial<AdjustmentBody>) =>
    from != null && until != null && until < from
      ? [
          {
            pointer: '/until',
            code: 'not-allowed',
            detail: 'The last day is before the first day.',
          },
        ]
      : [];
  return { ...form, rules };
}

/** Below /staff, of the form, and the name of its draft. @param base null for the live version */
function adjustPath(base: number | null): string {
  return `catalogue/adjust${base === null ? '' : `?base=${base}`}`;
}

function AdjustPage(
  props: BaseProps & { readonly form: InputForm<AdjustmentBody>; readonly refusal?: Refusal },
) {
  const { viewer, base, isLive, form, refusal } = props;
  return (
    <AdminLayout title={`Adjust prices of version ${base}`} viewer={viewer} here="catalogue">
      {refusal?.conflict !== undefined && <Notice kind="bad" title={refusal.conflict} />}
      <RefusedSummary refused={refusal?.refused} />
      <PostForm
        draft={adjustPath(isLive ? null : base)}
        action={`/staff/${adjustPath(isLive ? null : base)}`}
        hidden={isLive ? {} : { base: base ?? '' }}
        fields={form.fields}
        refused={refusal?.refused}
        button="Make a draft"
        kind="primary"
        cancel={isLive ? '/staff/catalogue' : versionPath(base!)}
      >
        <p class="hint">
          {`Starts from version ${base}${isLive ? ', which is live' : ', a draft, which stays'}. The new draft shows what would change; clients see nothing until you publish it.`}
        </p>
      </PostForm>
    </AdminLayout>
  );
}

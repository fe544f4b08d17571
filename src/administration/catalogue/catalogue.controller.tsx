import {
  catalogueMessages,
  versionPath,
  addressOf,
  PAGE_ROWS,
  Pager,
  percentOrNone,
  readPage,
  VersionTabs,
} from './catalogue-parts.js';
import { Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type Actor, actorOf } from '../../platform/audit/audit.service.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { endingBooks } from '../../catalogue/content/lint.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { DownloadsService } from '../../catalogue/downloads.service.js';
import { ReviewService } from '../../catalogue/versions/review.service.js';
import { UploadService } from '../../catalogue/upload.service.js';
import { versionView, NumberParameter } from '../../catalogue/version-view.js';
import { VersionsService } from '../../catalogue/versions/versions.service.js';
import {
  VersionEffectService,
  type AffectedOrder,
} from '../../orders/views/version-effect.service.js';
import { HeldTermsService } from '../../quotes/held-terms.service.js';
import { WatchEvaluationService } from '../../watches/watch-evaluation.service.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { shownRails } from '../../catalogue/content/review/guard-rails.js';
import { Heavy } from '../../platform/access/rules.js';
import { Clock } from '../../platform/kernel/clock.js';
import type { SeeOther, WrittenHtml } from '../../platform/http/written.js';
import type { RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { send } from '../../platform/ui/forms/input-form.js';
import { type Form, type Visit, Visited } from '../../platform/ui/forms/form.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { VersionPage, type VersionProps, VersionsPage, publicationForm } from './catalogue.js';
import { type PreviewProps, OrdersTable } from './catalogue-preview.js';
import { attempt } from '../refusals.js';
import type { VersionView } from '../../catalogue/catalogue.dto.js';
import {
  changeLists,
  type ChangeSection,
  type ListedChange,
} from '../../catalogue/content/change-lists.js';
import type { CatalogueDiff } from '../../catalogue/content/diff.js';
import { inWords as offerInWords } from '../../catalogue/content/offers.js';
import { Empty } from '../../platform/ui/parts.js';
import { Table, type TableColumn } from '../../platform/ui/table.js';
import { AdminLayout } from '../admin-layout.js';
import { whole } from '../../platform/kernel/counts.js';

@StaffPages('staff/catalogue', 'commercial')
export class CataloguePagesController {
  constructor(
    private readonly versions: VersionsService,
    private readonly reviews: ReviewService,
    private readonly catalogue: CatalogueService,
    private readonly uploads: UploadService,
    private readonly downloads: DownloadsService,
    private readonly effects: VersionEffectService,
    private readonly watches: WatchEvaluationService,
    private readonly heldTerms: HeldTermsService,
    private readonly clock: Clock,
  ) {}

  @Get()
  async listVersions(@Visited() { viewer, query }: Visit) {
    const versions = (await this.versions.list()).map((row) => versionView(row, actorOf(viewer)));
    const said = catalogueMessages.in(query);
    const live = versions.find(({ state }) => state === 'active');
    const calendar = live ? await this.reviews.calendar(live.number) : [];
    const now = this.clock.now();
    const suppliers = this.catalogue.loaded ? this.catalogue.current.content.suppliers : [];
    const ending = endingBooks(suppliers, londonDay(now));
    return page(
      <VersionsPage
        viewer={viewer}
        versions={versions}
        calendar={calendar}
        ending={ending}
        said={said}
        now={now}
      />,
    );
  }

  @Get('versions/:number')
  @Heavy()
  async showVersion(@Visited() { viewer, query }: Visit, @NumberParameter() number: number) {
    return draw({ ...(await this.view(viewer, number)), said: catalogueMessages.in(query) });
  }

  @Get('versions/:number/changes')
  @Heavy()
  async showChanges(@Visited() { viewer, query }: Visit, @NumberParameter() number: number) {
    const version = versionView(await this.versions.find(number), actorOf(viewer));
    const { from, diff, effect } = await this.preview(viewer, version.number);
    const orders = effect?.orders ?? [];
    return drawChanges({ viewer, version, query, from, diff, orders, tab: 'changes' });
  }

  /** For ever, also when other versions are live. */
  @Get('versions/:number/published-changes')
  @Heavy()
  async showPublishedChanges(
    @Visited() { viewer, query }: Visit,
    @NumberParameter() number: number,
  ) {
    const version = versionView(await this.versions.find(number), actorOf(viewer));
    const { from, diff } = await this.reviews.published(version.number);
    const tab = 'published-changes';
    return drawChanges({ viewer, version, query, from, diff, orders: [], tab });
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

  @Get('versions/:number/map.csv')
  @Heavy()
  exportMap(
    @Visited() { viewer }: Visit,
    @NumberParameter() number: number,
    @Res() response: Response,
  ) {
    return this.downloads.sendMap(number, viewer, response);
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

  /** One file, to edit and upload it again. */
  @Get('versions/:number/files/:file')
  @Heavy()
  downloadFile(
    @Visited() { viewer }: Visit,
    @NumberParameter() number: number,
    @Param('file') file: string,
    @Res() response: Response,
  ) {
    return this.downloads.sendFile(number, file, viewer, response);
  }

  @Post('versions/:number/activate')
  @Heavy()
  activate(@Visited() { viewer, form }: Visit, @NumberParameter() number: number) {
    return this.publish({ viewer, number, form, said: 'version-activated' }, (accept, actor) =>
      this.versions.activate(number, { accept }, actor),
    );
  }

  @Post('versions/:number/restore')
  @Heavy()
  restore(@Visited() { viewer, form }: Visit, @NumberParameter() number: number) {
    return this.publish({ viewer, number, form, said: 'version-restored' }, (accept, actor) =>
      this.versions.restore(number, { accept }, actor),
    );
  }

  @Post('versions/:number/discard')
  discard(@Visited() { viewer }: Visit, @NumberParameter() number: number) {
    return this.move(viewer, number, ['/staff/catalogue', 'version-discarded'], (actor) =>
      this.versions.discard(number, actor),
    );
  }

  @Post('versions/:number/again')
  @Heavy()
  async adjustAgain(@Visited() { viewer }: Visit, @NumberParameter() number: number) {
    const outcome = await attempt(() => this.uploads.adjustAgain(number, actorOf(viewer)));
    return 'refused' in outcome
      ? draw({ ...(await this.view(viewer, number)), problem: outcome.refused })
      : catalogueMessages.redirect(versionPath(outcome.result.version!), 'version-adjusted-again');
  }

  /** Publishes what the person has seen, or shows the version again with the refusal. */
  private async publish(
    about: {
      readonly viewer: StaffCaller;
      readonly number: number;
      readonly form: Form;
      readonly said: 'version-activated' | 'version-restored';
    },
    work: (accept: string | null, actor: Actor) => Promise<{ readonly number: number }>,
  ): Promise<WrittenHtml | SeeOther> {
    const { viewer, number, form, said } = about;
    const again = async (refusal: { problem?: string; refused?: RefusedForm | null }) =>
      draw({ ...(await this.view(viewer, number)), ...refusal });
    const live = await this.reviews.activeNumber();
    if (form.has('live') && form.text('live') !== String(live ?? '')) {
      const problem = `Version ${live} went live while you looked. Check the changes again.`;
      return again({ problem });
    }
    const sent = await send(publicationForm, form, ({ accept = null }) =>
      work(accept, actorOf(viewer)),
    );
    if ('refused' in sent) return again({ problem: sent.conflict, refused: sent.refused });
    return catalogueMessages.redirect(versionPath(sent.result.number), said);
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
    const row = await this.versions.find(number);
    const version = versionView(row, actorOf(viewer));
    return {
      viewer,
      version,
      isAdjustment: row.adjustment !== null,
      history: await this.versions.history(number),
      preview: version.state === 'active' ? null : await this.preview(viewer, number),
      calendar: version.state === 'active' ? await this.reviews.calendar(number) : [],
      now: this.clock.now(),
    };
  }

  private async preview({ scopes }: StaffCaller, number: number): Promise<PreviewProps> {
    const review = await this.reviews.preview(number);
    const catalogue = await this.catalogue.complete(number);
    const effect = review.from === null ? null : await this.effects.effect(catalogue);
    const served = await this.watches.preview(catalogue);
    const held = await this.heldTerms.comparedWith(catalogue);
    const sees = scopes.has('margins:read');
    const rails = shownRails(review.rails, sees);
    return { number, ...review, rails, effect, served, held, margins: sees ? review.margins : [] };
  }
}

function draw(props: VersionProps): WrittenHtml {
  const status = props.problem === undefined ? (props.refused ? 422 : undefined) : 409;
  return page(<VersionPage {...props} />, status);
}

function drawChanges(props: ChangesProps): WrittenHtml {
  return page(<ChangesPage {...props} />);
}

interface ChangesProps {
  readonly viewer: StaffCaller;
  readonly version: VersionView;
  readonly from: number | null;
  readonly diff: CatalogueDiff | null;
  /** Open orders whose terms would differ. */
  readonly orders: readonly AffectedOrder[];
  /** Of the address: the list, and its page. */
  readonly query: Form;
  /** Compared with the version that is live, or with the one that was live before. */
  readonly tab: 'changes' | 'published-changes';
}

/** The list of open orders is no part of the comparison. */
type ListOfChanges = Pick<ChangeSection, 'name' | 'heading' | 'count'> &
  Partial<Pick<ChangeSection, 'slice'>>;

/** Every row that a version changes, one list and 100 rows at a time. */
function ChangesPage(props: ChangesProps) {
  const { viewer, version, query, from, diff, orders, tab } = props;
  const { number } = version;
  const all: ListOfChanges[] = [
    ...(diff ? changeLists(diff) : []),
    { name: 'orders', heading: 'Open orders', count: orders.length },
  ];
  const lists = all.filter(({ count }) => count > 0);
  const chosen = lists.find(({ name }) => name === query.text('list')) ?? lists[0];
  const page = readPage(query.text('page'), chosen?.count ?? 0);
  const path = versionPath(number, tab);
  const isLive = tab === 'changes';
  const first = (page - 1) * PAGE_ROWS;
  const last = first + PAGE_ROWS;
  const rows = [...(chosen?.slice?.(first, last, offerInWords) ?? [])];
  return (
    <AdminLayout title={`Version ${number}: changes`} viewer={viewer} here="catalogue">
      <VersionTabs version={version} here={tab} />
      {!chosen ? (
        <Empty
          title={
            from === null
              ? isLive
                ? 'No version is live, so there is nothing to compare with.'
                : 'This was the first version, so there is nothing to compare with.'
              : isLive
                ? `Nothing changes for clients, compared with version ${from}.`
                : `It changed nothing for clients, compared with version ${from}, which was live before.`
          }
        />
      ) : (
        <>
          <p>
            {`Compared with version ${from}, which ${isLive ? 'is live' : 'was live before'}. `}
            {isLive && (
              <a href={versionPath(number, 'changes.csv')} download>
                Download all changes (CSV)
              </a>
            )}
          </p>
          <nav aria-label="Lists of changes">
            <ul class="bare tabs">
              {lists.map(({ name, heading, count }) => (
                <li>
                  <a
                    href={addressOf(path, { list: name })}
                    aria-current={name === chosen.name ? 'page' : undefined}
                  >
                    {`${heading} ${whole(count)}`}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          {chosen.slice ? (
            <Table
              label={chosen.heading}
              caption={
                rows[0]?.percent === undefined
                  ? chosen.heading
                  : `${chosen.heading}, biggest change first`
              }
              captioned
              rows={rows}
              columns={columnsOf(rows)}
            />
          ) : (
            <OrdersTable orders={orders.slice(first, last)} />
          )}
          <Pager
            page={page}
            count={chosen.count}
            to={(to) => addressOf(path, { list: chosen.name, page: to })}
          />
        </>
      )}
    </AdminLayout>
  );
}

function columnsOf(rows: readonly ListedChange[]): (TableColumn<ListedChange> | false)[] {
  const [row] = rows;
  const isPrice = row?.priceList !== '';
  const isAmount = row?.percent !== undefined;
  const align = isAmount ? ({ class: 'number' } as const) : {};
  return [
    { name: isPrice ? 'Product' : 'What', of: ({ subject }) => subject, heads: true },
    isPrice && { name: 'Zone', of: ({ zone }) => zone },
    isPrice && { name: 'Price list', of: ({ priceList }) => priceList },
    rows.some(({ dates }) => dates) && { name: 'Days', of: ({ dates }) => dates },
    { name: 'Change', of: ({ change }) => change },
    { name: 'Before', of: ({ before }) => before || 'none', ...align },
    { name: 'After', of: ({ after }) => after || 'none', ...align },
    isAmount && {
      name: 'Per cent',
      of: ({ percent }) => percentOrNone(percent),
      class: 'number',
    },
  ];
}

import { Get } from '@nestjs/common';
import { Heavy } from '../../platform/access/rules.js';
import { placesAround, RowsWithin } from '../../catalogue/content/browse/browse-coverage.js';
import {
  priceChoices,
  pricesOfZone,
  type PricesOfZone,
} from '../../catalogue/content/browse/browse-prices.js';
import type { SupplierCost } from '../../catalogue/content/review/margins.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { actorOf } from '../../platform/audit/audit.service.js';
import type { CatalogueContent } from '../../catalogue/content/catalogue.js';
import type { PremisesKey } from '../../catalogue/content/premises-codec.js';
import { versionView, NumberParameter } from '../../catalogue/version-view.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { CostsService } from '../../catalogue/versions/costs.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { VersionsService } from '../../catalogue/versions/versions.service.js';
import {
  parsePlace,
  parsePostcode,
  type PostcodePlace,
  PostcodeRefusal,
  printPlace,
} from '../../platform/kernel/postcode.js';
import { parseUprn } from '../../platform/kernel/uprn.js';
import { type Visit, Visited } from '../../platform/ui/forms/form.js';
import { page } from '../../platform/ui/render.js';
import { StaffPages } from '../../platform/ui/staff-pages.js';
import { CoveragePage, PremisesPage, type PremisesRow, PricesPage } from './catalogue-browse.js';
import { PAGE_ROWS, readPage } from './catalogue-parts.js';

/** What a version says: prices, coverage and premises. */
@StaffPages('staff/catalogue/versions/:number', 'commercial')
export class CatalogueBrowseController {
  constructor(
    private readonly versions: VersionsService,
    private readonly catalogue: CatalogueService,
    private readonly costs: CostsService,
    private readonly clock: Clock,
  ) {}

  @Get('prices')
  @Heavy()
  async showPrices(@Visited() { viewer, query }: Visit, @NumberParameter() number: number) {
    const { version, catalogue } = await this.opened(viewer, number);
    const now = this.clock.now();
    const asked = {
      zone: query.text('zone'),
      priceList: query.text('list'),
      day: query.text('day'),
    };
    const prices = pricesOfZone(catalogue, asked, londonDay(now));
    const withOrigin = query.text('origin') === 'shown';
    const choices = priceChoices(catalogue);
    const costs = await this.costsFor(viewer, number, prices);
    const volume = catalogue.content.volume.filter(({ priceList }) =>
      [prices?.priceList, '*'].includes(priceList),
    );
    const about = { viewer, version, choices, prices, withOrigin, now, costs, volume };
    return page(<PricesPage {...about} />);
  }

  @Get('coverage')
  @Heavy()
  async showCoverage(@Visited() { viewer, query }: Visit, @NumberParameter() number: number) {
    const { version, catalogue } = await this.opened(viewer, number);
    const { coverage } = catalogue.content;
    const typed = query.text('place').slice(0, 20);
    const { place, fault } = readPlace(typed);
    const within = new RowsWithin(coverage, place);
    const count = fault === null ? within.count : 0;
    const at = readPage(query.text('page'), count);
    const about = {
      viewer,
      version,
      place: typed,
      fault,
      name: place && printPlace(place.level, place.key),
      around: place ? placesAround(coverage, place) : [],
      rows: fault === null ? within.slice((at - 1) * PAGE_ROWS, at * PAGE_ROWS) : [],
      page: at,
      count,
    };
    return page(<CoveragePage {...about} />, fault === null ? undefined : 422);
  }

  @Get('premises')
  @Heavy()
  async showPremises(@Visited() { viewer, query }: Visit, @NumberParameter() number: number) {
    const { version, catalogue } = await this.opened(viewer, number);
    const typed = query.text('at').slice(0, 20);
    const found = premisesFor(catalogue.content, typed);
    const count = found.fault === null ? found.count : 0;
    const at = readPage(query.text('page'), count);
    const { fault } = found;
    const rows = fault === null ? found.slice((at - 1) * PAGE_ROWS, at * PAGE_ROWS) : [];
    return page(
      <PremisesPage
        viewer={viewer}
        version={version}
        text={typed}
        fault={fault}
        rows={rows}
        page={at}
        count={count}
      />,
      fault === null ? undefined : 422,
    );
  }

  /** By product; empty for the operator's own zones, and for those who may not see margins. */
  private async costsFor({ scopes }: StaffCaller, number: number, prices: PricesOfZone | null) {
    const costs = new Map<string, SupplierCost>();
    if (prices === null || !scopes.has('margins:read')) return costs;
    const { zone, priceList, offers } = prices;
    const sold = offers.map(({ productCode }) => ({ productCode, zone, priceList }));
    for (const [i, cost] of (await this.costs.of(number, sold)).entries()) {
      if (cost) costs.set(sold[i]!.productCode, cost);
    }
    return costs;
  }

  /** @throws {VersionNotFound} */
  private async opened(viewer: StaffCaller, number: number) {
    const version = versionView(await this.versions.find(number), actorOf(viewer));
    return { version, catalogue: await this.catalogue.version(number) };
  }
}

function readPlace(text: string): {
  readonly place: PostcodePlace | null;
  readonly fault: string | null;
} {
  const place = text === '' ? null : parsePlace(text);
  return place instanceof PostcodeRefusal
    ? { place: null, fault: place.detail }
    : { place, fault: null };
}

type FoundPremises =
  | { readonly fault: string }
  | {
      readonly fault: null;
      readonly count: number;
      readonly slice: (from: number, to: number) => PremisesRow[];
    };

/** @param text a postcode, a UPRN, or nothing for all */
function premisesFor({ premises, coverage }: CatalogueContent, text: string): FoundPremises {
  const rowOf = ({ packed, uprn, zoneNumber }: PremisesKey, name: string | null): PremisesRow => ({
    uprn: String(uprn),
    postcode: printPlace('unit', packed),
    name: name ?? '',
    zone: coverage.zoneName(zoneNumber) ?? 'by postcode or distance',
  });
  if (text === '') {
    return {
      fault: null,
      count: premises.count,
      slice: (from, to) =>
        premises
          .keys()
          .drop(from)
          .take(to - from)
          .map((key, i) => rowOf(key, premises.nameAt(from + i)))
          .toArray(),
    };
  }
  const uprn = parseUprn(text);
  const postcode = uprn === null ? parsePostcode(text) : null;
  if (postcode instanceof PostcodeRefusal) return { fault: postcode.detail };
  const packed = uprn === null ? postcode!.packed : premises.postcodeOf(uprn);
  const all = packed === null ? [] : premises.at(packed);
  const found = uprn === null ? all : all.filter((row) => row.uprn === uprn);
  const rows = found.map((row) => rowOf(row, row.name));
  return { fault: null, count: rows.length, slice: (from, to) => rows.slice(from, to) };
}

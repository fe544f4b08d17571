import { Injectable } from '@nestjs/common';
import type { CheckedProduct } from '../availability/availability.dto.js';
import { placeAt } from '../availability/listed-premises.js';
import { type Catalogue } from '../catalogue/content/catalogue.js';
import { emptyReasons } from '../catalogue/content/shown-offers.js';
import type { Offer } from '../catalogue/content/offer-fields.js';
import { offeredProduct } from '../catalogue/content/offers.js';
import { sandboxCatalogue } from '../catalogue/sandbox/sandbox-catalogue.js';
import { SandboxService } from '../catalogue/sandbox/sandbox.service.js';
import type { Tracks } from '../catalogue/track/track.js';
import { TracksService } from '../catalogue/track/tracks.service.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { type OrderingClient, seesNear } from '../orders/placing/ordering-client.js';
import { mergedDetails, requireInterconnect } from '../orders/record/site-details.dto.js';
import { Config } from '../platform/config/config.js';
import { validated } from '../platform/http/valid.js';
import { Clock } from '../platform/kernel/clock.js';
import { printUprn } from '../platform/kernel/uprn.js';
import { sandboxCaseAt } from '../platform/kernel/sandbox-postcodes.js';
import { groupsOf, inTurns } from '../platform/kernel/turns.js';
import { postcodeFor, uprnOf } from '../platform/problems/postcode.errors.js';
import { Problem, ValidationFailed } from '../platform/problems/problem.js';
import { chooseOffer } from './record/choose-offer.js';
import { firstOfSame } from './record/same-lines.js';
import { withVolume } from './record/volume.js';
import type { QuoteLine } from './record/quote.entity.js';
import {
  type LineProblemView,
  type LineWanted,
  LONGEST_PLACE,
  QuoteSite,
  type SitesToQuote,
  type WantedBySite,
} from './record/quotes.dto.js';

/** Sites that are answered in one turn of the event loop. */
const SLICE = 16;

/** The answers of a quote, all from the same version of the catalogue. */
export interface SiteAnswers {
  readonly lines: readonly QuoteLine[];
  readonly catalogueVersion: number;
}

/** Answers many sites, in turns of the event loop, so that checks do not wait. */
@Injectable()
export class SiteAnswersService {
  /** Many lines have the same offer: a zone's, or a band's. */
  private readonly products = new WeakMap<Offer, { product: CheckedProduct; tracks: Tracks }>();

  constructor(
    private readonly catalogue: CatalogueService,
    private readonly sandbox: SandboxService,
    private readonly tracks: TracksService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async answer({ sites, wanted }: SitesToQuote, client: OrderingClient): Promise<SiteAnswers> {
    const live = this.catalogue.current;
    const lines: QuoteLine[] = [];
    for await (const group of inTurns(groupsOf(sites, SLICE))) {
      lines.push(...(await Promise.all(group.map((row) => this.line(row, wanted, live, client)))));
    }
    const catalogue = client.isTest ? sandboxCatalogue : live;
    const same = firstOfSame(lines);
    const marked = lines.map((line, i) => (same[i] ? { ...line, sameAs: String(same[i]) } : line));
    return {
      lines: withVolume(marked, catalogue, client.priceList, this.config.volumeCounts),
      catalogueVersion: live.version,
    };
  }

  /** A faulty row does not fail the others: its line says what is wrong. */
  private async line(
    row: object,
    general: WantedBySite | undefined,
    live: Catalogue,
    client: OrderingClient,
  ): Promise<QuoteLine> {
    let asked: AskedOfSite = { wanted: null, details: null };
    try {
      const site = await validated(QuoteSite, row);
      asked = { wanted: wantedAt(site, general), details: mergedDetails(site.details) };
      return await this.answered(site, asked, live, client);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { ...writtenIn(row), ...asked, ...unanswered, problem: problemOf(error) };
    }
  }

  private async answered(
    site: QuoteSite,
    { wanted, details }: AskedOfSite,
    live: Catalogue,
    client: OrderingClient,
  ): Promise<QuoteLine> {
    const postcode = postcodeFor(site.postcode, client);
    const uprn = site.uprn == null ? null : uprnOf(site.uprn);
    if (!wanted) {
      const detail = 'No bandwidth is given, neither for this site nor for the whole quote.';
      throw new ValidationFailed([{ pointer: '/wanted/bandwidth', code: 'required', detail }]);
    }
    requireInterconnect(site.details, client, false);
    const inSandbox = sandboxCaseAt(postcode) !== undefined;
    if (inSandbox && 'kind' in client) await this.sandbox.lookUp(postcode, client);
    const catalogue = inSandbox ? sandboxCatalogue : live;
    const now = this.clock.now().getTime();
    const asked = placeAt(catalogue, postcode, uprn);
    const place = seesNear(client, catalogue, this.config.nearNet)
      ? catalogue.withNear(asked, now)
      : asked;
    const offers = catalogue.offersAt(place, client.priceList, now);
    const { offer, alternatives } = chooseOffer(offers.list, wanted);
    const nearest = catalogue.nearestAt(place.near);
    return {
      site: site.site ?? null,
      postcode: postcode.unit,
      uprn: printUprn(uprn),
      notes: site.notes ?? null,
      details,
      wanted,
      ...unanswered,
      offer: offer && {
        product: this.quoted(offer),
        discountPercent: null,
        discountFrom: null,
        zone: offer.zone,
        priceList: offer.priceList,
        amountMinor: offer.amountMinor,
        catalogueVersion: catalogue.version,
        nearest,
        held: this.holds(offer),
      },
      alternatives: alternatives.map((one) => this.quoted(one)),
      reasons: offer ? [] : offers.count > 0 ? [emptyReasons.noMatch] : [...offers.reasons],
    };
  }

  private quoted(offer: Offer): CheckedProduct {
    const known = this.products.get(offer);
    const { current: tracks } = this.tracks;
    if (known?.tracks === tracks) return known.product;
    const track = this.config.publishTrack === 'all' ? { track: tracks.of(offer) } : {};
    const product = { ...offeredProduct(offer), priceUntil: offer.priceUntil, ...track };
    this.products.set(offer, { product, tracks });
    return product;
  }

  private holds({ basis }: Offer): boolean {
    const { quoteHold } = this.config;
    return quoteHold === 'all' || (quoteHold === 'firm' && basis === 'firm');
  }
}

/** What a copy of the quote asks for again. */
type AskedOfSite = Pick<QuoteLine, 'wanted' | 'details'>;

/** Null without a bandwidth. */
function wantedAt(site: QuoteSite, general: WantedBySite | undefined): LineWanted | null {
  const bandwidth = site.wanted?.bandwidth ?? general?.bandwidth;
  if (bandwidth == null) return null;
  return {
    bandwidth,
    term: site.wanted?.term ?? general?.term ?? null,
    service: site.wanted?.service ?? general?.service ?? null,
  };
}

const unanswered = {
  offer: null,
  alternatives: [],
  reasons: [],
  problem: null,
  was: null,
  sameAs: null,
} satisfies Partial<QuoteLine>;

/** What can be kept of a faulty row. A cut UPRN or postcode could be that of another place: these stay too long. */
function writtenIn(row: object): Pick<QuoteLine, 'site' | 'postcode' | 'uprn' | 'notes'> {
  const text = (name: keyof QuoteSite, longest: number) => {
    const value = (row as Readonly<Record<string, unknown>>)[name];
    return typeof value === 'string' || typeof value === 'number'
      ? String(value).slice(0, longest)
      : null;
  };
  return {
    site: text('site', 120),
    postcode: text('postcode', LONGEST_PLACE + 1) ?? '',
    uprn: text('uprn', LONGEST_PLACE + 1),
    notes: text('notes', 2_000),
  };
}

/** A row's own fields are named in words: `wanted.bandwidth: This is required.` */
function problemOf(problem: Problem): LineProblemView {
  const { code } = problem;
  if (!(problem instanceof ValidationFailed)) return { code, detail: problem.detail };
  const faults = problem.errors.map(
    ({ pointer, detail }) => `${pointer.slice(1).replaceAll('/', '.')}: ${detail}`,
  );
  return { code, detail: faults.join(' ') };
}

import { Injectable } from '@nestjs/common';
import type { CheckedProduct } from '../availability/availability.dto.js';
import { emptyReasons } from '../catalogue/content/shown-offers.js';
import type { Offer } from '../catalogue/content/offer-fields.js';
import { offeredProduct } from '../catalogue/content/offers.js';
import { SandboxService } from '../catalogue/sandbox/sandbox.service.js';
import { type ShownCatalogue, ShownService } from '../catalogue/shown/shown.service.js';
import type { Tracks } from '../catalogue/track/track.js';
import type { OrderingClient } from '../orders/placing/ordering-client.js';
import { mergedDetails, requireInterconnect } from '../orders/record/site-details.dto.js';
import { Config } from '../platform/config/config.js';
import { validated } from '../platform/http/valid.js';
import { printUprn } from '../platform/kernel/uprn.js';
import { groupsOf, inTurns, nextTurn } from '../platform/kernel/turns.js';
import { postcodeFor, uprnOf } from '../platform/problems/postcode.errors.js';
import { Problem, ValidationFailed } from '../platform/problems/problem.js';
import { chooseOffer } from './record/choose-offer.js';
import { firstOfSame } from './record/line-states.js';
import { withVolume } from './record/volume.js';
import { FaultySite } from './site-list.js';
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
  private readonly products = new WeakMap<
    Offer,
    { product: CheckedProduct; tracks: Tracks | null }
  >();

  constructor(
    private readonly shown: ShownService,
    private readonly sandbox: SandboxService,
    private readonly config: Config,
  ) {}

  async answer({ sites, wanted }: SitesToQuote, client: OrderingClient): Promise<SiteAnswers> {
    // Validating 2,000 sites and completing their lines takes some milliseconds each.
    await nextTurn();
    const shown = this.shown.shownTo(client);
    const { version } = shown.current;
    const lines: QuoteLine[] = [];
    for await (const group of inTurns(groupsOf(sites, SLICE))) {
      lines.push(...(await Promise.all(group.map((row) => this.line(row, wanted, shown, client)))));
    }
    const same = firstOfSame(lines);
    const marked = lines.map((line, i) => (same[i] ? { ...line, sameAs: String(same[i]) } : line));
    await nextTurn();
    return {
      lines: withVolume(marked, shown, client.priceList, this.config.volumeCounts),
      catalogueVersion: version,
    };
  }

  /** A faulty row does not fail the others: its line says what is wrong. */
  private async line(
    row: object,
    general: WantedBySite | undefined,
    shown: ShownCatalogue,
    client: OrderingClient,
  ): Promise<QuoteLine> {
    let wishes: SiteWishes = { wanted: null, details: null };
    try {
      const site = await validSite(row);
      wishes = { wanted: wantedAt(site, general), details: mergedDetails(site.details) };
      return await this.answered(site, wishes, shown, client);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const written = row instanceof FaultySite ? row.site : row;
      return { ...writtenIn(written), ...wishes, ...unanswered, problem: problemOf(error) };
    }
  }

  private async answered(
    site: QuoteSite,
    { wanted, details }: SiteWishes,
    shown: ShownCatalogue,
    client: OrderingClient,
  ): Promise<QuoteLine> {
    const postcode = postcodeFor(site.postcode, client);
    const uprn = site.uprn == null ? null : uprnOf(site.uprn);
    if (!wanted) {
      const detail = 'No bandwidth is given, neither for this site nor for the whole quote.';
      throw new ValidationFailed([{ pointer: '/wanted/bandwidth', code: 'required', detail }]);
    }
    requireInterconnect(site.details, client, false);
    if (client.kind === 'client') await this.sandbox.lookUp(postcode, client);
    const { catalogue, offers, nearest, constraints } = shown.at({ postcode, uprn });
    const { offer, alternatives } = chooseOffer(offers.list, wanted);
    return {
      site: site.site ?? null,
      postcode: postcode.unit,
      uprn: printUprn(uprn),
      notes: site.notes ?? null,
      details,
      wanted,
      ...unanswered,
      constraints: constraints.list,
      offer: offer && {
        product: this.quoted(offer),
        discountPercent: null,
        discountFrom: null,
        zone: offer.zone,
        priceList: offer.priceList,
        amountMinor: offer.amountMinor,
        catalogueVersion: catalogue.version,
        cancellation: catalogue.cancellation.of(offer.productCode),
        nearest,
        held: this.holds(offer),
      },
      alternatives: alternatives.map((one) => this.quoted(one)),
      reasons: offer ? [] : offers.count > 0 ? [emptyReasons.noMatch] : [...offers.reasons],
    };
  }

  private quoted(offer: Offer): CheckedProduct {
    const earlier = this.products.get(offer);
    const tracks = this.shown.tracksFor('client');
    if (earlier?.tracks === tracks) return earlier.product;
    const track = tracks ? { track: tracks.of(offer) } : {};
    const product = { ...offeredProduct(offer), priceUntil: offer.priceUntil, ...track };
    this.products.set(offer, { product, tracks });
    return product;
  }

  private holds({ basis }: Offer): boolean {
    const { quoteHold } = this.config;
    return quoteHold === 'all' || (quoteHold === 'firm' && basis === 'firm');
  }
}

/** @throws {ValidationFailed} also with what a list of sites could not read */
async function validSite(row: object): Promise<QuoteSite> {
  if (!(row instanceof FaultySite)) return validated(QuoteSite, row);
  const others = await validated(QuoteSite, row.site).then(
    () => [],
    (error: unknown) => (error instanceof ValidationFailed ? error.errors : []),
  );
  throw new ValidationFailed([...others, ...row.faults]);
}

/** What a copy of the quote asks for again. */
type SiteWishes = Pick<QuoteLine, 'wanted' | 'details'>;

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

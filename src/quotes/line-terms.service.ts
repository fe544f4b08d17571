import { Injectable } from '@nestjs/common';
import type { OfferedProduct } from '../catalogue/content/offer-fields.js';
import { offeredProduct, sameTerms } from '../catalogue/content/offers.js';
import { discounted } from '../catalogue/content/effective-prices.js';
import { sandboxCatalogue } from '../catalogue/sandbox/sandbox-catalogue.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { TermsService } from '../orders/placing/terms.service.js';
import { publicStateOf } from '../orders/record/public-state.js';
import {
  interconnectFault,
  InterconnectRequired,
  SiteDetails,
} from '../orders/record/site-details.dto.js';
import type { ClientCaller } from '../platform/access/caller.js';
import { Config } from '../platform/config/config.js';
import { validated } from '../platform/http/valid.js';
import { nearNetOf } from '../platform/kernel/near-net.js';
import { parseUprn } from '../platform/kernel/uprn.js';
import { isUuid } from '../platform/kernel/uuid.js';
import { postcodeFor } from '../platform/problems/postcode.errors.js';
import { Problem, ValidationFailed } from '../platform/problems/problem.js';
import type { LineRefusal, QuoteAcceptance } from './quote-requests.dto.js';
import type { LineUse } from './record/line-states.js';
import { answerTo } from './record/print-quote.js';
import type { QuotedOffer, QuoteLine } from './record/quote.entity.js';

/** A line with its number, from 1. */
export interface NumberedLine {
  readonly number: number;
  readonly line: QuoteLine;
  readonly use: LineUse;
  /** Lines of the quote with a product of the same service. */
  readonly ofService: number;
}

/** A line that is ordered, with the terms of its order. */
export interface OrderedQuoteOffer extends Omit<
  QuotedOffer,
  'product' | 'held' | 'discountPercent'
> {
  readonly product: OfferedProduct;
}

/** A line that is ordered by accepting an offer to its enquiry. */
export interface AcceptedAnswer {
  readonly enquiryId: string;
  readonly offerId: string;
}

/** At which terms a line of a quote becomes an order. */
@Injectable()
export class LineTermsService {
  constructor(
    private readonly terms: TermsService,
    private readonly catalogue: CatalogueService,
    private readonly config: Config,
  ) {}

  /**
   * The terms of the order of a line, or why it cannot be ordered.
   * @param read the offer to its enquiry that the client has read; undefined if it does not say
   */
  async orderable(
    { line, use, ofService }: NumberedLine,
    details: SiteDetails | undefined,
    read: string | null | undefined,
    client: ClientCaller,
  ): Promise<OrderedQuoteOffer | AcceptedAnswer | LineRefusal> {
    if (use.order) return 'alreadyOrdered';
    const isNeeded = line.offer?.product.needsInterconnect ?? false;
    const fault = interconnectFault(details ?? null, client.interconnects, isNeeded);
    if (fault) {
      return fault instanceof InterconnectRequired ? 'interconnectRequired' : 'unknownInterconnect';
    }
    const present = answerTo(line, use).offerId;
    const offerId = use.offers?.find(({ id }) => id === read)?.id ?? present;
    const isRead = read === undefined || read === offerId;
    if (offerId !== null) return isRead ? { enquiryId: use.enquiry!.id, offerId } : 'offerChanged';
    const { offer } = line;
    if (!offer && hasExpired(use)) return 'offerExpired';
    if (!isRead) return 'offerChanged';
    if (!offer) return 'notPriced';
    if (offer.held) return offer;
    const current = await this.currentOffer(line, offer, ofService, client);
    if (!current || !sameTerms(offer.product, current.offer)) return 'offerChanged';
    const { nearest, catalogueVersion } = current;
    const { zone, priceList, amountMinor } = current.offer;
    const product = offeredProduct(current.offer);
    return { product, zone, priceList, amountMinor, nearest, catalogueVersion };
  }

  /** What an order without a quote would get; undefined where it would be refused. */
  private async currentOffer(
    line: QuoteLine,
    { product, nearest }: QuotedOffer,
    ofService: number,
    client: ClientCaller,
  ) {
    const { productCode } = product;
    // Staff may have made the quote, with prices by distance that the client itself does not see.
    const isShown = nearest !== null && nearNetOf(client.nearNet, this.config.nearNet) !== 'off';
    const buyer = isShown ? ({ ...client, nearNet: 'all' } as const) : client;
    const postcode = postcodeFor(line.postcode, client);
    const uprn = parseUprn(line.uprn ?? '');
    try {
      const found = await this.terms.for({ postcode, uprn, productCode }, buyer);
      const { volume } = client.isTest ? sandboxCatalogue : this.catalogue.current;
      const percent = volume.percentFor(client.priceList, productCode, ofService);
      return { ...found, offer: discounted(found.offer, percent) };
    } catch (error) {
      if (error instanceof Problem) return undefined;
      throw error;
    }
  }
}

/** Whether the offers to its enquiry have expired. The enquiry ends some time after its last offer. */
function hasExpired({ enquiry }: LineUse): boolean {
  if (!enquiry) return false;
  const state = publicStateOf(enquiry);
  return state === 'offered' || state === 'expired';
}

/** The details of single lines. @throws {ValidationFailed} */
export async function validSites(body: QuoteAcceptance): Promise<ReadonlyMap<number, SiteDetails>> {
  const found = new Map<number, SiteDetails>();
  for (const { number, value, at } of byLine(body, 'sites')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw faultAt(at, 'Must be an object.', 'wrong-type');
    }
    const valid = await validated(SiteDetails, value).catch((error: unknown) => {
      if (!(error instanceof ValidationFailed)) throw error;
      throw new ValidationFailed(
        error.errors.map((one) => ({ ...one, pointer: `${at}${one.pointer}` })),
      );
    });
    found.set(number, valid);
  }
  return found;
}

/** The offers of single lines that the client has read; null for none. @throws {ValidationFailed} */
export function validOffers(body: QuoteAcceptance): ReadonlyMap<number, string | null> {
  return new Map(
    byLine(body, 'offers').map(({ number, value, at }) => {
      if (value === null) return [number, null];
      if (typeof value === 'string' && isUuid(value)) return [number, value.toLowerCase()];
      throw faultAt(at, 'Must be a UUID, or null.');
    }),
  );
}

/** What a field says of single lines, with its pointer. @throws {ValidationFailed} */
function byLine(body: QuoteAcceptance, field: 'sites' | 'offers') {
  const stated = (body[field] ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(stated).map(([lineId, value]) => {
    const at = `/${field}/${lineId.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!body.lines.includes(lineId)) throw faultAt(at, 'Name the line in lines, too.');
    return { number: Number(lineId), value, at };
  });
}

function faultAt(pointer: string, detail: string, code = 'not-allowed'): ValidationFailed {
  return new ValidationFailed([{ pointer, code, detail }]);
}

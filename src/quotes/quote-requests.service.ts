import { Injectable } from '@nestjs/common';
import type { OfferedProduct } from '../catalogue/content/offer-fields.js';
import { offeredProduct } from '../catalogue/content/offers.js';
import { AcceptanceService } from '../orders/offers/acceptance.service.js';
import { OrderChangesService } from '../orders/moves/order-changes.service.js';
import { fingerprintOf, onceFor, type Replayed } from '../orders/placing/idempotency.js';
import { OpenRequestsService } from '../orders/placing/open-requests.service.js';
import {
  nextInWords,
  type OrderingClient,
  type Placing,
  placingOf,
} from '../orders/placing/ordering-client.js';
import { OrderIntakeService } from '../orders/placing/order-intake.service.js';
import { PlacingService } from '../orders/placing/placing.service.js';
import { TermsService } from '../orders/placing/terms.service.js';
import { orderedColumns, wantedColumns } from '../orders/placing/request-columns.js';
import type { AcceptanceDetails } from '../orders/record/enquiries.dto.js';
import type { Order } from '../orders/record/order.entity.js';
import {
  interconnectFault,
  InterconnectRequired,
  mergedDetails,
  type SiteDetails,
} from '../orders/record/site-details.dto.js';
import type { OrdersTx } from '../orders/record/order-tables.js';
import type { WorkKind } from '../orders/record/order-states.js';
import type { ClientCaller } from '../platform/access/caller.js';
import { tableOn } from '../platform/database/sides.js';
import { Transactions } from '../platform/database/transactions.js';
import { Clock } from '../platform/kernel/clock.js';
import { upperFirst } from '../platform/kernel/text.js';
import { parseUprn } from '../platform/kernel/uprn.js';
import { postcodeFor } from '../platform/problems/postcode.errors.js';
import { Problem, ValidationFailed } from '../platform/problems/problem.js';
import { hasExpired, usesWithOffers } from './record/line-states.js';
import { answerTo, stateOfQuote } from './record/print-quote.js';
import { lacksVolume, placesOfServices } from './record/volume.js';
import { linesOf } from './record/packed-lines.js';
import { Quote, type QuotedOffer, type QuoteLine } from './record/quote.entity.js';
import {
  type AcceptedLines,
  type EnquiredLines,
  type LineRefusal,
  type QuoteAcceptance,
  type QuoteEnquiry,
  MOST_ORDERED,
} from './quote-requests.dto.js';
import { LineNotOrderable, QuoteExpired } from './quotes.errors.js';
import {
  type NumberedLine,
  refusalToAsk,
  refusedAmong,
  validOffers,
  validSites,
} from './quote-lines.js';
import { ownQuote } from './quotes.service.js';
import { counted } from '../platform/kernel/counts.js';

/** What an order of a line gets. */
type OrderedQuoteOffer = Omit<
  QuotedOffer,
  'product' | 'held' | 'discountPercent' | 'discountFrom' | 'cancellation'
> &
  Pick<Order, 'constraints' | 'cancellation'> & {
    readonly product: OfferedProduct;
  };

/** A line that is ordered by accepting an offer to its enquiry. */
interface AcceptedAnswer {
  readonly enquiryId: string;
  readonly offerId: string;
}

/** What a client asks for, once for each key. */
interface RequestOfQuote {
  readonly id: string;
  readonly key: string | undefined;
  readonly fingerprint: string;
}

interface StoredRequests<Answer> {
  readonly answer: Answer;
  /** How many orders or enquiries were stored. */
  readonly count: number;
}

/** What a request says beside the line. */
type LineRequest = AcceptanceDetails & Pick<QuoteEnquiry, 'notes'>;

/** Turns lines of a quote into orders and enquiries: each line into one of them at most, even if requests race. */
@Injectable()
export class QuoteRequestsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly placing: PlacingService,
    private readonly acceptance: AcceptanceService,
    private readonly terms: TermsService,
    private readonly intake: OrderIntakeService,
    private readonly openRequests: OpenRequestsService,
    private readonly changes: OrderChangesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Orders all the lines, or none of them.
   * @param placing the client, or staff for it
   * @throws {QuoteNotFound | QuoteExpired | LineNotOrderable | TooManyOpen | ValidationFailed}
   */
  async accept(
    id: string,
    body: QuoteAcceptance,
    key: string | undefined,
    placing: Placing,
  ): Promise<AcceptedLines & Replayed> {
    const { client } = placing;
    const sites = validSites(body);
    const read = validOffers(body);
    const fingerprint = fingerprintOf({ ...body, kind: 'acceptance', id });
    const request = { id, key, fingerprint };
    return this.once(request, placing, async (tx, quote) => {
      const lines = await this.linesOf(tx, quote, body.lines.map(Number));
      const details = lines.map(
        ({ line, number }) =>
          mergedDetails(line.details, body.details, sites.get(number)) ?? undefined,
      );
      const together = placesOfServices(lines.map(({ line }) => line));
      const offers = lines.map((numbered, i) =>
        lacksVolume(numbered.line, together)
          ? 'tooFewPlaces'
          : this.orderable(numbered, details[i], read.get(numbered.number), client),
      );
      const refused = refusedAmong(lines, offers);
      if (refused.length > 0) throw new LineNotOrderable(refused, 'ordered');
      const orders: Order[] = [];
      const placed: Order[] = [];
      // In the sequence of the lines: one quote is locked by one acceptance at a time.
      for (const [i, offer] of (offers as (OrderedQuoteOffer | AcceptedAnswer)[]).entries()) {
        const about = { ...body, details: details[i] };
        if ('enquiryId' in offer && client.kind === 'client') {
          const { enquiryId, offerId } = offer;
          const { order } = await this.acceptance.acceptIn(tx, enquiryId, offerId, about, client);
          orders.push(order);
        } else if ('product' in offer) {
          const columns = this.columnsOf('order', quote, lines[i]!, about, placing);
          const terms = offeredProduct(offer.product);
          placed.push({ ...columns, ...orderedColumns(terms, offer, about) });
          orders.push(placed.at(-1)!);
        }
      }
      await this.intake.storeWithin(tx, placed, placing);
      const answer: AcceptedLines = {
        message: receivedInWords('order', orders.length, client),
        orders: orders.map(({ id: orderId, reference, quoteLine }) => {
          return { lineId: String(quoteLine), orderId, orderReference: reference };
        }),
      };
      return { answer, count: orders.length };
    });
  }

  /**
   * Asks for what no product supplies: an enquiry for each line.
   * @throws {QuoteNotFound | QuoteExpired | LineNotOrderable | TooManyOpen | ValidationFailed}
   */
  async enquire(
    id: string,
    body: QuoteEnquiry,
    key: string | undefined,
    client: ClientCaller,
  ): Promise<EnquiredLines & Replayed> {
    const placing = placingOf(client);
    const fingerprint = fingerprintOf({ ...body, kind: 'quote enquiry', id });
    const request = { id, key, fingerprint };
    return this.once(request, placing, async (tx, quote) => {
      const lines = await this.linesOf(tx, quote, body.lines?.map(Number));
      const refusals = lines.map(refusalToAsk);
      const enquired = body.lines
        ? lines
        : lines.filter((_line, i) => refusals[i] === null).slice(0, MOST_ORDERED);
      const refused = body.lines || enquired.length === 0 ? refusedAmong(lines, refusals) : [];
      if (refused.length > 0) {
        throw new LineNotOrderable(refused.slice(0, MOST_ORDERED), 'asked for');
      }
      const enquiries = await Promise.all(
        enquired.map((line) => this.enquiryOf(quote, line, body.notes, placing)),
      );
      await this.intake.storeWithin(tx, enquiries, placing);
      const answer: EnquiredLines = {
        message: receivedInWords('enquiry', enquiries.length, client),
        enquiries: enquiries.map(({ id: enquiryId, reference, quoteLine }) => {
          return { lineId: String(quoteLine), enquiryId, enquiryReference: reference };
        }),
      };
      return { answer, count: enquiries.length };
    });
  }

  /** Stores orders or enquiries of a quote, or repeats the answer to the first request with the key. */
  private async once<Answer extends object>(
    { id: quoteId, key, fingerprint }: RequestOfQuote,
    placing: Placing,
    work: (tx: OrdersTx, quote: Quote) => Promise<StoredRequests<Answer>>,
  ): Promise<Answer & Replayed> {
    const { client } = placing;
    const { result, replayed } = await onceFor<StoredRequests<Answer>>(this.transactions, client, {
      key,
      fingerprint,
      repeat: (_tx, { answer }) => Promise.resolve({ answer: answer as Answer, count: 0 }),
      make: async (tx) => {
        const createdAt = this.clock.now();
        // Locks the quote first: requests with the same lines in another sequence would deadlock. What was erased
        // until the lock is not copied.
        const { clientId } = client;
        await tx.update(
          tableOn(Quote, client),
          { id: quoteId, clientId },
          { updatedAt: createdAt },
        );
        const quote = await ownQuote(tx, quoteId, client, createdAt);
        const state = stateOfQuote(quote, createdAt);
        if (state !== 'open') throw new QuoteExpired(state);
        this.openRequests.requireRoom(placing);
        const result = await work(tx, quote);
        return { result, kept: { subjectId: quoteId, answer: result.answer, createdAt } };
      },
    });
    if (!replayed) {
      this.openRequests.add(placing, result.count);
      this.changes.notifyPages(client);
    }
    return { ...result.answer, replayed };
  }

  /** @param numbers all lines without it @throws {ValidationFailed} for one that the quote does not have */
  private async linesOf(
    tx: OrdersTx,
    quote: Quote,
    numbers: readonly number[] | undefined,
  ): Promise<NumberedLine[]> {
    const lines = await linesOf(quote);
    const uses = await usesWithOffers(tx, quote, this.clock.now());
    const placesOf = placesOfServices(lines);
    return (numbers ?? lines.map((_line, i) => i + 1)).map((number, i) => {
      const line = lines[number - 1];
      if (line) {
        const ofService = line.offer ? placesOf(line.offer.product) : 0;
        return { number, line, use: uses.of(number), ofService };
      }
      const detail = `The quote has ${lines.length} lines.`;
      throw new ValidationFailed([{ pointer: `/lines/${i}`, code: 'not-allowed', detail }]);
    });
  }

  /**
   * At which terms a line becomes an order, or why it does not.
   * @param read the offer to its enquiry that the client has read; undefined if it does not say
   */
  private orderable(
    { line, use, ofService }: NumberedLine,
    details: SiteDetails | undefined,
    read: string | null | undefined,
    client: OrderingClient,
  ): OrderedQuoteOffer | AcceptedAnswer | LineRefusal {
    if (use.order) return 'alreadyOrdered';
    const isNeeded = line.offer?.product.needsInterconnect ?? false;
    const fault = interconnectFault(details ?? null, client.interconnects, isNeeded);
    if (fault) {
      return fault instanceof InterconnectRequired ? 'interconnectRequired' : 'unknownInterconnect';
    }
    const present = answerTo(line, use).offerId;
    const offerId = use.offers?.find(({ id }) => id === read)?.id ?? present;
    const isRead = read === undefined || read === offerId;
    // Staff record what the client says to an offer on the page of its enquiry.
    if (offerId !== null && client.kind === 'telephone') return 'notPriced';
    if (offerId !== null) return isRead ? { enquiryId: use.enquiry!.id, offerId } : 'offerChanged';
    const { offer } = line;
    if (!offer && hasExpired(use)) return 'offerExpired';
    if (!isRead) return 'offerChanged';
    if (!offer) return 'notPriced';
    if (!offer.held) return this.currentTerms(line, offer, ofService, client);
    const { constraints = null } = line;
    return { ...offer, constraints, cancellation: offer.cancellation ?? null };
  }

  /** What an order without a quote would get, if it is the same. */
  private currentTerms(
    line: QuoteLine,
    { product: terms, nearest }: QuotedOffer,
    places: number,
    client: OrderingClient,
  ): OrderedQuoteOffer | LineRefusal {
    const postcode = postcodeFor(line.postcode, client);
    const uprn = parseUprn(line.uprn ?? '');
    const { productCode } = terms;
    try {
      const quoted = { terms, nearest, places };
      const ordered = this.terms.forLine({ postcode, uprn, productCode }, client, quoted);
      return { ...ordered, ...ordered.offer, product: ordered.offer };
    } catch (error) {
      if (error instanceof Problem) return 'offerChanged';
      throw error;
    }
  }

  private async enquiryOf(
    quote: Quote,
    numbered: NumberedLine,
    notes: string | undefined,
    placing: Placing,
  ): Promise<Order> {
    const { client } = placing;
    const { details, wanted, uprn, postcode } = numbered.line;
    const { bandwidth, term, service } = wanted!;
    const place = await this.terms.placeOfEnquiry(
      { postcode: postcodeFor(postcode, client), uprn: parseUprn(uprn ?? '') },
      client,
    );
    return {
      ...this.columnsOf(
        'enquiry',
        quote,
        numbered,
        { notes, details: details ?? undefined },
        placing,
      ),
      ...wantedColumns(
        { bandwidth, term, description: descriptionOf(quote, numbered.line, service) },
        { ...place, priceList: client.priceList },
      ),
    };
  }

  /** The columns that do not depend on the product. */
  private columnsOf(
    kind: WorkKind,
    quote: Quote,
    { number, line }: NumberedLine,
    { reference, contact, notes: more, details }: LineRequest,
    placing: Placing,
  ) {
    const notes = [line.notes, more].filter((text) => text).join('\n');
    const body = {
      reference: reference ?? quote.clientReference ?? undefined,
      contact,
      notes: notes === '' ? undefined : notes,
      details,
    };
    const postcode = postcodeFor(line.postcode, placing.client);
    return {
      ...this.placing.columnsOf({ kind, body, postcode }, placing),
      uprn: parseUprn(line.uprn ?? ''),
      enquiryId: null,
      quoteId: quote.id,
      quoteLine: number,
      checkId: null,
    };
  }
}

/** `Ethernet, Depot, for Fernhill Schools Trust`; null where the client has named none of them. */
function descriptionOf(
  { customer }: Quote,
  { site }: QuoteLine,
  service: string | null,
): string | null {
  const parts = [service, site, customer && `for ${customer}`].filter((part) => part !== null);
  return parts.length === 0 ? null : upperFirst(parts.join(', '));
}

function receivedInWords(kind: WorkKind, count: number, client: OrderingClient): string {
  const many = kind === 'order' ? 'orders were' : 'enquiries were';
  return `${counted(count, `${kind} was`, many)} received. ${nextInWords(client, 'This')}`;
}

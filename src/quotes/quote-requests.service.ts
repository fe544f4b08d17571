import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { familyOf, offeredProduct } from '../catalogue/content/offers.js';
import { AcceptanceService } from '../orders/offers/acceptance.service.js';
import { OrderChangesService } from '../orders/moves/order-changes.service.js';
import { IdempotencyKey } from '../orders/placing/idempotency-key.entity.js';
import { fingerprintOf } from '../orders/placing/idempotency.js';
import { OpenRequestsService } from '../orders/placing/open-requests.service.js';
import { type Placing, placingOf } from '../orders/placing/ordering-client.js';
import { OrderIntakeService } from '../orders/placing/order-intake.service.js';
import { PlacingService } from '../orders/placing/placing.service.js';
import { TermsService } from '../orders/placing/terms.service.js';
import type { Order } from '../orders/record/order.entity.js';
import { mergedDetails, type SiteDetails } from '../orders/record/site-details.dto.js';
import type { OrdersTx } from '../orders/record/order-tables.js';
import { IdempotencyKeyReused, minorUnitsOf } from '../orders/record/orders.errors.js';
import type { WorkKind } from '../orders/record/order-states.js';
import type { ClientCaller } from '../platform/access/caller.js';
import { REQUEST_DEADLINE, Transactions } from '../platform/database/transactions.js';
import { Clock } from '../platform/kernel/clock.js';
import { upperFirst } from '../platform/kernel/text.js';
import { parseUprn } from '../platform/kernel/uprn.js';
import { postcodeFor } from '../platform/problems/postcode.errors.js';
import { ValidationFailed } from '../platform/problems/problem.js';
import { stateOfLine, usesWithOffers } from './record/line-states.js';
import { isExpired } from './record/print-quote.js';
import { linesOfServices } from './record/volume.js';
import { linesOf, type Quote, quotesOn } from './record/quote.entity.js';
import type { QuoteLine } from './record/quote.js';
import {
  type AcceptedLines,
  type EnquiredLines,
  type LineRefusal,
  type QuoteAcceptance,
  type QuoteEnquiry,
  type RefusedLine,
  MOST_ORDERED,
} from './quote-requests.dto.js';
import { LineNotOrderable, QuoteExpired } from './quotes.errors.js';
import {
  type AcceptedAnswer,
  LineTermsService,
  type NumberedLine,
  type OrderedQuoteOffer,
  validOffers,
  validSites,
} from './line-terms.service.js';
import { onceFor, ownQuote } from './quotes.service.js';
import { counted } from '../platform/kernel/counts.js';

/** What a client asks for, once for each key. */
interface AskedOfQuote {
  readonly kind: WorkKind;
  readonly id: string;
  readonly key: string | undefined;
  readonly fingerprint: string;
}

type AskedDetails = Partial<
  Pick<QuoteAcceptance, 'reference' | 'contact' | 'acceptExtraUpTo' | 'expedite'>
> & {
  readonly details: SiteDetails | null;
};

interface Replayed {
  readonly replayed: boolean;
}

/** Turns lines of a quote into orders and enquiries: each line into one of them at most, whatever races. */
@Injectable()
export class QuoteRequestsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly placing: PlacingService,
    private readonly acceptance: AcceptanceService,
    private readonly terms: TermsService,
    private readonly lineTerms: LineTermsService,
    private readonly intake: OrderIntakeService,
    private readonly openRequests: OpenRequestsService,
    private readonly changes: OrderChangesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Orders all the lines, or none of them.
   * @throws {QuoteNotFound | QuoteExpired | LineNotOrderable | TooManyOpen | ValidationFailed}
   */
  async accept(
    id: string,
    body: QuoteAcceptance,
    key: string | undefined,
    client: ClientCaller,
  ): Promise<AcceptedLines & Replayed> {
    const fingerprint = fingerprintOf({ ...body, kind: 'acceptance', id });
    const numbers = body.lines.map(Number);
    const sites = await validSites(body);
    const read = validOffers(body);
    const placing = placingOf(client);
    const asked = { kind: 'order', id, key, fingerprint } as const;
    return this.stored(asked, client, async (tx, quote) => {
      this.openRequests.requireRoom(placing);
      const lines = await this.linesOf(tx, quote, numbers);
      const details = lines.map((one) =>
        mergedDetails(one.line.details, body.details, sites.get(one.number)),
      );
      const offers = await Promise.all(
        lines.map((one, i) =>
          this.lineTerms.orderable(one, details[i]!, read.get(one.number), client),
        ),
      );
      const refused = refusedAmong(lines, offers);
      if (refused.length > 0) throw new LineNotOrderable(refused, 'ordered');
      const orders: Order[] = [];
      const placed: Order[] = [];
      for (const [i, offer] of (offers as (OrderedQuoteOffer | AcceptedAnswer)[]).entries()) {
        if ('enquiryId' in offer) {
          orders.push(await this.acceptAnswer(tx, offer, body, details[i]!, client));
        } else {
          placed.push(
            this.orderOf(quote, lines[i]!, offer, { ...body, details: details[i]! }, placing),
          );
          orders.push(placed.at(-1)!);
        }
      }
      await this.intake.storeWithin(tx, placed, placing);
      return orders;
    }).then(({ requests, replayed }) => ({
      message: receivedInWords('order', requests.length, client),
      orders: requests.map(({ id: orderId, reference, quoteLine }) => {
        return { lineId: String(quoteLine), orderId, orderReference: reference };
      }),
      replayed,
    }));
  }

  /**
   * Asks for what no product supplies: an enquiry for each line.
   * @throws {QuoteNotFound | QuoteExpired | LineNotOrderable | TooManyOpen | ValidationFailed}
   */
  enquire(
    id: string,
    body: QuoteEnquiry,
    key: string | undefined,
    client: ClientCaller,
  ): Promise<EnquiredLines & Replayed> {
    const fingerprint = fingerprintOf({ ...body, kind: 'quote enquiry', id });
    const placing = placingOf(client);
    const request = { kind: 'enquiry', id, key, fingerprint } as const;
    return this.stored(request, client, async (tx, quote) => {
      this.openRequests.requireRoom(placing);
      const lines = await this.linesOf(tx, quote, body.lines?.map(Number));
      const refusals = lines.map(refusalToAsk);
      const asked = body.lines
        ? lines
        : lines.filter((_line, i) => refusals[i] === null).slice(0, MOST_ORDERED);
      const refused = body.lines ? refusedAmong(lines, refusals) : [];
      if (refused.length > 0) throw new LineNotOrderable(refused, 'asked for');
      if (asked.length === 0) throw nothingToAsk();
      const enquiries = await Promise.all(
        asked.map((one) => this.enquiryOf(quote, one, body.notes, placing, client)),
      );
      await this.intake.storeWithin(tx, enquiries, placing);
      return enquiries;
    }).then(({ requests, replayed }) => ({
      message: receivedInWords('enquiry', requests.length, client),
      enquiries: requests.map(({ id: enquiryId, reference, quoteLine }) => {
        return { lineId: String(quoteLine), enquiryId, enquiryReference: reference };
      }),
      replayed,
    }));
  }

  /** Stores requests of a quote with their key, or finds those that the first request with it stored. */
  private async stored(
    { kind, id: quoteId, key, fingerprint }: AskedOfQuote,
    client: ClientCaller,
    work: (tx: OrdersTx, quote: Quote) => Promise<Order[]>,
  ): Promise<{ readonly requests: readonly Order[]; readonly replayed: boolean }> {
    const done = await this.transactions.within(REQUEST_DEADLINE, () =>
      onceFor(this.transactions, client, key, async (tx, stored) => {
        const quote = await ownQuote(tx, quoteId, client);
        const earlier = stored && (await tx.findOneBy(IdempotencyKey, stored));
        if (earlier) {
          if (earlier.fingerprint !== fingerprint) throw new IdempotencyKeyReused();
          const numbers = readNumbers(earlier.message);
          const found = await tx.findBy(tx.orders, { quoteId, quoteLine: In(numbers), kind });
          const byLine = new Map(found.map((one) => [one.quoteLine, one]));
          return { requests: numbers.map((number) => byLine.get(number)!), replayed: true };
        }
        const now = this.clock.now();
        if (isExpired(quote, now)) throw new QuoteExpired();
        // Locks the quote first: requests with the same lines in another sequence would deadlock.
        await tx.update(quotesOn(client), { id: quoteId }, { updatedAt: now });
        // Again: what was erased until the lock is not copied.
        const requests = await work(tx, await ownQuote(tx, quoteId, client));
        if (stored) {
          const message = printNumbers(requests.map(({ quoteLine }) => quoteLine!));
          const kept = { orderId: quoteId, message, createdAt: now };
          await tx.insert(IdempotencyKey, { ...stored, fingerprint, ...kept });
        }
        return { requests, replayed: false };
      }),
    );
    if (done.replayed) return done;
    this.openRequests.add(placingOf(client), done.requests.length);
    if (!client.isTest) this.changes.notifyPages();
    return done;
  }

  /** @param numbers all lines without it @throws {ValidationFailed} for one that the quote does not have */
  private async linesOf(
    tx: OrdersTx,
    quote: Quote,
    numbers: readonly number[] | undefined,
  ): Promise<NumberedLine[]> {
    const lines = await linesOf(quote);
    const uses = await usesWithOffers(tx, quote, this.clock.now());
    const ofService = linesOfServices(lines);
    return (numbers ?? lines.map((_line, i) => i + 1)).map((number, i) => {
      const line = lines[number - 1];
      if (line) {
        const count = ofService(line.offer?.product.service ?? null);
        return { number, line, use: uses.of(number), ofService: count };
      }
      const detail = `The quote has ${lines.length} lines.`;
      throw new ValidationFailed([{ pointer: `/lines/${i}`, code: 'not-allowed', detail }]);
    });
  }

  /** In the sequence of the lines: one quote is locked by one acceptance at a time. */
  private async acceptAnswer(
    tx: OrdersTx,
    { enquiryId, offerId }: AcceptedAnswer,
    { reference, contact, acceptExtraUpTo, expedite }: QuoteAcceptance,
    details: SiteDetails | null,
    client: ClientCaller,
  ): Promise<Order> {
    const about = {
      ...(reference !== undefined && { reference }),
      ...(contact !== undefined && { contact }),
      ...(acceptExtraUpTo !== undefined && { acceptExtraUpTo }),
      ...(expedite !== undefined && { expedite }),
      ...(details && { details }),
    };
    return (await this.acceptance.acceptIn(tx, enquiryId, offerId, about, client)).order;
  }

  private orderOf(
    quote: Quote,
    { number, line }: NumberedLine,
    { product, zone, priceList, amountMinor, nearest, catalogueVersion }: OrderedQuoteOffer,
    { reference, contact, acceptExtraUpTo, details, expedite }: AskedDetails,
    placing: Placing,
  ): Order {
    const terms = offeredProduct(product);
    return {
      ...this.columnsOf('order', quote, line, { reference, contact, details }, placing),
      uprn: parseUprn(line.uprn ?? ''),
      productCode: terms.productCode,
      productFamily: familyOf(terms.productCode),
      bandwidthMbps: Math.round(terms.bandwidthProvisioned * 1_000),
      terms,
      wanted: null,
      enquiryId: null,
      quoteId: quote.id,
      quoteLine: number,
      termMonths: terms.term,
      amountMinor,
      currency: terms.currency,
      basis: terms.basis,
      zone,
      priceList,
      catalogueVersion,
      checkId: null,
      nearest,
      acceptExtraMinor:
        acceptExtraUpTo == null
          ? null
          : minorUnitsOf(acceptExtraUpTo, terms.currency, '/acceptExtraUpTo'),
      expedite: expedite ?? false,
    };
  }

  private async enquiryOf(
    quote: Quote,
    { number, line }: NumberedLine,
    notes: string | undefined,
    placing: Placing,
    client: ClientCaller,
  ): Promise<Order> {
    const uprn = parseUprn(line.uprn ?? '');
    const postcode = postcodeFor(line.postcode, client);
    const { zone, nearest } = await this.terms.placeOfEnquiry({ postcode, uprn }, client);
    const { bandwidth, term, service } = line.wanted!;
    return {
      ...this.columnsOf('enquiry', quote, line, { notes, details: line.details }, placing),
      uprn,
      productCode: null,
      productFamily: null,
      bandwidthMbps: Math.round(bandwidth * 1_000),
      terms: null,
      wanted: { bandwidth, term, description: descriptionOf(quote, line, service) },
      enquiryId: null,
      quoteId: quote.id,
      quoteLine: number,
      termMonths: term,
      amountMinor: null,
      currency: null,
      basis: null,
      zone,
      priceList: client.priceList,
      catalogueVersion: null,
      checkId: null,
      nearest,
      acceptExtraMinor: null,
      expedite: false,
    };
  }

  private columnsOf(
    kind: WorkKind,
    quote: Quote,
    line: QuoteLine,
    body: AskedDetails & { readonly notes?: string | undefined },
    placing: Placing,
  ) {
    const notes = [line.notes, body.notes].filter((one) => one).join('\n');
    const reference = body.reference ?? quote.clientReference ?? undefined;
    const request = {
      ...(reference !== undefined && { reference }),
      ...(body.contact && { contact: body.contact }),
      ...(notes !== '' && { notes }),
      details: body.details,
    };
    const postcode = postcodeFor(line.postcode, placing.client);
    return this.placing.columnsOf({ kind, body: request, postcode }, placing);
  }
}

function refusalToAsk({ line, use }: NumberedLine): LineRefusal | null {
  if (use.enquiry) return 'alreadyEnquired';
  return stateOfLine(line, use) === 'notAvailable' ? null : 'notAsked';
}

function refusedAmong(
  lines: readonly NumberedLine[],
  outcomes: readonly (LineRefusal | object | null)[],
): RefusedLine[] {
  return lines.flatMap(({ number, use }, i) => {
    const reason = outcomes[i];
    if (typeof reason !== 'string') return [];
    const orderId = reason === 'alreadyOrdered' ? { orderId: use.order!.id } : {};
    return [{ lineId: String(number), reason: reason, ...orderId }];
  });
}

function nothingToAsk(): ValidationFailed {
  const detail = 'No line is notAvailable without an enquiry.';
  return new ValidationFailed([{ pointer: '/lines', code: 'not-allowed', detail }]);
}

/** A hundred numbers of lines fit into the message that is kept with a key. */
function printNumbers(numbers: readonly number[]): string {
  return numbers.map((number) => number.toString(36)).join(' ');
}

function readNumbers(text: string): number[] {
  return text.split(' ').map((number) => Number.parseInt(number, 36));
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

function receivedInWords(kind: WorkKind, count: number, { isTest }: ClientCaller): string {
  const received =
    kind === 'order'
      ? counted(count, 'order was', 'orders were')
      : counted(count, 'enquiry was', 'enquiries were');
  const next = isTest
    ? 'This is a test: no one will contact you.'
    : 'A member of our team will contact you.';
  return `${received} received. ${next}`;
}

import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { offeredProduct } from '../catalogue/content/offers.js';
import { AcceptanceService } from '../orders/offers/acceptance.service.js';
import { OrderChangesService } from '../orders/moves/order-changes.service.js';
import { fingerprintOf } from '../orders/placing/idempotency.js';
import { OpenRequestsService } from '../orders/placing/open-requests.service.js';
import { type Placing, placingOf } from '../orders/placing/ordering-client.js';
import { OrderIntakeService } from '../orders/placing/order-intake.service.js';
import { PlacingService } from '../orders/placing/placing.service.js';
import { TermsService } from '../orders/placing/terms.service.js';
import { orderedColumns, wantedColumns } from '../orders/placing/request-columns.js';
import type { AcceptanceDetails } from '../orders/record/enquiries.dto.js';
import type { Order } from '../orders/record/order.entity.js';
import { mergedDetails } from '../orders/record/site-details.dto.js';
import type { OrdersTx } from '../orders/record/order-tables.js';
import type { WorkKind } from '../orders/record/order-states.js';
import type { ClientCaller } from '../platform/access/caller.js';
import { Transactions } from '../platform/database/transactions.js';
import { Clock } from '../platform/kernel/clock.js';
import { upperFirst } from '../platform/kernel/text.js';
import { parseUprn } from '../platform/kernel/uprn.js';
import { postcodeFor } from '../platform/problems/postcode.errors.js';
import { ValidationFailed } from '../platform/problems/problem.js';
import { stateOfLine, usesWithOffers } from './record/line-states.js';
import { isExpired } from './record/print-quote.js';
import { linesOfServices } from './record/volume.js';
import { linesOf, type Quote, type QuoteLine, quotesOn } from './record/quote.entity.js';
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
import { onceFor, ownQuote, type Replayed } from './quotes.service.js';
import { counted } from '../platform/kernel/counts.js';

/** What a client asks for, once for each key. */
interface AskedOfQuote {
  readonly kind: WorkKind;
  readonly id: string;
  readonly key: string | undefined;
  readonly body: object;
}

/** What a request says beside the line. */
type AskedOfLine = AcceptanceDetails & Pick<QuoteEnquiry, 'notes'>;

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
    const sites = await validSites(body);
    const read = validOffers(body);
    const placing = placingOf(client);
    const asked = { kind: 'order', id, key, body } as const;
    const { requests, replayed } = await this.stored(asked, client, async (tx, quote) => {
      const lines = await this.linesOf(tx, quote, body.lines.map(Number));
      const details = lines.map(
        ({ line, number }) =>
          mergedDetails(line.details, body.details, sites.get(number)) ?? undefined,
      );
      const offers = await Promise.all(
        lines.map((one, i) =>
          this.lineTerms.orderable(one, details[i], read.get(one.number), client),
        ),
      );
      const refused = refusedAmong(lines, offers);
      if (refused.length > 0) throw new LineNotOrderable(refused, 'ordered');
      const orders: Order[] = [];
      const placed: Order[] = [];
      // In the sequence of the lines: one quote is locked by one acceptance at a time.
      for (const [i, offer] of (offers as (OrderedQuoteOffer | AcceptedAnswer)[]).entries()) {
        const about = { ...body, details: details[i] };
        if ('enquiryId' in offer) {
          const { enquiryId, offerId } = offer;
          orders.push(
            (await this.acceptance.acceptIn(tx, enquiryId, offerId, about, client)).order,
          );
        } else {
          placed.push(this.orderOf(quote, lines[i]!, offer, about, placing));
          orders.push(placed.at(-1)!);
        }
      }
      await this.intake.storeWithin(tx, placed, placing);
      return orders;
    });
    return {
      message: receivedInWords('order', requests.length, client),
      orders: requests.map(({ id: orderId, reference, quoteLine }) => {
        return { lineId: String(quoteLine), orderId, orderReference: reference };
      }),
      replayed,
    };
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
    const request = { kind: 'enquiry', id, key, body } as const;
    const { requests, replayed } = await this.stored(request, client, async (tx, quote) => {
      const lines = await this.linesOf(tx, quote, body.lines?.map(Number));
      const refusals = lines.map(refusalToAsk);
      const asked = body.lines
        ? lines
        : lines.filter((_line, i) => refusals[i] === null).slice(0, MOST_ORDERED);
      const refused = body.lines ? refusedAmong(lines, refusals) : [];
      if (refused.length > 0) throw new LineNotOrderable(refused, 'asked for');
      if (asked.length === 0) throw nothingToAsk();
      const enquiries = await Promise.all(
        asked.map((one) => this.enquiryOf(quote, one, body.notes, placing)),
      );
      await this.intake.storeWithin(tx, enquiries, placing);
      return enquiries;
    });
    return {
      message: receivedInWords('enquiry', requests.length, client),
      enquiries: requests.map(({ id: enquiryId, reference, quoteLine }) => {
        return { lineId: String(quoteLine), enquiryId, enquiryReference: reference };
      }),
      replayed,
    };
  }

  /** Stores requests of a quote with their key, or finds those that the first request with it stored. */
  private async stored(
    { kind, id: quoteId, key, body }: AskedOfQuote,
    client: ClientCaller,
    work: (tx: OrdersTx, quote: Quote) => Promise<Order[]>,
  ): Promise<Replayed & { readonly requests: readonly Order[] }> {
    const placing = placingOf(client);
    const done = await onceFor(this.transactions, client, {
      key,
      fingerprint: fingerprintOf({ ...body, kind: fingerprinted[kind], id: quoteId }),
      repeat: async (tx, { message }) => {
        const numbers = readNumbers(message);
        const found = await tx.findBy(tx.orders, { quoteId, quoteLine: In(numbers), kind });
        const byLine = new Map(found.map((one) => [one.quoteLine, one]));
        return numbers.map((number) => byLine.get(number)!);
      },
      make: async (tx) => {
        const createdAt = this.clock.now();
        // Locks the quote first: requests with the same lines in another sequence would deadlock. What was erased
        // until the lock is not copied.
        const { clientId } = client;
        await tx.update(quotesOn(client), { id: quoteId, clientId }, { updatedAt: createdAt });
        const quote = await ownQuote(tx, quoteId, client);
        if (isExpired(quote, createdAt)) throw new QuoteExpired();
        this.openRequests.requireRoom(placing);
        const result = await work(tx, quote);
        const message = printNumbers(result.map(({ quoteLine }) => quoteLine!));
        return { result, kept: { orderId: quoteId, message, createdAt } };
      },
    });
    const { result: requests, replayed } = done;
    if (!replayed) {
      this.openRequests.add(placing, requests.length);
      if (!client.isTest) this.changes.notifyPages();
    }
    return { requests, replayed };
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

  private orderOf(
    quote: Quote,
    line: NumberedLine,
    { product, amountMinor, zone, priceList, catalogueVersion, nearest }: OrderedQuoteOffer,
    body: AskedOfLine,
    placing: Placing,
  ): Order {
    return {
      ...this.columnsOf('order', quote, line, body, placing),
      ...orderedColumns(offeredProduct(product), amountMinor, body),
      ...{ zone, priceList, catalogueVersion, nearest },
    };
  }

  private async enquiryOf(
    quote: Quote,
    one: NumberedLine,
    notes: string | undefined,
    placing: Placing,
  ): Promise<Order> {
    const { client } = placing;
    const { details, wanted, uprn, postcode } = one.line;
    const { bandwidth, term, service } = wanted!;
    const { zone, nearest } = await this.terms.placeOfEnquiry(
      { postcode: postcodeFor(postcode, client), uprn: parseUprn(uprn ?? '') },
      client,
    );
    return {
      ...this.columnsOf('enquiry', quote, one, { notes, details: details ?? undefined }, placing),
      ...wantedColumns({ bandwidth, term, description: descriptionOf(quote, one.line, service) }),
      ...{ zone, nearest, priceList: client.priceList },
    };
  }

  /** The columns that do not depend on the product. */
  private columnsOf(
    kind: WorkKind,
    quote: Quote,
    { number, line }: NumberedLine,
    { reference, contact, notes: more, details }: AskedOfLine,
    placing: Placing,
  ) {
    const notes = [line.notes, more].filter((one) => one).join('\n');
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
      ...{ enquiryId: null, quoteId: quote.id, quoteLine: number, checkId: null },
    };
  }
}

/** What tells the fingerprints of both requests apart. */
const fingerprinted: Readonly<Record<WorkKind, string>> = {
  order: 'acceptance',
  enquiry: 'quote enquiry',
};

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
    return [{ lineId: String(number), reason, ...orderId }];
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

import { Injectable } from '@nestjs/common';
import { In, IsNull, MoreThan } from 'typeorm';
import { ApiClient, isDirectClient } from '../clients/api-client.entity.js';
import { sentTwice } from '../orders/placing/idempotency.js';
import {
  contactIn,
  missingOfCaller,
  onTelephone,
  placingOf,
} from '../orders/placing/ordering-client.js';
import { UNDO_TIME } from '../orders/moves/undo.service.js';
import { type Actor, type AuditEvent, AuditService } from '../platform/audit/audit.service.js';
import { NotPermitted } from '../orders/record/orders.errors.js';
import type { StaffCaller } from '../platform/access/caller.js';
import type { OrderContact } from '../orders/record/orders.dto.js';
import { validated } from '../platform/http/valid.js';
import { ValidationFailed } from '../platform/problems/problem.js';
import { type AcceptedLines, QuoteAcceptance } from './quote-requests.dto.js';
import { QuoteRequestsService } from './quote-requests.service.js';
import { Order } from '../orders/record/order.entity.js';
import type { FollowUpOrder } from '../orders/staff/follow-up.dto.js';
import { liveOrders } from '../orders/record/order-tables.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { Transactions } from '../platform/database/transactions.js';
import { creationOf, page, readCursor } from '../platform/http/paging.js';
import { Clock } from '../platform/kernel/clock.js';
import { SECOND } from '../platform/kernel/time.js';
import { byIdOrReference, isUuid } from '../platform/kernel/uuid.js';
import { usesOf, usesWithOffers } from './record/line-states.js';
import { printQuote, printSummary, WHOLE } from './record/print-quote.js';
import { QuoteDraft } from './record/quote-draft.entity.js';
import { headerColumns, Quote } from './record/quote.entity.js';
import type { QuoteSummary, QuoteView } from './record/quotes.dto.js';
import { QuoteNotFound } from './quotes.errors.js';

/** Whose quote it is. */
interface OfClient {
  readonly client: { readonly id: string; readonly name: string };
}

export type StaffQuoteSummary = QuoteSummary & OfClient;
export type StaffQuote = QuoteView &
  OfClient & {
    /** The client is a caller without an account. */
    readonly isDirect: boolean;
    /** How many seconds are left to undo it; 0 if it is too late, or was not done. */
    readonly undo: Readonly<Record<'send' | 'withdrawal', number>>;
  };

/** The enquiries of a quote that are one row of the queue. */
export interface QuoteGroup {
  /** Of the quote. */
  readonly reference: string;
  readonly sites: number;
}

/** Empty texts ask for nothing. */
interface QuotesAsked {
  readonly cursor?: string;
  /** The id of the client whose quotes are listed. */
  readonly client?: string;
  /** A text in the customer or a reference, in any case. */
  readonly q?: string;
}

const PAGE = 50;

/** The quotes of all API clients, for staff; never those of the sandbox. */
@Injectable()
export class StaffQuotesService {
  constructor(
    private readonly requests: QuoteRequestsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** Newest first. */
  list({ cursor = '', client = '', q = '' }: QuotesAsked, limit = PAGE) {
    const now = this.clock.now();
    return this.transactions.read(async (tx) => {
      const query = tx
        .createQueryBuilder(Quote, 'q')
        .select(headerColumns('q'))
        .orderBy('q.id', 'DESC')
        .limit(limit + 1);
      // Ids ascend with time.
      if (cursor !== '') query.andWhere('q.id < :id', { id: readCursor(cursor).id });
      if (client !== '') {
        query.andWhere(isUuid(client) ? 'q.clientId = :client' : '1 = 0', {
          client: client.toLowerCase(),
        });
      }
      if (q !== '') {
        // SQLite lowers only the letters of ASCII.
        const texts = /\P{ASCII}/u.test(q) ? [q, q.toLowerCase(), q.toUpperCase()] : [q];
        const like = ['customer', 'clientReference', 'reference'].flatMap((column) =>
          texts.map((_text, i) => `LOWER(q.${column}) LIKE LOWER(:like${i}) ESCAPE '!'`),
        );
        const patterns = texts.map((text) => `%${text.replaceAll(/[!%_]/g, '!$&')}%`);
        query.andWhere(
          `(${like.join(' OR ')})`,
          Object.fromEntries(patterns.map((pattern, i) => [`like${i}`, pattern])),
        );
      }
      const quotes = await query.getMany();
      const uses = await usesOf(liveOrders(tx), quotes);
      const clients = await tx.findBy(ApiClient, { id: In(quotes.map((one) => one.clientId)) });
      const names = new Map(clients.map(({ id, name }) => [id, name]));
      return page(quotes, limit, creationOf, (quote) => ({
        ...printSummary(quote, uses(quote.id), now),
        client: { id: quote.clientId, name: names.get(quote.clientId) ?? '' },
      }));
    });
  }

  /**
   * Of orders in a list: the open enquiries of the same quote with the same state, owner and next step, where there
   * are several, by the id of the one in the list.
   */
  async groupsOf(orders: readonly FollowUpOrder[]): Promise<ReadonlyMap<string, QuoteGroup>> {
    const open = orders.filter(
      ({ kind, quoteId, closedAt, nextActionAt }) =>
        kind === 'enquiry' && quoteId !== null && closedAt === null && nextActionAt === null,
    );
    if (open.length === 0) return new Map();
    const quoteId = In([...new Set(open.map((one) => one.quoteId!))]);
    const [quotes, enquiries] = await this.transactions.read(
      async (tx) =>
        [
          await tx.find(Quote, { select: { id: true, reference: true }, where: { id: quoteId } }),
          await tx.find(Order, {
            select: { id: true, quoteId: true, state: true, ownerId: true, firstContactAt: true },
            where: { quoteId, kind: 'enquiry', nextActionAt: IsNull() },
          }),
        ] as const,
    );
    const references = new Map(quotes.map(({ id, reference }) => [id, reference]));
    const groups = new Map<string, QuoteGroup>();
    for (const order of open) {
      const sites = enquiries.filter(
        (one) =>
          one.quoteId === order.quoteId &&
          one.state === order.state &&
          one.ownerId === order.ownerId &&
          (one.firstContactAt === null) === (order.firstContactAt === null),
      ).length;
      const reference = references.get(order.quoteId!);
      if (sites > 1 && reference !== undefined) groups.set(order.orderId, { reference, sites });
    }
    return groups;
  }

  /** With all its lines, or some of them. @param named its reference or id @throws {QuoteNotFound} */
  async find(named: string, lines = WHOLE): Promise<StaffQuote> {
    const now = this.clock.now();
    const [found, client] = await this.transactions.read(async (tx) => {
      const quote = await quoteNamed(tx, named);
      const uses = await usesWithOffers(liveOrders(tx), quote, now);
      const { id, name } = await tx.findOneByOrFail(ApiClient, { id: quote.clientId });
      return [
        { quote, uses, now },
        { id, name },
      ] as const;
    });
    return {
      ...(await printQuote(found, lines)),
      client,
      isDirect: isDirectClient(client),
      undo: {
        send: secondsTo(found.quote.sentAt, now),
        withdrawal: secondsTo(found.quote.withdrawnAt, now),
      },
    };
  }

  /**
   * Its lines cannot be ordered any more, once the withdrawal cannot be undone any more. Orders and enquiries go on.
   * @param named its reference or id
   * @returns false if it was withdrawn before
   * @throws {QuoteNotFound}
   */
  withdraw(named: string, actor: Actor): Promise<boolean> {
    return this.transactions.run(async (tx) => {
      const quote = await quoteNamed(tx, named);
      const withdrawnAt = new Date(this.clock.now().getTime() + UNDO_TIME);
      const open = { id: quote.id, withdrawnAt: IsNull() };
      const { affected } = await tx.update(Quote, open, { withdrawnAt, updatedAt: withdrawnAt });
      if (affected !== 1) return false;
      await this.audit.record(tx, quoteEvent('quote-withdrawn', quote, actor));
      return true;
    });
  }

  /**
   * Undoes a withdrawal, or the sending: the quote is a draft again.
   * @returns the id of the draft; true after a withdrawal, false if it is too late
   * @throws {QuoteNotFound}
   */
  undo(named: string, actor: Actor): Promise<string | boolean> {
    return this.transactions.run(async (tx) => {
      const quote = await quoteNamed(tx, named);
      const { id, withdrawnAt } = quote;
      const now = this.clock.now();
      if (withdrawnAt !== null) {
        const before = { withdrawnAt: null, updatedAt: now };
        const { affected } = await tx.update(Quote, { id, withdrawnAt: MoreThan(now) }, before);
        if (affected !== 1) return false;
        await this.audit.record(tx, quoteEvent('quote-restored', quote, actor));
        return true;
      }
      const draft = await tx.findOneBy(QuoteDraft, { quoteId: id });
      if (!draft) return false;
      const { affected } = await tx.delete(Quote, { id, sentAt: MoreThan(now) });
      if (affected !== 1) return false;
      await tx.update(QuoteDraft, { quoteId: id }, { quoteId: null, updatedAt: now });
      await this.audit.record(tx, quoteEvent('quote-unsent', quote, actor));
      return draft.id;
    });
  }

  /**
   * Orders lines for a client on the telephone, by the rules of the client's own acceptance. The quote can then no longer be unsent.
   * @param named its reference or id
   * @param onceKey of the form: sent again, it gets the same orders
   * @throws {QuoteNotFound | QuoteExpired | LineNotOrderable | NotPermitted | ValidationFailed}
   */
  async order(
    named: string,
    { lines, name, phone, email, interconnect, ...about }: OrderedByStaff,
    onceKey: string,
    staff: StaffCaller,
  ): Promise<AcceptedLines> {
    const contact = { name, phone, email };
    const acceptance = await validated(QuoteAcceptance, {
      ...about,
      lines,
      contact: contactIn(contact),
      details: interconnect === undefined ? undefined : { interconnect },
    });
    const now = this.clock.now();
    const [quote, client] = await this.transactions.run(async (tx) => {
      const found = await quoteNamed(tx, named);
      await tx.update(Quote, { id: found.id, sentAt: MoreThan(now) }, { sentAt: now });
      return [found, await tx.findOneByOrFail(ApiClient, { id: found.clientId })] as const;
    });
    const missing = isDirectClient(client) ? missingOfCaller(contact) : [];
    if (missing.length > 0) throw new ValidationFailed(missing);
    if (!client.enabled) throw new NotPermitted('This client is disabled, so it cannot order.');
    const placing = placingOf(onTelephone(client), staff);
    return sentTwice(`staff:${onceKey}`, (key) =>
      this.requests.accept(quote.id, acceptance, key, placing),
    );
  }
}

/** What staff take down for a client who orders lines. */
interface OrderedByStaff
  extends OrderContact, Pick<QuoteAcceptance, 'lines' | 'reference' | 'acceptExtraUpTo'> {
  readonly interconnect?: string;
}

/** How many seconds are left until then; 0 if it has passed. */
function secondsTo(at: Date | null, now: Date): number {
  return at ? Math.max(0, Math.ceil((at.getTime() - now.getTime()) / SECOND)) : 0;
}

/** @param named its reference or id @throws {QuoteNotFound} */
export async function quoteNamed(tx: Tx, named: string): Promise<Quote> {
  const found = await tx.findOneBy(Quote, byIdOrReference(named));
  if (found) return found;
  throw new QuoteNotFound();
}

function quoteEvent(
  action: 'quote-withdrawn' | 'quote-restored' | 'quote-unsent',
  { clientId, reference }: Quote,
  actor: Actor,
): AuditEvent {
  return { subject: ['client', clientId], action, actor, details: { quote: reference } };
}

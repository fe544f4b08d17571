import { Injectable } from '@nestjs/common';
import { In, IsNull, MoreThan } from 'typeorm';
import { ApiClient, isDirectClient } from '../clients/api-client.entity.js';
import { onTelephone } from '../orders/placing/ordering-client.js';
import { UNDO_TIME } from '../orders/moves/undo.service.js';
import { type Actor, type AuditEvent, AuditService } from '../platform/audit/audit.service.js';
import { ValidationFailed } from '../platform/problems/problem.js';
import type { PastedQuote } from './quote-form.js';
import { type MadeQuote, QuotesService } from './quotes.service.js';
import { readSiteList, sitesOf } from './site-list.js';
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
    private readonly quotes: QuotesService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a quote for a client who has sent its sites to staff.
   * @param onceKey of the form: sent again, it is the same quote
   * @throws {ValidationFailed | UnreadableList}
   */
  async quoteClient(
    { client: id, sites = '', bandwidth, term, service, ...about }: PastedQuote,
    clients: readonly ApiClient[],
    onceKey: string,
    maker: Actor,
  ): Promise<MadeQuote> {
    const client = clients.find((one) => one.id === id && one.enabled && !isDirectClient(one));
    if (!client) throw fault('/client', 'Choose a client that is enabled.');
    if (sites === '') throw fault('/sites', 'Choose a file, or paste the sites.');
    const request = {
      ...about,
      wanted: { bandwidth, term, service },
      sites: sitesOf(await readSiteList(Buffer.from(sites), { service })),
    };
    return this.quotes.create(request, `staff:${onceKey}`, onTelephone(client), maker);
  }

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
   * Undoes a withdrawal.
   * @returns false if it is too late
   * @throws {QuoteNotFound}
   */
  restore(named: string, actor: Actor): Promise<boolean> {
    return this.transactions.run(async (tx) => {
      const quote = await quoteNamed(tx, named);
      const now = this.clock.now();
      const withdrawn = { id: quote.id, withdrawnAt: MoreThan(now) };
      const { affected } = await tx.update(Quote, withdrawn, { withdrawnAt: null, updatedAt: now });
      if (affected !== 1) return false;
      await this.audit.record(tx, quoteEvent('quote-restored', quote, actor));
      return true;
    });
  }
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
  action: 'quote-withdrawn' | 'quote-restored',
  { clientId, reference }: Quote,
  actor: Actor,
): AuditEvent {
  return { subject: ['client', clientId], action, actor, details: { quote: reference } };
}

function fault(pointer: string, detail: string): ValidationFailed {
  return new ValidationFailed([{ pointer, code: 'not-allowed', detail }]);
}

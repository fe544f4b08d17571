import { Injectable } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { fingerprintOf, onceFor, type Replayed } from '../orders/placing/idempotency.js';
import type { OrderingClient } from '../orders/placing/ordering-client.js';
import { ordersOn, type OrdersTx } from '../orders/record/order-tables.js';
import { newQuoteReference } from '../orders/record/references.js';
import {
  type Actor,
  actorOf,
  type AuditEvent,
  AuditService,
} from '../platform/audit/audit.service.js';
import type { ClientCaller } from '../platform/access/caller.js';
import { checksForSites } from '../platform/access/counting.js';
import { Config } from '../platform/config/config.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { newId } from '../platform/database/new-id.js';
import { tableOn } from '../platform/database/sides.js';
import { Transactions } from '../platform/database/transactions.js';
import { creationOf, newestFirst, page } from '../platform/http/paging.js';
import { Clock } from '../platform/kernel/clock.js';
import { DAY } from '../platform/kernel/time.js';
import { refuseExceeded } from '../platform/limits/count-window.js';
import { RateLimitsService } from '../platform/limits/rate-limits.service.js';
import {
  type LineUse,
  usesOf,
  usesWithOffers,
  duplicatesIn,
  mixedServicesIn,
} from './record/line-states.js';
import { answerTo, type FoundQuote, printSummary } from './record/print-quote.js';
import { linesOf, packLines } from './record/packed-lines.js';
import { headerColumns, Quote, type QuoteLine } from './record/quote.entity.js';
import type {
  LineBefore,
  QuoteAcknowledgement,
  QuotePage,
  QuoteState,
  SitesToQuote,
} from './record/quotes.dto.js';
import type { QuoteQuery } from './record/quote-queries.dto.js';
import { QuoteNotFound } from './quotes.errors.js';
import { SiteAnswersService } from './site-answers.service.js';
import { counted } from '../platform/kernel/counts.js';

export type MadeQuote = QuoteAcknowledgement & Replayed;

/** What a quote is stored with. */
interface QuoteStorage {
  readonly key: string | undefined;
  readonly fingerprint: string;
  readonly client: OrderingClient;
  readonly maker: Actor;
  readonly release?: QuoteRelease | undefined;
}

/** Of a quote that staff make from a draft. */
export interface QuoteRelease {
  /** Milliseconds after which the client sees it. */
  readonly undoTime: number;
  /** Takes the draft, in the transaction that stores the quote. */
  claim(tx: Tx, quoteId: string): Promise<void>;
}

/** Makes quotes, and shows them to their client. */
@Injectable()
export class QuotesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly answers: SiteAnswersService,
    private readonly limits: RateLimitsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * Answers all sites, and stores quote and key: both are on disk when the promise resolves.
   * @param maker who asks for it
   * @param release of a draft of staff; without it the client sees the quote at once
   * @throws {RequestInProgress | IdempotencyKeyReused}
   */
  async create(
    request: SitesToQuote,
    key: string | undefined,
    client: OrderingClient,
    maker: Actor,
    release?: QuoteRelease,
  ): Promise<MadeQuote> {
    const fingerprint = key === undefined ? '' : fingerprintOf({ ...request, kind: 'quote' });
    const columns = await this.answered(request, client);
    return this.store(columns, { key, fingerprint, client, maker, release });
  }

  /**
   * The same sites at the terms of today; each line says what it cost before.
   * @throws {QuoteNotFound | RateLimited}
   */
  async copy(id: string, client: ClientCaller): Promise<MadeQuote> {
    const { quote: earlier, uses } = await this.find(id, client);
    this.countSites(earlier.lineCount, client);
    const before = await linesOf(earlier);
    const request = {
      reference: earlier.clientReference ?? undefined,
      customer: earlier.customer ?? undefined,
      sites: before.map(siteOf),
    };
    const was = before.map((line, i) => lineBefore(line, uses.of(i + 1)));
    const columns = await this.answered(request, client, was);
    return this.store(columns, { key: undefined, fingerprint: '', client, maker: actorOf(client) });
  }

  /** Counts sites that the request does not show: of a workbook, or of the quote that is copied. @throws {RateLimited} */
  countSites(sites: number, client: ClientCaller): void {
    const allowance = this.limits.takeChecks(client, checksForSites(sites));
    if (allowance) refuseExceeded(allowance);
  }

  /** @throws {QuoteNotFound} also for another client's */
  find(id: string, client: ClientCaller): Promise<FoundQuote> {
    const now = this.clock.now();
    return this.read(client, async (tx) => {
      const quote = await ownQuote(tx, id, client, now);
      return { quote, uses: await usesWithOffers(tx, quote, now), now };
    });
  }

  /** The client's own, newest first. */
  async list(
    { state, reference, updatedSince, ...paging }: QuoteQuery,
    client: ClientCaller,
  ): Promise<QuotePage> {
    const now = this.clock.now();
    return this.read(client, async (tx) => {
      const query = tx
        .createQueryBuilder(tableOn(Quote, client), 'q')
        .select(headerColumns('q'))
        .where('q.clientId = :client AND q.sentAt <= :now')
        .setParameters({ client: client.clientId, now: now.getTime() });
      if (state !== undefined) query.andWhere(whereState[state]);
      if (reference !== undefined) query.andWhere('q.clientReference = :reference', { reference });
      if (updatedSince) {
        const changed = tx
          .createQueryBuilder(tx.orders, 'o')
          .select('1')
          .where('o.quoteId = q.id')
          .andWhere('o.publicStateAt >= :since');
        query.andWhere(`(q.updatedAt >= :since OR EXISTS (${changed.getQuery()}))`, {
          since: updatedSince.getTime(),
        });
      }
      const quotes = await newestFirst(query, 'q.createdAt', paging);
      const uses = await usesOf(tx, quotes);
      return page(quotes, paging.limit, creationOf, (quote) =>
        printSummary(quote, uses(quote.id), now),
      );
    });
  }

  /** @param was what the lines of the quote that is copied cost */
  private async answered(
    request: SitesToQuote,
    client: OrderingClient,
    was?: readonly (LineBefore | null)[],
  ): Promise<AnsweredQuote> {
    const answers = await this.answers.answer(request, client);
    const lines = was ? answers.lines.map((line, i) => ({ ...line, was: was[i]! })) : answers.lines;
    const createdAt = this.clock.now();
    const columns = {
      id: newId(),
      clientId: client.clientId,
      clientReference: request.reference ?? null,
      customer: request.customer ?? null,
      priceList: client.priceList,
      catalogueVersion: client.isTest ? null : answers.catalogueVersion,
      lineCount: lines.length,
      pricedCount: lines.filter(({ offer }) => offer).length,
      invalidCount: lines.filter(({ problem }) => problem).length,
      body: await packLines(lines),
      createdAt,
      sentAt: createdAt,
      validUntil: new Date(createdAt.getTime() + this.config.quoteDays * DAY),
      withdrawnAt: null,
      updatedAt: createdAt,
      toldAt: createdAt,
      warnedAt: null,
    };
    return { columns, lines };
  }

  private async store(
    { columns, lines }: AnsweredQuote,
    { key, fingerprint, client, maker, release }: QuoteStorage,
  ): Promise<MadeQuote> {
    const { result, replayed } = await onceFor(this.transactions, client, {
      key,
      fingerprint,
      // The sites were answered before: however many there are, the database has the whole time.
      since: performance.now(),
      repeat: async (tx, { subjectId: id, answer }) => {
        const quote = await tx.findOneByOrFail(tableOn(Quote, client), { id });
        return withDuplicates(answer as StoredAcknowledgement, await linesOf(quote));
      },
      make: async (tx) => {
        const sentAt = new Date(columns.createdAt.getTime() + (release?.undoTime ?? 0));
        const quote = { ...columns, reference: newQuoteReference(), sentAt, updatedAt: sentAt };
        await release?.claim(tx, quote.id);
        await tx.insert(tableOn(Quote, client), quote);
        await this.audit.recordLive(tx, madeEvent(quote, maker));
        const { id: quoteId, reference: quoteReference, createdAt } = quote;
        const answer = { message: messageOf(quote), quoteId, quoteReference };
        return {
          result: withDuplicates(answer, lines),
          kept: { subjectId: quoteId, answer, createdAt },
        };
      },
    });
    return { ...result, replayed };
  }

  private read<T>(client: ClientCaller, work: (tx: OrdersTx) => Promise<T>): Promise<T> {
    return this.transactions.read((tx) => work(ordersOn(tx, client)));
  }
}

/** A quote that is not stored yet. */
interface AnsweredQuote {
  readonly columns: Omit<Quote, 'reference'>;
  readonly lines: readonly QuoteLine[];
}

/** @throws {QuoteNotFound} also for another client's, and while staff can take it back */
export async function ownQuote(
  tx: Tx,
  id: string,
  { clientId, ...side }: OrderingClient,
  now: Date,
): Promise<Quote> {
  const sentAt = LessThanOrEqual(now);
  const quote = await tx.findOneBy(tableOn(Quote, side), { id, clientId, sentAt });
  if (quote) return quote;
  throw new QuoteNotFound();
}

/** By the state of a quote at `:now`. */
const whereState: Readonly<Record<QuoteState, string>> = {
  open: 'q.validUntil >= :now AND (q.withdrawnAt IS NULL OR q.withdrawnAt > :now)',
  expired: 'q.validUntil < :now AND (q.withdrawnAt IS NULL OR q.withdrawnAt > :now)',
  withdrawn: 'q.withdrawnAt <= :now',
};

/** Says nothing of the sites: the entry stays for ever. */
function madeEvent(
  { clientId, reference, lineCount, validUntil }: Quote,
  actor: Actor,
): AuditEvent {
  return {
    subject: ['client', clientId],
    action: 'quote-made',
    actor,
    details: {
      quote: reference,
      lines: lineCount,
      validUntil: validUntil.toISOString(),
      token: actor.tokenId ?? null,
    },
  };
}

type StoredAcknowledgement = Omit<QuoteAcknowledgement, 'duplicates'>;

function withDuplicates(
  answer: StoredAcknowledgement,
  lines: readonly QuoteLine[],
): QuoteAcknowledgement {
  const mixed = mixedServicesIn(lines);
  return {
    ...answer,
    duplicates: duplicatesIn(lines),
    ...(mixed.length > 0 && { mixedServices: mixed }),
  };
}

function messageOf({ reference, lineCount, pricedCount }: Omit<Quote, 'body'>): string {
  const sites = counted(lineCount, 'site');
  const priced = `${counted(pricedCount, 'has', 'have')} a price`;
  return `Your quote ${reference} has ${sites}: ${priced}.`;
}

function lineBefore(line: QuoteLine, use: LineUse): LineBefore | null {
  const { product } = answerTo(line, use);
  if (!product) return null;
  const { productCode, term, price, setupPrice, currency } = product;
  return { productCode, term, price, setupPrice, currency };
}

/** The site of a line, to be answered again. */
function siteOf({ site, postcode, uprn, notes, details, wanted }: QuoteLine): object {
  return { site, postcode, uprn, notes, details, wanted };
}

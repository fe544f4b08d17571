import { ApiClient, contactOfClient } from '../clients/api-client.entity.js';
import { type Side, sides, tableOn } from '../platform/database/sides.js';
import { liveOrders, ordersOn, type OrdersTx } from '../orders/record/order-tables.js';
import type { Tx } from '../platform/database/engine/tx.js';
import type {
  EmailKind,
  EmailLetter,
} from '../platform/notifications/messages/email-kinds.service.js';
import { londonTime } from '../platform/notifications/messages/email-parts.js';
import { type EmailFacts, readWords } from '../platform/notifications/messages/email-words.js';
import { stateOfLine, usesOf, type LineUses } from './record/line-states.js';
import { linesOf } from './record/packed-lines.js';
import { Quote } from './record/quote.entity.js';
import type { LineState } from './record/line-state.js';
import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Transactions } from '../platform/database/transactions.js';
import { Clock } from '../platform/kernel/clock.js';
import { DAY, MINUTE, SECOND } from '../platform/kernel/time.js';
import { OutboxService } from '../platform/notifications/outbox.service.js';

/** Sites that an email lists; of the others it says how many there are. */
const MOST_LISTED = 50;

/** To the client of a quote whose enquiries are answered. */
export const quoteAnswered: EmailKind = {
  code: 'quote-answered',
  name: 'Quote answered',
  about: 'quote',
  to: 'client',
  words: readWords('quote-answered', import.meta.url),
  newsOf: (event) => (event.type === 'quote.updated' && event.isAnswered ? {} : null),
  facts: answeredLetter,
};

async function answeredLetter(tx: Tx, id: string): Promise<EmailLetter | null> {
  const quote = await tx.findOneBy(Quote, { id });
  if (!quote) return null;
  const client = await tx.findOneBy(ApiClient, { id: quote.clientId });
  const uses = (await usesOf(liveOrders(tx), [quote]))(id);
  const lines = await linesOf(quote);
  const sitesIn = (state: LineState) =>
    lines.flatMap((line, i) => {
      if (stateOfLine(line, uses.of(i + 1)) !== state) return [];
      return line.site === null ? line.postcode : `${line.site}, ${line.postcode}`;
    });
  return {
    contact: contactOfClient(client),
    facts: answeredFacts(quote, sitesIn('offered'), sitesIn('unableToProvide')),
  };
}

/** @param offered sites such as `Depot, N1 1AA` */
export function answeredFacts(
  { reference, clientReference, customer, validUntil }: NamedQuote,
  offered: readonly string[],
  unable: readonly string[],
): EmailFacts {
  return {
    quote: clientReference === null ? reference : `${reference} (${clientReference})`,
    customer,
    validUntil: londonTime(validUntil),
    offered: listed(offered),
    unable: listed(unable),
  };
}

type NamedQuote = Pick<Quote, 'reference' | 'clientReference' | 'customer' | 'validUntil'>;

function listed(sites: readonly string[]): readonly string[] {
  const more = sites.length - MOST_LISTED;
  return more > 0 ? [...sites.slice(0, MOST_LISTED), `and ${more} more`] : sites;
}

/** Milliseconds in which staff can take back an answer: clients hear of it afterwards. */
const SETTLED = 10 * SECOND;
/** Milliseconds between two messages about one quote. */
const BETWEEN = MINUTE;
/** Milliseconds: changes that are older are not reported any more. */
const NEWS_AGE = 2 * DAY;
/** Milliseconds before the end of a quote. */
const WARNING = 3 * DAY;
/** Quotes of one run. */
const MOST_AT_ONCE = 200;

/** Tells clients what became of their quotes. Several instances may run at once: each message is sent once. */
@Injectable()
export class QuoteNewsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly outbox: OutboxService,
    private readonly clock: Clock,
  ) {}

  async tell(): Promise<void> {
    await this.transactions.refuseClockAhead();
    for (const side of sides) {
      for (const quote of await this.changed(side)) await this.report(quote, side);
      for (const quote of await this.released(side)) await this.report(quote, side);
      for (const quote of await this.expiring(side)) await this.warn(quote, side);
    }
  }

  /** Those of which a line has changed since the last message. */
  private changed(side: Side): Promise<Quote[]> {
    const until = this.clock.now().getTime() - SETTLED;
    return this.read(side, async (tx) => {
      const rows = await tx
        .createQueryBuilder(tx.orders, 'o')
        .select('DISTINCT o.quoteId', 'id')
        .innerJoin(tableOn(Quote, side), 'q', 'q.id = o.quoteId')
        .where('o.quoteId IS NOT NULL AND o.publicStateAt > :since AND o.publicStateAt <= :until', {
          since: until - NEWS_AGE,
          until,
        })
        .andWhere('o.publicStateAt > q.toldAt AND q.toldAt <= :before', { before: until - BETWEEN })
        .limit(MOST_AT_ONCE)
        .getRawMany<{ id: string }>();
      return find(tx, rows);
    });
  }

  /** Those that staff have sent or withdrawn since the last message. */
  private released(side: Side): Promise<Quote[]> {
    const until = this.clock.now().getTime() - SETTLED;
    const within = (column: string) =>
      `q.${column} > :since AND q.${column} <= :until AND q.${column} > q.toldAt`;
    return this.read(side, async (tx) => {
      const rows = await tx
        .createQueryBuilder(tableOn(Quote, side), 'q')
        .select('q.id', 'id')
        .where(`(${within('sentAt')} OR ${within('withdrawnAt')})`)
        .setParameters({ since: until - NEWS_AGE, until })
        .limit(MOST_AT_ONCE)
        .getRawMany<{ id: string }>();
      return find(tx, rows);
    });
  }

  /** Those that end soon, were made for longer than that, and whose client does not know. */
  private expiring(side: Side): Promise<Quote[]> {
    const now = this.clock.now().getTime();
    return this.read(side, async (tx) => {
      const rows = await tx
        .createQueryBuilder(tableOn(Quote, side), 'q')
        .select('q.id', 'id')
        .where('q.validUntil > :now AND q.validUntil <= :end', { now, end: now + WARNING })
        .andWhere('q.warnedAt IS NULL AND q.withdrawnAt IS NULL')
        .andWhere('q.validUntil - q.createdAt > :warning', {
          warning: WARNING,
        })
        .limit(MOST_AT_ONCE)
        .getRawMany<{ id: string }>();
      return find(tx, rows);
    });
  }

  private report(quote: Quote, side: Side): Promise<void> {
    const { id, toldAt } = quote;
    const until = new Date(this.clock.now().getTime() - SETTLED);
    // Another instance told it after the search, before the quote was read.
    if (toldAt.getTime() > until.getTime() - BETWEEN) return Promise.resolve();
    return this.write(side, async (tx) => {
      const { affected } = await tx.update(tableOn(Quote, side), { id, toldAt }, { toldAt: until });
      if (affected === 0) return;
      const uses = (await usesOf(tx, [quote]))(id);
      // Answers that can still be taken back are in the next message, and so is the email about all of them.
      const isAnswered =
        uses.counts(quote).enquired === 0 &&
        uses.hasAnswersSince(toldAt, until) &&
        !uses.hasAnswersSince(until);
      await this.add(tx, quote, 'quote.updated', isAnswered);
    });
  }

  private warn(quote: Quote, side: Side): Promise<void> {
    const { id } = quote;
    const warnedAt = this.clock.now();
    return this.write(side, async (tx) => {
      const { affected } = await tx.update(
        tableOn(Quote, side),
        { id, warnedAt: IsNull() },
        { warnedAt },
      );
      if (affected === 0) return;
      const uses: LineUses = (await usesOf(tx, [quote]))(id);
      const { priced, offered } = uses.counts(quote);
      if (priced + offered > 0) await this.add(tx, quote, 'quote.expiring', false);
    });
  }

  private add(
    tx: OrdersTx,
    quote: Quote,
    type: 'quote.updated' | 'quote.expiring',
    isAnswered: boolean,
  ): Promise<void> {
    const { id: quoteId, reference: quoteReference, clientReference: reference } = quote;
    const data = { quoteId, quoteReference, reference, validUntil: quote.validUntil };
    const event = { type, at: this.clock.now(), data, isAnswered };
    return this.outbox.addClientEvent(tx, quote.clientId, event, quoteId);
  }

  private read<T>(side: Side, work: (tx: OrdersTx) => Promise<T>): Promise<T> {
    return this.transactions.read((tx) => work(ordersOn(tx, side)));
  }

  private write(side: Side, work: (tx: OrdersTx) => Promise<void>): Promise<void> {
    return this.transactions.run((tx) => work(ordersOn(tx, side)));
  }
}

function find(tx: OrdersTx, rows: readonly { id: string }[]): Promise<Quote[]> {
  return tx.findBy(tableOn(Quote, tx), { id: In(rows.map(({ id }) => id)) });
}

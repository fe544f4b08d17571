import { In } from 'typeorm';
import type { BespokeOffer } from '../../orders/record/bespoke-offer.entity.js';
import { isOpenAt } from '../../orders/record/offer-states.js';
import type { Order } from '../../orders/record/order.entity.js';
import { oneOf } from '../../platform/database/engine/rows.js';
import type { OrdersTx } from '../../orders/record/order-tables.js';
import type { OrderState } from '../../orders/record/order-states.js';
import { publicStateOf } from '../../orders/record/public-state.js';
import type { Quote, QuoteHeader, QuoteLine } from './quote.entity.js';
import type { LineState } from './line-state.js';
import type { LineCounts } from './quotes.dto.js';

type UseColumn =
  'id' | 'kind' | 'state' | 'closeReason' | 'quoteId' | 'quoteLine' | 'enquiryId' | 'publicStateAt';
type UsingRequest = Pick<Order, UseColumn>;

/** What became of a line. */
export interface LineUse {
  readonly order?: UsingRequest;
  readonly enquiry?: UsingRequest;
  /** To the enquiry: the accepted one, or those that the client can accept now. */
  readonly offers?: readonly BespokeOffer[];
}

/** What became of the lines of a quote, by their number from 1. */
export class LineUses {
  private readonly byLine = new Map<number, { -readonly [K in keyof LineUse]: LineUse[K] }>();
  /** When one of them last changed its state; null if nothing became of any. */
  readonly changedAt: Date | null = null;

  constructor(
    private readonly rows: readonly UsingRequest[],
    private readonly offers: readonly BespokeOffer[],
  ) {
    const byEnquiry = Map.groupBy(offers, ({ enquiryId }) => enquiryId);
    for (const row of rows) {
      const use = this.byLine.get(row.quoteLine!) ?? {};
      use[row.kind] = row;
      const offered = byEnquiry.get(row.id);
      if (offered) use.offers = offered;
      this.byLine.set(row.quoteLine!, use);
      if (!this.changedAt || row.publicStateAt > this.changedAt) this.changedAt = row.publicStateAt;
    }
  }

  of(line: number): LineUse {
    return this.byLine.get(line) ?? {};
  }

  /** The numbers of the lines that have offers. */
  get offered(): number[] {
    return [...this.byLine].flatMap(([number, { offers }]) => (offers ? number : []));
  }

  /** Differs from that of other uses. */
  get text(): string {
    return JSON.stringify([this.rows, this.offers]);
  }

  /** Whether the state of an enquiry changed to an answer after one time, and not after the other if there is one. */
  hasAnswersSince(since: Date, until?: Date): boolean {
    return [...this.byLine.values()].some((use) => {
      const state = stateAfter(use);
      const at = use.enquiry?.publicStateAt;
      const isAnswer = state === 'offered' || state === 'unableToProvide';
      return isAnswer && at !== undefined && at > since && (!until || at <= until);
    });
  }

  counts({ lineCount, pricedCount, invalidCount }: QuoteHeader): LineCounts {
    const none = lineCount - pricedCount - invalidCount;
    const counts: LineCounts = {
      priced: pricedCount,
      notAvailable: none,
      invalid: invalidCount,
      enquired: 0,
      offered: 0,
      ordered: 0,
      unableToProvide: 0,
    };
    for (const use of this.byLine.values()) {
      const before = use.enquiry ? 'notAvailable' : 'priced';
      counts[before] -= 1;
      counts[stateAfter(use) ?? before] += 1;
    }
    return counts;
  }
}

export function stateOfLine(line: QuoteLine, use: LineUse): LineState {
  const before = line.problem ? 'invalid' : line.offer ? 'priced' : 'notAvailable';
  return stateAfter(use) ?? before;
}

/** Null where the line is as it was: it was not used, or its enquiry was cancelled or declined. */
function stateAfter({ order, enquiry }: LineUse): LineState | null {
  if (order) return 'ordered';
  if (!enquiry) return null;
  const state = publicStateOf(enquiry);
  if (state === 'acknowledged' || state === 'inProgress') return 'enquired';
  if (state === 'offered' || state === 'unableToProvide') return state;
  return null;
}

/** Whether the offers to the enquiry of a line have expired. The enquiry ends some time after its last offer. */
export function hasExpired({ enquiry }: LineUse): boolean {
  if (!enquiry) return false;
  const state = publicStateOf(enquiry);
  return state === 'offered' || state === 'expired';
}

/** Of enquiries with offers that are open or accepted. */
const hasOffers: ReadonlySet<OrderState> = new Set(['offered', 'won']);

/** By quote; without the offers to its enquiries. */
export async function usesOf(
  tx: OrdersTx,
  quotes: readonly Pick<Quote, 'id'>[],
): Promise<(id: string) => LineUses> {
  const byQuote = Map.groupBy(await rowsOf(tx, quotes), ({ quoteId }) => quoteId);
  return (id) => new LineUses(byQuote.get(id) ?? [], []);
}

/** With the offers to its enquiries. */
export async function usesWithOffers(
  tx: OrdersTx,
  quote: Pick<Quote, 'id'>,
  now: Date,
): Promise<LineUses> {
  const rows = await rowsOf(tx, [quote]);
  const answered = rows.filter(({ kind, state }) => kind === 'enquiry' && hasOffers.has(state));
  const offers = await tx.find(tx.offers, {
    where: { enquiryId: oneOf(answered.map(({ id }) => id)), state: In(['open', 'accepted']) },
    order: { id: 'ASC' },
  });
  return new LineUses(
    rows,
    offers.filter((offer) => offer.state === 'accepted' || isOpenAt(offer, now)),
  );
}

function rowsOf(tx: OrdersTx, quotes: readonly Pick<Quote, 'id'>[]): Promise<UsingRequest[]> {
  return tx.find(tx.orders, {
    select: {
      id: true,
      kind: true,
      state: true,
      closeReason: true,
      publicStateAt: true,
      quoteId: true,
      quoteLine: true,
      enquiryId: true,
    },
    where: { quoteId: In(quotes.map(({ id }) => id)) },
  });
}

type ComparedLine = Pick<QuoteLine, 'site' | 'postcode' | 'uprn' | 'wanted' | 'problem'>;

/**
 * For each line the number, from 1, of the first line with the same site, place and wishes; null for that line itself. The
 * case and spaces of names do not count, and rows with a fault are equal to none.
 */
export function firstOfSame(lines: readonly ComparedLine[]): (number | null)[] {
  const first = new Map<string, number>();
  const plain = (text: string | null) => text?.trim().toLowerCase().replaceAll(/\s+/g, ' ') ?? null;
  return lines.map(({ site, postcode, uprn, wanted, problem }, i) => {
    if (problem || !wanted) return null;
    const { bandwidth, term, service } = wanted;
    const key = JSON.stringify([plain(site), postcode, uprn, bandwidth, term, plain(service)]);
    const known = first.get(key);
    if (known === undefined) first.set(key, i + 1);
    return known ?? null;
  });
}

/** What lines have that say no service, if it is of several: the most frequent first. */
export function mixedServicesIn(lines: readonly Pick<QuoteLine, 'wanted' | 'offer'>[]) {
  const services = lines.flatMap(({ wanted, offer }) =>
    wanted?.service == null && offer ? [offer.product.service] : [],
  );
  if (new Set(services).size < 2) return [];
  return [...Map.groupBy(services, (service) => service)]
    .map(([service, { length }]) => ({ service, lines: length }))
    .sort((a, b) => b.lines - a.lines);
}

/** The lines that repeat an earlier one. */
export function duplicatesIn(lines: readonly Pick<QuoteLine, 'sameAs'>[]) {
  return lines.flatMap(({ sameAs }, i) => (sameAs ? [{ lineId: String(i + 1), sameAs }] : []));
}

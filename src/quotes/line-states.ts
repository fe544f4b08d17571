import { In } from 'typeorm';
import type { Order } from '../orders/record/order.entity.js';
import type { OrdersTx } from '../orders/record/order-tables.js';
import { publicStateOf } from '../orders/record/public-state.js';
import type { Quote } from './quote.entity.js';
import type { QuoteLine } from './quote.js';
import type { LineCounts, LineState } from './quotes.dto.js';

type UseColumn =
  'id' | 'kind' | 'state' | 'closeReason' | 'quoteId' | 'quoteLine' | 'enquiryId' | 'publicStateAt';
type Use = Pick<Order, UseColumn>;

/** What became of a line. */
export interface LineUse {
  readonly order?: Use;
  readonly enquiry?: Use;
}

/** What became of the lines of a quote, by their number from 1. */
export class LineUses {
  private readonly byLine = new Map<number, { order?: Use; enquiry?: Use }>();
  /** When one of them last changed its state; null if nothing became of any. */
  readonly changedAt: Date | null = null;

  constructor(rows: readonly Use[]) {
    for (const row of rows) {
      const use = this.byLine.get(row.quoteLine!) ?? {};
      use[row.kind] = row;
      this.byLine.set(row.quoteLine!, use);
      if (!this.changedAt || row.publicStateAt > this.changedAt) this.changedAt = row.publicStateAt;
    }
  }

  of(line: number): LineUse {
    return this.byLine.get(line) ?? {};
  }

  counts({ lineCount, pricedCount, invalidCount }: Quote): LineCounts {
    const none = lineCount - pricedCount - invalidCount;
    const counts: LineCounts = {
      ...{ priced: pricedCount, notAvailable: none, invalid: invalidCount },
      ...{ enquired: 0, offered: 0, ordered: 0, unableToProvide: 0 },
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

/** By quote. */
export async function usesOf(
  tx: OrdersTx,
  quotes: readonly Pick<Quote, 'id'>[],
): Promise<(id: string) => LineUses> {
  const rows = await tx.find(tx.orders, {
    select: {
      ...{ id: true, kind: true, state: true, closeReason: true, publicStateAt: true },
      ...{ quoteId: true, quoteLine: true, enquiryId: true },
    },
    where: { quoteId: In(quotes.map(({ id }) => id)) },
  });
  const byQuote = Map.groupBy(rows, ({ quoteId }) => quoteId);
  return (id) => new LineUses(byQuote.get(id) ?? []);
}

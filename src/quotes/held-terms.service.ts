import { Injectable } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import type { Catalogue } from '../catalogue/content/catalogue.js';
import { discounted } from '../catalogue/content/effective-prices.js';
import { placeOfOrder } from '../catalogue/shown/shown.service.js';
import { liveOrders } from '../orders/record/order-tables.js';
import { Transactions } from '../platform/database/transactions.js';
import { Clock } from '../platform/kernel/clock.js';
import { majorUnits } from '../platform/kernel/money.js';
import { groupsOf, inTurns } from '../platform/kernel/turns.js';
import { parseUprn } from '../platform/kernel/uprn.js';
import { totalMinor } from './record/contract-value.js';
import { usesOf } from './record/line-states.js';
import { linesOf } from './record/packed-lines.js';
import { Quote, type QuotedOffer, type QuoteLine } from './record/quote.entity.js';
import { type PlacesOfService, placesOfServices } from './record/volume.js';

/** What clients can still order at the terms of their quotes, compared with a version of the catalogue. */
export interface HeldTerms {
  readonly quotes: number;
  readonly lines: number;
  /** Lines that the version does not sell. */
  readonly gone: number;
  /** Lines that cost more with the version; `amount` is the difference over their terms, in major units. */
  readonly dearer: readonly {
    readonly currency: string;
    readonly lines: number;
    readonly amount: number;
  }[];
}

type HeldLine = QuoteLine & { readonly offer: QuotedOffer };

/** Quotes that are read at once. */
const QUOTES = 20;
/** Lines that are compared in one turn of the event loop. */
const LINES = 200;

/** Counts what the quotes would hold after a publication, for the preview of a draft: it decides nothing. */
@Injectable()
export class HeldTermsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** @param catalogue from `CatalogueService.complete` */
  async comparedWith(catalogue: Catalogue): Promise<HeldTerms> {
    const now = this.clock.now().getTime();
    const dearer = new Map<string, { lines: number; minor: number }>();
    const counts = { quotes: 0, lines: 0, gone: 0 };
    for await (const { quote, lines, ofService } of this.held(now)) {
      counts.quotes += 1;
      counts.lines += lines.length;
      for await (const group of inTurns(groupsOf(lines, LINES))) {
        for (const line of group) {
          const rise = riseOf(line, quote.priceList, ofService, catalogue, now);
          if (rise === null) counts.gone += 1;
          if (rise === null || rise <= 0) continue;
          const { currency } = line.offer.product;
          const sum = dearer.get(currency) ?? { lines: 0, minor: 0 };
          dearer.set(currency, { lines: sum.lines + 1, minor: sum.minor + rise });
        }
      }
    }
    return {
      ...counts,
      dearer: [...dearer].map(([currency, { lines, minor }]) => {
        return { currency, lines, amount: majorUnits(minor, currency) };
      }),
    };
  }

  /** The lines of open quotes that can be ordered at their terms. */
  private async *held(now: number) {
    const open = { validUntil: MoreThan(new Date(now)), withdrawnAt: IsNull() };
    for (let last: Quote | undefined; ;) {
      const { quotes, uses } = await this.transactions.read(async (tx) => {
        const where = last ? { ...open, id: MoreThan(last.id) } : open;
        const found = await tx.find(Quote, { where, order: { id: 'ASC' }, take: QUOTES });
        return { quotes: found, uses: await usesOf(liveOrders(tx), found) };
      });
      for (const quote of quotes) {
        const used = uses(quote.id);
        const all = await linesOf(quote);
        const lines = all.filter(
          (line, i): line is HeldLine => line.offer?.held === true && !used.of(i + 1).order,
        );
        if (lines.length > 0) yield { quote, lines, ofService: placesOfServices(all) };
      }
      if (quotes.length < QUOTES) return;
      last = quotes.at(-1);
    }
  }
}

/** In minor units over the term; null where the product is not sold. A set-up price that is not stated counts as none. */
function riseOf(
  { postcode, uprn, offer }: HeldLine,
  priceList: string,
  ofService: PlacesOfService,
  catalogue: Catalogue,
  now: number,
): number | null {
  const { product, nearest } = offer;
  const line = { postcode, uprn: parseUprn(uprn ?? ''), nearest, priceList };
  const then = placeOfOrder(line, catalogue, now).offer(product.productCode);
  if (then?.currency !== product.currency) return null;
  const count = ofService(product);
  const percent = catalogue.volume.percentFor(priceList, then.productCode, count);
  return totalMinor(discounted(then, percent)) - totalMinor(product);
}

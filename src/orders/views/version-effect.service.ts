import { Injectable } from '@nestjs/common';
import { Not, In } from 'typeorm';
import { CheckRow } from '../../availability/check.entity.js';
import { CHECKS_MADE, checksMade, checksUse } from '../../availability/stored-checks.js';
import { BESPOKE } from '../../catalogue/content/cells.js';
import type { Catalogue } from '../../catalogue/content/catalogue.js';
import { majorUnits } from '../../platform/kernel/money.js';
import type { Offer } from '../../catalogue/content/offer-fields.js';
import { sameTerms } from '../../catalogue/content/offers.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { parseUprn } from '../../platform/kernel/uprn.js';
import { placeIn, placeOfOrder } from '../../catalogue/shown/shown.service.js';
import { findOn } from '../../platform/database/sides.js';
import { inSlices, type Span } from '../../platform/database/slices.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { isProductOrder, type ProductOrder, Order } from '../record/order.entity.js';
import { openOrders } from './open-orders.js';
import { HOUR, MINUTE } from '../../platform/kernel/time.js';
import { groupsOf, inTurns } from '../../platform/kernel/turns.js';
import { Config } from '../../platform/config/config.js';
import { CatalogueVersion } from '../../catalogue/versions/catalogue-version.entity.js';

/** Those of the catalogue versions to which an order or a stored check refers. */
export async function versionsInUse(tx: Tx, numbers: readonly number[]): Promise<number[]> {
  const versions = await tx.find(CatalogueVersion, {
    select: { number: true, activatedAt: true, retiredAt: true },
    where: { number: In(numbers) },
    order: { number: 'DESC' },
  });
  const used: number[] = [];
  for (const version of versions) {
    if ((await isOrdered(tx, version)) || (await isChecked(tx, version))) {
      used.push(version.number);
    }
  }
  return used;
}

async function isOrdered(tx: Tx, { number }: CatalogueVersion): Promise<boolean> {
  return (await findOn(tx, Order, { catalogueVersion: number })) !== null;
}

/** Whether a check used the version. Instances may still use it shortly after it is retired. */
async function isChecked(
  tx: Tx,
  { number, activatedAt, retiredAt }: CatalogueVersion,
): Promise<boolean> {
  // It never was live. A live version is never pruned.
  if (!activatedAt || !retiredAt) return false;
  const live = { start: activatedAt.getTime(), end: retiredAt.getTime() + HOUR };
  return checksUse(tx, number, live);
}

/** Open orders that are read, and places that are compared, between two turns of the event loop. */
const PAGE = 500;

/** An open order whose terms would differ if it were placed again. */
export interface AffectedOrder {
  readonly reference: string;
  readonly productCode: string;
  readonly postcode: string;
  /** Null if it is not offered now. */
  readonly before: Offer | null;
  /** Null if the version no longer offers it. */
  readonly after: Offer | null;
}

/** What a version would change for work in progress, compared with the live version. */
export interface VersionEffect {
  readonly openOrders: number;
  /** They keep their terms. */
  readonly orders: readonly AffectedOrder[];
  /** The sum of changed monthly prices by currency, in major units, of orders with an offer before and after. */
  readonly monthly: Readonly<Record<string, number>>;
  /** Checks whose price still holds. */
  readonly heldChecks: number;
  /** Those that would have another answer. They keep theirs until their hold ends. */
  readonly heldChanged: number;
}

/** Compares a version with the live one for open orders, and for checks whose price holds, before it goes live. */
@Injectable()
export class VersionEffectService {
  constructor(
    private readonly transactions: Transactions,
    private readonly catalogue: CatalogueService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** @param after from `CatalogueService.complete` @throws {Unavailable} */
  async effect(after: Catalogue): Promise<VersionEffect> {
    const before = this.catalogue.current;
    const now = this.clock.now().getTime();
    const monthly: Record<string, number> = {};
    const orders: AffectedOrder[] = [];
    let open = 0;
    for await (const page of this.openOrders()) {
      open += page.length;
      for (const order of page) {
        const { reference, productCode, postcode } = order;
        const [was, will] = [before, after].map(
          (catalogue) => placeOfOrder(order, catalogue, now).offer(productCode) ?? null,
        );
        if (was && will && was.currency === will.currency) {
          const { currency } = will;
          monthly[currency] = (monthly[currency] ?? 0) + will.amountMinor - was.amountMinor;
        }
        if ((!was && !will) || (was && will && sameTerms(was, will))) continue;
        orders.push({ reference, productCode, postcode, before: was!, after: will! });
      }
    }
    let heldChecks = 0;
    let heldChanged = 0;
    const held = { start: now - this.config.priceHoldMinutes * MINUTE, end: now + 1 };
    for await (const places of this.askedIn(held)) {
      for (const { place, count } of places) {
        heldChecks += count;
        if (isChanged(before, after, place, now)) heldChanged += count;
      }
    }
    for (const [currency, amount] of Object.entries(monthly)) {
      monthly[currency] = majorUnits(amount, currency);
    }
    return { openOrders: open, orders, monthly, heldChecks, heldChanged };
  }

  /** The number of checks by price list and place. */
  private async *askedIn(span: Span): AsyncGenerator<readonly CheckedPlaces[]> {
    const counts = new Map<string, Map<string, number>>();
    for await (const rows of inSlices(this.transactions, span, askedIn)) {
      for (const { postcode, uprn, priceList, near, n } of rows) {
        const place = `${postcode}|${uprn ?? ''}|${Number(near)}`;
        let places = counts.get(priceList);
        if (!places) counts.set(priceList, (places = new Map<string, number>()));
        places.set(place, (places.get(place) ?? 0) + Number(n));
      }
    }
    for (const [priceList, places] of counts) {
      for await (const group of inTurns(groupsOf(places, PAGE))) {
        yield group.map(([text, count]) => ({
          place: { ...readPlace(text), priceList },
          count,
        }));
      }
    }
  }

  private openOrders(): AsyncGenerator<readonly ProductOrder[]> {
    return openOrders(this.transactions, PAGE, async (query) => {
      // No version offers bespoke products.
      query.andWhere({ kind: 'order', productFamily: Not(BESPOKE) });
      const orders = await query.orderBy({ 'r.receivedAt': 'ASC', 'r.id': 'ASC' }).getMany();
      return orders.filter(isProductOrder);
    });
  }
}

interface CheckedPlaces {
  readonly place: Parameters<typeof placeIn>[1];
  readonly count: number;
}

/** SQL: 1 for a check whose client sees prices by distance, 0 for the others. */
const SEES_NEAR = 'CASE WHEN r.near IS NULL THEN 0 ELSE 1 END';

function askedIn(tx: Tx, slice: Span) {
  return tx
    .createQueryBuilder(CheckRow, 'r')
    .select('r.postcode', 'postcode')
    .addSelect('r.uprn', 'uprn')
    .addSelect('r.priceList', 'priceList')
    .addSelect(SEES_NEAR, 'near')
    .addSelect('COUNT(*)', 'n')
    .where(CHECKS_MADE, checksMade(slice))
    .groupBy('r.postcode')
    .addGroupBy('r.uprn')
    .addGroupBy('r.priceList')
    .addGroupBy(SEES_NEAR)
    .getRawMany<{
      postcode: string;
      uprn: number | string | null;
      priceList: string;
      near: number | string;
      n: number | string;
    }>();
}

/** The inverse of the keys in `askedIn`. */
function readPlace(text: string) {
  const [postcode = '', uprn = '', near = ''] = text.split('|');
  return { postcode, uprn: parseUprn(uprn), seesNear: near === '1' };
}

/** Whether the terms of an offer at a place differ between two catalogues. @param at milliseconds */
function isChanged(
  before: Catalogue,
  after: Catalogue,
  place: CheckedPlaces['place'],
  at: number,
): boolean {
  const { offers: old } = placeIn(before, place, at);
  const { offers: fresh } = placeIn(after, place, at);
  if (old.json.text === fresh.json.text) return false;
  if (old.list.length !== fresh.list.length) return true;
  const terms = new Map(old.list.map((offer) => [offer.productCode, offer]));
  return fresh.list.some((offer) => {
    const was = terms.get(offer.productCode);
    return !was || !sameTerms(was, offer);
  });
}

import { Injectable } from '@nestjs/common';
import { Not, In } from 'typeorm';
import { CheckRow } from '../../availability/check.entity.js';
import { CHECKS_MADE, checksMade, checksUse } from '../../availability/stored-checks.js';
import { BESPOKE } from '../../catalogue/content/cells.js';
import type { Catalogue } from '../../catalogue/content/catalogue.js';
import { majorUnits } from '../../platform/kernel/money.js';
import type { AgreedTerms, Offer } from '../../catalogue/content/offer-fields.js';
import { changedTerms, completed, sameTerms, termsOf } from '../../catalogue/content/offers.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { parseUprn, printUprn } from '../../platform/kernel/uprn.js';
import { placeIn, placeOfOrder } from '../../catalogue/shown/shown.service.js';
import { findOn } from '../../platform/database/sides.js';
import { inSlices, type Span } from '../../platform/database/slices.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { isProductOrder, type ProductOrder, Order } from '../record/order.entity.js';
import { openOrders } from './open-orders.js';
import { DAY, MINUTE, HOUR } from '../../platform/kernel/time.js';
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

/** A change of one offer in the response to a check. */
export interface OfferChange {
  readonly productCode: string;
  /** `gained`, `lost`, or what changes: `price`, `lead time`, `price and lead time`. */
  readonly change: string;
  readonly before: AgreedTerms | null;
  readonly after: AgreedTerms | null;
}

export interface ReplayedAnswer {
  readonly postcode: string;
  /** Null for checks of the postcode. */
  readonly uprn: string | null;
  readonly priceList: string;
  /** How many checks asked for this place. It is listed again if a date changed the answer in between. */
  readonly checks: number;
  readonly changes: readonly OfferChange[];
}

export interface ReplayedOrder {
  readonly reference: string;
  readonly postcode: string;
  readonly change: OfferChange;
}

/** The effect of a version on recent checks and open orders. */
export interface Replay {
  readonly version: number;
  readonly comparedWith: number;
  readonly days: number;
  readonly checks: number;
  /** Checks with a different response. */
  readonly checksChanged: number;
  /** Most frequent first. */
  readonly answers: readonly ReplayedAnswer[];
  readonly openOrders: number;
  /** Orders keep their terms. New orders like these would get different ones. */
  readonly orders: readonly ReplayedOrder[];
}

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

/** Runs past checks and open orders through a version before it goes live. */
@Injectable()
export class ReplayService {
  constructor(
    private readonly transactions: Transactions,
    private readonly catalogue: CatalogueService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** @throws {VersionNotFound | Unavailable} */
  async replay(version: number, days: number): Promise<Replay> {
    const before = this.catalogue.current;
    const after = await this.catalogue.complete(version);
    const now = this.clock.now().getTime();
    const answers: ReplayedAnswer[] = [];
    let checks = 0;
    let checksChanged = 0;
    const instants = [...before.changeInstants, ...after.changeInstants];
    for (const span of spansBetween(now - days * DAY, now + 1, instants)) {
      for await (const places of this.askedIn(span)) {
        for (const { place, count } of places) {
          checks += count;
          const changes = changesOf(before, after, place, span.start);
          if (changes.length === 0) continue;
          checksChanged += count;
          const { postcode, uprn, priceList } = place;
          answers.push({ postcode, uprn: printUprn(uprn), priceList, checks: count, changes });
        }
      }
    }
    const orders: ReplayedOrder[] = [];
    let open = 0;
    for await (const page of this.openOrders()) {
      open += page.length;
      for (const order of page) {
        const { postcode, productCode, reference } = order;
        const offer = placeOfOrder(order, after, now).offer(productCode);
        const change = offerChange(completed(order.terms), offer, productCode);
        if (change) orders.push({ reference, postcode, change });
      }
    }
    return {
      version,
      comparedWith: before.version,
      days,
      checks,
      checksChanged,
      answers: answers.sort((a, b) => b.checks - a.checks),
      openOrders: open,
      orders,
    };
  }

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
        const changes = changesOf(before, after, place, now);
        if (changes.length > 0) heldChanged += count;
      }
    }
    for (const [currency, amount] of Object.entries(monthly)) {
      monthly[currency] = majorUnits(amount, currency);
    }
    return { openOrders: open, orders, monthly, heldChecks, heldChanged };
  }

  /** The number of checks by price list and place. */
  private async *askedIn(span: Span): AsyncGenerator<readonly ReplayedPlace[]> {
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

interface ReplayedPlace {
  readonly place: Parameters<typeof placeIn>[1];
  readonly count: number;
}

/** The span, cut at the instants at which dates change an answer: within a part, answers stay the same. */
function spansBetween(start: number, end: number, instants: readonly number[]): Span[] {
  const cuts = [...new Set(instants)].filter((at) => at > start && at < end).sort((a, b) => a - b);
  return [start, ...cuts].map((from, i) => ({ start: from, end: cuts[i] ?? end }));
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

/** How the offers at a place change from one catalogue to another. @param at milliseconds */
function changesOf(
  before: Catalogue,
  after: Catalogue,
  place: ReplayedPlace['place'],
  at: number,
): OfferChange[] {
  const { offers: old } = placeIn(before, place, at);
  const { offers: fresh } = placeIn(after, place, at);
  if (old.json.text === fresh.json.text) return [];
  const left = new Map(old.list.map((offer) => [offer.productCode, offer]));
  const changes = fresh.list.map((offer) => {
    const was = left.get(offer.productCode);
    left.delete(offer.productCode);
    return offerChange(was, offer, offer.productCode);
  });
  for (const was of left.values()) changes.push(offerChange(was, undefined, was.productCode));
  return changes.filter((change) => change !== null);
}

/** Null if the terms are the same. */
function offerChange(
  before: AgreedTerms | undefined,
  after: AgreedTerms | undefined,
  productCode: string,
): OfferChange | null {
  if (before && after && sameTerms(before, after)) return null;
  const both = {
    productCode,
    before: before ? termsOf(before) : null,
    after: after ? termsOf(after) : null,
  };
  if (!before || !after) return { ...both, change: before ? 'lost' : 'gained' };
  return { ...both, change: changedTerms(before, after).join(' and ').toLowerCase() };
}

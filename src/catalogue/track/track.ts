/** What was promised against what happened: pure functions over the orders that went live. */
import { nearestRank } from '../../platform/kernel/sorted.js';
import { familyOf } from '../content/offers.js';
import type { Offer } from '../content/offer-fields.js';

/** What happened to orders of a product family in a zone. */
export interface Track {
  readonly orders: number;
  /** Whole per cent of the orders that had accepted extra charges. */
  readonly chargedPercent: number;
  /** In major units; null where few orders were charged. */
  readonly medianCharge: number | null;
  /** From acceptance to the live service. */
  readonly leadTimeDays: { readonly median: number; readonly p80: number };
}

/** An order that went live. */
export interface LiveOrder {
  readonly clientId: string;
  readonly family: string;
  readonly zone: string;
  readonly currency: string;
  readonly promisedDays: number;
  readonly tookDays: number;
  /** The sum of its accepted extra charges, in major units. */
  readonly charged: number;
}

/** A zone whose orders took longer than was promised. */
export interface LateZone {
  readonly zone: string;
  readonly promised: number;
  readonly p80: number;
}

/** A track is of at least this many orders. */
export const LEAST_ORDERS = 20;
/** A track, and a median charge, is of orders of at least this many clients, none of which has more than half of them. */
const LEAST_CLIENTS = 3;
/** A median charge is of at least this many orders. */
const LEAST_CHARGED = 5;

/** Null for too few orders, and where the figures would be those of one client. */
export function trackOf(orders: readonly LiveOrder[]): Track | null {
  if (orders.length < LEAST_ORDERS || showsOne(orders)) return null;
  const charged = orders.filter((order) => order.charged > 0);
  const isShown = charged.length >= LEAST_CHARGED && !showsOne(charged);
  const took = orders.map(({ tookDays }) => tookDays);
  return {
    orders: orders.length,
    chargedPercent: Math.round((charged.length / orders.length) * 100),
    medianCharge: isShown
      ? quantile(
          charged.map((order) => order.charged),
          0.5,
        )
      : null,
    leadTimeDays: { median: quantile(took, 0.5), p80: quantile(took, 0.8) },
  };
}

function showsOne(orders: readonly LiveOrder[]): boolean {
  const byClient = Map.groupBy(orders, ({ clientId }) => clientId);
  const most = Math.max(...[...byClient.values()].map(({ length }) => length));
  return byClient.size < LEAST_CLIENTS || most * 2 > orders.length;
}

/** The least value that at least this share of the values do not exceed. @param values at least one */
export function quantile(values: readonly number[], share: number): number {
  return nearestRank(
    values.toSorted((a, b) => a - b),
    share,
  )!;
}

/** The tracks of a year, in memory. */
export class Tracks {
  private readonly tracks = new Map<string, Track>();
  /** Zones whose promise 80 % of the orders did not keep, by name. */
  readonly late: readonly LateZone[];

  constructor(orders: readonly LiveOrder[]) {
    for (const [key, own] of Map.groupBy(orders, keyOf)) {
      const track = trackOf(own);
      if (track) this.tracks.set(key, track);
    }
    this.late = [...Map.groupBy(orders, ({ zone }) => zone)]
      .filter(([, own]) => own.length >= LEAST_ORDERS)
      .map(([zone, own]) => ({
        zone,
        promised: quantile(
          own.map(({ promisedDays }) => promisedDays),
          0.5,
        ),
        p80: quantile(
          own.map(({ tookDays }) => tookDays),
          0.8,
        ),
      }))
      .filter(({ promised, p80 }) => p80 > promised)
      .sort((a, b) => (a.zone < b.zone ? -1 : 1));
  }

  of({ productCode, zone, currency }: Pick<Offer, 'productCode' | 'zone' | 'currency'>) {
    return this.tracks.get(keyOf({ family: familyOf(productCode), zone, currency })) ?? null;
  }
}

function keyOf({ family, zone, currency }: Pick<LiveOrder, 'family' | 'zone' | 'currency'>) {
  return `${family} ${zone} ${currency}`;
}

/** What was promised against what happened to the orders that went live. */
import { nearestRank } from '../../platform/kernel/sorted.js';
import { groupInTurns, inTurns } from '../../platform/kernel/turns.js';
import { familyOf } from '../content/offers.js';
import type { Offer } from '../content/offer-fields.js';

/** What happened to orders of a product family in a zone. */
export interface Track {
  readonly orders: number;
  /** Whole per cent of the orders that had accepted extra charges. */
  readonly chargedPercent: number;
  /** In major units; null where few orders were charged. */
  readonly medianCharge: number | null;
  /** From acceptance to the live service, without the days that waited for the client. */
  readonly leadTimeDays: { readonly median: number; readonly p80: number };
}

/** An order that went live. */
export interface LiveOrder {
  readonly clientId: string;
  readonly family: string;
  readonly zone: string;
  readonly currency: string;
  readonly promisedDays: number;
  /** Without the days that waited for the client. */
  readonly tookDays: number;
  /** To the date that was committed last; null without one. */
  readonly committedDays: number | null;
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
  const byClient = new Map<string, number>();
  for (const { clientId } of orders) byClient.set(clientId, (byClient.get(clientId) ?? 0) + 1);
  return byClient.size < LEAST_CLIENTS || Math.max(...byClient.values()) * 2 > orders.length;
}

/** The least value that at least this share of the values do not exceed. @param values at least one */
export function quantile(values: readonly number[], share: number): number {
  // Sorted as numbers, without a function: in less than half of the time.
  return nearestRank(Float64Array.from(values).sort(), share)!;
}

/** The tracks of a year, in memory. */
export class Tracks {
  private readonly tracks = new Map<string, Track>();
  private readonly lateZones: LateZone[] = [];

  /** Gives the event loop a turn after each day, each track and each zone. @param days the orders of each */
  static async of(
    days: Iterable<readonly LiveOrder[]> | AsyncIterable<readonly LiveOrder[]>,
  ): Promise<Tracks> {
    const byKey = await groupInTurns(days, keyOf);
    const tracks = new Tracks();
    for await (const [key, own] of inTurns(byKey)) {
      const track = trackOf(own);
      if (track) tracks.tracks.set(key, track);
    }
    const byZone = Map.groupBy(byKey.values(), ([first]) => first!.zone);
    for await (const [zone, parts] of inTurns(byZone)) {
      const late = lateZone(zone, parts.flat());
      if (late) tracks.lateZones.push(late);
    }
    tracks.lateZones.sort((a, b) => (a.zone < b.zone ? -1 : 1));
    return tracks;
  }

  /** Zones whose promise 80 % of the orders did not keep, by name. */
  get late(): readonly LateZone[] {
    return this.lateZones;
  }

  of({ productCode, zone, currency }: Pick<Offer, 'productCode' | 'zone' | 'currency'>) {
    return this.tracks.get(keyOf({ family: familyOf(productCode), zone, currency })) ?? null;
  }
}

/** Null for too few orders, and for a promise that was kept. */
function lateZone(zone: string, orders: readonly LiveOrder[]): LateZone | null {
  if (orders.length < LEAST_ORDERS) return null;
  const promises = orders.map(({ promisedDays }) => promisedDays);
  const took = orders.map(({ tookDays }) => tookDays);
  const [promised, p80] = [quantile(promises, 0.5), quantile(took, 0.8)];
  return p80 > promised ? { zone, promised, p80 } : null;
}

function keyOf({ family, zone, currency }: Pick<LiveOrder, 'family' | 'zone' | 'currency'>) {
  return `${family} ${zone} ${currency}`;
}

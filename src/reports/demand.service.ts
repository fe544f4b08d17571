import { Injectable } from '@nestjs/common';
import type { Catalogue } from '../catalogue/content/catalogue.js';
import { STANDARD } from '../catalogue/content/cells.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import type { BuildNetwork } from '../near-net/network.js';
import { Clock } from '../platform/kernel/clock.js';
import { lowerBound } from '../platform/kernel/sorted.js';
import { londonDay } from '../platform/kernel/working-hours.js';
import { groupsOf, inTurns, nextTurn } from '../platform/kernel/turns.js';
import { WatchDemandService } from '../watches/watch-demand.service.js';
import {
  type Amounts,
  MADE_BY_STAFF,
  NOTHING_FOUND,
  ReportCountsService,
} from './report-counts.service.js';
import { rangeOf, rowsByKey } from './report-figures.js';
import type { ReportQuery } from './report-query.dto.js';
import { sectorPlaces, type SectorPlaces } from './sector-places.js';
import { FIRST_ZONE_NUMBER } from '../catalogue/content/coverage-codec.js';
import { type CoverageIndex, UNITS_IN } from '../catalogue/content/coverage-index.js';

/**
 * How many postcodes of each sector are in a zone that sells. Rows of single postcodes decide for those;
 * the sector's own row, or that of a larger place, decides for the rest of its postcodes.
 */
export function coveredPostcodes(
  coverage: CoverageIndex,
  sells: (zoneNumber: number) => boolean,
  { keys, postcodes }: Pick<SectorPlaces, 'keys' | 'postcodes'>,
): Uint16Array {
  const units = coverage.coverage.levels.unit;
  const selling = Array.from(
    { length: FIRST_ZONE_NUMBER + coverage.zones.length },
    (_, zone) => zone >= FIRST_ZONE_NUMBER && sells(zone),
  );
  let at = lowerBound(units.keys, (keys[0] ?? 0) * UNITS_IN.sector);
  return Uint16Array.from(keys, (key, i) => {
    const [first, end] = [key * UNITS_IN.sector, (key + 1) * UNITS_IN.sector];
    while (at < units.keys.length && units.keys[at]! < first) at += 1;
    let listed = 0;
    let served = 0;
    for (; at < units.keys.length && units.keys[at]! < end; at += 1) {
      listed += 1;
      if (selling[units.zoneNumbers[at]!]) served += 1;
    }
    const total = postcodes[i]!;
    // Coverage may list postcodes that are newer than these numbers.
    const others = Math.max(0, total - listed);
    const sold = selling[coverage.zoneNumberOfPlace('sector', key)] ? served + others : served;
    return Math.min(sold, total);
  });
}

/** Checks and orders in a postcode sector. */
export interface SectorDemand {
  /** `EC2A 2` */
  readonly sector: string;
  checks: number;
  /** Of these, those without any product. */
  notServed: number;
  /** Of `checks`, those that staff made for an API client on the phone. */
  byStaff: number;
  /** Watches that are open now, not those of the period. */
  watched: number;
  orders: number;
  /** Of a month, of the orders. */
  amounts: Amounts;
}

/** The sector of an order: without the two letters at the end. */
const ORDER_SECTOR = 'SUBSTR(r.postcode, 1, LENGTH(r.postcode) - 2)';

/** Rows that are read in one turn of the event loop. */
const IN_A_TURN = 2_000;

/** Sectors whose postcodes are counted in one turn: each has about 200. */
const SECTORS_IN_A_TURN = 500;

/** What the map shows: demand by sector, and the coverage of the live catalogue. */
@Injectable()
export class DemandService {
  /** It takes seconds to count. */
  private known:
    | {
        network: BuildNetwork | null;
        day: string;
        reached: Promise<ReadonlyMap<number, number>>;
      }
    | undefined;
  private cached:
    { catalogue: Catalogue; until: number; covered: Promise<Uint16Array> } | undefined;

  constructor(
    private readonly counts: ReportCountsService,
    private readonly watches: WatchDemandService,
    private readonly catalogue: CatalogueService,
    private readonly clock: Clock,
  ) {}

  /** The sectors with checks, orders or open watches. */
  async bySector(query: ReportQuery): Promise<SectorDemand[]> {
    const range = rangeOf(query, this.clock.now());
    const { rows, rowOf } = rowsByKey((sector): SectorDemand => ({ ...nothing, sector }));
    const checks = await this.counts.checks(
      { by: { sector: 'r.sector' }, counting: { none: NOTHING_FOUND, staff: MADE_BY_STAFF } },
      range.days,
      query,
    );
    for await (const group of inTurns(groupsOf(checks, IN_A_TURN))) {
      for (const { by, n, counted } of group) {
        const row = rowOf(by.sector);
        row.checks = n;
        row.notServed = counted.none ?? 0;
        row.byStaff = counted.staff ?? 0;
      }
    }
    const orders = await this.counts.orders(
      { at: 'receivedAt', by: { sector: ORDER_SECTOR } },
      range,
      query,
    );
    for await (const group of inTurns(groupsOf(orders, IN_A_TURN))) {
      for (const { by, n, amounts } of group) {
        const row = rowOf(by.sector);
        row.orders = n;
        row.amounts = amounts;
      }
    }
    const watched = await this.watches.bySector(query.client ?? null);
    for (const [sector, count] of watched) rowOf(sector).watched = count;
    return [...rows.values()];
  }

  /** For each of `sectorPlaces`, its postcodes where the live catalogue sells on the standard list. */
  async covered(): Promise<Uint16Array> {
    if (!this.catalogue.loaded) return new Uint16Array(sectorPlaces().keys.length);
    const catalogue = this.catalogue.current;
    const now = this.clock.now().getTime();
    if (this.cached?.catalogue !== catalogue || now >= this.cached.until) {
      const covered = coveredNow(catalogue, now);
      const until = catalogue.changeInstants.find((at) => at > now) ?? Infinity;
      this.cached = { catalogue, until, covered };
    }
    return this.cached.covered;
  }

  /** Whether places can have a price by distance. */
  get hasReach(): boolean {
    return this.catalogue.loaded && this.catalogue.current.network !== null;
  }

  /** The postcodes that get a price by distance today, by the key of their sector. */
  reached(): Promise<ReadonlyMap<number, number>> {
    const { network } = this.catalogue.current;
    const day = londonDay(this.clock.now());
    if (this.known?.network !== network || this.known.day !== day) {
      const reached = this.catalogue.reach(day);
      reached.catch(() => (this.known = undefined));
      this.known = { network, day, reached };
    }
    return this.known.reached;
  }
}

/** A million units take 20 ms. */
async function coveredNow(catalogue: Catalogue, now: number): Promise<Uint16Array> {
  const sells = (zone: number) => catalogue.offersInZone(zone, STANDARD, now).count > 0;
  const { keys, postcodes } = sectorPlaces();
  const covered = new Uint16Array(keys.length);
  for (let at = 0; at < keys.length; at += SECTORS_IN_A_TURN) {
    const end = at + SECTORS_IN_A_TURN;
    const part = { keys: keys.subarray(at, end), postcodes: postcodes.subarray(at, end) };
    covered.set(coveredPostcodes(catalogue.content.coverage, sells, part), at);
    await nextTurn();
  }
  return covered;
}

const nothing = { checks: 0, notServed: 0, byStaff: 0, watched: 0, orders: 0, amounts: new Map() };

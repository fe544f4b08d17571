import { completed } from '../../catalogue/content/offers.js';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { CheckRow } from '../../availability/check.entity.js';
import { CHECKS_MADE, checksMade, checksUse } from '../../availability/stored-checks.js';
import { CatalogueVersion } from '../../catalogue/versions/catalogue-version.entity.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { VersionsService } from '../../catalogue/versions/versions.service.js';
import { Clock } from '../../kernel/clock.js';
import { postcodeOf } from '../../problems/postcode.errors.js';
import { inSlices, type Span } from '../../database/slices.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import { Order, TestOrder } from '../order.entity.js';
import { openStates } from '../moves/order-states.js';
import { changesOf, offerChange, type OfferChange } from './replay.js';
import { DAY, HOUR } from '../../kernel/time.js';

/** Rows of one query. */
const PAGE = 5_000;

export interface ReplayedAnswer {
  readonly postcode: string;
  readonly priceList: string;
  /** How many of the checks were this one. */
  readonly checks: number;
  readonly changes: readonly OfferChange[];
}

export interface ReplayedOrder {
  readonly reference: string;
  readonly postcode: string;
  readonly change: OfferChange;
}

/** What clients who asked lately, and those who have ordered, would see of a version. */
export interface Replay {
  readonly version: number;
  readonly comparedWith: number;
  readonly days: number;
  readonly checks: number;
  /** Of the checks, those whose answer would be another one. */
  readonly checksChanged: number;
  /** Asked most often first. */
  readonly answers: readonly ReplayedAnswer[];
  readonly openOrders: number;
  /** Orders keep their terms; these could not be placed again on the same ones. */
  readonly orders: readonly ReplayedOrder[];
}

/** Runs past checks and open orders through a version before it is taken into service. */
@Injectable()
export class ReplayService {
  constructor(
    private readonly transactions: Transactions,
    private readonly catalogue: CatalogueService,
    private readonly clock: Clock,
    versions: VersionsService,
  ) {
    versions.protect((tx, numbers) => this.referred(tx, numbers));
  }

  /** @throws {VersionNotFound | Unavailable} */
  async replay(version: number, days: number): Promise<Replay> {
    const before = this.catalogue.current;
    const after = await this.catalogue.version(version);
    const asked = await this.askedSince(this.clock.now().getTime() - days * DAY);
    const answers: ReplayedAnswer[] = [];
    let checks = 0;
    let checksChanged = 0;
    for (const [priceList, places] of asked) {
      for (const [postcode, count] of places) {
        checks += count;
        const changes = changesOf(before, after, postcodeOf(postcode), priceList);
        if (changes.length === 0) continue;
        checksChanged += count;
        answers.push({ postcode, priceList, checks: count, changes });
      }
    }
    const open = await this.openOrders();
    const orders = open.flatMap((order): ReplayedOrder[] => {
      const { postcode, priceList, productCode, reference } = order;
      const now = after.offer(postcodeOf(postcode), priceList, productCode);
      const change = offerChange(completed(order.terms), now, productCode);
      return change ? [{ reference, postcode, change }] : [];
    });
    return {
      version,
      comparedWith: before.version,
      days,
      checks,
      checksChanged,
      answers: answers.sort((a, b) => b.checks - a.checks),
      openOrders: open.length,
      orders,
    };
  }

  /** How often each postcode was asked for on each price list. */
  private async askedSince(start: number): Promise<Map<string, Map<string, number>>> {
    const asked = new Map<string, Map<string, number>>();
    const span = { start, end: this.clock.now().getTime() + 1 };
    for await (const rows of inSlices(this.transactions, span, askedIn)) {
      for (const { postcode, priceList, n } of rows) {
        let places = asked.get(priceList);
        if (!places) asked.set(priceList, (places = new Map<string, number>()));
        places.set(postcode, (places.get(postcode) ?? 0) + Number(n));
      }
    }
    return asked;
  }

  private async openOrders(): Promise<Order[]> {
    const orders: Order[] = [];
    for (;;) {
      const page = await this.transactions.read((tx) =>
        tx.find(Order, {
          where: { state: In([...openStates]) },
          order: { id: 'ASC' },
          skip: orders.length,
          take: PAGE,
        }),
      );
      orders.push(...page);
      if (page.length < PAGE) return orders;
    }
  }

  private async referred(tx: Tx, numbers: readonly number[]): Promise<number[]> {
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
}

async function isOrdered(tx: Tx, { number }: CatalogueVersion): Promise<boolean> {
  for (const orders of [Order, TestOrder]) {
    if (await tx.existsBy<{ catalogueVersion: number }>(orders, { catalogueVersion: number }))
      return true;
  }
  return false;
}

/** Checks are answered from a version while it is live; an instance may notice later that it is not. */
async function isChecked(
  tx: Tx,
  { number, activatedAt, retiredAt }: CatalogueVersion,
): Promise<boolean> {
  // It never was live; a version that is live is never pruned.
  if (!activatedAt || !retiredAt) return false;
  const live = { start: activatedAt.getTime(), end: retiredAt.getTime() + HOUR };
  return checksUse(tx, number, live);
}

function askedIn(tx: Tx, slice: Span) {
  return tx
    .createQueryBuilder(CheckRow, 'r')
    .select('r.postcode', 'postcode')
    .addSelect('r.priceList', 'priceList')
    .addSelect('COUNT(*)', 'n')
    .where(CHECKS_MADE, checksMade(slice))
    .groupBy('r.postcode')
    .addGroupBy('r.priceList')
    .getRawMany<{ postcode: string; priceList: string; n: number | string }>();
}

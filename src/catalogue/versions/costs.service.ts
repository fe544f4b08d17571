import { Injectable } from '@nestjs/common';
import type { Actor } from '../../platform/audit/audit.service.js';
import { groupsOf, inTurns } from '../../platform/kernel/turns.js';
import { KnownPairs, supplierZone } from '../content/cost-books.js';
import type { CostRow } from '../content/cost-fields.js';
import { CostBook, type SoldBySupplier, type SupplierCost } from '../content/review/margins.js';
import { supplierOf } from '../content/coverage-codec.js';
import { CatalogueService } from './catalogue.service.js';
import { VersionNotFound } from './catalogue.errors.js';

/** Whether someone may see what products of suppliers cost. The operator's commands always do. */
export function seesCosts(actor: Actor): boolean {
  return actor.type !== 'staff' || actor.scopes?.has('margins:read') === true;
}

/** Rows that are read in one turn of the event loop. */
const IN_A_TURN = 20_000;

/** Costs that are kept, as few of those of a book are asked for. */
const MOST_KNOWN = 20_000;

/** What suppliers charge for what versions sell: for those who may see margins. */
@Injectable()
export class CostsService {
  /** By the hash of the files of a version. */
  private readonly known = new Map<string, SupplierCost | null>();

  constructor(private readonly catalogue: CatalogueService) {}

  /** Null for what is no supplier's, and where the version is not stored any more. Not within a transaction. */
  async of(version: number, sold: readonly SoldBySupplier[]): Promise<(SupplierCost | null)[]> {
    if (sold.every(({ zone }) => supplierOf(zone) === null)) return sold.map(() => null);
    try {
      return await this.ofStored(version, sold);
    } catch (error) {
      if (error instanceof VersionNotFound) return sold.map(() => null);
      throw error;
    }
  }

  /** @throws {VersionNotFound} */
  private async ofStored(version: number, sold: readonly SoldBySupplier[]) {
    const files = await this.catalogue.filesHash(version);
    const keyOf = ({ productCode, zone, priceList }: SoldBySupplier) =>
      `${files} ${productCode} ${zone} ${priceList}`;
    const missing = sold.filter(
      (one) => supplierOf(one.zone) !== null && !this.known.has(keyOf(one)),
    );
    if (missing.length > 0) {
      const book = await this.bookOf(version, new Set(missing.map(({ zone }) => zone)));
      for (const one of missing) this.known.set(keyOf(one), book.of(one));
    }
    const found = sold.map((one) => this.known.get(keyOf(one)) ?? null);
    if (this.known.size > MOST_KNOWN) this.known.clear();
    return found;
  }

  /** The costs of these zones of suppliers, as the whole of a book can have 500,000 rows. @throws {VersionNotFound} */
  private async bookOf(version: number, zones: ReadonlySet<string>): Promise<CostBook> {
    const { margins, costs } = await this.catalogue.files(version);
    const names = new KnownPairs(supplierZone);
    const own: CostRow[] = [];
    for await (const group of inTurns(groupsOf(costs, IN_A_TURN))) {
      own.push(...group.filter(({ supplier, zone }) => zones.has(names.of(supplier, zone))));
    }
    return new CostBook({ margins, costs: own });
  }
}

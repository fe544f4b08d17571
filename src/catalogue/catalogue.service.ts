import { Injectable } from '@nestjs/common';
import { Unavailable } from '../common/problem.js';
import { Revisions } from '../database/revisions.js';
import { Transactions } from '../database/transactions.js';
import { Catalogue } from './catalogue.js';
import type { PriceRow, ProductRow } from './catalogue-files.js';
import { CatalogueVersion } from './catalogue-version.entity.js';
import { CoverageIndex } from './coverage-index.js';
import { Price } from './price.entity.js';
import { Product } from './product.entity.js';

/** How many versions besides the active one are kept in memory, for answers of the past. */
const MOST_OLDER = 3;

/** The active catalogue version, in memory, and older ones on request. */
@Injectable()
export class CatalogueService {
  private active: Catalogue | undefined;
  private readonly older = new Map<number, Promise<Catalogue>>();

  constructor(
    private readonly transactions: Transactions,
    revisions: Revisions,
  ) {
    revisions.follow('catalogue', () => this.load());
  }

  /** The active version: take it once for each request. @throws {Unavailable} where none is */
  get current(): Catalogue {
    if (this.active) return this.active;
    throw new Unavailable('No catalogue has been loaded yet.', undefined, 30);
  }

  get loaded(): boolean {
    return this.active !== undefined;
  }

  /** A version by its number, for answers that were given from it. */
  async version(number: number): Promise<Catalogue> {
    if (this.active?.version === number) return this.active;
    const known = this.older.get(number);
    if (known) return known;
    const oldest = this.older.size >= MOST_OLDER ? this.older.keys().next().value : undefined;
    if (oldest !== undefined) this.older.delete(oldest);
    const loading = this.read(number);
    this.older.set(number, loading);
    loading.catch(() => this.older.delete(number));
    return loading;
  }

  private async load(): Promise<void> {
    const row = await this.transactions.read((tx) =>
      tx.findOneBy(CatalogueVersion, { state: 'active' }),
    );
    if (!row || row.number === this.active?.version) return;
    this.active = await this.read(row.number);
  }

  private async read(version: number): Promise<Catalogue> {
    const [row, products, prices] = await this.transactions.read((tx) =>
      Promise.all([
        tx.findOneOrFail(CatalogueVersion, {
          where: { number: version },
          select: { number: true, coverage: true },
        }),
        tx.findBy(Product, { version }) as Promise<ProductRow[]>,
        tx.findBy(Price, { version }) as Promise<PriceRow[]>,
      ]),
    );
    const coverage = await CoverageIndex.decodeAsync(row.coverage);
    return new Catalogue(version, { products, prices, coverage });
  }
}

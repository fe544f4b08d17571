import { Injectable } from '@nestjs/common';
import { type Actor, AuditService } from '../audit/audit.service.js';
import { Clock } from '../common/clock.js';
import { Revisions } from '../database/revisions.js';
import { Transactions, type Tx } from '../database/transactions.js';
import { type CatalogueContent, contentHash } from './catalogue-files.js';
import { CatalogueVersion } from './catalogue-version.entity.js';
import type { CoverageIndex } from './coverage-index.js';
import { Price } from './price.entity.js';
import { Product } from './product.entity.js';

/** Rows of one INSERT: SQLite takes at most 32,766 parameters. */
const CHUNK = 1_000;

export interface ImportResult {
  readonly version: number;
  /** False where the content equals that of the active version, so that nothing was done. */
  readonly changed: boolean;
}

@Injectable()
export class ImportService {
  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: Revisions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** Stores the content as a new version and activates it, all or nothing. */
  async importContent(
    content: CatalogueContent,
    label: string,
    actor: Actor,
  ): Promise<ImportResult> {
    const hash = contentHash(content);
    const coverage = content.coverage.encode();
    const result = await this.transactions.run(async (tx) => {
      const active = await tx.findOneBy(CatalogueVersion, { state: 'active' });
      if (active?.contentHash === hash) return { version: active.number, changed: false };
      const version = await nextNumber(tx);
      const now = this.clock.now();
      await tx.update(CatalogueVersion, { state: 'active' }, { state: 'retired', retiredAt: now });
      await tx.insert(CatalogueVersion, {
        number: version,
        label,
        state: 'active',
        contentHash: hash,
        coverage,
        products: content.products.length,
        prices: content.prices.length,
        places: countPlaces(content.coverage),
        createdBy: actor.name,
        createdAt: now,
        activatedAt: now,
      });
      await insertInChunks(tx, Product, content.products, version);
      await insertInChunks(tx, Price, content.prices, version);
      await this.audit.record(tx, {
        subject: ['catalogue', String(version)],
        action: 'activated',
        actor,
        details: { label, contentHash: hash },
      });
      await this.revisions.bump(tx, 'catalogue');
      return { version, changed: true };
    });
    await this.revisions.look();
    return result;
  }

  /** All versions, newest first, without their content. */
  list(): Promise<CatalogueVersion[]> {
    return this.transactions.read((tx) => tx.find(CatalogueVersion, { order: { number: 'DESC' } }));
  }
}

function countPlaces({ size }: CoverageIndex): number {
  return size.units + size.sectors + size.subdistricts + size.districts + size.areas;
}

async function nextNumber(tx: Tx): Promise<number> {
  const [newest] = await tx.find(CatalogueVersion, { order: { number: 'DESC' }, take: 1 });
  return (newest?.number ?? 0) + 1;
}

async function insertInChunks<T extends Product | Price>(
  tx: Tx,
  entity: new () => T,
  rows: readonly Omit<T, 'version'>[],
  version: number,
): Promise<void> {
  for (let i = 0; i < rows.length; i += CHUNK) {
    const chunk = rows.slice(i, i + CHUNK).map((row) => ({ ...row, version }));
    await tx.insert<object>(entity, chunk);
  }
}

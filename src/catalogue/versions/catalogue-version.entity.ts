import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../../platform/database/columns.js';
import type { PriceAdjustment } from '../content/edits/adjust-prices.js';
import type { BrokenRail } from '../content/review/guard-rails.js';
import type { StoredContent } from '../content/content-codec.js';

/** Products, prices and coverage, immutable. Versions with the same content share one row. */
@Entity({ name: 'catalogue_contents' })
export class CatalogueContentRow implements StoredContent {
  /** See `StoredContent`. */
  @PrimaryColumn(column.text(80))
  hash: string;

  @Column(column.bytes)
  body: Uint8Array;
}

/** A draft waits for a person. At most one version is active. */
export type VersionState = 'draft' | 'active' | 'retired';

/** A discarded draft keeps its number until it is pruned, and is shown nowhere. */
export const DISCARDED = 'discarded';

/** A numbered content. Only its state ever changes. */
@Entity({ name: 'catalogue_versions' })
@Index('ux_catalogue_versions_active', ['state'], { unique: true, where: `"state" = 'active'` })
export class CatalogueVersion {
  /** From 1; numbers only go up. */
  @PrimaryColumn(column.integer)
  number: number;

  @Column(column.text(120))
  label: string;

  @Column(column.text(16))
  state: VersionState;

  @Column(column.text(80))
  @ForeignKey(() => CatalogueContentRow, { name: 'fk_catalogue_versions_content' })
  contentHash: string;

  /** The files as they were imported, with the cost books of suppliers; null if there are none. */
  @Column(optional(column.text(80)))
  @ForeignKey(() => CatalogueContentRow, { name: 'fk_catalogue_versions_source' })
  sourceHash: string | null;

  @Column(column.integer)
  products: number;

  @Column(column.integer)
  prices: number;

  /** Coverage rows of all levels. */
  @Column(column.integer)
  places: number;

  @Column(column.integer)
  premises: number;

  @Column(column.text(120))
  createdBy: string;

  @Column(column.instant)
  createdAt: Date;

  @Column(optional(column.instant))
  activatedAt: Date | null;

  @Column(optional(column.instant))
  retiredAt: Date | null;

  /** The active version that the import compared it with. */
  @Column(optional(column.integer))
  comparedWith: number | null;

  /** The guard rails broken in that comparison. */
  @Column(optional(column.json))
  rails: BrokenRail[] | null;

  /** What made this draft of the version that was live; null if it was made otherwise. */
  @Column(optional(column.json))
  adjustment: PriceAdjustment | null;

  /** The earlier version that a restore used. */
  @Column(optional(column.integer))
  contentOf: number | null;
}

/** Identifies the files of a version. */
export function filesHash(version: Pick<CatalogueVersion, 'contentHash' | 'sourceHash'>): string {
  return version.sourceHash ?? version.contentHash;
}

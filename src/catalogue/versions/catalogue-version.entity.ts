import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../../database/columns.js';
import type { BrokenRail } from '../content/guard-rails.js';
import { CatalogueContentRow } from './catalogue-content.entity.js';

/** A draft waits for a person, a scheduled one for its instant; exactly one is active. */
export type VersionState = 'draft' | 'scheduled' | 'active' | 'retired';

/** A content under a number; only its state ever changes. */
@Entity({ name: 'catalogue_versions' })
@Index('ux_catalogue_versions_active', ['state'], { unique: true, where: `"state" = 'active'` })
export class CatalogueVersion {
  /** 1, 2, 3 …: upwards only. */
  @PrimaryColumn(column.integer)
  number: number;

  @Column(column.text(120))
  label: string;

  @Column(column.text(16))
  state: VersionState;

  /** Equal content, equal hash. */
  @Column(column.text(80))
  @ForeignKey(() => CatalogueContentRow, { name: 'fk_catalogue_versions_content' })
  contentHash: string;

  @Column(column.integer)
  products: number;

  @Column(column.integer)
  prices: number;

  /** Rows of coverage, on every level. */
  @Column(column.integer)
  places: number;

  @Column(column.text(120))
  createdBy: string;

  @Column(column.instant)
  createdAt: Date;

  @Column(optional(column.instant))
  activatedAt: Date | null;

  @Column(optional(column.instant))
  retiredAt: Date | null;

  /** When a scheduled version becomes active. */
  @Column(optional(column.instant))
  activatesAt: Date | null;

  /** The version that was active when this one was compared with it; null where none was. */
  @Column(optional(column.integer))
  comparedWith: number | null;

  /** The guard rails that it broke in that comparison. */
  @Column(optional(column.json))
  rails: BrokenRail[] | null;

  /** The earlier version whose content this one brings back. */
  @Column(optional(column.integer))
  contentOf: number | null;
}

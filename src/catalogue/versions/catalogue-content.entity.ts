import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column } from '../../platform/database/columns.js';
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

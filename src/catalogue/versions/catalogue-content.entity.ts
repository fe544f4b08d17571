import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column } from '../../database/columns.js';
import type { StoredContent } from '../content/content-codec.js';

/** Products, prices and coverage as one immutable whole, once for all versions that have it. */
@Entity({ name: 'catalogue_contents' })
export class CatalogueContentRow implements StoredContent {
  /** Format version and SHA-256 of the content in canonical form. */
  @PrimaryColumn(column.text(80))
  hash: string;

  /** See content-codec.ts. */
  @Column(column.bytes)
  body: Uint8Array;
}

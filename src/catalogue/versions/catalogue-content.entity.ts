import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column } from '../../database/columns.js';
import type { StoredContent } from '../content/content-codec.js';

/** Products, prices and coverage as one immutable whole, once for all versions that have it. */
@Entity({ name: 'catalogue_contents' })
export class CatalogueContentRow implements StoredContent {
  /** Of the content in canonical form, with the version of that form: `v2:` and SHA-256 in hex. */
  @PrimaryColumn(column.text(80))
  hash: string;

  /** See content-codec.ts. */
  @Column(column.bytes)
  body: Uint8Array;
}

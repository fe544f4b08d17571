import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ApiClient } from '../../clients/api-client.entity.js';
import { column, optional } from '../../platform/database/columns.js';

/**
 * A quote that staff prepare for a client, who sees nothing of it. Any staff member can go on with it. Once it is sent, it
 * stays for as long as that can be undone.
 */
@Entity({ name: 'quote_drafts' })
@Index('ix_quote_drafts_updated', ['updatedAt', 'id'])
@ForeignKey(() => ApiClient, ['clientId'], ['id'], { name: 'fk_quote_drafts_client' })
export class QuoteDraft {
  /** UUID v7. */
  @PrimaryColumn(column.uuid)
  id: string;

  @Column(column.uuid)
  clientId: string;

  /** Who made it. */
  @Column(column.uuid)
  staffId: string;

  @Column(optional(column.text(64)))
  clientReference: string | null;

  /** The client's customer. */
  @Column(optional(column.text(120)))
  customer: string | null;

  /** Counts its changes. */
  @Column(column.integer)
  version: number;

  /** See `packDraft`: the list as it was sent, how it is read, and what was corrected. */
  @Column(column.bytes)
  body: Uint8Array;

  /** As which it was sent; null if it was not. */
  @Column(optional(column.uuid))
  quoteId: string | null;

  @Column(column.instant)
  createdAt: Date;

  @Column(column.instant)
  updatedAt: Date;
}

/** How the lists of a client name their columns, as staff chose it last. */
@Entity({ name: 'quote_columns' })
@ForeignKey(() => ApiClient, ['clientId'], ['id'], { name: 'fk_quote_columns_client' })
export class QuoteColumns {
  @PrimaryColumn(column.uuid)
  clientId: string;

  /** The column of a site by the name in the list; empty for one that is ignored. */
  @Column(column.json)
  columns: Readonly<Record<string, string>>;

  @Column(column.instant)
  updatedAt: Date;
}

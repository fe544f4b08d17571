import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ApiClient } from '../../clients/api-client.entity.js';
import { column, optional } from '../../platform/database/columns.js';
import { WithSandbox } from '../../platform/database/sides.js';
import type { CancellationTerm } from '../../catalogue/content/cancellation.js';
import type { PlaceConstraint } from '../../catalogue/content/zone-fields.js';
import type { CheckedProduct } from '../../availability/availability.dto.js';
import type { QuoteLineView } from './quotes.dto.js';

/** The product of a line, and what an order of it needs beside its terms. */
export interface QuotedOffer extends Readonly<
  Pick<QuoteLineView, 'discountPercent' | 'discountFrom' | 'nearest' | 'held'>
> {
  readonly product: CheckedProduct;
  readonly zone: string;
  readonly priceList: string;
  /** A month's price in minor units. */
  readonly amountMinor: number;
  readonly catalogueVersion: number;
  /** See `CancellationCosts`; missing in quotes from before version 1.1.0. */
  readonly cancellation?: readonly CancellationTerm[];
}

type QuoteLineField =
  | 'site'
  | 'postcode'
  | 'uprn'
  | 'notes'
  | 'details'
  | 'wanted'
  | 'alternatives'
  | 'reasons'
  | 'problem'
  | 'was'
  | 'sameAs';

/**
 * One site of a quote and its answer; never changed. `wanted` is null where the row does not say it, or says it
 * wrongly; the postcode of a row that has none is as it was sent.
 */
export interface QuoteLine extends Readonly<Pick<QuoteLineView, QuoteLineField>> {
  readonly offer: QuotedOffer | null;
  /** Missing in quotes from before version 1.1.0. */
  readonly constraints?: readonly PlaceConstraint[];
}

/**
 * A quote: sites and what they were answered, which never changes. What became of a line is in the orders and
 * enquiries that name it.
 */
abstract class QuoteRecord {
  /** UUID v7. */
  @PrimaryColumn(column.uuid)
  id: string;

  /** `QUO-` and 6 characters of Crockford's base 32. */
  @Column(column.text(10))
  reference: string;

  @Column(column.uuid)
  clientId: string;

  @Column(optional(column.text(64)))
  clientReference: string | null;

  /** The client's customer. */
  @Column(optional(column.text(120)))
  customer: string | null;

  @Column(column.text(32))
  priceList: string;

  /** Null in the sandbox. */
  @Column(optional(column.integer))
  catalogueVersion: number | null;

  @Column(column.integer)
  lineCount: number;

  /** Lines that had a product. */
  @Column(column.integer)
  pricedCount: number;

  /** Rows with a fault. */
  @Column(column.integer)
  invalidCount: number;

  /** See `packLines`. Only erasure changes it. */
  @Column(column.bytes)
  body: Uint8Array;

  @Column(column.instant)
  createdAt: Date;

  /** From when the client sees it: a quote of staff can be taken back until then. */
  @Column(column.instant)
  sentAt: Date;

  @Column(column.instant)
  validUntil: Date;

  /** From when staff have withdrawn it; null if they have not. */
  @Column(optional(column.instant))
  withdrawnAt: Date | null;

  /** When a line was last ordered or enquired about. */
  @Column(column.instant)
  updatedAt: Date;

  /** Messages to the client report what became of lines up to then. */
  @Column(column.instant)
  toldAt: Date;

  /** When a message said that it expires soon; null if none did. */
  @Column(optional(column.instant))
  warnedAt: Date | null;
}

/** What lists need: all but the lines. */
export type QuoteHeader = Omit<Quote, 'body'>;

/** @param alias of the quote in a query */
export const headerColumns = (alias: string) => headerNames.map((name) => `${alias}.${name}`);

const headerNames: readonly (keyof QuoteHeader)[] = [
  ...(['id', 'reference', 'clientId', 'clientReference', 'customer', 'priceList'] as const),
  ...(['catalogueVersion', 'lineCount', 'pricedCount', 'invalidCount'] as const),
  ...(['createdAt', 'sentAt', 'validUntil', 'withdrawnAt'] as const),
  ...(['updatedAt', 'toldAt', 'warnedAt'] as const),
];

@WithSandbox()
@Entity({ name: 'quotes' })
@Index('ux_quotes_reference', ['reference'], { unique: true })
@Index('ix_quotes_client_created', ['clientId', 'createdAt', 'id'])
@Index('ix_quotes_valid_until', ['validUntil', 'id'])
@Index('ix_quotes_sent', ['sentAt'])
@Index('ix_quotes_withdrawn', ['withdrawnAt'])
@ForeignKey(() => ApiClient, ['clientId'], ['id'], { name: 'fk_quotes_client' })
export class Quote extends QuoteRecord {}

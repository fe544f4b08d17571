import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { column, optional } from '../../platform/database/columns.js';
import { WithSandbox } from '../../platform/database/sides.js';
import type { OfferProgress, OfferState } from './offer-states.js';

/** The columns of a bespoke offer, live or test. */
export abstract class BespokeOfferRecord implements OfferProgress {
  /** UUID v7. */
  @PrimaryColumn(column.uuid)
  id: string;

  /** 6 characters of Crockford's base 32: the end of its product code. */
  @Column(column.text(6))
  reference: string;

  @Column(column.uuid)
  enquiryId: string;

  /** Offers that were sent together have the same number; the first answer to an enquiry has 1. */
  @Column(column.integer)
  answer: number;

  @Column(column.text(16))
  state: OfferState;

  /** The product with its terms in the form of the API; only an erasure blanks its name. Reports use the columns below. */
  @Column(column.json)
  terms: OfferedProduct;

  /** A month's price, excluding VAT. */
  @Column(column.money)
  monthlyMinor: number;

  @Column(optional(column.money))
  setupMinor: number | null;

  @Column(column.text(3))
  currency: string;

  @Column(column.integer)
  termMonths: number;

  /** The last instant at which the client can accept it. */
  @Column(column.instant)
  validUntil: Date;

  /** For the client. */
  @Column(optional(column.longText))
  note: string | null;

  @Column(column.instant)
  createdAt: Date;

  /** The staff member; null where the sandbox made it. */
  @Column(optional(column.uuid))
  createdBy: string | null;

  /** Why a manager has to approve it, when it was written; null if no one has to. */
  @Column(optional(column.longText))
  approvalReason: string | null;

  /** What a supplier charges a month for what it was compared with; null without a supplier. Clients never see it. */
  @Column(optional(column.money))
  costMinor: number | null;

  /** When the client could first see it; null if it never could. */
  @Column(optional(column.instant))
  openedAt: Date | null;

  /** The manager who approved or refused it. */
  @Column(optional(column.uuid))
  approverId: string | null;

  /** When its last state began; null while it can change. */
  @Column(optional(column.instant))
  endedAt: Date | null;

  /** Of an accepted offer. */
  @Column(optional(column.uuid))
  orderId: string | null;
}

/** Offers that can still change. */
const live = `"ended_at" IS NULL`;

/** A bespoke offer: an answer to an enquiry. */
@WithSandbox('ux_offers_reference', 'ix_offers_enquiry', 'ix_offers_live')
@Entity({ name: 'offers' })
@Index('ux_offers_reference', ['reference'], { unique: true })
@Index('ix_offers_enquiry', ['enquiryId', 'id'])
@Index('ix_offers_live', ['validUntil', 'id'], { where: live })
@Index('ix_offers_created', ['createdAt', 'id'])
@Index('ix_offers_ended', ['endedAt', 'id'], { where: `"ended_at" IS NOT NULL` })
export class BespokeOffer extends BespokeOfferRecord {}

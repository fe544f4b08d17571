import { ProductOffer } from '../../availability/availability.dto.js';
import { ByConstraint, SiteConstraint } from '../../catalogue/catalogue-rows.dto.js';
import type { PublicOfferState } from './offer-states.js';
import { ApiSchema, IntersectionType, PickType } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import {
  IsBandwidth,
  IsOptionalInstant,
  IsOptionalText,
  IsTextUpTo,
  IsWholeNumber,
  IsPostcode,
  IsOptionalUprn,
  IsId,
  IsOptionalObject,
} from '../../platform/http/field-rules.js';
import { PageOf } from '../../platform/http/paging.js';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { enquiryStates, type EnquiryState, enquiryTestTargets } from './order-states.js';
import { OrderContact, OrderRequest } from './orders.dto.js';
import {
  PreferredDays,
  PreferredDaysView,
  SiteDetails,
  SiteDetailsView,
} from './site-details.dto.js';

@ApiSchema({ description: 'What an order of something offered takes beside what is offered.' })
export class AcceptanceDetails extends PickType(OrderRequest, [
  'reference',
  'contact',
  'acceptExtraUpTo',
  'details',
  'expedite',
]) {}

@ApiSchema({
  description:
    'What to change in an order or an enquiry. Each member replaces what is there, and null clears it. What is left out stays.',
})
export class Amendment {
  /** The client's own reference: one line. @kind clientReference */
  @IsOptionalText(64)
  reference?: string | null;

  /** The person to contact; with null, the operator contacts the API client's own contact. */
  @IsOptionalObject(() => OrderContact)
  contact?: OrderContact | null;

  /** Where in the building the service ends: all of it, also what stays the same. */
  @IsOptionalObject(() => SiteDetails)
  details?: SiteDetails | null;

  /** When the site contact can let an engineer in. */
  @IsOptionalObject(() => PreferredDays)
  preferredDays?: PreferredDays | null;
}

@ApiSchema({ description: 'The offer that the client accepts.' })
export class OfferAcceptance extends AcceptanceDetails {
  /** `offerId` of one of the `offers` of the enquiry. @kind uuid */
  @IsId()
  offerId: string;
}

@ApiSchema({ description: 'That the client accepts none of the offers.' })
export class OfferDecline {
  /** A reason for the operator's staff. @example "Another supplier is cheaper." */
  @IsOptionalText(500, 'lines')
  reason?: string;
}

@ApiSchema({ description: 'An offer that the operator has made in answer to an enquiry.' })
export class EnquiryOffer {
  /** Identifies the offer. @kind uuid */
  offerId: string;

  /**
   * - `open`: the client can accept it
   * - `accepted`: it became an order
   * - `declined`: the client declined it, or accepted another one
   * - `withdrawn`: the operator took it back
   * - `replaced`: the operator sent another answer
   * - `expired`: `validUntil` has passed
   * @enumName OfferState
   */
  state: PublicOfferState;

  /**
   * What is offered, with its terms. `productCode` is `BESPOKE-` and the reference of the offer; no check
   * shows it.
   */
  product: ProductOffer;

  /** The last instant at which the client can accept it, UTC: 23:59 in London on a working day. */
  validUntil: Date;

  /** What the operator adds. @maxLength 2000 @example "Includes a new duct from the street." */
  note: string | null;

  /** The order that an accepted offer became. @kind uuid */
  orderId: string | null;
}

@ApiSchema({ description: 'What the client wants.' })
export class EnquiryWanted {
  /**
   * Bandwidth, in Gbit/s; up to three decimals, 0.1 is 100 Mbit/s.
   * @format double
   * @minimum 0.001
   * @maximum 100000
   * @example 10
   */
  @IsOptional()
  @IsBandwidth()
  bandwidth?: number;

  /** Contract term, in months. @format int32 @minimum 1 @maximum 120 @example 36 */
  @IsOptional()
  @IsWholeNumber('months', 1, 120)
  term?: number;

  /** In the client's own words. @example "Dark fibre to the data centre, two diverse routes." */
  @IsOptionalText(2000, 'lines')
  description?: string;
}

@ApiSchema({ description: 'A request for something that is not in the catalogue at a place.' })
export class EnquiryRequest {
  /**
   * UK postcode of the place, in any case and spacing.
   * @pattern ^[A-Za-z0-9\s]+$
   * @example "EC2A 2BS"
   */
  @IsTextUpTo(40)
  @IsPostcode()
  postcode: string;

  /**
   * The UPRN of the premises. Without it, the enquiry is about the premises of the cited check.
   * @pattern ^[0-9]+$
   * @example "100023336956"
   */
  @IsOptionalUprn()
  uprn?: string;

  /** What the client wants, as far as it is known. */
  @IsOptionalObject(() => EnquiryWanted)
  wanted?: EnquiryWanted;

  /**
   * The check that found nothing suitable, made by the same API client for the same postcode.
   * @pattern ^[0-9A-Za-z -]+$
   * @example "KR3FVJ7P2M"
   */
  @IsOptionalText(20)
  checkId?: string;

  /** The client's own reference for this enquiry: one line. @kind clientReference */
  @IsOptionalText(64)
  reference?: string;

  /** Without it, the operator contacts the API client's own contact. */
  @IsOptionalObject(() => OrderContact)
  contact?: OrderContact;

  /** Anything else that the operator's staff should know. @example "Call after 14:00." */
  @IsOptionalText(2000, 'lines')
  notes?: string;

  /** Where in the building the service would end. */
  @IsOptionalObject(() => SiteDetails)
  details?: SiteDetails;
}

@ApiSchema({ description: 'The enquiry was received and is stored.' })
export class EnquiryAcknowledgement {
  /**
   * Says that the enquiry was received and that a team member will make contact.
   * @maxLength 200
   * @example "Your enquiry was received. Its reference is ENQ-7F3K9Q. A member of our team will contact you."
   */
  message: string;

  /** Identifies the enquiry. @kind uuid */
  enquiryId: string;
}

@ApiSchema({ description: 'A change of the state of an enquiry.' })
export class EnquiryStateChange {
  /** The new state. @enumName EnquiryState */
  state: EnquiryState;

  /** When, UTC. */
  at: Date;

  /**
   * Why the operator cannot provide it: `notServiceable` (not at this place), `invalidDetails`, or
   * `other`. Only with `unableToProvide`.
   */
  reason?: 'notServiceable' | 'invalidDetails' | 'other';

  /** Who cancelled the enquiry: the `client` or the `operator`. Only with `cancelled`. */
  cancelledBy?: 'client' | 'operator';
}

@ApiSchema({ description: 'What the client of an enquiry wants.' })
export class WantedView {
  /**
   * Bandwidth, in Gbit/s; null if the client named none.
   * @format double
   * @minimum 0.001
   * @maximum 100000
   * @example 10
   */
  bandwidth: number | null;

  /**
   * Contract term, in months; null if the client named none.
   * @format int32
   * @minimum 1
   * @maximum 120
   * @example 36
   */
  term: number | null;

  /**
   * In the client's own words.
   * @maxLength 2000
   * @example "Dark fibre to the data centre, two diverse routes."
   */
  description: string | null;
}

@ApiSchema({ description: 'An enquiry as its API client sees it.' })
export class ClientEnquiry {
  /** Identifies the enquiry. @kind uuid */
  enquiryId: string;

  /**
   * The operator's short reference, to be read aloud.
   * @pattern ^ENQ-[0-9A-HJKMNP-TV-Z]{6}$
   * @maxLength 10
   * @example "ENQ-7F3K9Q"
   */
  enquiryReference: string;

  /** The client's own reference. @kind clientReference */
  reference: string | null;

  /**
   * - `acknowledged`: received, and waiting for a member of staff
   * - `inProgress`: a member of staff is working on it
   * - `offered`: the operator has made an offer, which waits for the client
   * - `accepted`: the client has accepted an offer, which became an order
   * - `declined`: the client has declined what was offered
   * - `expired`: the client has not answered the offer in time
   * - `unableToProvide`: the operator makes no offer
   * - `cancelled`: by the client or by the operator
   * @enumName EnquiryState
   */
  state: EnquiryState;

  /** Oldest first. @maxItems 1000 */
  stateChanges: EnquiryStateChange[];

  /** In canonical form. @kind postcode */
  postcode: string;

  /** The premises that the enquiry is about; null if the client named none. @kind uprn */
  uprn: string | null;

  /** What the client wants. */
  wanted: WantedView;

  /** What the operator has offered, oldest first. @maxItems 1000 */
  offers: EnquiryOffer[];

  /** The check that the enquiry cited. @kind check */
  checkId: string | null;

  /** The quote whose line it came from; null if it came from none. @kind uuid */
  quoteId: string | null;

  /** The line of the quote. @kind quoteLine */
  lineId: string | null;

  /** What made the place less than plain. Not for the compatibility `0.2`. @maxItems 20 @example [] */
  constraints?: SiteConstraint[];

  /** Where in the building the service would end, as far as it is stated; null if nothing is. */
  details: SiteDetailsView | null;

  /** When the site contact can let an engineer in; null if it is not stated. */
  preferredDays: PreferredDaysView | null;

  /** When the enquiry was received, UTC. */
  receivedAt: Date;

  /** When `state` or `offers` last changed, or the enquiry was amended, UTC. */
  updatedAt: Date;
}

@ApiSchema({ description: "Which of the API client's enquiries to list." })
export class ClientEnquiryQuery extends IntersectionType(PageQuery, ByConstraint) {
  /** Only enquiries that are `acknowledged`, `inProgress`, `offered`, `accepted`, `declined`, `expired`, `unableToProvide` or `cancelled`. @example "offered" */
  @IsOptional()
  @IsIn(enquiryStates, { message: `Must be one of ${enquiryStates.join(', ')}.` })
  state?: EnquiryState;

  /** Only enquiries with this own reference of the client. @example "PO-4711" */
  @IsOptionalText(64)
  reference?: string;

  /** Only enquiries whose `state` or `offers` have changed, or that were amended, at or after this time (RFC 3339). */
  @IsOptionalInstant()
  updatedSince?: Date;
}

@ApiSchema({ description: "A page of the API client's enquiries, newest first." })
export class ClientEnquiryPage extends PageOf(ClientEnquiry) {}

@ApiSchema({ description: 'The next state of a test enquiry.' })
export class EnquiryTestAdvance {
  /**
   * The state to move it to; by default the next one. `inProgress`: a member of staff starts to work
   * on it. `offered`: with two offers. `expired`: the time of its offers is over. `unableToProvide`: not serviceable. `cancelled`: by the operator.
   * @example "unableToProvide"
   */
  @IsOptional()
  @IsIn(enquiryTestTargets, { message: `Must be one of ${enquiryTestTargets.join(', ')}.` })
  to?: 'inProgress' | 'offered' | 'expired' | 'unableToProvide' | 'cancelled';
}

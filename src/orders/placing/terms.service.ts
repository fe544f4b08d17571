import { Injectable } from '@nestjs/common';
import type { Check } from '../../availability/check.entity.js';
import { ChecksService } from '../../availability/checks.service.js';
import type { Nearest, Catalogue } from '../../catalogue/content/catalogue.js';
import type { AgreedTerms, Offer } from '../../catalogue/content/offer-fields.js';
import { SANDBOX_VERSION } from '../../catalogue/sandbox/sandbox-catalogue.js';
import { SandboxService } from '../../catalogue/sandbox/sandbox.service.js';
import { type ShownPlace, ShownService } from '../../catalogue/shown/shown.service.js';
import { readCrockford } from '../../platform/kernel/crockford.js';
import { parsePostcode, Postcode } from '../../platform/kernel/postcode.js';
import { MINUTE } from '../../platform/kernel/time.js';
import { postcodeFor } from '../../platform/problems/postcode.errors.js';
import { ValidationFailed } from '../../platform/problems/problem.js';
import { Config } from '../../platform/config/config.js';
import {
  CheckOfOtherPlace,
  UnknownCheck,
  OfferChanged,
  ProductNotAvailable,
  UnknownProduct,
} from '../record/orders.errors.js';
import type { OrderingClient } from './ordering-client.js';
import type { CancellationTerm } from '../../catalogue/content/cancellation.js';
import { NO_ROW } from '../../catalogue/content/coverage-codec.js';
import { discounted } from '../../catalogue/content/effective-prices.js';
import { sameTerms } from '../../catalogue/content/offers.js';
import type { PlaceConstraint } from '../../catalogue/content/zone-fields.js';
import type { PlaceKey } from '../../platform/kernel/uprn.js';
import { agreedRules, mustHold } from '../record/money-rules.js';

export interface OrderedOffer {
  readonly offer: Offer;
  /** Of the order, or else of the cited check. */
  readonly uprn: number | null;
  readonly catalogueVersion: number;
  readonly checkId: string | null;
  /** Of a price by distance. */
  readonly nearest: Nearest | null;
  readonly constraints: readonly PlaceConstraint[];
  /** See `CancellationCosts`. */
  readonly cancellation: readonly CancellationTerm[];
}

/** A check that the order cites. */
export interface CitedTerms {
  readonly checkId: string;
  /** As of the check. */
  readonly place: ShownPlace;
  /** Whether its price hold lasts. */
  readonly holds: boolean;
}

export interface TermsQuestion {
  readonly productCode: string;
  /** The place of the order, now. */
  readonly current: ShownPlace;
  readonly check?: CitedTerms | null;
  /** The terms of a quote's line, which the order cites instead of a check. */
  readonly line?: AgreedTerms;
  /** The volume discount of current prices, in per cent. */
  readonly percent?: number;
}

/**
 * The terms of an order: those of the cited check while its price hold lasts, otherwise the current ones. What
 * was quoted and is different now is refused, so that no one orders at terms that they have not seen.
 * @throws {CheckOfOtherPlace | OfferChanged | UnknownProduct | ProductNotAvailable}
 */
export function decideTerms({
  productCode,
  current,
  check = null,
  line,
  percent = 0,
}: TermsQuestion): OrderedOffer {
  const orderedAt = (place: ShownPlace, offer: Offer, listed: Offer | null): OrderedOffer => {
    const agreed = { productCode, offer, quoted: inCheck ?? line ?? null, percent, listed };
    mustHold(agreedRules, agreed, productCode);
    return {
      offer,
      uprn: current.uprn,
      catalogueVersion: place.catalogue.version,
      checkId: check?.checkId ?? null,
      nearest: place.nearest,
      constraints: place.constraints.list,
      cancellation: place.catalogue.cancellation.of(productCode),
    };
  };
  if (check && isOfOtherPlace(check.place, current)) throw new CheckOfOtherPlace(check.place.uprn);
  const inCheck = check?.place.offer(productCode);
  if (check?.holds && inCheck) return orderedAt(check.place, inCheck, null);
  const listed = current.offer(productCode);
  const offer = listed && percent > 0 ? discounted(listed, percent) : listed;
  const quoted = inCheck ?? line;
  if (quoted && !(offer && sameTerms(quoted, offer))) throw new OfferChanged(quoted, offer);
  if (offer) return orderedAt(current, offer, listed ?? null);
  if (!current.catalogue.product(productCode)) throw new UnknownProduct();
  throw new ProductNotAvailable(current.inWords(), current.offers);
}

/** What a check of the postcode quotes does not apply to premises in another zone, or elsewhere. */
function isOfOtherPlace({ catalogue, uprn, key }: ShownPlace, ordered: ShownPlace): boolean {
  const isElsewhere = uprn !== ordered.uprn && isPlaced(catalogue, ordered.key);
  return isElsewhere || catalogue.zoneNumberAt(key) !== catalogue.zoneNumberAt(ordered.key);
}

/** Whether premises are priced by distance from their own position. */
function isPlaced(catalogue: Catalogue, place: PlaceKey): boolean {
  const { premises } = catalogue.content;
  return (
    catalogue.zoneNumberAt(place) === NO_ROW &&
    premises.positionOf(place.packed, place.uprn ?? 0) !== null
  );
}

interface PlaceRequest {
  readonly postcode: Postcode;
  readonly uprn: number | null;
  readonly checkId?: string | undefined;
}

interface OfferRequest extends PlaceRequest {
  readonly productCode: string;
}

interface QuotedLine {
  readonly terms: AgreedTerms;
  readonly nearest: Nearest | null;
  /** Places of the same service in the quote, for the volume discount. */
  readonly places: number;
}

export interface EnquiryPlace extends Pick<
  OrderedOffer,
  'uprn' | 'checkId' | 'nearest' | 'constraints'
> {
  /** Null where nothing covers it, or where it is excluded. */
  readonly zone: string | null;
}

/** Decides the terms of an order: the current ones, or those of the cited check. */
@Injectable()
export class TermsService {
  constructor(
    private readonly shown: ShownService,
    private readonly checks: ChecksService,
    private readonly sandbox: SandboxService,
    private readonly config: Config,
  ) {}

  /**
   * Parses the postcode of an order. A test token may be refused as its sandbox case says.
   * @throws {ValidationFailed} also for a sandbox postcode with a live token
   */
  placeOf(text: string, client: OrderingClient): Postcode {
    const place = client.isTest ? postcodeFor(text, client) : parsePostcode(text);
    if (!(place instanceof Postcode)) {
      const { detail } = place;
      throw new ValidationFailed([{ pointer: '/postcode', code: 'invalid-postcode', detail }]);
    }
    if (client.isTest) this.sandbox.refuse(place, 'orders', client);
    return place;
  }

  /** The place of an enquiry, with the zone that covers it. @throws {UprnNotAtPostcode | UnknownCheck} */
  async placeOfEnquiry(request: PlaceRequest, client: OrderingClient): Promise<EnquiryPlace> {
    const check = await this.citedCheck(request, client);
    // Staff answer the enquiry: they see how near it is, also where the client does not.
    const place = this.placeFor(request, check, client, true);
    const { uprn, zone, nearest, constraints } = place;
    return { uprn, zone, nearest, constraints: constraints.list, checkId: check?.id ?? null };
  }

  /** @throws {UprnNotAtPostcode | UnknownCheck | OfferChanged | UnknownProduct | ProductNotAvailable} */
  async for(request: OfferRequest, client: OrderingClient): Promise<OrderedOffer> {
    const check = await this.citedCheck(request, client);
    // Staff may have made the check, with prices by distance that the client itself does not see.
    const current = this.placeFor(request, check, client, check !== null && check.near !== null);
    const cited = check && {
      checkId: check.id,
      place: await this.shown.shownAsOf(check),
      holds: this.holds(check, current.at),
    };
    return decideTerms({ productCode: request.productCode, current, check: cited });
  }

  /**
   * For the line of a quote whose terms are not held: what an order without the quote would get.
   * @throws {OfferChanged} if it is not the same @throws {UprnNotAtPostcode | UnknownProduct | ProductNotAvailable}
   */
  forLine(request: OfferRequest, client: OrderingClient, line: QuotedLine): OrderedOffer {
    const { productCode } = request;
    // Staff may have made the quote, too.
    const current = this.placeFor(request, null, client, line.nearest !== null);
    const { volume } = current.catalogue;
    const percent = volume.percentFor(client.priceList, productCode, line.places);
    return decideTerms({ productCode, current, line: line.terms, percent });
  }

  /** The place at order, by default of the cited check. @param asStaff also with prices that only staff see */
  private placeFor(
    { postcode, uprn }: PlaceRequest,
    check: Check | null,
    client: OrderingClient,
    asStaff: boolean,
  ): ShownPlace {
    const caller = asStaff ? ({ ...client, kind: 'telephone' } as const) : client;
    return this.shown.shownTo(caller, 'order').at({ postcode, uprn: uprn ?? check?.uprn ?? null });
  }

  private async citedCheck(
    { checkId, postcode, uprn }: PlaceRequest,
    client: OrderingClient,
  ): Promise<Check | null> {
    if (checkId === undefined) return null;
    const check = await this.checks.find(readCrockford(checkId), client);
    if (check?.clientId !== client.clientId || check.postcode !== postcode.unit) {
      throw new UnknownCheck();
    }
    if (uprn !== null && check.uprn !== null && check.uprn !== uprn) {
      throw new CheckOfOtherPlace(check.uprn);
    }
    return check;
  }

  /** No sandbox check holds its price, so that integrators can test a price change. */
  private holds({ checkedAt, catalogueVersion }: Check, now: number): boolean {
    if (catalogueVersion === SANDBOX_VERSION) return false;
    return now - checkedAt.getTime() <= this.config.priceHoldMinutes * MINUTE;
  }
}

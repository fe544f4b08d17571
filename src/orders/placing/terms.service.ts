import { Injectable } from '@nestjs/common';
import type { Check } from '../../availability/check.entity.js';
import { ChecksService } from '../../availability/checks.service.js';
import { placeAt, placeInWords } from '../../availability/listed-premises.js';
import type { Catalogue, Nearest } from '../../catalogue/content/catalogue.js';
import { NO_ROW } from '../../catalogue/content/coverage-codec.js';
import type { Offer } from '../../catalogue/content/offer-fields.js';
import { sameTerms } from '../../catalogue/content/offers.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { readCrockford } from '../../platform/kernel/crockford.js';
import { parsePostcode, Postcode } from '../../platform/kernel/postcode.js';
import { postcodeFor } from '../../platform/problems/postcode.errors.js';
import type { PlaceKey } from '../../platform/kernel/uprn.js';
import { ValidationFailed } from '../../platform/problems/problem.js';
import { sandboxCaseAt } from '../../platform/kernel/sandbox-postcodes.js';
import { Config } from '../../platform/config/config.js';
import {
  SANDBOX_VERSION,
  sandboxCatalogue,
  sandboxCatalogueAtOrder,
} from '../../catalogue/sandbox/sandbox-catalogue.js';
import { SandboxService } from '../../catalogue/sandbox/sandbox.service.js';
import {
  CheckOfOtherPlace,
  OfferChanged,
  ProductNotAvailable,
  UnknownCheck,
  UnknownProduct,
} from '../record/orders.errors.js';
import { nearNetOf } from '../../platform/kernel/near-net.js';
import { type OrderingClient, seesNear } from './ordering-client.js';

export interface OrderedOffer {
  readonly offer: Offer;
  /** Of the order, or else of the cited check. */
  readonly uprn: number | null;
  readonly catalogueVersion: number;
  readonly checkId: string | null;
  /** Of a price by distance. */
  readonly nearest: Nearest | null;
}

interface PlaceRequest {
  readonly postcode: Postcode;
  readonly uprn: number | null;
  readonly checkId?: string | undefined;
}

interface OfferRequest extends PlaceRequest {
  readonly productCode: string;
}

export interface EnquiryPlace extends Pick<OrderedOffer, 'uprn' | 'checkId' | 'nearest'> {
  /** Null where nothing covers it, or where it is excluded. */
  readonly zone: string | null;
}

/** Decides the terms of an order: the current ones, or those of the cited check. */
@Injectable()
export class TermsService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly checks: ChecksService,
    private readonly sandbox: SandboxService,
    private readonly clock: Clock,
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
    const { postcode } = request;
    const current =
      sandboxCaseAt(postcode) === undefined ? this.catalogue.current : sandboxCatalogueAtOrder;
    const check = request.checkId === undefined ? null : await this.citedCheck(request, client);
    const uprn = request.uprn ?? check?.uprn ?? null;
    const place = placeAt(current, postcode, uprn);
    // Staff answer the enquiry: they see how near it is, also where the client does not.
    const isShown =
      seesNear(client, current, this.config.nearNet) ||
      nearNetOf(client.nearNet, this.config.nearNet) !== 'off';
    const { near } = isShown ? current.withNear(place, this.clock.now().getTime()) : place;
    const nearest = current.nearestAt(near);
    return { uprn, zone: current.zoneAt(place), checkId: check?.id ?? null, nearest };
  }

  /** @throws {UprnNotAtPostcode | UnknownCheck | OfferChanged | UnknownProduct | ProductNotAvailable} */
  async for(request: OfferRequest, client: OrderingClient): Promise<OrderedOffer> {
    const { postcode, productCode } = request;
    const inSandbox = sandboxCaseAt(postcode) !== undefined;
    const current = inSandbox ? sandboxCatalogueAtOrder : this.catalogue.current;
    const check = request.checkId === undefined ? null : await this.citedCheck(request, client);
    const uprn = request.uprn ?? check?.uprn ?? null;
    const now = this.clock.now().getTime();
    const asked = placeAt(current, postcode, uprn);
    const place = seesNear(client, current, this.config.nearNet)
      ? current.withNear(asked, now)
      : asked;
    const offer = current.offer(place, client.priceList, productCode, now);
    const notSold = () => refusal(current, postcode, place, productCode, client, now);
    if (!check) {
      if (!offer) throw notSold();
      const nearest = current.nearestAt(place.near);
      return { offer, uprn, catalogueVersion: current.version, checkId: null, nearest };
    }
    const version = inSandbox
      ? sandboxCatalogue
      : await this.catalogue.version(check.catalogueVersion);
    const checked = { packed: postcode.packed, uprn: check.uprn, near: check.near };
    const checkedAt = check.checkedAt.getTime();
    const quoted = version.offer(checked, check.priceList, productCode, checkedAt);
    // What a check of the postcode quotes does not apply to premises in another zone, or elsewhere.
    const isElsewhere = check.uprn !== uprn && isPlaced(version, place);
    if (isElsewhere || version.zoneNumberAt(checked) !== version.zoneNumberAt(place)) {
      throw new CheckOfOtherPlace(check.uprn);
    }
    if (quoted && this.holds(check, now)) {
      const nearest = version.nearestAt(check.near);
      return { offer: quoted, uprn, catalogueVersion: version.version, checkId: check.id, nearest };
    }
    if (quoted && !(offer && sameTerms(quoted, offer))) throw new OfferChanged(quoted, offer);
    if (!offer) throw notSold();
    const nearest = current.nearestAt(place.near);
    return { offer, uprn, catalogueVersion: current.version, checkId: check.id, nearest };
  }

  private async citedCheck(
    { checkId = '', postcode, uprn }: PlaceRequest,
    client: OrderingClient,
  ): Promise<Check> {
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
    return now - checkedAt.getTime() <= this.config.priceHoldMinutes * 60_000;
  }
}

/** Whether premises are priced by distance from their own position. */
function isPlaced(catalogue: Catalogue, place: PlaceKey): boolean {
  const { premises } = catalogue.content;
  return (
    catalogue.zoneNumberAt(place) === NO_ROW &&
    premises.positionOf(place.packed, place.uprn ?? 0) !== null
  );
}

function refusal(
  catalogue: Catalogue,
  postcode: Postcode,
  place: PlaceKey,
  productCode: string,
  client: OrderingClient,
  now: number,
) {
  return catalogue.product(productCode)
    ? new ProductNotAvailable(
        placeInWords(catalogue, { postcode, uprn: place.uprn ?? null }),
        catalogue.offersAt(place, client.priceList, now),
      )
    : new UnknownProduct();
}

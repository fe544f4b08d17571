import { Injectable } from '@nestjs/common';
import type { Check } from '../../availability/check.entity.js';
import { ChecksService } from '../../availability/checks.service.js';
import type { Catalogue } from '../../catalogue/content/catalogue.js';
import type { Offer } from '../../catalogue/content/offer-fields.js';
import { sameTerms } from '../../catalogue/content/offers.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { Clock } from '../../kernel/clock.js';
import { readCrockford } from '../../kernel/crockford.js';
import { parsePostcode, Postcode } from '../../kernel/postcode.js';
import { postcodeFor } from '../../problems/postcode.errors.js';
import { ValidationFailed } from '../../problems/problem.js';
import { sandboxCaseAt } from '../../kernel/sandbox-postcodes.js';
import { Config } from '../../config/config.js';
import {
  SANDBOX_VERSION,
  sandboxCatalogue,
  sandboxCatalogueAtOrder,
} from '../../sandbox/sandbox-catalogue.js';
import { SandboxService } from '../../sandbox/sandbox.service.js';
import {
  OfferChanged,
  ProductNotAvailable,
  UnknownCheck,
  UnknownProduct,
} from '../orders.errors.js';
import type { OrderingClient } from './ordering-client.js';

/** The offer that an order gets, and where it comes from. */
export interface OrderedOffer {
  readonly offer: Offer;
  readonly catalogueVersion: number;
  readonly checkId: string | null;
}

interface OfferRequest {
  readonly postcode: Postcode;
  readonly productCode: string;
  readonly checkId?: string | undefined;
}

/** On which terms a client gets a product: those of today, or those of the check that it cites. */
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
   * Where an order is for. In the sandbox, when what the postcode plays there has been played.
   * @throws {ValidationFailed} where the postcode is the sandbox's, and the token is not
   */
  async placeOf(text: string, client: OrderingClient): Promise<Postcode> {
    const place = client.isTest ? postcodeFor(text, client) : parsePostcode(text);
    if (!(place instanceof Postcode)) {
      const { detail } = place;
      throw new ValidationFailed([{ pointer: '/postcode', code: 'invalid-postcode', detail }]);
    }
    if (client.isTest) await this.sandbox.play(place, 'orders', client);
    return place;
  }

  /** @throws {UnknownCheck | OfferChanged | UnknownProduct | ProductNotAvailable} */
  async for(wish: OfferRequest, client: OrderingClient): Promise<OrderedOffer> {
    const { postcode, productCode } = wish;
    const inSandbox = sandboxCaseAt(postcode) !== undefined;
    const current = inSandbox ? sandboxCatalogueAtOrder : this.catalogue.current;
    const offer = current.offer(postcode, client.priceList, productCode);
    if (wish.checkId === undefined) {
      if (!offer) throw notSold(current, wish, client);
      return { offer, catalogueVersion: current.version, checkId: null };
    }
    const check = await this.citedCheck(wish.checkId, postcode, client);
    const version = inSandbox
      ? sandboxCatalogue
      : await this.catalogue.version(check.catalogueVersion);
    const quoted = version.offer(postcode, check.priceList, productCode);
    if (quoted && this.holds(check)) {
      return { offer: quoted, catalogueVersion: version.version, checkId: check.id };
    }
    if (quoted && !(offer && sameTerms(quoted, offer))) throw new OfferChanged(quoted, offer);
    if (!offer) throw notSold(current, wish, client);
    return { offer, catalogueVersion: current.version, checkId: check.id };
  }

  private async citedCheck(text: string, postcode: Postcode, client: OrderingClient) {
    const check = await this.checks.find(readCrockford(text), client);
    if (check?.clientId === client.clientId && check.postcode === postcode.unit) return check;
    throw new UnknownCheck();
  }

  /** In the sandbox nothing does, so that a change of price can be seen at once. */
  private holds({ checkedAt, catalogueVersion }: Check): boolean {
    if (catalogueVersion === SANDBOX_VERSION) return false;
    const age = this.clock.now().getTime() - checkedAt.getTime();
    return age <= this.config.priceHoldMinutes * 60_000;
  }
}

function notSold(
  catalogue: Catalogue,
  { postcode, productCode }: OfferRequest,
  client: OrderingClient,
) {
  return catalogue.product(productCode)
    ? new ProductNotAvailable(postcode.unit, catalogue.offersAt(postcode, client.priceList).list)
    : new UnknownProduct();
}

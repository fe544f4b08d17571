import { Injectable } from '@nestjs/common';
import type { PointsAround } from '../../near-net/network.js';
import { Config } from '../../platform/config/config.js';
import { Clock } from '../../platform/kernel/clock.js';
import type {
  Compatibility,
  ClientNearNet,
  NearNet,
} from '../../platform/kernel/client-options.js';
import type { Postcode } from '../../platform/kernel/postcode.js';
import { sandboxCaseAt } from '../../platform/kernel/sandbox-postcodes.js';
import type { PlaceKey } from '../../platform/kernel/uprn.js';
import {
  postcodeFor,
  postcodeOf,
  UprnNotAtPostcode,
} from '../../platform/problems/postcode.errors.js';
import type { Catalogue, Nearest } from '../content/catalogue.js';
import { STANDARD } from '../content/cells.js';
import type { PlaceConstraints } from '../content/zone-fields.js';
import type { Offer } from '../content/offer-fields.js';
import type { Premises } from '../content/premises-index.js';
import type { VolumeDiscounts } from '../content/price-list-fields.js';
import { isForOlder, NOT_COVERED, type Offers, type ShownOffers } from '../content/shown-offers.js';
import {
  SANDBOX_VERSION,
  sandboxCatalogue,
  sandboxCatalogueAtOrder,
} from '../sandbox/sandbox-catalogue.js';
import type { Tracks } from '../track/track.js';
import { TracksService } from '../track/tracks.service.js';
import { NoCatalogue } from '../versions/catalogue.errors.js';
import { CatalogueService } from '../versions/catalogue.service.js';

/** Who is shown the catalogue: an API client itself, or staff for a client on the telephone. */
export interface ShownCaller {
  readonly kind: 'client' | 'telephone';
  readonly priceList: string;
  readonly nearNet: ClientNearNet;
  readonly isTest: boolean;
  /** Staff see all products. */
  readonly compatibility?: Compatibility;
}

/** Staff, for a caller who is no client yet. */
export const NO_CLIENT: ShownCaller = {
  kind: 'telephone',
  priceList: STANDARD,
  nearNet: 'default',
  isTest: false,
};

/** The client itself, without its token. Never a test. */
export function clientItself({
  priceList,
  nearNet,
  compatibility,
}: Required<Pick<ShownCaller, 'priceList' | 'nearNet' | 'compatibility'>>): ShownCaller {
  return { kind: 'client', priceList, nearNet, compatibility, isTest: false };
}

/** A postcode, or premises there. */
export interface CheckedPlace {
  readonly postcode: Postcode;
  readonly uprn: number | null;
}

/** A place that has been priced. */
interface PricedPlace {
  /** Canonical. */
  readonly postcode: string;
  readonly uprn: number | null;
  readonly priceList: string;
}

/** What can be sold at a place, in one catalogue and at one instant. */
export class ShownPlace {
  constructor(
    readonly catalogue: Catalogue,
    readonly postcode: Postcode,
    readonly key: PlaceKey,
    readonly priceList: string,
    /** Milliseconds. */
    readonly at: number,
    readonly offers: Offers = catalogue.offersAt(key, priceList, at),
  ) {}

  get uprn(): number | null {
    return this.key.uprn ?? null;
  }

  /** How near the network is, see `PlaceKey`; null where it does not count. */
  get near(): number | null {
    return this.key.near ?? null;
  }

  /** The zone that covers it; null where nothing does, or where it is excluded. */
  get zone(): string | null {
    return this.catalogue.zoneAt(this.key);
  }

  get constraints(): PlaceConstraints {
    return this.catalogue.constraintsAt(this.key);
  }

  get nearest(): Nearest | null {
    return this.catalogue.nearestAt(this.key.near);
  }

  /** The premises, if the operator lists them there. */
  get listed(): Premises | null {
    const { packed, uprn } = this.key;
    return uprn == null ? null : this.catalogue.content.premises.find(packed, uprn);
  }

  /** `EC2A 2BS`; of premises that the operator lists, `Dark House, EC2A 2BS`. */
  inWords(listed = this.listed): string {
    const { unit } = this.postcode;
    return listed ? `${listed.name ?? `the premises ${this.uprn}`}, ${unit}` : unit;
  }

  /** For a map: the points of the network around it. */
  pointsAround(most: number): PointsAround | null {
    return this.catalogue.pointsAround(this.key, most);
  }

  offer(productCode: string): Offer | undefined {
    return this.offers.list.find((offer) => offer.productCode === productCode);
  }
}

/** What one caller is shown at one instant. Made once for a request, so that all places have one catalogue. */
export class ShownCatalogue {
  constructor(
    private readonly caller: ShownCaller,
    readonly now: Date,
    /** Null if none is loaded: then only the sandbox answers. */
    private readonly live: Catalogue | null,
    private readonly sandbox: Catalogue,
    private readonly nearNet: NearNet,
    private readonly tracks: Tracks | null,
  ) {}

  /** Test tokens have the sandbox at its postcodes, and what is live at real ones. @throws {NoCatalogue} */
  catalogueAt(postcode: Postcode): Catalogue {
    const isSandbox = this.caller.isTest && sandboxCaseAt(postcode) !== undefined;
    return isSandbox ? this.sandbox : this.current;
  }

  /** What is live. @throws {NoCatalogue} */
  get current(): Catalogue {
    if (this.live === null) throw new NoCatalogue();
    return this.live;
  }

  /** @throws {UprnNotAtPostcode} if the operator lists the UPRN at another postcode @throws {NoCatalogue} */
  at({ postcode, uprn }: CheckedPlace): ShownPlace {
    const { packed } = postcode;
    const catalogue = this.catalogueAt(postcode);
    const listedAt = uprn === null ? null : catalogue.content.premises.postcodeOf(uprn);
    if (listedAt !== null && listedAt !== packed) throw new UprnNotAtPostcode(postcode.unit);
    const { priceList } = this.caller;
    const now = this.now.getTime();
    const key = { packed, uprn };
    const offers = catalogue.offersAt(key, priceList, now);
    return this.pricesByDistance(catalogue, offers)
      ? new ShownPlace(catalogue, postcode, catalogue.withNear(key, now), priceList, now)
      : new ShownPlace(catalogue, postcode, key, priceList, now, offers);
  }

  /**
   * As `at`, for many places.
   * @param catalogue from `catalogueAt`
   * @param includesBuild whether prices by distance count, where the caller sees them
   */
  offersIn(catalogue: Catalogue, place: PlaceKey, includesBuild: boolean): Offers {
    const { priceList } = this.caller;
    const now = this.now.getTime();
    const offers = catalogue.offersAt(place, priceList, now);
    return includesBuild && this.pricesByDistance(catalogue, offers)
      ? catalogue.offersAt(catalogue.withNear(place, now), priceList, now)
      : offers;
  }

  /** Whether the caller sees prices by distance instead of these offers. */
  private pricesByDistance(catalogue: Catalogue, offers: Offers): boolean {
    return offers === NOT_COVERED && this.seesNear(catalogue);
  }

  /**
   * Whether prices by distance count. Of the same setting, staff see more than the client: `staff` shows
   * them to staff only. In the sandbox, every client sees them.
   */
  seesNear({ version }: Pick<Catalogue, 'version'>): boolean {
    if (version === SANDBOX_VERSION) return true;
    const { kind, nearNet } = this.caller;
    const shownTo = nearNet === 'default' ? this.nearNet : nearNet;
    return shownTo === 'all' || (shownTo === 'staff' && kind === 'telephone');
  }

  /** For a quote, which may have test sites and real ones. @param version of the line's offer */
  volumeOf(version: number): VolumeDiscounts {
    return (version === SANDBOX_VERSION ? this.sandbox : this.current).volume;
  }

  /** Whether the client's version of the API can print it. */
  isPrinted(offer: Offer): boolean {
    return this.caller.compatibility !== '0.2' || isForOlder(offer);
  }

  /** As the client reads them. */
  printed(offers: Offers): ShownOffers {
    return offers.withTracks(this.tracks).shownTo(this.caller.compatibility ?? '0.3');
  }
}

/** The only place that decides what can be sold to a caller: side, catalogue, price list, near-net rule, time. */
@Injectable()
export class ShownService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly tracks: TracksService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * What the caller is shown now.
   * @param occasion the sandbox has a postcode whose prices change between the check and the order
   */
  shownTo(
    caller: ShownCaller,
    occasion: 'check' | 'order' = 'check',
    now = this.clock.now(),
  ): ShownCatalogue {
    const live = this.catalogue.loaded ? this.catalogue.current : null;
    const sandbox = occasion === 'check' ? sandboxCatalogue : sandboxCatalogueAtOrder;
    return this.shown(caller, live, sandbox, now);
  }

  /** What the caller would be shown if this catalogue was live, now or at another instant. */
  shownIn(catalogue: Catalogue, caller: ShownCaller, now = this.clock.now()): ShownCatalogue {
    return this.shown(caller, catalogue, sandboxCatalogue, now);
  }

  /** What a check was answered from. @throws {VersionNotFound} */
  async shownAsOf(check: CheckedTerms): Promise<ShownPlace> {
    const { catalogueVersion, uprn, near, priceList, checkedAt } = check;
    const isTest = catalogueVersion === SANDBOX_VERSION;
    const catalogue = isTest ? sandboxCatalogue : await this.catalogue.version(catalogueVersion);
    const postcode = postcodeFor(check.postcode, { isTest });
    const key = { packed: postcode.packed, uprn, near };
    return new ShownPlace(catalogue, postcode, key, priceList, checkedAt.getTime());
  }

  /** Null where they do not see them. A quote is for its client, also if staff make it. */
  tracksFor(reader: 'client' | 'staff'): Tracks | null {
    const { publishTrack } = this.config;
    const isShown = publishTrack === 'all' || (publishTrack === 'staff' && reader === 'staff');
    return isShown ? this.tracks.current : null;
  }

  private shown(
    caller: ShownCaller,
    live: Catalogue | null,
    sandbox: Catalogue,
    now: Date,
  ): ShownCatalogue {
    return new ShownCatalogue(
      caller,
      now,
      live,
      sandbox,
      this.config.nearNet,
      this.tracksFor('client'),
    );
  }
}

/** Of a check: what its answer was computed from. */
interface CheckedTerms extends PricedPlace {
  readonly catalogueVersion: number;
  readonly near: number | null;
  readonly checkedAt: Date;
}

/** A place in another catalogue than the one that has priced it. @param at milliseconds */
export function placeIn(
  catalogue: Catalogue,
  place: PricedPlace & { readonly seesNear: boolean },
  at: number,
): ShownPlace {
  const postcode = postcodeOf(place.postcode);
  const key = { packed: postcode.packed, uprn: place.uprn };
  const placed = place.seesNear ? catalogue.withNear(key, at) : key;
  return new ShownPlace(catalogue, postcode, placed, place.priceList, at);
}

/** The place of an order; where it was priced by distance, it still is. @param at milliseconds */
export function placeOfOrder(
  { nearest, postcode, uprn, priceList }: PricedPlace & { readonly nearest: Nearest | null },
  catalogue: Catalogue,
  at: number,
): ShownPlace {
  return placeIn(catalogue, { postcode, uprn, priceList, seesNear: nearest !== null }, at);
}

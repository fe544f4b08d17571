import { Injectable } from '@nestjs/common';
import { dayInWords } from '../catalogue/content/dates.js';
import type { ShownOffers, Offers } from '../catalogue/content/shown-offers.js';
import {
  type CheckedPlace,
  type ShownCaller,
  type ShownPlace,
  ShownService,
} from '../catalogue/shown/shown.service.js';
import { RegisterService } from '../catalogue/versions/register.service.js';
import type { ClientCaller, StaffCaller } from '../platform/access/caller.js';
import { readCrockford } from '../platform/kernel/crockford.js';
import { AnswerText } from '../platform/http/kept-text.js';
import type { Postcode } from '../platform/kernel/postcode.js';
import { MINUTE } from '../platform/kernel/time.js';
import { NotFound } from '../platform/problems/problem.js';
import { Counters } from '../platform/kernel/counters.js';
import { writtenJson } from '../platform/http/written.js';
import { Config } from '../platform/config/config.js';
import type { AvailabilityResult, ProductFilter, ListedPremisesPage } from './availability.dto.js';
import type { Check } from './check.entity.js';
import { ChecksService } from './checks.service.js';
import { counted } from '../platform/kernel/counts.js';
import type { Offer } from '../catalogue/content/offer-fields.js';
import type { Catalogue } from '../catalogue/content/catalogue.js';
import { invalidCursor } from '../platform/http/paging.js';
import type { PageQuery } from '../platform/http/paging.dto.js';
import type { Compatibility } from '../platform/kernel/client-options.js';
import { parseUprn } from '../platform/kernel/uprn.js';

/** What the answer to a check of premises adds to that of its postcode. */
export interface PremisesAnswer {
  readonly granularity: 'postcode' | 'premises';
  /** JSON texts of the contract's `premises` and `reasons`. */
  readonly premises: string;
  readonly reasons: string;
  /** The place in words, as JSON without its quotes. */
  readonly place: string;
}

const NOT_LISTED = {
  code: 'premisesNotListed',
  detail: 'The operator does not list these premises, so this is the answer for the postcode.',
};

function premisesAnswer(place: ShownPlace): PremisesAnswer {
  const { listed, uprn } = place;
  const { reasons, reasonsJson } = place.offers;
  return {
    granularity: listed ? 'premises' : 'postcode',
    premises: `{"uprn":"${uprn}","name":${JSON.stringify(listed?.name ?? null)}}`,
    reasons: listed ? reasonsJson : JSON.stringify([...reasons, NOT_LISTED]),
    place: JSON.stringify(place.inWords(listed)).slice(1, -1),
  };
}

/** The listed premises at a postcode, by UPRN, from a cursor on. @throws {ValidationFailed} */
export function listPremises(
  catalogue: Catalogue,
  { packed }: Postcode,
  { limit, cursor }: PageQuery,
  compatibility: Compatibility,
): ListedPremisesPage {
  const { coverage, premises } = catalogue.content;
  const rows = premises.at(packed, cursor === undefined ? 0 : readUprnCursor(cursor), limit + 1);
  const items = rows.slice(0, limit).map((listed) => {
    const zone = coverage.zoneName(coverage.zoneNumberOfPremises(listed));
    const network = catalogue.zoneRow(zone ?? '')?.network ?? null;
    const constraints = [...catalogue.constraintsAt({ packed, uprn: listed.uprn }).list];
    const shown = compatibility === '0.2' ? {} : { constraints };
    return { uprn: String(listed.uprn), name: listed.name, network, ...shown };
  });
  const last = items.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { items, nextCursor: hasMore ? Buffer.from(last.uprn).toString('base64url') : null };
}

function readUprnCursor(text: string): number {
  const uprn = parseUprn(Buffer.from(text, 'base64url').toString());
  if (uprn !== null) return uprn;
  throw invalidCursor();
}

/** The text of 48 products has 15 KB. */
const MOST_KEPT = 500;

/** Offers that match filters. Those of recent filters are kept, as long as the catalogue is. */
export class FilteredOffers {
  private kept = new WeakMap<Offers, Map<string, Offers>>();
  private count = 0;

  of(offers: Offers, filter: ProductFilter): Offers {
    const key = JSON.stringify(filter);
    const known = this.kept.get(offers)?.get(key);
    if (known) return known;
    if (this.count === MOST_KEPT) {
      this.kept = new WeakMap();
      this.count = 0;
    }
    this.count += 1;
    const matching = offers.matching((offer) => matches(offer, filter));
    const byFilter = this.kept.get(offers) ?? new Map<string, Offers>();
    this.kept.set(offers, byFilter.set(key, matching));
    return matching;
  }
}

function matches(offer: Offer, { bandwidth, term, service, basis }: ProductFilter): boolean {
  return (
    offer.bandwidthProvisioned >= (bandwidth ?? 0) &&
    offer.term === (term ?? offer.term) &&
    offer.basis === (basis ?? offer.basis) &&
    (service === undefined || offer.service?.toLowerCase() === service.toLowerCase())
  );
}

/** The client that the check is for. */
interface CheckedFor extends ShownCaller {
  readonly clientId: string;
}

/** As JSON, without quotes. */
interface MessageParts {
  readonly before: string;
  readonly after: string;
}

@Injectable()
export class AvailabilityService {
  private readonly filtered = new FilteredOffers();
  /** By the number of products. */
  private readonly messages: MessageParts[] = [];
  /** By the first day of sale. */
  private readonly plannedMessages = new Map<string, MessageParts>();
  /** Of the last answer: at full load, twenty share a millisecond. */
  private readonly last = { checkedAt: NaN, validUntil: '' };

  constructor(
    private readonly shown: ShownService,
    private readonly checks: ChecksService,
    private readonly register: RegisterService,
    private readonly config: Config,
    private readonly counters: Counters,
  ) {}

  /**
   * What can be ordered at a place, as JSON. No SQL: the record is written in the background.
   * @throws {UprnNotAtPostcode}
   */
  check(place: CheckedPlace, client: ClientCaller, filter?: ProductFilter, now?: Date): AnswerText {
    const shown = this.shown.shownTo(client, 'check', now);
    const answer = shown.at(place);
    const printed = shown.printed(answer.offers);
    const check = this.record(answer, printed.count, client, shown.now, null);
    if (!filter || !isFiltering(filter)) return this.answer(check, answer, printed, client);
    const matching = shown.printed(this.filtered.of(answer.offers, filter));
    const parts = matching.count === 0 && printed.count > 0 ? NO_MATCH : this.message(matching);
    return this.answer(check, answer, matching, client, parts);
  }

  /**
   * Stores a check that a staff member made for an API client on the phone. It counts as the client's
   * check and names the staff member.
   */
  async checkByTelephone(
    place: CheckedPlace,
    client: CheckedFor,
    staff: Pick<StaffCaller, 'staffId'>,
  ): Promise<Check> {
    const shown = this.shown.shownTo(client);
    const answer = shown.at(place);
    const { count } = answer.offers;
    const check = this.record(answer, count, client, shown.now, staff.staffId);
    await this.checks.flush();
    return check;
  }

  /** What an earlier check found. */
  async answerOf(check: Check) {
    const { offers, constraints } = await this.shown.shownAsOf(check);
    return { offers: offers.list, constraints: constraints.list };
  }

  /** Repeats the answer. @throws {NotFound} also for another client's check */
  async checkAgain(text: string, client: ClientCaller): Promise<AvailabilityResult> {
    const check = await this.checks.find(readCrockford(text), client);
    if (!check || check.clientId !== client.clientId) {
      throw new NotFound('There is no check with this id.');
    }
    const answer = await this.shown.shownAsOf(check);
    const printed = this.shown.shownTo(client).printed(answer.offers);
    return writtenJson(this.answer(check, answer, printed, client));
  }

  private record(
    { catalogue, postcode, uprn, near }: ShownPlace,
    productCount: number,
    client: CheckedFor,
    checkedAt: Date,
    staffId: string | null,
  ): Check {
    const facts = {
      clientId: client.clientId,
      postcode: postcode.unit,
      uprn,
      priceList: client.priceList,
      catalogueVersion: catalogue.version,
      productCount,
      near,
      checkedAt,
      staffId,
    };
    if (!client.isTest) this.counters.checks[productCount > 0 ? 'available' : 'none'] += 1;
    return this.checks.record(facts, client);
  }

  private answer(
    check: Check,
    place: ShownPlace,
    offers: ShownOffers,
    client: ClientCaller,
    { before, after }: MessageParts = this.message(offers),
  ): AnswerText {
    const about = place.uprn === null ? null : premisesAnswer(place);
    const end = this.termination(place.postcode, check.checkedAt);
    const { id, postcode: unit } = check;
    const premises = about === null ? '' : `"premises":${about.premises},`;
    const head = `{"id":"${id}","message":"${before}${about?.place ?? unit}${after}${end}","postcode":"${unit}",${premises}"availableProducts":`;
    const constraints =
      client.compatibility === '0.2' ? '' : `,"constraints":${place.constraints.json}`;
    const tail = `,"granularity":"${about?.granularity ?? 'postcode'}","validUntil":"${this.validUntil(check)}","reasons":${about?.reasons ?? offers.reasonsJson},"nearest":${nearestJson(place, client)}${constraints}}`;
    return new AnswerText(head, offers.json, tail);
  }

  private validUntil(check: Check): string {
    const checkedAt = check.checkedAt.getTime();
    if (checkedAt !== this.last.checkedAt) {
      const until = new Date(checkedAt + this.config.priceHoldMinutes * MINUTE);
      this.last.checkedAt = checkedAt;
      this.last.validUntil = until.toISOString();
    }
    return this.last.validUntil;
  }

  /** The message before and after the postcode, escaped for JSON. */
  private message({ count, readyDate }: ShownOffers): MessageParts {
    if (readyDate !== null) return this.plannedMessage(readyDate);
    return (this.messages[count] ??= messageParts(count, this.config.salesContact));
  }

  private plannedMessage(readyDate: string): MessageParts {
    const message = this.plannedMessages.get(readyDate);
    if (message) return message;
    const parts = plannedParts(readyDate, this.config.salesContact);
    this.plannedMessages.set(readyDate, parts);
    return parts;
  }

  /** A sentence about a postcode that was no longer in use at `at`. */
  private termination(postcode: Postcode, at: Date): string {
    const month = this.register.terminationOf(postcode, at);
    if (month === null) return '';
    return ` Royal Mail took this postcode out of use in ${monthInWords(month)}.`;
  }
}

/** JSON of the contract's `nearest`. The nearest postcode would map the network: it needs a scope. */
function nearestJson(place: ShownPlace, { scopes }: ClientCaller): string {
  if (place.near === null) return 'null';
  const { catalogue, nearest, key, at } = place;
  if (nearest === null || !scopes.has('availability:nearest')) return JSON.stringify(nearest);
  const isPostcode = catalogue.content.networkPoints.length === 0;
  const postcode = isPostcode ? (catalogue.nearestPoint(key, at)?.name ?? null) : null;
  return JSON.stringify({ ...nearest, postcode });
}

function isFiltering(filter: ProductFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** `2019-06` as `June 2019`. */
function monthInWords(month: string): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

function messageParts(count: number, contact: string): MessageParts {
  const products = counted(count, 'product is', 'products are');
  const [before, after]: [string, string] =
    count === 0
      ? [
          'No products are available at ',
          `. To be notified when there are, watch the place. To ask what could be built, send an enquiry or contact ${contact}.`,
        ]
      : [`${products} available at `, `. To order, place an order request or contact ${contact}.`];
  return partsOf(before, after);
}

function plannedParts(readyDate: string, contact: string): MessageParts {
  return partsOf(
    'Products at ',
    ` can be ordered from ${dayInWords(readyDate)}. To be notified then, watch the place. To ask for something sooner, send an enquiry or contact ${contact}.`,
  );
}

const NO_MATCH = partsOf(
  'None of the products at ',
  ' is as asked for. Check it without filters to see them all.',
);

function partsOf(before: string, after: string): MessageParts {
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
  return { before: escaped(before), after: escaped(after) };
}

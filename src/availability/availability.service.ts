import { Injectable } from '@nestjs/common';
import type { Catalogue, Offers } from '../catalogue/content/catalogue.js';
import type { Offer } from '../catalogue/content/offer-fields.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { RegisterService } from '../catalogue/versions/register.service.js';
import type { ClientCaller, StaffCaller } from '../access/caller.js';
import { Clock } from '../kernel/clock.js';
import { readCrockford } from '../kernel/crockford.js';
import type { Postcode } from '../kernel/postcode.js';
import { postcodeFor, postcodeOf } from '../problems/postcode.errors.js';
import { NotFound } from '../problems/problem.js';
import { Counters } from '../tracing/counters.js';
import { writtenJson } from '../http/written-json.js';
import { Config } from '../config/config.js';
import { SANDBOX_VERSION, sandboxCatalogue } from '../sandbox/sandbox-catalogue.js';
import type { AvailabilityResult } from './availability.dto.js';
import type { Check } from './check.entity.js';
import { ChecksService } from './checks.service.js';

/** Whose check it is, and whose prices hold. */
type CheckedFor = Pick<ClientCaller, 'clientId' | 'priceList' | 'isTest'>;

@Injectable()
export class AvailabilityService {
  private readonly messages: (readonly [string, string])[] = [];

  constructor(
    private readonly catalogue: CatalogueService,
    private readonly checks: ChecksService,
    private readonly register: RegisterService,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly counters: Counters,
  ) {}

  /**
   * What can be ordered at the postcode, as JSON text. No SQL on the way: the record is written
   * behind.
   */
  checkPostcode(
    postcode: Postcode,
    client: ClientCaller,
    catalogue: Catalogue = this.catalogue.current,
  ): string {
    const offers = catalogue.offersAt(postcode, client.priceList);
    const check = this.record(postcode, offers, catalogue.version, client, null);
    return this.answer(check, postcode, offers, client);
  }

  /**
   * Records what a staff member has looked up for an API client that is on the telephone: it counts as
   * that client's check, and says who made it. It is stored when the promise resolves.
   */
  async checkByTelephone(
    postcode: Postcode,
    client: CheckedFor,
    staff: Pick<StaffCaller, 'staffId'>,
  ): Promise<Check> {
    const { current } = this.catalogue;
    const offers = current.offersAt(postcode, client.priceList);
    const check = this.record(postcode, offers, current.version, client, staff.staffId);
    await this.checks.flush();
    return check;
  }

  /** What was offered in answer to a check. */
  async offersOf({ catalogueVersion, postcode, priceList }: Check): Promise<readonly Offer[]> {
    const catalogue = await this.catalogue.version(catalogueVersion);
    return catalogue.offersAt(postcodeOf(postcode), priceList).list;
  }

  /** The same answer again. @throws {NotFound} also where the check is another client's */
  async checkAgain(text: string, client: ClientCaller): Promise<AvailabilityResult> {
    const check = await this.checks.find(readCrockford(text), client);
    if (!check || check.clientId !== client.clientId) {
      throw new NotFound('There is no check with this id.');
    }
    const { catalogueVersion: version } = check;
    const catalogue =
      version === SANDBOX_VERSION ? sandboxCatalogue : await this.catalogue.version(version);
    const postcode = postcodeFor(check.postcode, client);
    const offers = catalogue.offersAt(postcode, check.priceList);
    return writtenJson(this.answer(check, postcode, offers, client));
  }

  private record(
    postcode: Postcode,
    offers: Offers,
    catalogueVersion: number,
    client: CheckedFor,
    staffId: string | null,
  ): Check {
    const facts = {
      clientId: client.clientId,
      postcode: postcode.unit,
      priceList: client.priceList,
      catalogueVersion,
      productCount: offers.count,
      checkedAt: this.clock.now(),
      staffId,
    };
    if (!client.isTest) this.counters.checks[offers.count > 0 ? 'available' : 'none'] += 1;
    return this.checks.record(facts, client);
  }

  private answer(check: Check, postcode: Postcode, offers: Offers, client: ClientCaller): string {
    const products = client.legacyFieldNames ? offers.legacyJson : offers.json;
    const [before, after] = this.message(offers.count);
    const end = this.termination(postcode, check.checkedAt);
    const { id, postcode: unit } = check;
    return `{"id":"${id}","message":"${before}${unit}${after}${end}","postcode":"${unit}","availableProducts":${products}}`;
  }

  /** What the message says before and after the postcode, which needs no escaping, in JSON. */
  private message(count: number): readonly [before: string, after: string] {
    return (this.messages[count] ??= messageParts(count, this.config.salesContact));
  }

  /** What the register says of a postcode that was out of use when it was checked. */
  private termination(postcode: Postcode, at: Date): string {
    const month = this.register.terminationOf(postcode, at);
    if (month === null) return '';
    return ` Royal Mail took this postcode out of use in ${monthInWords(month)}.`;
  }
}

/** `2019-06` as `June 2019`. */
function monthInWords(month: string): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

function messageParts(count: number, contact: string): readonly [string, string] {
  const products = count === 1 ? '1 product is' : `${count} products are`;
  const [before, after] =
    count === 0
      ? ['No products are available at ', `. To ask what could be built, contact ${contact}.`]
      : [`${products} available at `, `. To order, place an order request or contact ${contact}.`];
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
  return [escaped(before), escaped(after)];
}

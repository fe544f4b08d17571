import { Injectable } from '@nestjs/common';
import type { Offers } from '../catalogue/catalogue.js';
import { CatalogueService } from '../catalogue/catalogue.service.js';
import type { ClientCaller } from '../common/caller.js';
import { Clock } from '../common/clock.js';
import { randomCrockford, readCrockford } from '../common/crockford.js';
import type { Postcode } from '../common/postcode.js';
import { postcodeOf } from '../common/postcode.errors.js';
import { NotFound } from '../common/problem.js';
import { writtenJson } from '../common/written-json.js';
import { Config } from '../config.js';
import type { AvailabilityResult } from './availability.dto.js';
import { Check } from './check.entity.js';
import { ChecksService } from './checks.service.js';

@Injectable()
export class AvailabilityService {
  private readonly messages: (readonly [string, string])[] = [];

  constructor(
    private readonly catalogue: CatalogueService,
    private readonly checks: ChecksService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** What can be ordered at the postcode. No SQL on the way: the record is written behind. */
  check(text: string, client: ClientCaller): AvailabilityResult {
    return writtenJson(this.checkPostcode(postcodeOf(text), client));
  }

  /** The same for a postcode that has been read, as JSON text. */
  checkPostcode(postcode: Postcode, client: ClientCaller): string {
    const catalogue = this.catalogue.current;
    const offers = catalogue.offersAt(postcode, client.priceList);
    const check: Check = {
      id: randomCrockford(10),
      clientId: client.clientId,
      postcode: postcode.unit,
      area: postcode.area,
      priceList: client.priceList,
      catalogueVersion: catalogue.version,
      productCount: offers.count,
      checkedAt: this.clock.now(),
    };
    this.checks.record(check);
    return this.answer(check, offers, client);
  }

  /** The same answer again. @throws {NotFound} also where the check is another client's */
  async checkAgain(text: string, client: ClientCaller): Promise<AvailabilityResult> {
    const check = await this.checks.find(readCrockford(text));
    if (!check || check.clientId !== client.clientId) {
      throw new NotFound('There is no check with this id.');
    }
    const catalogue = await this.catalogue.version(check.catalogueVersion);
    const offers = catalogue.offersAt(postcodeOf(check.postcode), check.priceList);
    return writtenJson(this.answer(check, offers, client));
  }

  private answer({ id, postcode }: Check, offers: Offers, client: ClientCaller): string {
    const products = client.legacyFieldNames ? offers.legacyJson : offers.json;
    const [before, after] = this.message(offers.count);
    return `{"id":"${id}","message":"${before}${postcode}${after}","postcode":"${postcode}","availableProducts":${products}}`;
  }

  /** What the message says before and after the postcode, which needs no escaping, in JSON. */
  private message(count: number): readonly [before: string, after: string] {
    return (this.messages[count] ??= messageParts(count, this.config.salesContact));
  }
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

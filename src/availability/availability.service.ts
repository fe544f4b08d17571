import { Injectable } from '@nestjs/common';
import type { Offers } from '../catalogue/catalogue.js';
import { CatalogueService } from '../catalogue/catalogue.service.js';
import type { ClientCaller } from '../common/caller.js';
import { Clock } from '../common/clock.js';
import { randomCrockford, readCrockford } from '../common/crockford.js';
import { postcodeOf } from '../common/postcode.errors.js';
import { NotFound } from '../common/problem.js';
import { writtenJson } from '../common/written-json.js';
import { Config } from '../config.js';
import type { AvailabilityResult } from './availability.dto.js';
import { Check } from './check.entity.js';
import { CHECK_ID_LENGTH, ChecksService } from './checks.service.js';

@Injectable()
export class AvailabilityService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly checks: ChecksService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** What can be ordered at the postcode. No SQL on the way: the record is written behind. */
  check(text: string, client: ClientCaller): AvailabilityResult {
    const postcode = postcodeOf(text);
    const catalogue = this.catalogue.current;
    const offers = catalogue.offersAt(postcode, client.priceList);
    const check: Check = {
      id: randomCrockford(CHECK_ID_LENGTH),
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
    return this.answer(check, offers, client);
  }

  private answer(check: Check, offers: Offers, client: ClientCaller): AvailabilityResult {
    const products = client.legacyFieldNames ? offers.legacyJson : offers.json;
    const message = JSON.stringify(this.message(offers.count, check.postcode));
    return writtenJson(
      `{"id":"${check.id}","message":${message},"postcode":"${check.postcode}","availableProducts":${products}}`,
    );
  }

  private message(count: number, postcode: string): string {
    const contact = this.config.salesContact;
    if (count === 0) {
      return `No products are available at ${postcode}. To ask what could be built, contact ${contact}.`;
    }
    const products = count === 1 ? '1 product is' : `${count} products are`;
    return `${products} available at ${postcode}. To order, place an order request or contact ${contact}.`;
  }
}

import type { INestApplicationContext } from '@nestjs/common';
import { ChecksService } from '../../src/availability/checks.service.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import type { ClientCaller } from '../../src/platform/access/caller.js';
import { postcodeOf } from '../../src/platform/problems/postcode.errors.js';
import {
  addWorkingTime,
  type Calendar,
  subtractWorkingTime,
} from '../../src/platform/kernel/working-hours.js';
import { somePostcode } from './demand.js';
import type { Chance } from './random.js';
import { HOUR } from '../../src/platform/kernel/time.js';

/** Seven days of eight working hours. */
export const WEEK = 56 * HOUR;

const CHECKS = 4_200;
/** The part of the checks for which the operator has fibre nearby: resellers ask where they sell. */
const NEAR_FIBRE = 0.22;

/** Museums and stations where prices are indicative. */
export const outerPostcodes = [
  'SW7 2AZ',
  'SW7 5BD',
  'SW7 2RL',
  'NW8 8QN',
  'SE10 8XJ',
  'E16 2DQ',
] as const;

/** A postcode check as the clients make them, made at another time. */
export class DemoChecks {
  private readonly catalogue;
  private readonly checks;
  /** Units that the operator sells at. */
  readonly lit: readonly string[];

  constructor(
    service: INestApplicationContext,
    private readonly chance: Chance,
  ) {
    this.catalogue = service.get(CatalogueService, { strict: false }).current;
    this.checks = service.get(ChecksService, { strict: false });
    this.lit = [...this.catalogue.content.coverage.rows()]
      .filter(({ level, zone }) => level === 'unit' && zone !== '-')
      .map(({ place }) => place);
  }

  /** Records a check, and returns its id. */
  make(unit: string, client: ClientCaller, checkedAt: Date): string {
    const postcode = postcodeOf(unit);
    const check = this.checks.record({
      clientId: client.clientId,
      postcode: postcode.unit,
      uprn: null,
      priceList: client.priceList,
      catalogueVersion: this.catalogue.version,
      productCount: this.catalogue.offersAt(postcode, client.priceList, checkedAt.getTime()).count,
      near: null,
      checkedAt,
      staffId: null,
    });
    return check.id;
  }

  /** The codes of what is sold at a place, cheapest bandwidth first. */
  productsAt(unit: string, client: ClientCaller): string[] {
    const offers = this.catalogue.offersAt(postcodeOf(unit), client.priceList, Date.now());
    return offers.list.map(({ productCode }) => productCode);
  }

  /** All the week's checks: most in working hours, some in the evening, a few at night. */
  makeWeek(
    now: Date,
    calendar: Calendar,
    clients: readonly (ClientCaller & { readonly weight: number })[],
  ): number {
    const begin = subtractWorkingTime(now, WEEK, calendar);
    for (let n = 0; n < CHECKS; n += 1) {
      const worked = addWorkingTime(begin, this.chance.number() * WEEK, calendar);
      const late = this.chance.happens(0.2) ? this.chance.number() * 9 * HOUR : 0;
      const at = new Date(Math.min(worked.getTime() + late, now.getTime() - n));
      const unit = this.chance.happens(NEAR_FIBRE)
        ? this.chance.one(this.lit)
        : somePostcode(this.chance);
      this.make(unit, this.chance.weighted(clients), at);
    }
    return CHECKS;
  }
}

import { Controller, Get, Param } from '@nestjs/common';
import { Client, type ClientCaller } from '../common/caller.js';
import { Requires } from '../common/scopes.js';
import { AvailabilityResult } from './availability.dto.js';
import { AvailabilityService } from './availability.service.js';

@Controller('product-availability')
export class AvailabilityController {
  constructor(private readonly availability: AvailabilityService) {}

  /**
   * Check a postcode
   *
   * @remarks Answers which products can be supplied at a UK postcode, with bandwidth, term, price,
   * currency and lead time. Case and white space do not matter. Where nothing is sold, the list is
   * empty: that is an answer, not an error.
   * @throws {400} invalid-postcode
   */
  @Get('postcode/:postcode')
  @Requires('availability:read')
  checkPostcode(
    @Param('postcode') postcode: string,
    @Client() client: ClientCaller,
  ): AvailabilityResult {
    return this.availability.check(postcode, client);
  }

  /**
   * Read a check again
   *
   * @remarks Gives the answer of an earlier check of this API client once more, as it was.
   * @throws {404} not-found
   */
  @Get('check/:id')
  @Requires('availability:read')
  readCheck(@Param('id') id: string, @Client() client: ClientCaller): Promise<AvailabilityResult> {
    return this.availability.checkAgain(id, client);
  }
}

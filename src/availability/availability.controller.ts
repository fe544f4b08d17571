import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Client, type ClientCaller } from '../access/caller.js';
import { Requires } from '../access/scopes.js';
import { ValidBody } from '../http/valid.js';
import { AvailabilityResult, AvailabilityResults, PostcodeList } from './availability.dto.js';
import { AvailabilityService } from './availability.service.js';
import { PostcodeChecksService } from './postcode-checks.service.js';

@Controller('product-availability')
export class AvailabilityController {
  constructor(
    private readonly availability: AvailabilityService,
    private readonly checks: PostcodeChecksService,
  ) {}

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
  ): Promise<AvailabilityResult> {
    return this.checks.check(postcode, client);
  }

  /**
   * Check many postcodes
   *
   * @remarks Up to 100 at once. The answer has one row for each, in the order in which they were sent
   * and with those that were sent twice: what a check of it alone would have answered, which is an
   * availability result or, where that would have failed, a problem. Only a problem has a `code`. It
   * counts as that many look-ups, and where fewer are left none is answered: 429.
   */
  @Post('postcodes')
  @HttpCode(200)
  @Requires('availability:read', { counts: 'postcodes' })
  checkPostcodes(
    @ValidBody() { postcodes }: PostcodeList,
    @Client() client: ClientCaller,
    @Req() request: Request,
  ): Promise<AvailabilityResults> {
    return this.checks.checkMany(postcodes, client, request.id);
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

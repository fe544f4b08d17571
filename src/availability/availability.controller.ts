import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Request } from 'express';
import { Client, type ClientCaller } from '../access/caller.js';
import { Requires } from '../access/scopes.js';
import { Described, describedParameter, Examples } from '../http/described.js';
import { PostcodeParameter } from '../http/postcode-parameter.js';
import { ValidBody } from '../http/valid.js';
import { AvailabilityResult, AvailabilityResults, PostcodeList } from './availability.dto.js';
import { manyExamples, oneExamples } from './availability.examples.js';
import { AvailabilityService } from './availability.service.js';
import { PostcodeChecksService } from './postcode-checks.service.js';

/** The id of a check in the path, as the client wrote it. */
function CheckIdParameter(): ParameterDecorator {
  return describedParameter(
    Param('id'),
    ApiParam({
      name: 'id',
      description:
        'The `id` of a check. Lower case, hyphens, and O for 0 or I and L for 1 are understood.',
      schema: {
        type: 'string',
        minLength: 10,
        maxLength: 20,
        pattern: '^[0-9A-Za-z -]+$',
        example: 'KR3FVJ7P2M',
      },
    }),
  );
}

@Controller('product-availability')
@Described('Availability', 'For API clients: which products can be supplied at a UK postcode.')
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
  @Examples(oneExamples)
  checkPostcode(
    @PostcodeParameter() postcode: string,
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
  @Examples(manyExamples)
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
  readCheck(
    @CheckIdParameter() id: string,
    @Client() client: ClientCaller,
  ): Promise<AvailabilityResult> {
    return this.availability.checkAgain(id, client);
  }
}

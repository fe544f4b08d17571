import { Controller, Delete, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Client, type ClientCaller } from '../platform/access/caller.js';
import { Requires } from '../platform/access/rules.js';
import { Config } from '../platform/config/config.js';
import {
  AlsoAnswers,
  Described,
  Examples,
  type OperationExamples,
} from '../platform/http/described.js';
import { Takes } from '../platform/http/json-body.js';
import { PostcodeParameter } from '../platform/http/parameters.js';
import { ValidBody, ValidOptionalBody, ValidQuery } from '../platform/http/valid.js';
import { invalidPostcodeExample } from '../platform/problems/postcode.errors.js';
import { Problem } from '../platform/problems/problem.js';
import { ClientWatchesService } from './client-watches.service.js';
import { printWatch } from './watch-rows.js';
import {
  ClientWatch,
  ClientWatches,
  ClientWatchPage,
  WatchList,
  WatchPlaceQuery,
  WatchQuery,
  WatchRequest,
} from './watches.dto.js';
import { WatchesService } from './watches.service.js';

const oneWatchExamples: OperationExamples = {
  request: {
    any: { summary: 'Any product', value: {} },
    all: {
      summary: 'All fields',
      value: {
        uprn: '100023336956',
        reference: 'PO-4711',
        minBandwidth: 1,
        maxPrice: 600,
        includeBuild: true,
      },
    },
  },
};

const manyWatchesExamples: OperationExamples = {
  request: {
    two: {
      summary: 'Two places, one of them invalid',
      value: { places: [{ postcode: 'EC2A 2BS', minBandwidth: 1 }, { postcode: 'EC2A 20S' }] },
    },
  },
  responses: {
    200: {
      two: {
        summary: 'A row for each: a watch, a problem',
        value: {
          results: [
            {
              watchId: '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90',
              postcode: 'EC2A 2BS',
              uprn: null,
              reference: null,
              minBandwidth: 1,
              maxPrice: null,
              includeBuild: false,
              state: 'open',
              createdAt: '2026-11-21T09:30:00.000Z',
              endsAt: '2027-11-21T09:30:00.000Z',
              servedAt: null,
            },
            invalidPostcodeExample,
          ],
        },
      },
    },
  },
};

/** A list of 100 watches with all properties, whose references may be escaped. */
const MOST_OF_WATCHES = { size: 64 * 1_024, keys: 512 };

@Controller('product-availability')
@Described('Watches', 'For API clients: places at which a client waits for products.')
export class WatchesController {
  constructor(
    private readonly watches: WatchesService,
    private readonly own: ClientWatchesService,
    private readonly config: Config,
  ) {}

  /**
   * Watch a place
   *
   * @remarks Reports once when a product can be ordered at the postcode, or at premises there. If that is so
   * already, the answer has the state `served`, and no webhook follows. Repeating the request is safe: it replaces the
   * condition and the reference of an open watch, and starts its 12 months again. If a place is no longer
   * served, a new request watches it again.
   * @throws {400} invalid-postcode, invalid-uprn
   * @throws {409} watch-limit
   * @throws {422} uprn-not-at-postcode
   */
  @Put('watch/:postcode')
  @HttpCode(201)
  @Requires('orders:write')
  @AlsoAnswers(200, 'The place was watched already.')
  @Examples(oneWatchExamples)
  async watchPlace(
    @PostcodeParameter() postcode: string,
    @ValidOptionalBody() request: WatchRequest,
    @Client() client: ClientCaller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ClientWatch> {
    const { watch, created } = await this.watches.put({ ...request, postcode }, client);
    const printed = printWatch(watch);
    if (created) response.setHeader('Location', addressOf(printed));
    else response.status(200);
    return printed;
  }

  /**
   * Watch many places
   *
   * @remarks Up to 100 at once. The answer has one row for each, in the order of the request: its watch, or
   * the problem that a single request would get. Only a problem has a `code`. The request counts as one
   * look-up for each place.
   */
  @Post('watches')
  @HttpCode(200)
  @Takes(MOST_OF_WATCHES)
  @Requires('orders:write', { counts: 'postcodes' })
  @Examples(manyWatchesExamples)
  async watchPlaces(
    @ValidBody() { places }: WatchList,
    @Client() client: ClientCaller,
    @Req() request: Request,
  ): Promise<ClientWatches> {
    const results = await this.watches.putMany(places, client);
    return {
      results: results.map((one) =>
        one instanceof Problem
          ? one.body(this.config.publicUrl, request.id)
          : printWatch(one.watch),
      ),
    };
  }

  /**
   * List watches
   *
   * @remarks The API client's own watches, newest first.
   */
  @Get('watch')
  @Requires('availability:read')
  listWatches(
    @ValidQuery() query: WatchQuery,
    @Client() client: ClientCaller,
  ): Promise<ClientWatchPage> {
    return this.own.list(query, client);
  }

  /**
   * Read a watch
   *
   * @throws {400} invalid-postcode, invalid-uprn
   * @throws {404} not-found
   */
  @Get('watch/:postcode')
  @Requires('availability:read')
  readWatch(
    @PostcodeParameter() postcode: string,
    @ValidQuery() { uprn }: WatchPlaceQuery,
    @Client() client: ClientCaller,
  ): Promise<ClientWatch> {
    return this.own.find(postcode, uprn, client);
  }

  /**
   * Stop watching a place
   *
   * @remarks The response is the watch as it was.
   * @throws {400} invalid-postcode, invalid-uprn
   * @throws {404} not-found
   */
  @Delete('watch/:postcode')
  @Requires('orders:write')
  removeWatch(
    @PostcodeParameter() postcode: string,
    @ValidQuery() { uprn }: WatchPlaceQuery,
    @Client() client: ClientCaller,
  ): Promise<ClientWatch> {
    return this.own.remove(postcode, uprn, client);
  }
}

function addressOf({ postcode, uprn }: ClientWatch): string {
  const query = uprn === null ? '' : `?uprn=${uprn}`;
  return `/product-availability/watch/${encodeURIComponent(postcode)}${query}`;
}

@Controller('product-availability/test/watch')
@Described('Sandbox', 'For API clients with a test token: operations that only the sandbox has.')
export class TestWatchesController {
  constructor(private readonly own: ClientWatchesService) {}

  /**
   * Advance a test watch
   *
   * @remarks For test tokens only: serves an open watch, as if the operator had published products at the
   * place, and calls the webhook. With a live token, or if the watch is not open, the response is 404.
   * @throws {400} invalid-postcode, invalid-uprn
   * @throws {404} not-found
   */
  @Post(':postcode/advance')
  @HttpCode(200)
  @Requires('orders:write', { counts: 'postcodes' })
  advanceTestWatch(
    @PostcodeParameter() postcode: string,
    @ValidQuery() { uprn }: WatchPlaceQuery,
    @Client() client: ClientCaller,
  ): Promise<ClientWatch> {
    return this.own.advance(postcode, uprn, client);
  }
}

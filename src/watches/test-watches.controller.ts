import { Controller, HttpCode, Post } from '@nestjs/common';
import { Client, type ClientCaller } from '../platform/access/caller.js';
import { Requires } from '../platform/access/scopes.js';
import { Described } from '../platform/http/described.js';
import { PostcodeParameter } from '../platform/http/parameters.js';
import { ValidQuery } from '../platform/http/valid.js';
import { ClientWatch, WatchPlaceQuery } from './watches.dto.js';
import { TestWatchesService } from './test-watches.service.js';

@Controller('product-availability/test/watch')
@Described('Sandbox', 'For API clients with a test token: operations that only the sandbox has.')
export class TestWatchesController {
  constructor(private readonly testWatches: TestWatchesService) {}

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
    return this.testWatches.advance(postcode, uprn, client);
  }
}

import { Controller, Get } from '@nestjs/common';
import { Heavy } from '../platform/access/counting.js';
import { Requires } from '../platform/access/scopes.js';
import { NumberParameter } from '../catalogue/number-parameter.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { Described } from '../platform/http/described.js';
import { WatchEvaluationService } from './watch-evaluation.service.js';
import { WatchPreview } from './watches.dto.js';

@Controller('catalogue')
@Described('Catalogue', "For the operator's staff: versions of products, prices and coverage.")
export class WatchPreviewController {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly evaluation: WatchEvaluationService,
  ) {}

  /**
   * Preview which watches a version serves
   *
   * @remarks How many open watches of how many API clients would be served if this version were live now.
   *
   * @throws {404} not-found
   */
  @Get('versions/:number/watches')
  @Requires('catalogue:write')
  @Heavy()
  async previewWatches(@NumberParameter() number: number): Promise<WatchPreview> {
    return this.evaluation.preview(await this.catalogue.version(number));
  }
}

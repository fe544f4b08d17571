import { Injectable } from '@nestjs/common';
import type { ApiClient } from '../../clients/api-client.entity.js';
import { ClientsService } from '../../clients/clients.service.js';
import { NotFound } from '../../platform/problems/problem.js';
import { postcodeOf, uprnOf } from '../../platform/problems/postcode.errors.js';
import { Refused } from '../../platform/problems/refused.js';
import { Config } from '../../platform/config/config.js';
import { nearNetOf } from '../../platform/kernel/near-net.js';
import { Clock } from '../../platform/kernel/clock.js';
import type { Catalogue } from '../content/catalogue.js';
import { STANDARD } from '../content/cells.js';
import { CatalogueService } from './catalogue.service.js';
import { explain, type Explanation } from '../content/explain.js';
import { RegisterService } from './register.service.js';
import { VersionsService } from './versions.service.js';

export interface ExplainQuestion {
  /** Id or name of the API client whose price list applies. */
  readonly client?: string | undefined;
  readonly priceList?: string | undefined;
  /** Of premises at the postcode. */
  readonly uprn?: string | undefined;
  /** By default now. */
  readonly at?: Date | undefined;
}

export interface ExplainedAnswer extends Explanation {
  /** The month, as `2019-06`; null if the register has none. */
  readonly terminated: string | null;
}

@Injectable()
export class ExplainService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly versions: VersionsService,
    private readonly clients: ClientsService,
    private readonly register: RegisterService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** @throws {InvalidPostcode | NotFound} */
  async explain(
    text: string,
    { client, priceList, uprn, at }: ExplainQuestion,
  ): Promise<ExplainedAnswer> {
    const postcode = postcodeOf(text);
    const found = client === undefined ? null : await this.clientOf(client);
    const list = priceList ?? found?.priceList ?? STANDARD;
    const seesNear = nearNetOf(found?.nearNet ?? 'default', this.config.nearNet) !== 'off';
    const catalogue = await this.catalogueAt(at, seesNear);
    const now = this.clock.now();
    const terminated = this.register.terminationOf(postcode, now);
    const premises = uprn === undefined ? null : uprnOf(uprn);
    const instant = (at ?? now).getTime();
    const explained = explain(catalogue, postcode, list, instant, premises, seesNear);
    return { ...explained, terminated };
  }

  private async catalogueAt(at: Date | undefined, seesNear: boolean): Promise<Catalogue> {
    if (at === undefined) return this.catalogue.current;
    const { number } = await this.versions.activeAt(at);
    return seesNear ? this.catalogue.complete(number) : this.catalogue.version(number);
  }

  private async clientOf(client: string): Promise<ApiClient> {
    try {
      return await this.clients.find(client);
    } catch (error) {
      if (error instanceof Refused)
        throw new NotFound('There is no API client of this id or name.');
      throw error;
    }
  }
}

import { Injectable } from '@nestjs/common';
import type { ApiClient } from '../../clients/api-client.entity.js';
import { ClientsService } from '../../clients/clients.service.js';
import { NotFound } from '../../platform/problems/problem.js';
import { postcodeOf, uprnOf } from '../../platform/problems/postcode.errors.js';
import { Refused } from '../../platform/problems/refused.js';
import { Clock } from '../../platform/kernel/clock.js';
import type { Catalogue } from '../content/catalogue.js';
import { CatalogueService } from '../versions/catalogue.service.js';
import { explain, type Explanation } from '../content/explain.js';
import { RegisterService } from '../versions/register.service.js';
import { VersionsService } from '../versions/versions.service.js';
import { NO_CLIENT, type ShownPlace, ShownService } from './shown.service.js';

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
  /** The label of the polygon of the map that decides; null if none does. */
  readonly polygon: string | null;
}

@Injectable()
export class ExplainService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly versions: VersionsService,
    private readonly clients: ClientsService,
    private readonly register: RegisterService,
    private readonly shown: ShownService,
    private readonly clock: Clock,
  ) {}

  /** As staff see it. @throws {InvalidPostcode | UprnNotAtPostcode | NotFound} */
  async explain(
    text: string,
    { client: idOrName, priceList, uprn, at }: ExplainQuestion,
  ): Promise<ExplainedAnswer> {
    const postcode = postcodeOf(text);
    const client = idOrName === undefined ? NO_CLIENT : await this.clientOf(idOrName);
    const list = priceList ?? client.priceList;
    const caller = { ...NO_CLIENT, priceList: list, nearNet: client.nearNet };
    const shown = this.shown.shownIn(await this.catalogueAt(at), caller, at);
    return this.explainPlace(
      shown.at({ postcode, uprn: uprn === undefined ? null : uprnOf(uprn) }),
    );
  }

  async explainPlace(place: ShownPlace): Promise<ExplainedAnswer> {
    const terminated = this.register.terminationOf(place.postcode, this.clock.now());
    const explanation = explain(place);
    const { level } = explanation.levels.find(({ decides }) => decides) ?? {};
    // A polygon gives units and premises their rows.
    const polygon =
      level === 'unit' || level === 'premises'
        ? await this.catalogue.polygonAt(place.catalogue.version, place.key)
        : null;
    const { reason } = explanation;
    const because = polygon === null ? '' : ` The polygon ${polygon} of coverage.geojson says so.`;
    return { ...explanation, reason: reason + because, terminated, polygon };
  }

  private async catalogueAt(at: Date | undefined): Promise<Catalogue> {
    if (at === undefined) return this.catalogue.current;
    const { number } = await this.versions.activeAt(at);
    return this.catalogue.complete(number);
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

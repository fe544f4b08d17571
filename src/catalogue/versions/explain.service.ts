import { Injectable } from '@nestjs/common';
import { ClientsService } from '../../clients/clients.service.js';
import { NotFound } from '../../problems/problem.js';
import { postcodeOf } from '../../problems/postcode.errors.js';
import { Refused } from '../../problems/refused.js';
import { Clock } from '../../kernel/clock.js';
import { STANDARD } from '../content/cells.js';
import { CatalogueService } from './catalogue.service.js';
import { explain, type Explanation } from '../content/explain.js';
import { RegisterService } from './register.service.js';
import { VersionsService } from './versions.service.js';

export interface ExplainQuestion {
  /** An API client, by id or name, whose price list is used. */
  readonly client?: string | undefined;
  readonly priceList?: string | undefined;
  /** The answer as it was at this instant; by default, now. */
  readonly at?: Date | undefined;
}

export interface ExplainedAnswer extends Explanation {
  /** `2019-06`; null where the register does not say so. */
  readonly terminated: string | null;
}

/** Why an answer is as it is, or was. */
@Injectable()
export class ExplainService {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly versions: VersionsService,
    private readonly clients: ClientsService,
    private readonly register: RegisterService,
    private readonly clock: Clock,
  ) {}

  /** @throws {InvalidPostcode | NotFound} */
  async explain(
    text: string,
    { client, priceList, at }: ExplainQuestion,
  ): Promise<ExplainedAnswer> {
    const postcode = postcodeOf(text);
    const list = priceList ?? (client === undefined ? STANDARD : await this.priceListOf(client));
    const catalogue =
      at === undefined
        ? this.catalogue.current
        : await this.catalogue.version((await this.versions.activeAt(at)).number);
    const terminated = this.register.terminationOf(postcode, this.clock.now());
    return { ...explain(catalogue, postcode, list), terminated };
  }

  private async priceListOf(client: string): Promise<string> {
    try {
      return (await this.clients.find(client)).priceList;
    } catch (error) {
      if (error instanceof Refused)
        throw new NotFound('There is no API client of this id or name.');
      throw error;
    }
  }
}

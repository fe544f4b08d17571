import { Injectable } from '@nestjs/common';
import { type ClientCaller, isInSandbox } from '../platform/access/caller.js';
import { postcodeFor, uprnOf } from '../platform/problems/postcode.errors.js';
import type { AnswerText } from '../platform/http/kept-text.js';
import { Problem } from '../platform/problems/problem.js';
import { writtenJson } from '../platform/http/written.js';
import type { PageQuery } from '../platform/http/paging.dto.js';
import { ShownService } from '../catalogue/shown/shown.service.js';
import { Config } from '../platform/config/config.js';
import { SandboxService } from '../catalogue/sandbox/sandbox.service.js';
import type {
  AvailabilityResult,
  AvailabilityResults,
  ListedPremisesPage,
  ProductFilter,
} from './availability.dto.js';
import { AvailabilityService, listPremises } from './availability.service.js';

/** A place as a client writes it. */
export interface WrittenPlace {
  readonly postcode: string;
  readonly uprn?: string | undefined;
}

/** Checks postcodes and premises as clients write them. */
@Injectable()
export class PostcodeChecksService {
  constructor(
    private readonly availability: AvailabilityService,
    private readonly shown: ShownService,
    private readonly sandbox: SandboxService,
    private readonly config: Config,
  ) {}

  /** @throws {InvalidPostcode | InvalidUprn | UprnNotAtPostcode}, and in the sandbox the simulated problem */
  async check(
    place: WrittenPlace,
    client: ClientCaller,
    filter?: ProductFilter,
  ): Promise<AvailabilityResult> {
    return writtenJson(await this.answer(place, client, filter));
  }

  /** A result or a problem for each, as from `check`. */
  async checkMany(
    places: readonly WrittenPlace[],
    client: ClientCaller,
    requestId: string,
  ): Promise<AvailabilityResults> {
    const rows = await Promise.all(
      places.map((place) =>
        this.answer(place, client).then(
          ({ text }) => text,
          (error: unknown) => {
            if (!(error instanceof Problem)) throw error;
            return JSON.stringify(error.body(this.config.publicUrl, requestId));
          },
        ),
      ),
    );
    return writtenJson(`{"results":[${rows.join(',')}]}`);
  }

  /** @throws {InvalidPostcode | ValidationFailed}, and in the sandbox the simulated problem */
  async list(text: string, query: PageQuery, client: ClientCaller): Promise<ListedPremisesPage> {
    const postcode = postcodeFor(text, client);
    if (isInSandbox(client)) await this.sandbox.lookUp(postcode, client);
    const catalogue = this.shown.shownTo(client).catalogueAt(postcode);
    return listPremises(catalogue, postcode, query, client.compatibility);
  }

  private async answer(
    place: WrittenPlace,
    client: ClientCaller,
    filter?: ProductFilter,
  ): Promise<AnswerText> {
    const postcode = postcodeFor(place.postcode, client);
    // A client may send null for an absent property.
    const uprn = place.uprn == null ? null : uprnOf(place.uprn);
    if (isInSandbox(client)) await this.sandbox.lookUp(postcode, client);
    return this.availability.check({ postcode, uprn }, client, filter);
  }
}

import { Injectable } from '@nestjs/common';
import type { ClientCaller } from '../access/caller.js';
import { postcodeFor } from '../problems/postcode.errors.js';
import { Problem } from '../problems/problem.js';
import { sandboxCaseAt } from '../kernel/sandbox-postcodes.js';
import { writtenJson } from '../http/written-json.js';
import { Config } from '../config/config.js';
import { sandboxCatalogue } from '../sandbox/sandbox-catalogue.js';
import { SandboxService } from '../sandbox/sandbox.service.js';
import type { AvailabilityResult, AvailabilityResults } from './availability.dto.js';
import { AvailabilityService } from './availability.service.js';

/** Postcodes as clients write them, one or many. */
@Injectable()
export class PostcodeChecksService {
  constructor(
    private readonly availability: AvailabilityService,
    private readonly sandbox: SandboxService,
    private readonly config: Config,
  ) {}

  /** @throws {InvalidPostcode}, and in the sandbox what a postcode there plays */
  async check(text: string, client: ClientCaller): Promise<AvailabilityResult> {
    return writtenJson(await this.answer(text, client));
  }

  /** A result or a problem for each, as `check` would have told them. */
  async checkMany(
    texts: readonly string[],
    client: ClientCaller,
    requestId: string,
  ): Promise<AvailabilityResults> {
    const rows = await Promise.all(
      texts.map((text) =>
        this.answer(text, client).catch((error: unknown) => {
          if (!(error instanceof Problem)) throw error;
          return JSON.stringify(error.body(this.config.publicUrl, requestId));
        }),
      ),
    );
    return writtenJson(`{"results":[${rows.join(',')}]}`);
  }

  private async answer(text: string, client: ClientCaller): Promise<string> {
    const postcode = postcodeFor(text, client);
    if (sandboxCaseAt(postcode) === undefined) {
      return this.availability.checkPostcode(postcode, client);
    }
    await this.sandbox.play(postcode, 'look-ups', client);
    return this.availability.checkPostcode(postcode, client, sandboxCatalogue);
  }
}

import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientCaller } from '../../platform/access/caller.js';
import type { Postcode } from '../../platform/kernel/postcode.js';
import { RateLimited, Unavailable } from '../../platform/problems/problem.js';
import {
  SANDBOX_RETRY,
  sandboxCaseAt,
  SLOW_ANSWER,
} from '../../platform/kernel/sandbox-postcodes.js';
import { Config } from '../../platform/config/config.js';

/** Simulates the case of a sandbox postcode. */
@Injectable()
export class SandboxService {
  constructor(private readonly config: Config) {}

  /** As `refuse`, and waits for the slow postcode. */
  async lookUp(postcode: Postcode, client: ClientCaller): Promise<void> {
    this.refuse(postcode, 'look-ups', client);
    await this.delay(postcode);
  }

  /** Delays the answer of the slow postcode. */
  async delay(postcode: Postcode): Promise<void> {
    if (sandboxCaseAt(postcode) === 'slow') await sleep(SLOW_ANSWER);
  }

  /** @throws {Unavailable | RateLimited} for the postcodes that refuse */
  refuse(postcode: Postcode, what: 'look-ups' | 'orders', client: ClientCaller): void {
    switch (sandboxCaseAt(postcode)) {
      case 'unavailable':
        throw new Unavailable('The sandbox simulates an outage.', undefined, SANDBOX_RETRY);
      case 'limited':
        throw this.limited(what, client);
      case 'excluded':
      case 'nothing':
      case 'slow':
      case 'price-change':
      case 'survey':
      case 'indicative':
      case 'planned':
      case 'premises':
      case 'charge':
      case 'offered':
      case 'offer-expired':
      case 'unable':
      case 'first-band':
      case 'second-band':
      case 'last-band':
      case 'beyond-bands':
      case 'products':
      case undefined:
    }
  }

  private limited(what: 'look-ups' | 'orders', { limits }: ClientCaller): RateLimited {
    const { lookupBurst, lookupsPerMinute, ordersPerMinute } = this.config;
    const most =
      what === 'orders'
        ? (limits.ordersPerMinute ?? ordersPerMinute)
        : (limits.lookupsPerMinute ?? lookupsPerMinute);
    const burst = what === 'orders' ? '' : `, "burst";q=${lookupBurst};w=1`;
    return new RateLimited(
      `The sandbox simulates an exhausted limit of ${most} ${what} a minute.`,
      SANDBOX_RETRY,
      {
        policy: `"${what}";q=${most};w=60${burst}`,
        state: `"${what}";r=0;t=${SANDBOX_RETRY}`,
      },
    );
  }
}

import { Injectable } from '@nestjs/common';
import type { ClientCaller } from '../access/caller.js';
import type { Me } from './me.dto.js';
import { RateLimitsService } from '../limits/rate-limits.service.js';

/** Tells an API client of itself. */
@Injectable()
export class MeService {
  constructor(private readonly limits: RateLimitsService) {}

  /** With the headers of a counted answer; none where there are no limits. */
  async read(client: ClientCaller): Promise<{ me: Me; headers: Record<string, string> }> {
    const { clientId, name, tokenId, token, scopes, isTest, priceList, legacyFieldNames } = client;
    const left = await this.limits.look(client);
    const me: Me = {
      client: { id: clientId, name, priceList, legacyFieldNames },
      token: {
        id: tokenId,
        label: token.label,
        mode: isTest ? 'test' : 'live',
        scopes: [...scopes],
        expiresAt: token.expiresAt,
      },
      limits: left && {
        lookupsPerMinute: left.checks,
        lookupsPerSecond: left.burst,
        ordersPerMinute: left.orders,
        inFlight: left.inFlight,
      },
    };
    const headers = left && { 'RateLimit-Policy': left.policy, RateLimit: left.state };
    return { me, headers: headers ?? {} };
  }
}

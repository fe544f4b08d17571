import { modeOf } from '../platform/database/sides.js';
import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Client, type ClientCaller } from '../platform/access/caller.js';
import { Requires } from '../platform/access/rules.js';
import { Described } from '../platform/http/described.js';
import { Me } from './me.dto.js';
import { RateLimitsService } from '../platform/limits/rate-limits.service.js';

@Controller('product-availability/me')
@Described('Self-service', 'For API clients: their token and what is left of its limits.')
export class MeController {
  constructor(private readonly limits: RateLimitsService) {}

  /**
   * Read your token and limits
   *
   * @remarks The owner, scopes and expiry of the token, and what is left of its limits. This request
   * does not count towards them.
   */
  @Get()
  @Requires('client', { counts: 'nothing' })
  async readMe(
    @Client() client: ClientCaller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Me> {
    const { clientId, name, tokenId, token, scopes, priceList, compatibility } = client;
    const { interconnects } = client;
    const left = await this.limits.look(client);
    if (left) response.set({ 'RateLimit-Policy': left.policy, RateLimit: left.state });
    return {
      client: {
        id: clientId,
        name,
        priceList,
        legacyFieldNames: compatibility === '0.2',
        compatibility,
        interconnects: [...interconnects],
      },
      token: {
        id: tokenId,
        label: token.label,
        mode: modeOf(client),
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
  }
}

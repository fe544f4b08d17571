import { Injectable } from '@nestjs/common';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import type { AccessToken } from '../../clients/access-token.entity.js';
import type { ApiClient } from '../../clients/api-client.entity.js';
import { ClientsService } from '../../clients/clients.service.js';
import { TokensService } from '../../clients/tokens.service.js';
import { Clock } from '../../platform/kernel/clock.js';

/** An API client with what its tokens and the live catalogue say about it. */
export interface ClientOverview {
  readonly client: ApiClient;
  readonly tokens: readonly AccessToken[];
  /** Tokens that are neither revoked nor expired. */
  readonly usableTokens: number;
  readonly lastUsedAt: Date | null;
  /** Whether the live catalogue has its price list. */
  readonly priceListIsLive: boolean;
}

/** The API clients as administrators see them. */
@Injectable()
export class ClientOverviewService {
  constructor(
    private readonly clients: ClientsService,
    private readonly tokens: TokensService,
    private readonly catalogue: CatalogueService,
    private readonly clock: Clock,
  ) {}

  /** By name. */
  async list(): Promise<ClientOverview[]> {
    const clients = await this.clients.list();
    const tokens = Map.groupBy(await this.tokens.list(), ({ clientId }) => clientId);
    return clients.map((client) => this.overviewOf(client, tokens.get(client.id) ?? []));
  }

  /** @throws {NotFound} */
  async find(id: string): Promise<ClientOverview> {
    const client = await this.clients.get(id);
    return this.overviewOf(client, await this.tokens.list({ clientId: id }));
  }

  /** The price lists of the live catalogue. */
  get priceLists(): readonly string[] {
    return this.catalogue.loaded ? this.catalogue.current.priceLists : [];
  }

  private overviewOf(client: ApiClient, tokens: readonly AccessToken[]): ClientOverview {
    const now = this.clock.now();
    const isUsable = ({ revokedAt, expiresAt }: AccessToken) => !revokedAt && expiresAt > now;
    return {
      client,
      tokens,
      usableTokens: tokens.filter(isUsable).length,
      lastUsedAt: tokens.map(({ lastUsedAt }) => lastUsedAt).reduce(later, null),
      // Without a catalogue, no price list is wrong.
      priceListIsLive: !this.catalogue.loaded || this.priceLists.includes(client.priceList),
    };
  }
}

function later(a: Date | null, b: Date | null): Date | null {
  return b && (!a || b > a) ? b : a;
}

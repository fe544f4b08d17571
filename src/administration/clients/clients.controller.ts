import { Controller, Get, Patch } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { Staff, type StaffCaller } from '../../platform/access/caller.js';
import { Requires } from '../../platform/access/rules.js';
import { actorOf } from '../../platform/audit/audit.service.js';
import { ClientsService } from '../../clients/clients.service.js';
import { Described } from '../../platform/http/described.js';
import { IdParameter } from '../../platform/http/parameters.js';
import { ValidBody } from '../../platform/http/valid.js';
import { type ClientOverview, ClientOverviewService } from './client-overview.service.js';
import { AdminClient, AdminClients, ClientChange, ClientChangedProblem } from './clients.dto.js';

@Controller('clients')
@ApiExtraModels(ClientChangedProblem)
@Described('API clients', 'For administrators: the companies that call the API.')
export class ClientsController {
  constructor(
    private readonly clients: ClientsService,
    private readonly overview: ClientOverviewService,
  ) {}

  /** List the API clients */
  @Get()
  @Requires('clients:write')
  async listClients(): Promise<AdminClients> {
    return { items: (await this.overview.list()).map(printed) };
  }

  /**
   * Read an API client
   *
   * @throws {404} not-found
   */
  @Get(':clientId')
  @Requires('clients:write')
  async readClient(@IdParameter('clientId') clientId: string): Promise<AdminClient> {
    return printed(await this.overview.find(clientId));
  }

  /**
   * Edit an API client
   *
   * @remarks Applies from its next request on. The audit trail keeps the names of the changed properties,
   * and the values before and after except those of persons.
   *
   * @throws {404} not-found
   * @throws {409} client-changed, client-name-taken
   */
  @Patch(':clientId')
  @Requires('clients:write')
  async editClient(
    @IdParameter('clientId') clientId: string,
    @ValidBody() { version, lookupsPerSecond, ...change }: ClientChange,
    @Staff() caller: StaffCaller,
  ): Promise<AdminClient> {
    const settings = {
      ...change,
      ...(lookupsPerSecond !== undefined && { lookupBurst: lookupsPerSecond }),
    };
    await this.clients.edit(clientId, settings, actorOf(caller), version);
    return printed(await this.overview.find(clientId));
  }
}

function printed({ client, ...overview }: ClientOverview): AdminClient {
  const { lookupBurst, ...rest } = client;
  const { usableTokens, lastUsedAt, priceListIsLive } = overview;
  const interconnects = [...rest.interconnects];
  const limits = { lookupsPerSecond: lookupBurst };
  return { ...rest, ...limits, interconnects, usableTokens, lastUsedAt, priceListIsLive };
}

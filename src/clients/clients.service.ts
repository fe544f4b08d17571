import { Injectable } from '@nestjs/common';
import { type Actor, AuditService } from '../audit/audit.service.js';
import type { ClientLimits } from '../access/caller.js';
import { Clock } from '../kernel/clock.js';
import { isUniqueViolation } from '../database/errors.js';
import { Refused } from '../problems/refused.js';
import { newId } from '../database/new-id.js';
import { RevisionsService } from '../database/revisions.service.js';
import { Transactions } from '../database/transactions.js';
import { ApiClient } from './api-client.entity.js';

export type NewClient = Pick<
  ApiClient,
  'name' | 'contactName' | 'contactEmail' | 'contactPhone' | 'priceList' | 'compatibility'
>;

@Injectable()
export class ClientsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** @throws {Refused} where the name is taken */
  async add(client: NewClient, actor: Actor): Promise<ApiClient> {
    const row = {
      ...client,
      id: newId(),
      lookupsPerMinute: null,
      lookupBurst: null,
      ordersPerMinute: null,
      inFlight: null,
      enabled: true,
      createdAt: this.clock.now(),
    };
    try {
      await this.transactions.run(async (tx) => {
        await tx.insert(ApiClient, row);
        await this.audit.record(tx, { subject: ['client', row.id], action: 'added', actor });
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new Refused(`There is an API client named ${JSON.stringify(client.name)} already.`);
    }
    return Object.assign(new ApiClient(), row);
  }

  list(): Promise<ApiClient[]> {
    return this.transactions.read((tx) => tx.find(ApiClient, { order: { name: 'ASC' } }));
  }

  /** By id or by name. @throws {Refused} where there is none */
  async find(idOrName: string): Promise<ApiClient> {
    const clients = await this.list();
    const client = clients.find(({ id, name }) => id === idOrName || name === idOrName);
    if (client) return client;
    throw new Refused(
      `There is no API client ${JSON.stringify(idOrName)}; \`clients list\` shows them.`,
    );
  }

  /** Null restores a configured limit. */
  async setLimits(id: string, limits: Partial<ClientLimits>, actor: Actor): Promise<void> {
    await this.transactions.run(async (tx) => {
      await tx.update(ApiClient, { id }, limits);
      const details = { ...limits };
      await this.audit.record(tx, { subject: ['client', id], action: 'limited', actor, details });
      await this.revisions.bump(tx, 'access');
    });
    await this.revisions.catchUp();
  }

  /** The service refuses the tokens of a disabled client. */
  async setEnabled(id: string, enabled: boolean, actor: Actor): Promise<void> {
    await this.transactions.run(async (tx) => {
      await tx.update(ApiClient, { id }, { enabled });
      const action = enabled ? 'enabled' : 'disabled';
      await this.audit.record(tx, { subject: ['client', id], action, actor });
      await this.revisions.bump(tx, 'access');
    });
    await this.revisions.catchUp();
  }
}

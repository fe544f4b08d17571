import { Injectable } from '@nestjs/common';
import { type Actor, AuditService } from '../platform/audit/audit.service.js';
import type { ClientLimits, Interconnect } from '../platform/access/caller.js';
import { Config } from '../platform/config/config.js';
import { Clock } from '../platform/kernel/clock.js';
import { isUniqueViolation } from '../platform/database/engine/errors.js';
import { compatibilities } from '../platform/kernel/client-options.js';
import { isUuid } from '../platform/kernel/uuid.js';
import { NotFound, ValidationFailed } from '../platform/problems/problem.js';
import { Refused } from '../platform/problems/refused.js';
import { newId } from '../platform/database/new-id.js';
import { RevisionsService } from '../platform/database/revisions.service.js';
import { Transactions } from '../platform/database/transactions.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { ApiClient, DIRECT_CLIENT } from './api-client.entity.js';
import { ClientChanged, ClientNameTaken } from './clients.errors.js';

export type NewClient = Pick<
  ApiClient,
  'name' | 'contactName' | 'contactEmail' | 'contactPhone' | 'priceList' | 'compatibility'
> &
  Partial<Pick<ApiClient, 'nearNet' | 'messageEmails'>>;

/** What can be edited. A limit that is null is as configured. */
export type ClientSettings = NewClient & ClientLimits;

/** Of persons: the audit trail, which is never deleted, names only the field. */
const personal: ReadonlySet<string> = new Set(['contactName', 'contactEmail', 'contactPhone']);

/** Of one API client. */
const MOST_INTERCONNECTS = 100;

@Injectable()
export class ClientsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** @throws {ClientNameTaken} */
  async add(client: NewClient, actor: Actor, id = newId()): Promise<ApiClient> {
    const row = {
      ...client,
      nearNet: client.nearNet ?? 'default',
      messageEmails: client.messageEmails ?? 'on',
      interconnects: [],
      id,
      lookupsPerMinute: null,
      lookupBurst: null,
      ordersPerMinute: null,
      inFlight: null,
      enabled: true,
      createdAt: this.clock.now(),
      version: 1,
    };
    await withFreeName(client.name, () =>
      this.transactions.run(async (tx) => {
        await tx.insert(ApiClient, row);
        await this.audit.record(tx, { subject: ['client', row.id], action: 'added', actor });
      }),
    );
    return Object.assign(new ApiClient(), row);
  }

  /** The client of callers who are no client yet, which the first of their enquiries adds. */
  async direct(actor: Actor): Promise<ApiClient> {
    const { id, ...names } = DIRECT_CLIENT;
    const find = () => this.transactions.read((tx) => tx.findOneBy(ApiClient, { id }));
    const found = await find();
    if (found) return found;
    // Emails to the client reach the operator, who knows the caller.
    const { salesInbox, mailFrom } = this.config;
    const contactEmail = (salesInbox[0] ?? mailFrom)?.address ?? '';
    const client: NewClient = {
      ...names,
      contactEmail,
      contactPhone: '',
      priceList: 'standard',
      compatibility: compatibilities[0],
    };
    try {
      return await this.add(client, actor, id);
    } catch (error) {
      // A colleague may have added it at the same time.
      const added = error instanceof ClientNameTaken ? await find() : null;
      if (added) return added;
      throw error;
    }
  }

  list(): Promise<ApiClient[]> {
    return this.transactions.read((tx) => tx.find(ApiClient, { order: { name: 'ASC' } }));
  }

  /** @throws {NotFound} */
  async get(id: string): Promise<ApiClient> {
    const find = (tx: Tx) => tx.findOneBy(ApiClient, { id });
    const client = isUuid(id) ? await this.transactions.read(find) : null;
    if (client) return client;
    throw new NotFound('There is no such API client.');
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

  /**
   * Takes effect with the next request.
   * @param seen the version that the caller saw; without it, the edit applies to any version
   * @throws {NotFound | ClientChanged | ClientNameTaken}
   */
  async edit(
    id: string,
    settings: Partial<ClientSettings>,
    actor: Actor,
    seen?: number,
  ): Promise<ApiClient> {
    const edited = await withFreeName(settings.name ?? '', () =>
      this.transactions.run((tx) => this.editIn(tx, id, settings, actor, seen)),
    );
    await this.revisions.catchUp();
    return edited;
  }

  /**
   * Adds an interconnect, or gives it another label.
   * @throws {NotFound | ValidationFailed}
   */
  addInterconnect(id: string, { code, label }: Interconnect, actor: Actor): Promise<ApiClient> {
    return this.setInterconnects(id, actor, (all) => {
      const others = all.filter((one) => one.code !== code);
      if (others.length < MOST_INTERCONNECTS) return [...others, { code, label }];
      const detail = `A client has at most ${MOST_INTERCONNECTS} interconnects.`;
      throw new ValidationFailed([{ pointer: '/code', code: 'not-allowed', detail }]);
    });
  }

  /** Orders that name it keep it. @throws {NotFound} */
  removeInterconnect(id: string, code: string, actor: Actor): Promise<ApiClient> {
    return this.setInterconnects(id, actor, (all) => {
      const others = all.filter((one) => one.code !== code);
      if (others.length < all.length) return others;
      throw new NotFound(`This client has no interconnect ${JSON.stringify(code)}.`);
    });
  }

  private async setInterconnects(
    id: string,
    actor: Actor,
    change: (all: readonly Interconnect[]) => readonly Interconnect[],
  ): Promise<ApiClient> {
    const edited = await this.transactions.run(async (tx) => {
      const client = await tx.findOneBy(ApiClient, { id });
      if (!client) throw new NotFound('There is no such API client.');
      const { version } = client;
      const interconnects = change(client.interconnects).toSorted((a, b) =>
        a.code < b.code ? -1 : 1,
      );
      const next = { interconnects, version: version + 1 };
      const { affected } = await tx.update(ApiClient, { id, version }, next);
      if (affected !== 1) throw new ClientChanged(version + 1);
      const codesOf = (all: readonly Interconnect[]) => ({
        interconnects: all.map(({ code, label }) => `${code} ${label}`).join('; '),
      });
      const details = {
        changed: ['interconnects'],
        before: codesOf(client.interconnects),
        after: codesOf(interconnects),
      };
      await this.audit.record(tx, { subject: ['client', id], action: 'edited', actor, details });
      await this.revisions.bump(tx, 'access');
      return Object.assign(client, next);
    });
    await this.revisions.catchUp();
    return edited;
  }

  /** The service refuses the tokens of a disabled client. */
  async setEnabled(id: string, enabled: boolean, actor: Actor): Promise<void> {
    await this.transactions.run(async (tx) => {
      const { affected } = await tx.update(ApiClient, { id, enabled: !enabled }, { enabled });
      if (affected !== 1) return;
      const action = enabled ? 'enabled' : 'disabled';
      await this.audit.record(tx, { subject: ['client', id], action, actor });
      await this.revisions.bump(tx, 'access');
    });
    await this.revisions.catchUp();
  }

  private async editIn(
    tx: Tx,
    id: string,
    settings: Partial<ClientSettings>,
    actor: Actor,
    seen: number | undefined,
  ): Promise<ApiClient> {
    const client = isUuid(id) ? await tx.findOneBy(ApiClient, { id }) : null;
    if (!client) throw new NotFound('There is no such API client.');
    const { version } = client;
    if (seen !== undefined && seen !== version) throw new ClientChanged(version);
    const names = Object.keys(settings) as (keyof ClientSettings)[];
    const changed = names.filter((name) => settings[name] !== client[name]);
    if (changed.length === 0) return client;
    const next = { ...settings, version: version + 1 };
    const { affected } = await tx.update(ApiClient, { id, version }, next);
    if (affected !== 1) throw new ClientChanged(version + 1);
    const shown = changed.filter((name) => !personal.has(name));
    const valuesOf = (source: Partial<ClientSettings>) =>
      Object.fromEntries(shown.map((name) => [name, source[name]]));
    const details = { changed, before: valuesOf(client), after: valuesOf(settings) };
    await this.audit.record(tx, { subject: ['client', id], action: 'edited', actor, details });
    await this.revisions.bump(tx, 'access');
    return Object.assign(client, next);
  }
}

async function withFreeName<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ClientNameTaken(name);
  }
}

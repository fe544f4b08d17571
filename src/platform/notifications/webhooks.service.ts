import { Injectable } from '@nestjs/common';
import type { DeleteResult, InsertResult, UpdateResult } from 'typeorm';
import { isUuid } from '../kernel/uuid.js';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import type { AuditAction } from '../audit/audit-actions.js';
import { type Actor, AuditService, resealedEvent } from '../audit/audit.service.js';
import { Clock } from '../kernel/clock.js';
import { Refused } from '../problems/refused.js';
import { Config } from '../config/config.js';
import { newId } from '../database/new-id.js';
import { RevisionsService } from '../database/revisions.service.js';
import { addRows } from '../database/engine/rows.js';
import { LIVE, type Side } from '../database/sides.js';
import { Transactions } from '../database/transactions.js';
import type { Tx } from '../database/engine/tx.js';
import { faultOfUrl, type UrlRules } from '../config/addresses.js';
import { type Resealed, SealingKeys } from '../kernel/sealed-text.js';
import { UnknownForm } from '../kernel/stored-form.js';
import { newSecret } from './signing.js';
import { OutboxService } from './outbox.service.js';
import { healthy, WebhookEndpoint } from './webhook-endpoint.entity.js';
import { NotFound, Problem, ValidationFailed } from '../problems/problem.js';

export class WebhooksOff extends Problem {
  constructor() {
    super('webhooks-off');
  }
}

export class WebhookNotFound extends NotFound {
  constructor() {
    super('You have not registered a webhook.');
  }
}

/** The webhook of a change is not there, or was removed meanwhile. */
export class WebhookGone extends Refused {
  constructor(id: string) {
    super(`There is no webhook ${id}; \`webhooks list\` shows them.`);
  }
}

export class WebhookUrlRefused extends ValidationFailed {
  constructor(detail: string) {
    super([{ pointer: '/url', code: 'not-allowed', detail }]);
  }
}

export type ShownEndpoint = Omit<WebhookEndpoint, 'sealedSecrets'>;

export interface WebhookTarget {
  readonly url: URL;
  readonly storedUrl: string;
  readonly secrets: readonly string[];
  readonly rules: UrlRules;
}

/** The client, and which of its orders an endpoint receives; null for the operator's own endpoints. */
export type WebhookOwner = (Side & { readonly clientId: string }) | null;

type Listener = Pick<WebhookEndpoint, 'id' | 'clientId' | 'isTest'>;

/** Manages webhooks. Keeps the enabled ones in memory. */
@Injectable()
export class WebhooksService {
  private enabled: readonly Listener[] = [];

  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly outbox: OutboxService,
  ) {
    revisions.register('webhooks', () => this.load());
  }

  get on(): boolean {
    return this.config.webhookKey !== null;
  }

  /** The number of enabled endpoints. */
  get count(): number {
    return this.enabled.length;
  }

  /** The endpoints for a client's orders: its own for live or test, and for live also the operator's. */
  listeners(clientId: string, { isTest }: Side): readonly Listener[] {
    if (!this.on) return [];
    return this.enabled.filter(
      (endpoint) =>
        endpoint.isTest === isTest &&
        (endpoint.clientId === null || endpoint.clientId === clientId),
    );
  }

  /** Why the text cannot be the URL of an endpoint. */
  faultOf(url: string, clientId: string | null): string | undefined {
    return faultOfUrl(url, this.rulesFor(clientId));
  }

  /**
   * Registers an endpoint; the secret is shown only once.
   * @throws {Refused} if webhooks are off or the URL is not allowed
   * @throws a unique violation if the owner already has one
   */
  async add(url: string, owner: WebhookOwner, actor: Actor) {
    const { clientId, isTest } = owner ?? { clientId: null, ...LIVE };
    const fault = this.faultOf(url, clientId);
    if (fault !== undefined) throw new Refused(fault);
    const id = newId();
    const secret = newSecret();
    const row: WebhookEndpoint = {
      id,
      clientId,
      isTest,
      url,
      sealedSecrets: this.sealed(id, [secret]),
      enabled: true,
      disabledReason: null,
      ...healthy,
      createdAt: this.clock.now(),
    };
    await this.change(id, 'added', actor, (tx) => tx.insert(WebhookEndpoint, row));
    return { endpoint: shown(row), secret };
  }

  /** Replaces URL and secret of an endpoint, and enables it. */
  async replace(earlier: ShownEndpoint, url: string, actor: Actor) {
    const { id } = earlier;
    const secret = newSecret();
    const enabled = { enabled: true, disabledReason: null, ...healthy };
    const endpoint: ShownEndpoint = { ...earlier, url, ...enabled };
    const sealedSecrets = this.sealed(id, [secret]);
    await this.change(id, 'replaced', actor, (tx) =>
      tx.update(WebhookEndpoint, { id }, { ...endpoint, sealedSecrets }),
    );
    return { endpoint, secret };
  }

  /** @param side by default both */
  async list(side: Partial<Side> = {}): Promise<ShownEndpoint[]> {
    const rows = await this.transactions.read((tx) =>
      tx.find(WebhookEndpoint, { where: side, order: { id: 'ASC' } }),
    );
    return rows.map(shown);
  }

  async ofClient(owner: NonNullable<WebhookOwner>): Promise<ShownEndpoint | null> {
    const { clientId, isTest } = owner;
    const row = await this.transactions.read((tx) =>
      tx.findOneBy(WebhookEndpoint, { clientId, isTest }),
    );
    return row && shown(row);
  }

  /** Adds a secret. Until `retire`, messages are signed with it and with the previous one. */
  async rotate(id: string, actor: Actor): Promise<string> {
    const secret = newSecret();
    const [latest] = this.opened(await this.find(id));
    const secrets = [secret, ...(latest === undefined ? [] : [latest])];
    await this.change(id, 'secret added', actor, (tx) =>
      tx.update(WebhookEndpoint, { id }, { sealedSecrets: this.sealed(id, secrets) }),
    );
    return secret;
  }

  /** Drops all secrets but the newest. */
  async retire(id: string, actor: Actor): Promise<void> {
    const secrets = this.opened(await this.find(id)).slice(0, 1);
    await this.change(id, 'old secrets dropped', actor, (tx) =>
      tx.update(WebhookEndpoint, { id }, { sealedSecrets: this.sealed(id, secrets) }),
    );
  }

  /** To enable an endpoint also resumes a paused one. @throws {Refused} if there is no such webhook */
  async setEnabled(id: string, reason: string | null, actor: Actor): Promise<void> {
    await this.find(id);
    const enabled = reason === null;
    await this.change(id, enabled ? 'enabled' : 'disabled', actor, (tx) =>
      tx.update(WebhookEndpoint, { id }, { enabled, disabledReason: reason, ...healthy }),
    );
  }

  /**
   * Disables an endpoint for what it answered at this URL.
   * @throws {Refused} if it has another URL by now
   */
  async disableAt(id: string, url: string, reason: string, actor: Actor): Promise<void> {
    await this.change(id, 'disabled', actor, async (tx) => {
      const disabled = { enabled: false, disabledReason: reason, ...healthy };
      const result = await tx.update(WebhookEndpoint, { id, url }, disabled);
      if (result.affected === 1) return result;
      throw new Refused('The webhook was replaced or removed during the delivery. Try again.');
    });
  }

  /** Its waiting messages are discarded when they are due. */
  async remove(id: string, actor: Actor): Promise<void> {
    await this.find(id);
    await this.change(id, 'removed', actor, (tx) => tx.delete(WebhookEndpoint, { id }));
  }

  /** Null if the endpoint is disabled or removed. */
  async target(id: string): Promise<WebhookTarget | null> {
    const row = await this.row(id);
    if (!row?.enabled) return null;
    const { url, clientId } = row;
    return {
      url: new URL(url),
      storedUrl: url,
      secrets: this.opened(row),
      rules: this.rulesFor(clientId),
    };
  }

  /** Encrypts the secrets with `WEBHOOK_KEY` that are encrypted with the second key. */
  reseal(actor: Actor): Promise<Resealed> {
    const { keys } = this;
    return this.transactions.run(async (tx) => {
      const rows = await tx.find(WebhookEndpoint);
      const resealed = keys.resealAll(rows.map(sealedRow));
      for (const { context: id, earlier, sealed } of resealed.changed) {
        await tx.update(WebhookEndpoint, { id, sealedSecrets: earlier }, { sealedSecrets: sealed });
      }
      await this.audit.record(tx, resealedEvent('WEBHOOK_KEY', resealed, actor));
      return resealed;
    });
  }

  /** Whether the keys open none of the stored secrets: they are probably not those of the service. */
  async opensNone(): Promise<boolean> {
    const rows = await this.transactions.read((tx) => tx.find(WebhookEndpoint));
    const { unreadable } = this.keys.resealAll(rows.map(sealedRow));
    return rows.length > 0 && unreadable.length === rows.length;
  }

  private async row(id: string): Promise<WebhookEndpoint | null> {
    if (!isUuid(id)) return null;
    return this.transactions.read((tx) => tx.findOneBy(WebhookEndpoint, { id }));
  }

  private async find(id: string): Promise<WebhookEndpoint> {
    const row = await this.row(id);
    if (row) return row;
    throw new WebhookGone(id);
  }

  /**
   * Makes a change with its audit entry. A client's contact learns of every change of its live webhook.
   * @throws {WebhookGone} if `work` affects no row
   */
  private async change(
    id: string,
    action: AuditAction,
    actor: Actor,
    work: (tx: Tx) => Promise<InsertResult | UpdateResult | DeleteResult>,
  ): Promise<void> {
    await this.transactions.run(async (tx) => {
      const before = await tx.findOneBy(WebhookEndpoint, { id });
      const result = await work(tx);
      if ('affected' in result && result.affected === 0) throw new WebhookGone(id);
      const after = await tx.findOneBy(WebhookEndpoint, { id });
      const endpoint = after ?? before;
      if (!endpoint) throw new WebhookGone(id);
      const { clientId, isTest } = endpoint;
      const details = {
        client: clientId,
        test: isTest,
        token: actor.tokenId ?? null,
        hostBefore: hostOf(before),
        hostAfter: hostOf(after),
        reason: after?.disabledReason ?? null,
      };
      const entry = this.audit.entryOf({ subject: ['webhook', id], action, actor, details });
      await addRows(tx, AuditEntry, [entry]);
      if (clientId !== null && !isTest) await this.outbox.addEmail(tx, 'webhook-changed', entry.id);
      await this.revisions.bump(tx, 'webhooks');
    });
    await this.revisions.catchUp();
  }

  private async load(): Promise<void> {
    this.enabled = await this.transactions.read((tx) =>
      tx.find(WebhookEndpoint, {
        select: { id: true, clientId: true, isTest: true },
        where: { enabled: true },
        order: { id: 'ASC' },
      }),
    );
  }

  /** A client's webhook must not reach into the operator's network, except in development. */
  private rulesFor(clientId: string | null): UrlRules {
    const { production, webhookNetworks } = this.config;
    const trusted = clientId === null || !production;
    return { http: !production, networks: trusted ? webhookNetworks : [] };
  }

  private get keys(): SealingKeys {
    const keys = SealingKeys.of(this.config.webhookKey, this.config.webhookKeySecond);
    if (keys) return keys;
    throw new Refused(
      'Webhooks are off: set WEBHOOK_KEY to the key of the service. If it has none, give it one that `openssl rand -base64 32` prints.',
    );
  }

  private sealed(id: string, secrets: readonly string[]): string {
    return this.keys.seal(JSON.stringify(secrets), id);
  }

  private opened({ id, sealedSecrets }: WebhookEndpoint): string[] {
    return JSON.parse(openOrRefuse(sealedSecrets, this.keys, id)) as string[];
  }
}

function sealedRow({ id, sealedSecrets }: WebhookEndpoint) {
  return { context: id, sealed: sealedSecrets };
}

function openOrRefuse(sealed: string, keys: SealingKeys, id: string): string {
  try {
    return keys.open(sealed, id);
  } catch (error) {
    if (error instanceof UnknownForm) throw error;
    throw new Refused(`The secrets of webhook ${id} were sealed with another WEBHOOK_KEY.`);
  }
}

/** Path and query of a URL can hold a secret. */
function hostOf(endpoint: WebhookEndpoint | null): string | null {
  return endpoint && new URL(endpoint.url).host;
}

function shown({ sealedSecrets: _, ...rest }: WebhookEndpoint): ShownEndpoint {
  return rest;
}

import { Injectable } from '@nestjs/common';
import { isUuid } from '../kernel/uuid.js';
import { type Actor, AuditService } from '../audit/audit.service.js';
import { Clock } from '../kernel/clock.js';
import { Refused } from '../problems/refused.js';
import { Config } from '../config/config.js';
import { newId } from '../database/new-id.js';
import { RevisionsService } from '../database/revisions.service.js';
import { Transactions } from '../database/transactions.js';
import type { Tx } from '../database/engine/tx.js';
import { faultOfUrl, type UrlRules } from '../config/addresses.js';
import { open, seal } from '../kernel/sealed-text.js';
import { newSecret } from './channels/signing.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';

export type ShownEndpoint = Omit<WebhookEndpoint, 'sealedSecrets'>;

export interface WebhookTarget {
  readonly url: URL;
  readonly secrets: readonly string[];
  readonly rules: UrlRules;
}

interface EnabledEndpoint {
  readonly id: string;
  readonly clientId: string | null;
}

/** The endpoints that events are posted to. Those that are enabled lie in memory. */
@Injectable()
export class WebhooksService {
  private enabled: readonly EnabledEndpoint[] = [];

  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    revisions.follow('webhooks', () => this.load());
  }

  /** Whether webhooks are switched on. */
  get on(): boolean {
    return this.config.webhookKey !== null;
  }

  /** How many endpoints are enabled. */
  get count(): number {
    return this.enabled.length;
  }

  /**
   * The endpoints that are told of this client's orders: the operator's, and the client's own, which
   * alone is told of its tests.
   */
  listeners(clientId: string, isTest = false): string[] {
    if (!this.on) return [];
    return this.enabled
      .filter((endpoint) => (endpoint.clientId === null ? !isTest : endpoint.clientId === clientId))
      .map(({ id }) => id);
  }

  /** Why the text cannot be an endpoint's URL. */
  faultOf(url: string, clientId: string | null): string | undefined {
    return faultOfUrl(url, this.rulesFor(clientId));
  }

  /**
   * Registers an endpoint; the secret is shown this once.
   * @throws {Refused} where webhooks are off or the URL is not allowed
   * @throws a unique violation where the client has one already
   */
  async add(url: string, clientId: string | null, actor: Actor) {
    const fault = this.faultOf(url, clientId);
    if (fault !== undefined) throw new Refused(fault);
    const id = newId();
    const secret = newSecret();
    const row: WebhookEndpoint = {
      id,
      clientId,
      url,
      sealedSecrets: this.sealed(id, [secret]),
      enabled: true,
      disabledReason: null,
      createdAt: this.clock.now(),
    };
    await this.change(id, 'added', actor, (tx) => tx.insert(WebhookEndpoint, row));
    return { endpoint: shown(row), secret };
  }

  /** Another URL and another secret for an endpoint, which is enabled by it. */
  async replace(earlier: ShownEndpoint, url: string, actor: Actor) {
    const { id } = earlier;
    const secret = newSecret();
    const endpoint: ShownEndpoint = { ...earlier, url, enabled: true, disabledReason: null };
    const sealedSecrets = this.sealed(id, [secret]);
    await this.change(id, 'replaced', actor, (tx) =>
      tx.update(WebhookEndpoint, { id }, { ...endpoint, sealedSecrets }),
    );
    return { endpoint, secret };
  }

  async list(): Promise<ShownEndpoint[]> {
    const rows = await this.transactions.read((tx) =>
      tx.find(WebhookEndpoint, { order: { id: 'ASC' } }),
    );
    return rows.map(shown);
  }

  async ofClient(clientId: string): Promise<ShownEndpoint | null> {
    const row = await this.transactions.read((tx) => tx.findOneBy(WebhookEndpoint, { clientId }));
    return row && shown(row);
  }

  /**
   * Gives the endpoint a further secret. Messages are signed with it and with the one before, until
   * `retire`.
   */
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

  /** @throws {Refused} where there is none with this id */
  async setEnabled(id: string, reason: string | null, actor: Actor): Promise<void> {
    await this.find(id);
    const enabled = reason === null;
    await this.change(id, enabled ? 'enabled' : 'disabled', actor, (tx) =>
      tx.update(WebhookEndpoint, { id }, { enabled, disabledReason: reason }),
    );
  }

  /** What still waits for it is discarded when it is due. */
  async remove(id: string, actor: Actor): Promise<void> {
    await this.find(id);
    await this.change(id, 'removed', actor, (tx) => tx.delete(WebhookEndpoint, { id }));
  }

  /** Where to post and how to sign; null where the endpoint is disabled or gone. */
  async target(id: string): Promise<WebhookTarget | null> {
    const row = isUuid(id)
      ? await this.transactions.read((tx) => tx.findOneBy(WebhookEndpoint, { id }))
      : null;
    if (!row?.enabled) return null;
    return { url: new URL(row.url), secrets: this.opened(row), rules: this.rulesFor(row.clientId) };
  }

  private async find(id: string): Promise<WebhookEndpoint> {
    const row =
      isUuid(id) && (await this.transactions.read((tx) => tx.findOneBy(WebhookEndpoint, { id })));
    if (row) return row;
    throw new Refused(`There is no webhook ${id}; \`webhooks list\` shows them.`);
  }

  private async change(
    id: string,
    action: string,
    actor: Actor,
    work: (tx: Tx) => Promise<unknown>,
  ): Promise<void> {
    await this.transactions.run(async (tx) => {
      await work(tx);
      await this.audit.record(tx, { subject: ['webhook', id], action, actor });
      await this.revisions.bump(tx, 'webhooks');
    });
    await this.revisions.catchUp();
  }

  private async load(): Promise<void> {
    this.enabled = await this.transactions.read((tx) =>
      tx.find(WebhookEndpoint, {
        select: { id: true, clientId: true },
        where: { enabled: true },
        order: { id: 'ASC' },
      }),
    );
  }

  /** A client must not reach into the operator's network; while developing there is only that. */
  private rulesFor(clientId: string | null): UrlRules {
    const { production, webhookNetworks } = this.config;
    const trusted = clientId === null || !production;
    return { http: !production, networks: trusted ? webhookNetworks : [] };
  }

  private get key(): Buffer {
    if (this.config.webhookKey) return this.config.webhookKey;
    throw new Refused(
      'Webhooks are off: set WEBHOOK_KEY first, as `openssl rand -base64 32` prints.',
    );
  }

  private sealed(id: string, secrets: readonly string[]): string {
    return seal(JSON.stringify(secrets), this.key, id);
  }

  private opened({ id, sealedSecrets }: WebhookEndpoint): string[] {
    return JSON.parse(openOrRefuse(sealedSecrets, this.key, id)) as string[];
  }
}

function openOrRefuse(sealed: string, key: Buffer, id: string): string {
  try {
    return open(sealed, key, id);
  } catch {
    throw new Refused(`The secrets of webhook ${id} were sealed with another WEBHOOK_KEY.`);
  }
}

function shown({ sealedSecrets: _, ...rest }: WebhookEndpoint): ShownEndpoint {
  return rest;
}

import { Injectable } from '@nestjs/common';
import { actorOf } from '../audit/audit.service.js';
import type { ClientCaller } from '../access/caller.js';
import { isUniqueViolation } from '../database/errors.js';
import { Unavailable } from '../problems/problem.js';
import type { Webhook, WebhookWithSecret } from './webhooks.dto.js';
import { WebhookNotFound, WebhooksOff, WebhookUrlRefused } from './webhooks.errors.js';
import { type ShownEndpoint, WebhooksService } from './webhooks.service.js';

/** The webhook of an API client, as the client itself sees and sets it. */
@Injectable()
export class ClientWebhooksService {
  constructor(private readonly webhooks: WebhooksService) {}

  /** @throws {WebhooksOff | WebhookUrlRefused} */
  async register(url: string, client: ClientCaller): Promise<WebhookWithSecret> {
    if (!this.webhooks.on) throw new WebhooksOff();
    const fault = this.webhooks.faultOf(url, client.clientId);
    if (fault !== undefined) throw new WebhookUrlRefused(fault);
    try {
      const earlier = await this.webhooks.ofClient(client.clientId);
      const { endpoint, secret } = earlier
        ? await this.webhooks.replace(earlier, url, actorOf(client))
        : await this.webhooks.add(url, client.clientId, actorOf(client));
      return { url: endpoint.url, createdAt: endpoint.createdAt, secret };
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new Unavailable('Another call registers a webhook at this moment.', error, 1);
    }
  }

  /** @throws {WebhookNotFound} */
  async find(client: ClientCaller): Promise<Webhook> {
    const endpoint = await this.webhooks.ofClient(client.clientId);
    if (!endpoint) throw new WebhookNotFound();
    return printed(endpoint);
  }

  /** @throws {WebhookNotFound} */
  async remove(client: ClientCaller): Promise<Webhook> {
    const endpoint = await this.webhooks.ofClient(client.clientId);
    if (!endpoint) throw new WebhookNotFound();
    await this.webhooks.remove(endpoint.id, actorOf(client));
    return printed(endpoint);
  }
}

function printed({ url, enabled, disabledReason, createdAt }: ShownEndpoint): Webhook {
  return { url, enabled, disabledReason, createdAt };
}

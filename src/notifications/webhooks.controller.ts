import { Controller, Delete, Get, Put } from '@nestjs/common';
import { Client, type ClientCaller } from '../access/caller.js';
import { actorOf } from '../audit/audit.service.js';
import { isUniqueViolation } from '../database/errors.js';
import { Unavailable } from '../problems/problem.js';
import { Requires } from '../access/scopes.js';
import { Described } from '../http/described.js';
import { ValidBody } from '../http/valid.js';
import { Webhook, WebhookRegistration, WebhookWithSecret } from './webhooks.dto.js';
import { WebhookNotFound, WebhooksOff, WebhookUrlRefused } from './webhooks.errors.js';
import { type ShownEndpoint, WebhooksService } from './webhooks.service.js';

@Controller('product-availability/webhook')
@Described('Webhooks', 'For API clients: being told what has become of their order requests.')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  /**
   * Register a webhook
   *
   * @remarks Events of your own orders (`order.received`, `order.state-changed`) are posted to it,
   * signed after the Standard Webhooks specification, at least once each and not always in order;
   * read the order for the rest. One for each API client: a second call replaces the URL and the
   * secret, and enables the webhook again.
   * @throws {409} webhooks-off
   */
  @Put()
  @Requires('orders:write')
  async registerWebhook(
    @ValidBody() { url }: WebhookRegistration,
    @Client() client: ClientCaller,
  ): Promise<WebhookWithSecret> {
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

  /**
   * Read your webhook
   *
   * @remarks Without its secret.
   * @throws {404} not-found
   */
  @Get()
  @Requires('orders:read')
  async readWebhook(@Client() client: ClientCaller): Promise<Webhook> {
    return printed(await this.endpointOf(client));
  }

  /**
   * Remove your webhook
   *
   * @remarks Nothing is posted from now on. The answer is what was removed.
   * @throws {404} not-found
   */
  @Delete()
  @Requires('orders:write')
  async removeWebhook(@Client() client: ClientCaller): Promise<Webhook> {
    const endpoint = await this.endpointOf(client);
    await this.webhooks.remove(endpoint.id, actorOf(client));
    return printed(endpoint);
  }

  private async endpointOf(client: ClientCaller): Promise<ShownEndpoint> {
    const endpoint = await this.webhooks.ofClient(client.clientId);
    if (endpoint) return endpoint;
    throw new WebhookNotFound();
  }
}

function printed({ url, enabled, disabledReason, createdAt }: ShownEndpoint): Webhook {
  return { url, enabled, disabledReason, createdAt };
}

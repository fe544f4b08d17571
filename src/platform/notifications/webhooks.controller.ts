import { Controller, Delete, Get, Put } from '@nestjs/common';
import { Client, type ClientCaller } from '../access/caller.js';
import { actorOf } from '../audit/audit.service.js';
import { isUniqueViolation } from '../database/engine/errors.js';
import { Unavailable } from '../problems/problem.js';
import { Requires } from '../access/rules.js';
import { Described } from '../http/described.js';
import { ValidBody } from '../http/valid.js';
import { Webhook, WebhookRegistration, WebhookWithSecret } from './webhooks.dto.js';
import {
  WebhookGone,
  WebhookNotFound,
  WebhooksOff,
  WebhookUrlRefused,
  type ShownEndpoint,
  WebhooksService,
} from './webhooks.service.js';

@Controller('product-availability/webhook')
@Described('Webhooks', 'For API clients: notifications of changes of their order requests.')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  /**
   * Register a webhook
   *
   * @remarks It receives the events of your own orders (`order.received`, `order.state-changed`,
   * `order.charge-proposed`, `order.charge-answered`, `order.charge-lapsed`, `order.charge-withdrawn`, `order.message`) and
   * enquiries (`enquiry.received`, `enquiry.offered`, `enquiry.state-changed`, `enquiry.message`, with `enquiryId` in place of
   * `orderId`), and of places that you watch (`watch.served`), as POST requests with Standard Webhooks signatures, at least once each and not always in order. Read
   * the order or the enquiry for more. Each API client has one for live and one for test orders: a live token
   * registers, reads and removes the live one, a test token the test one. A second call replaces the
   * URL and the secret, and enables the webhook again.
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
      const earlier = await this.webhooks.ofClient(client);
      const { endpoint, secret } = earlier
        ? await this.webhooks.replace(earlier, url, actorOf(client))
        : await this.webhooks.add(url, client, actorOf(client));
      return { url: endpoint.url, createdAt: endpoint.createdAt, secret };
    } catch (error) {
      if (!isUniqueViolation(error) && !(error instanceof WebhookGone)) throw error;
      throw new Unavailable('Another request is changing this webhook at the moment.', error, 1);
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
   * @remarks It receives nothing from now on. The response is the removed webhook.
   * @throws {404} not-found
   */
  @Delete()
  @Requires('orders:write')
  async removeWebhook(@Client() client: ClientCaller): Promise<Webhook> {
    const endpoint = await this.endpointOf(client);
    await this.webhooks.remove(endpoint.id, actorOf(client)).catch((error: unknown) => {
      throw error instanceof WebhookGone ? new WebhookNotFound() : error;
    });
    return printed(endpoint);
  }

  private async endpointOf(client: ClientCaller): Promise<ShownEndpoint> {
    const endpoint = await this.webhooks.ofClient(client);
    if (endpoint) return endpoint;
    throw new WebhookNotFound();
  }
}

function printed(endpoint: ShownEndpoint): Webhook {
  const { url, enabled, disabledReason, pausedAt, createdAt } = endpoint;
  return { url, enabled, disabledReason, pausedAt, createdAt };
}

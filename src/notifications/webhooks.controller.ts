import { Controller, Delete, Get, Put } from '@nestjs/common';
import { Client, type ClientCaller } from '../access/caller.js';
import { Requires } from '../access/scopes.js';
import { Described } from '../http/described.js';
import { ValidBody } from '../http/valid.js';
import { ClientWebhooksService } from './client-webhooks.service.js';
import { Webhook, WebhookRegistration, WebhookWithSecret } from './webhooks.dto.js';

@Controller('product-availability/webhook')
@Described('Webhooks', 'For API clients: being told what has become of their order requests.')
export class WebhooksController {
  constructor(private readonly webhooks: ClientWebhooksService) {}

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
  registerWebhook(
    @ValidBody() { url }: WebhookRegistration,
    @Client() client: ClientCaller,
  ): Promise<WebhookWithSecret> {
    return this.webhooks.register(url, client);
  }

  /**
   * Read your webhook
   *
   * @remarks Without its secret.
   * @throws {404} not-found
   */
  @Get()
  @Requires('orders:read')
  readWebhook(@Client() client: ClientCaller): Promise<Webhook> {
    return this.webhooks.find(client);
  }

  /**
   * Remove your webhook
   *
   * @remarks Nothing is posted from now on. The answer is what was removed.
   * @throws {404} not-found
   */
  @Delete()
  @Requires('orders:write')
  removeWebhook(@Client() client: ClientCaller): Promise<Webhook> {
    return this.webhooks.remove(client);
  }
}

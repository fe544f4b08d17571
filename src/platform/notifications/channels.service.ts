import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type Channel, NotificationChannel } from './channel.js';
import type { OutboxMessage } from './messages/outbox-message.entity.js';

/** The length of the column `outbox_messages.channel`. */
const LONGEST_NAME = 16;

/** The registered notification channels. */
@Injectable()
export class ChannelsService {
  private found: readonly Channel[] | undefined;
  private foundEnabled: readonly Channel[] | undefined;

  constructor(private readonly discovery: DiscoveryService) {}

  /** Do not call it in a constructor: the channels may not exist yet. */
  get all(): readonly Channel[] {
    this.found ??= this.discover();
    return this.found;
  }

  /** Those whose settings are there when the service starts. */
  get enabled(): readonly Channel[] {
    return (this.foundEnabled ??= this.all.filter(({ enabled }) => enabled));
  }

  /** Warnings for operators, one sentence each. */
  warnings(): readonly string[] {
    const warnings = this.all.flatMap((channel) => channel.warnings());
    return this.enabled.some(({ reportsOrders }) => reportsOrders)
      ? warnings
      : [...warnings, 'No one is notified of new orders. They wait in the follow-up queue.'];
  }

  /** Where each message goes, by the message's id. */
  async describe(messages: readonly OutboxMessage[]): Promise<ReadonlyMap<string, string>> {
    const texts = new Map(messages.map(({ id, channel }) => [id, channel]));
    for (const channel of this.all) {
      const own = messages.filter((message) => message.channel === channel.name);
      if (own.length === 0) continue;
      const described = await channel.describe(own);
      for (const [i, { id }] of own.entries()) texts.set(id, described[i]!);
    }
    return texts;
  }

  private discover(): readonly Channel[] {
    const channels = this.discovery
      .getProviders({ metadataKey: NotificationChannel.KEY })
      .map(({ instance }) => instance as Channel);
    const names = channels.map(({ name }) => name);
    if (new Set(names).size < names.length || names.some((name) => name.length > LONGEST_NAME)) {
      throw new Error(
        `Channels need unique names of up to ${LONGEST_NAME} characters: ${names.join(', ')}`,
      );
    }
    return channels;
  }
}

import { In, LessThan } from 'typeorm';
import type { Tx } from '../database/engine/tx.js';
import { SANDBOX } from '../database/sides.js';
import { messageStates, OutboxMessage } from './messages/outbox-message.entity.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';

/** Deletes what the webhooks of the sandbox got, or did not get: no other message goes to them. */
export async function pruneTestMessages(tx: Tx, before: Date, most: number): Promise<number> {
  const endpoints = await tx.find(WebhookEndpoint, {
    select: { id: true },
    where: SANDBOX,
  });
  if (endpoints.length === 0) return 0;
  const old = await tx.find(OutboxMessage, {
    select: { id: true },
    where: {
      // The columns with which the index starts.
      channel: 'webhook',
      forClient: true,
      state: In(messageStates),
      endpointId: In(endpoints.map(({ id }) => id)),
      createdAt: LessThan(before),
    },
    take: most,
  });
  await tx.delete(OutboxMessage, { id: In(old.map(({ id }) => id)) });
  return old.length;
}

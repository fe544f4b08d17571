import { Injectable } from '@nestjs/common';
import { AuditEntry } from '../platform/audit/audit-entry.entity.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { EmailFactsService } from '../platform/notifications/messages/email-facts.service.js';
import type {
  WebhookChangeFacts,
  WebhookPauseFacts,
} from '../platform/notifications/messages/email-texts.js';
import { AccessToken } from './access-token.entity.js';
import { ApiClient } from './api-client.entity.js';

/** Registers the facts of the emails about webhooks; each is about an audit entry. */
@Injectable()
export class WebhookEmailsService {
  constructor(sources: EmailFactsService) {
    sources.register('webhook-changed', changeFacts);
    sources.register('webhook-paused', pauseFacts);
  }
}

interface WebhookDetails {
  readonly client: string;
  readonly token: string | null;
  readonly hostBefore: string | null;
  readonly hostAfter: string | null;
}

interface PauseDetails {
  readonly client: string;
  readonly host: string;
  readonly failingSince: string;
  readonly reason: string;
}

async function changeFacts(tx: Tx, id: string): Promise<WebhookChangeFacts | null> {
  const entry = await tx.findOneBy(AuditEntry, { id });
  if (!entry) return null;
  const { client, token, hostBefore, hostAfter } = entry.details as unknown as WebhookDetails;
  const receiver = await receiverOf(tx, client);
  return (
    receiver && {
      ...receiver,
      at: entry.at,
      action: entry.action,
      hostBefore,
      hostAfter,
      changedBy: await changedBy(tx, entry, token),
    }
  );
}

async function pauseFacts(tx: Tx, id: string): Promise<WebhookPauseFacts | null> {
  const entry = await tx.findOneBy(AuditEntry, { id });
  if (!entry) return null;
  const { client, host, failingSince, reason } = entry.details as unknown as PauseDetails;
  const receiver = await receiverOf(tx, client);
  return (
    receiver && { ...receiver, at: entry.at, host, failingSince: new Date(failingSince), reason }
  );
}

async function receiverOf(tx: Tx, id: string) {
  const client = await tx.findOneBy(ApiClient, { id });
  if (!client) return null;
  const { name: company, contactName: name, contactEmail: email, contactPhone: phone } = client;
  return { company, contact: { name, email, phone } };
}

async function changedBy(tx: Tx, { actorType }: AuditEntry, id: string | null): Promise<string> {
  if (actorType === 'system') return 'the service';
  if (id === null) return 'the operator';
  const token = await tx.findOneBy(AccessToken, { id });
  return `the access token …${token?.ending ?? ''}`;
}

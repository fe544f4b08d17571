import { Injectable } from '@nestjs/common';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import type { Tx } from '../database/engine/tx.js';
import { EmailFactsService } from '../notifications/email-facts.service.js';
import type { WebhookChangeFacts } from '../notifications/email-texts.js';
import { AccessToken } from './access-token.entity.js';
import { ApiClient } from './api-client.entity.js';

/** Registers the facts of the emails about changes of webhooks; each is about an audit entry. */
@Injectable()
export class WebhookEmailsService {
  constructor(sources: EmailFactsService) {
    sources.register('webhook-changed', factsOf);
  }
}

interface WebhookDetails {
  readonly client: string;
  readonly token: string | null;
  readonly hostBefore: string | null;
  readonly hostAfter: string | null;
}

async function factsOf(tx: Tx, id: string): Promise<WebhookChangeFacts | null> {
  const entry = await tx.findOneBy(AuditEntry, { id });
  if (!entry) return null;
  const {
    client: clientId,
    token,
    hostBefore,
    hostAfter,
  } = entry.details as unknown as WebhookDetails;
  const client = await tx.findOneBy(ApiClient, { id: clientId });
  return (
    client && {
      company: client.name,
      contact: {
        name: client.contactName,
        email: client.contactEmail,
        phone: client.contactPhone,
      },
      at: entry.at,
      action: entry.action,
      hostBefore,
      hostAfter,
      changedBy: await changedBy(tx, entry, token),
    }
  );
}

async function changedBy(tx: Tx, { actorType }: AuditEntry, id: string | null): Promise<string> {
  if (actorType === 'system') return 'the service';
  if (id === null) return 'the operator';
  const token = await tx.findOneBy(AccessToken, { id });
  return `the access token …${token?.ending ?? ''}`;
}

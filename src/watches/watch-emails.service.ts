import { Injectable } from '@nestjs/common';
import { ApiClient, contactOfClient } from '../clients/api-client.entity.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { EmailFactsService } from '../platform/notifications/messages/email-facts.service.js';
import type { WatchServedFacts } from '../platform/notifications/messages/email-texts.js';
import { printWatch } from './watch-printer.js';
import { Watch } from './watch.entity.js';

/** Registers the facts of the emails about watches that were served. */
@Injectable()
export class WatchEmailsService {
  constructor(sources: EmailFactsService) {
    sources.register('watch-served', factsOf);
  }
}

/** @param batch of the watches; the client may have deleted some since */
async function factsOf(tx: Tx, batch: string): Promise<WatchServedFacts | null> {
  const order = { packed: 'ASC', uprn: 'ASC' } as const;
  const watches = await tx.find(Watch, { where: { batch }, order });
  const [first] = watches;
  if (!first) return null;
  const client = await tx.findOneBy(ApiClient, { id: first.clientId });
  return {
    company: client?.name ?? '',
    contact: contactOfClient(client),
    places: watches.map((watch) => {
      const { postcode, uprn, reference } = printWatch(watch);
      return `${postcode}${uprn === null ? '' : `, UPRN ${uprn}`}${reference === null ? '' : ` (${reference})`}`;
    }),
  };
}

import { ApiClient, contactOfClient } from '../clients/api-client.entity.js';
import type { Tx } from '../platform/database/engine/tx.js';
import type {
  EmailKind,
  EmailLetter,
} from '../platform/notifications/messages/email-kinds.service.js';
import { readWords } from '../platform/notifications/messages/email-words.js';
import { Postcode } from '../platform/kernel/postcode.js';
import { NO_UPRN, Watch, WatchCaller } from './watch.entity.js';

/** Places that an API client watched, and that can be served now. */
export const watchServed: EmailKind = {
  code: 'watch-served',
  name: 'Watched places served',
  about: 'watches',
  to: 'client',
  words: readWords('watch-served', import.meta.url),
  bounded: true,
  newsOf: ({ type }) => (type === 'watch.served' ? {} : null),
  facts: servedLetter,
};

/** The place that a caller who is no client watched. */
export const callerServed: EmailKind = {
  code: 'caller-served',
  name: 'Place of a caller served',
  about: 'watches',
  to: 'client',
  words: readWords('caller-served', import.meta.url),
  bounded: true,
  facts: async (tx, id) => {
    const caller = await tx.findOneBy(WatchCaller, { id });
    return (
      caller && {
        contact: { name: null, email: caller.email, phone: null },
        facts: { place: printPlaceOf(caller) },
      }
    );
  },
};

/** @param batch of the watches; the client may have deleted some since */
async function servedLetter(tx: Tx, batch: string): Promise<EmailLetter | null> {
  const order = { packed: 'ASC', uprn: 'ASC' } as const;
  const watches = await tx.find(Watch, { where: { batch }, order });
  const [first] = watches;
  if (!first) return null;
  const client = await tx.findOneBy(ApiClient, { id: first.clientId });
  const places = watches.map((watch) => {
    const { clientReference: reference } = watch;
    return `${printPlaceOf(watch)}${reference === null ? '' : ` (${reference})`}`;
  });
  return {
    contact: contactOfClient(client),
    facts: {
      company: client?.name ?? '',
      served: places.length === 1 ? places[0]! : `${places.length} places that you watch`,
      places,
    },
  };
}

function printPlaceOf({ packed, uprn }: Pick<WatchCaller, 'packed' | 'uprn'>): string {
  const { unit } = new Postcode(packed);
  return uprn === NO_UPRN ? unit : `${unit}, UPRN ${uprn}`;
}

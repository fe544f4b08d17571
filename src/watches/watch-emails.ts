import { ApiClient, contactOfClient } from '../clients/api-client.entity.js';
import type { Tx } from '../platform/database/engine/tx.js';
import type { EmailKind } from '../platform/notifications/messages/email-kinds.service.js';
import {
  type ContactDetails,
  greeting,
  mailboxes,
} from '../platform/notifications/messages/email-parts.js';
import { Postcode } from '../platform/kernel/postcode.js';
import { printWatch } from './watch-rows.js';
import { NO_UPRN, Watch, WatchCaller } from './watch.entity.js';

/** Places that an API client watched, and that can be served now. */
interface WatchServedFacts {
  readonly contact: ContactDetails;
  readonly company: string;
  /** `LS1 4AP`, with UPRN and the client's reference. */
  readonly places: readonly string[];
}

export const watchServed: EmailKind<WatchServedFacts> = {
  code: 'watch-served',
  name: 'Watched places served',
  about: 'watches',
  to: 'client',
  bounded: true,
  newsOf: ({ type }) => (type === 'watch.served' ? {} : null),
  facts: factsOf,
  write: ({ contact, company, places }, { salesContact, salesInbox }) => ({
    to: mailboxes(contact),
    replyTo: salesInbox[0],
    subject: `Now available: ${places.length === 1 ? places[0] : `${places.length} places that you watch`}`,
    parts: [
      greeting(contact),
      { paragraph: `Products can now be ordered at these places, which ${company} watches:` },
      { heading: 'Places', items: places },
      {
        paragraph: `Check a place before you order: this email names no product or price. Questions? ${salesContact}.`,
      },
    ],
  }),
};

/** The place that a caller who is no client watched. */
export const callerServed: EmailKind<{ readonly email: string; readonly place: string }> = {
  code: 'caller-served',
  name: 'Place of a caller served',
  about: 'watches',
  to: 'client',
  bounded: true,
  facts: async (tx, id) => {
    const caller = await tx.findOneBy(WatchCaller, { id });
    return caller && { email: caller.email, place: printPlaceOf(caller) };
  },
  write: ({ email, place }, { salesContact, salesInbox }) => ({
    to: [{ name: '', address: email }],
    replyTo: salesInbox[0],
    subject: `Now available at ${place}`,
    parts: [
      { paragraph: 'Hello,' },
      {
        paragraph: `You asked us to tell you when our products can be ordered at ${place}. They can be ordered there now.`,
      },
      { paragraph: `To order, or to ask for prices, contact us: ${salesContact}.` },
    ],
  }),
};

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

function printPlaceOf({ packed, uprn }: Pick<WatchCaller, 'packed' | 'uprn'>): string {
  const { unit } = new Postcode(packed);
  return uprn === NO_UPRN ? unit : `${unit}, UPRN ${uprn}`;
}

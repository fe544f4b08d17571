import { ApiClient, contactOfClient } from '../clients/api-client.entity.js';
import { LIVE, ordersOn } from '../orders/record/order-tables.js';
import type { Tx } from '../platform/database/engine/tx.js';
import type { EmailKind } from '../platform/notifications/messages/email-kinds.service.js';
import {
  type ContactDetails,
  greeting,
  londonTime,
  mailboxes,
} from '../platform/notifications/messages/email-parts.js';
import { stateOfLine, usesOf } from './record/line-states.js';
import { linesOf, Quote } from './record/quote.entity.js';
import type { LineState } from './record/quote.js';

/** A quote whose enquiries are answered. */
interface AnsweredQuoteFacts {
  readonly contact: ContactDetails;
  /** Its reference, and the client's own. */
  readonly quote: string;
  readonly customer: string | null;
  readonly validUntil: Date;
  /** `Depot, N1 1AA`. */
  readonly offered: readonly string[];
  readonly unable: readonly string[];
}

/** Sites that an email lists; of the others it says how many there are. */
const MOST_LISTED = 50;

export const quoteAnswered: EmailKind<AnsweredQuoteFacts> = {
  code: 'quote-answered',
  name: 'Quote answered',
  about: 'quote',
  to: 'client',
  newsOf: (event) => (event.type === 'quote.updated' && event.isAnswered ? {} : null),
  facts: factsOf,
  write: (
    { contact, quote, customer, validUntil, offered, unable },
    { salesContact, salesInbox },
  ) => ({
    to: mailboxes(contact),
    replyTo: salesInbox[0],
    subject: `Answered: your quote ${quote}`,
    parts: [
      greeting(contact),
      {
        paragraph: `We have answered all that you asked about your quote ${quote}${customer === null ? '' : ` for ${customer}`}.`,
      },
      ...(offered.length > 0 ? [{ heading: 'Sites with an offer', items: listed(offered) }] : []),
      ...(unable.length > 0
        ? [{ heading: 'Sites that we cannot supply', items: listed(unable) }]
        : []),
      {
        paragraph: `Read the quote for the terms of each offer and until when it is valid. Lines of the quote can be ordered until ${londonTime(validUntil)}. Questions? ${salesContact}.`,
      },
    ],
  }),
};

async function factsOf(tx: Tx, id: string): Promise<AnsweredQuoteFacts | null> {
  const quote = await tx.findOneBy(Quote, { id });
  if (!quote) return null;
  const client = await tx.findOneBy(ApiClient, { id: quote.clientId });
  const uses = (await usesOf(ordersOn(LIVE).within(tx), [quote]))(id);
  const lines = await linesOf(quote);
  const sitesIn = (state: LineState) =>
    lines.flatMap((line, i) => {
      if (stateOfLine(line, uses.of(i + 1)) !== state) return [];
      return line.site === null ? line.postcode : `${line.site}, ${line.postcode}`;
    });
  const { reference, clientReference, customer, validUntil } = quote;
  return {
    contact: contactOfClient(client),
    quote: clientReference === null ? reference : `${reference} (${clientReference})`,
    customer,
    validUntil,
    offered: sitesIn('offered'),
    unable: sitesIn('unableToProvide'),
  };
}

function listed(sites: readonly string[]): readonly string[] {
  const more = sites.length - MOST_LISTED;
  return more > 0 ? [...sites.slice(0, MOST_LISTED), `and ${more} more`] : sites;
}

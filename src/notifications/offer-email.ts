import type { EmailDraft, EmailPart, EmailValue } from './email.js';
import {
  type ContactDetails,
  londonTime,
  mailboxes,
  placeRows,
  type Sender,
} from './email-parts.js';

/** Offers in answer to an enquiry. */
export interface OfferEmailFacts {
  /** Of the enquiry. */
  readonly reference: string;
  readonly postcode: string;
  readonly uprn: number | null;
  readonly client: ContactDetails & { readonly company: string };
  /** As given with the enquiry. */
  readonly contact: ContactDetails;
  readonly offers: readonly {
    readonly name: string;
    readonly productCode: string;
    readonly terms: readonly (readonly [label: string, text: string])[];
    readonly validUntil: Date;
    readonly note: string | null;
  }[];
}

/** To the contact of the enquiry. The API client may choose the address, so nothing of it is in the email. */
export function offerEmail(
  enquiry: OfferEmailFacts,
  { salesInbox, salesContact }: Sender,
): EmailDraft {
  return {
    to: mailboxes(
      enquiry.contact.email === null ? enquiry.client : { ...enquiry.contact, name: null },
    ),
    replyTo: salesInbox[0],
    subject: `Our offer for your enquiry ${enquiry.reference}`,
    parts: [
      { paragraph: 'Hello,' },
      {
        paragraph: `we have an answer to the enquiry ${enquiry.reference} of ${enquiry.client.company}.`,
      },
      { facts: placeRows(enquiry) },
      ...enquiry.offers.flatMap((offer): EmailPart[] => [
        {
          facts: [
            ['Offer', `${offer.name} (${offer.productCode})`],
            ...offer.terms.map(([label, text]): [string, EmailValue] => [label, text]),
            ['Valid until', londonTime(offer.validUntil)],
            ...(offer.note === null
              ? []
              : [['Note', { lines: offer.note }] as [string, EmailValue]]),
          ],
        },
      ]),
      {
        paragraph: `To accept an offer, use the API, or tell us: ${salesContact}. Please quote the reference.`,
      },
    ],
  };
}

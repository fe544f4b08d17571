import { IntersectionType, PickType } from '@nestjs/swagger';
import { OrderContact, OrderRequest } from '../../orders/record/orders.dto.js';
import { SiteDetails } from '../../orders/record/site-details.dto.js';
import { Notice } from '../../platform/ui/parts.js';
import { inputForm, type Refusal } from '../../platform/ui/forms/input-form.js';
import { PostForm, RefusedSummary } from '../../platform/ui/forms/form-view.js';
import type { LineRefusal } from '../quote-requests.dto.js';
import type { StaffQuote } from '../staff-quotes.service.js';
import { Lines } from './quote-lines-view.js';

/** What a staff member takes down for a client who orders lines. */
export class OrderOfQuote extends IntersectionType(
  OrderContact,
  PickType(OrderRequest, ['reference', 'acceptExtraUpTo']),
  PickType(SiteDetails, ['interconnect']),
) {}

export const orderForm = inputForm(OrderOfQuote, {
  name: { label: 'Name of the contact' },
  phone: { label: 'Phone', input: { type: 'tel' } },
  email: { label: 'Email', input: { type: 'email' } },
  reference: {
    label: 'Client reference (optional)',
    hint: 'For example, their purchase order number.',
  },
  interconnect: {
    label: 'Interconnect (optional)',
    hint: 'The code of the interconnect of the client at which the services start.',
  },
  acceptExtraUpTo: {
    label: 'Extra charges accepted in advance, up to (optional)',
    hint: 'For each order: one-off, excluding VAT. The client is not asked about charges up to this sum.',
  },
});

/** Why a line was not ordered, for a person. */
export const refusalWords: Readonly<Record<LineRefusal, string>> = {
  notPriced:
    'Not ordered: it has no price. Record the acceptance of an offer on the page of its enquiry.',
  alreadyOrdered: 'Not ordered again: it is an order already.',
  offerExpired: 'Not ordered: its offers have expired.',
  offerChanged: 'Not ordered: its price was not held, and has changed. Make a new quote.',
  notAsked: 'Not asked for.',
  alreadyEnquired: 'It has an enquiry already.',
  interconnectRequired: 'Not ordered: its product needs an interconnect. Enter it below.',
  unknownInterconnect: 'Not ordered: the client does not have this interconnect.',
  tooFewPlaces: 'Not ordered: its discount needs more sites that are ordered together.',
};

/** Lines that are ticked to be ordered, and what was refused of them. */
export interface OrderOfLines extends Partial<Pick<Refusal, 'refused' | 'conflict'>> {
  readonly onceKey: string;
  readonly ticked: ReadonlySet<string>;
  /** Why lines were refused, by their number. */
  readonly lines: ReadonlyMap<string, string>;
}

interface LineTicksProps {
  readonly quote: StaffQuote;
  readonly path: string;
  readonly order: OrderOfLines;
}

/** The lines of an open quote in a form that orders the ticked ones. */
export function LineTicks({ quote, path, order }: LineTicksProps) {
  const { onceKey, refused, conflict, ticked, lines } = order;
  return (
    <>
      {conflict !== undefined && <Notice kind="bad" title={conflict} />}
      <RefusedSummary refused={refused} />
      <PostForm
        action={`${path}/orders`}
        hidden={{ key: onceKey }}
        fields={orderForm.fields}
        refused={refused}
        button={
          <button
            type="submit"
            class="primary"
            data-counts="line"
            data-words="Order 1 site|Order # sites"
          >
            Order the ticked sites
          </button>
        }
      >
        <Lines lines={quote.lines} order={{ ticked, refused: lines }} />
        <h2>{`Order the ticked lines for the ${quote.isDirect ? 'caller' : 'client'}`}</h2>
      </PostForm>
    </>
  );
}

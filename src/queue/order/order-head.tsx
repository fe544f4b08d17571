import { priceChangeInWords } from '../../platform/kernel/money.js';
import type { AgreedTerms, OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { inWords, labelledFields } from '../../catalogue/content/offers.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import type { OrderDetail } from '../../orders/staff/detail.dto.js';
import { wantedInWords } from '../../orders/record/wanted.js';
import { Copyable } from '../../platform/ui/parts.js';
import { Facts } from '../../platform/ui/table.js';
import { OpenCharges } from '../../orders/charges/charges-view.js';
import { namesContact, Reach } from './order-parts.js';

/** Whom to call, about what, at which price. */
export function OrderHead({ detail, now }: { detail: OrderDetail; now: Date }) {
  const { order, offerNow } = detail;
  const { postcode, client } = order;
  const product = order.product;
  const { name = client.contactName, phone, email } = mainContact(order);
  return (
    <div class="order-head">
      <div class="to-call">
        <p class="who">{name}</p>
        <Reach phone={phone} email={email} large />
      </div>
      <Facts
        class="terms"
        of={[
          ...(product === null
            ? [['Enquiry', wantedInWords(order.wanted)] as const]
            : productFacts(product, offerNow)),
          order.chargesAwaiting > 0 && ['Extra charges', <OpenCharges detail={detail} now={now} />],
          ['Postcode', <Copyable text={postcode} label="postcode" />],
        ]}
      />
    </div>
  );
}

function productFacts(product: OfferedProduct, now: AgreedTerms | null) {
  const words = (name: string) => {
    const field = labelledFields().find((one) => one.name === name);
    return field && inWords(field, product);
  };
  return [
    ['Product', product.name],
    [
      'Monthly price',
      <>
        <strong>{words('price')}</strong> <Change ordered={product} now={now} of="price" />
      </>,
    ],
    [
      'Set-up price',
      <>
        {words('setupPrice')} <Change ordered={product} now={now} of="setupPrice" />
      </>,
    ],
    ['Term', words('term')],
  ] as const;
}

/** The contact that the order names, or else that of the client. */
function mainContact({ contact, client }: FollowUpOrder): FollowUpOrder['contact'] {
  return namesContact(contact)
    ? contact
    : { name: client.contactName, phone: client.contactPhone, email: client.contactEmail };
}

interface ChangeProps {
  readonly ordered: AgreedTerms;
  readonly now: AgreedTerms | null;
  readonly of: 'price' | 'setupPrice';
}

/** How far the amount has changed since the order. */
function Change({ ordered, now, of }: ChangeProps) {
  const [before, today] = [ordered[of], now?.[of] ?? null];
  if (before === null || today === null || before === today) return null;
  if (ordered.currency !== now?.currency) return null;
  return (
    <span class={today > before ? 'soon' : 'ok'}>
      {`now ${priceChangeInWords(before, today, ordered.currency)}`}
    </span>
  );
}

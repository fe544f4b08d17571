import { constraintsInWords } from '../../catalogue/content/zone-fields.js';
import { priceChangeInWords, priceInWords } from '../../platform/kernel/money.js';
import type { AgreedTerms, OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { inWords, labelledFields } from '../../catalogue/content/offers.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import type { OrderDetail } from '../../orders/staff/detail.dto.js';
import { nearestInWords, wantedInWords } from '../../orders/record/order.entity.js';
import { Copyable, ProductName } from '../../platform/ui/parts.js';
import type { OrdersContext } from '../../orders/staff/orders-context.service.js';
import { NEEDS_FIRM_OFFER, needsFirmOffer } from '../lists/order-columns.js';
import { Facts } from '../../platform/ui/table.js';
import { OpenCharges } from '../../orders/charges/charges-view.js';
import { namesContact, Reach } from './order-parts.js';
import { LongText } from './timeline.js';

interface OrderHeadProps extends Pick<OrdersContext, 'now' | 'zoneInWords'> {
  readonly detail: OrderDetail;
}

/** Whom to call, about what, at which price and where: each fact is on the page only here. */
export function OrderHead({ detail, now, zoneInWords }: OrderHeadProps) {
  const { order, offerNow } = detail;
  const { postcode, uprn, zone, client, product, wanted } = order;
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
            ? [
                ['Wanted', wantedInWords(wanted)] as const,
                wanted?.description != null &&
                  (['In their words', <LongText text={wanted.description} />] as const),
              ]
            : productFacts(order, product, offerNow)),
          order.constraints.length > 0 && [
            'Constraints',
            <strong class="soon">{constraintsInWords(order.constraints)}</strong>,
          ],
          order.chargesAwaiting > 0 && ['Extra charges', <OpenCharges detail={detail} now={now} />],
          ['Postcode', <Copyable text={postcode} label="postcode" />],
          uprn !== null && ['UPRN', <Copyable text={uprn} label="UPRN" />],
          zone !== null && ['Zone', zoneInWords(zone)],
          order.nearest !== null && ['Distance', nearestInWords(order.nearest)],
        ]}
      />
    </div>
  );
}

function productFacts(order: FollowUpOrder, product: OfferedProduct, now: AgreedTerms | null) {
  const words = (name: string) => {
    const field = labelledFields().find((field) => field.name === name);
    return field && inWords(field, product);
  };
  return [
    ['Product', <ProductName of={product} />],
    [
      'Monthly price',
      <>
        <strong>{words('price')}</strong> <Change ordered={product} now={now} of="price" />{' '}
        {needsFirmOffer(order) && <strong class="soon">{NEEDS_FIRM_OFFER}</strong>}
      </>,
    ],
    [
      'Set-up price',
      <>
        {words('setupPrice')} <Change ordered={product} now={now} of="setupPrice" />
      </>,
    ],
    order.confirmed !== null &&
      ([
        'Confirmed',
        `${priceInWords(order.confirmed.price, product.currency)} a month, ${priceInWords(order.confirmed.setupPrice, product.currency)} set-up`,
      ] as const),
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
      {`now ${priceInWords(today, ordered.currency)} (${priceChangeInWords(before, today, ordered.currency)})`}
    </span>
  );
}

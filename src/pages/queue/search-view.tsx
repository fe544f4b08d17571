import { parsePostcode, Postcode } from '../../kernel/postcode.js';
import type { FollowUpPage } from '../../follow-up/follow-up.dto.js';
import type { OrdersContext } from '../shell/orders-context.service.js';
import { Layout } from '../shell/layout.js';
import { RelatedOrders } from '../order/order-parts.js';
import { Empty } from '../shell/parts.js';

export interface SearchPageProps extends OrdersContext {
  /** What was searched for; empty: nothing was yet. */
  readonly q: string;
  readonly list: FollowUpPage | null;
}

/** Finds orders by reference, postcode, client, contact or note. */
export function SearchPage({ viewer, counts, q, list, now, calendar }: SearchPageProps) {
  const found = list?.items ?? [];
  const number = list?.total ?? 0;
  const title =
    list === null
      ? 'Search'
      : `${list.totalIsExact ? '' : 'More than '}${number.toLocaleString('en-GB')} found`;
  const postcode = parsePostcode(q);
  return (
    <Layout title={title} viewer={viewer} counts={counts} searched={q} width="wide">
      {postcode instanceof Postcode && (
        <p class="lead">
          <a href={`/staff/check?postcode=${encodeURIComponent(postcode.unit)}`}>
            {`See what is sold at ${postcode.unit}`}
          </a>
        </p>
      )}
      {found.length === 0 && (
        <Empty title={list === null ? 'What are you looking for?' : 'No order was found.'}>
          <p>
            Search for a reference such as ORD-7F3K9Q, an order or check id, a postcode or a part of
            it, a client, a contact's name, e-mail address or telephone number, the client's own
            reference, or words of notes. Words match whole.
          </p>
        </Empty>
      )}
      {found.length > 0 && (
        <RelatedOrders
          id="found"
          title={`Orders for “${q}”, newest first`}
          orders={found}
          show={['client', 'postcode']}
          now={now}
          calendar={calendar}
        />
      )}
      {list !== null && list.nextCursor !== null && (
        <p>
          <a href={`/staff/queue?view=all&q=${encodeURIComponent(q)}&sort=-received`}>
            See all of them, with filters
          </a>
        </p>
      )}
    </Layout>
  );
}

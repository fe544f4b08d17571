import { parsePostcode, Postcode, PostcodeRefusal } from '../../platform/kernel/postcode.js';
import type { FollowUpPage } from '../lists/list.dto.js';
import type { OrdersContext } from '../../orders/staff/orders-context.service.js';
import { Layout } from '../../platform/ui/layout.js';
import { RelatedOrders } from '../order/order-parts.js';
import { Empty } from '../../platform/ui/parts.js';
import { upperFirst } from '../../platform/kernel/text.js';
import { countWords } from './queue-view.js';

export interface SearchPageProps extends OrdersContext {
  /** The search text; empty before the first search. */
  readonly q: string;
  readonly list: FollowUpPage | null;
}

/** Finds orders by reference, postcode, client, contact or note. */
export function SearchPage({ viewer, q, list, now, calendar }: SearchPageProps) {
  const found = list?.items ?? [];
  const title = list === null ? 'Search' : `${countWords(list)} found`;
  const postcode = parsePostcode(q);
  return (
    <Layout title={title} viewer={viewer} searched={q} width="wide">
      {postcode instanceof Postcode && (
        <p class="lead">
          <a href={`/staff/check?postcode=${encodeURIComponent(postcode.unit)}`}>
            {`Check availability at ${postcode.unit}`}
          </a>
        </p>
      )}
      {found.length === 0 && (
        <Empty title={list === null ? 'What are you looking for?' : 'No orders found.'}>
          {postcode instanceof PostcodeRefusal && postcode.suggestion !== undefined && (
            <p>
              {'Did you mean '}
              <a href={`/staff/search?q=${encodeURIComponent(postcode.suggestion)}`}>
                {postcode.suggestion}
              </a>
              ?
            </p>
          )}
          <p>
            Search for a reference such as ORD-7F3K9Q, an order or check ID, all or part of a
            postcode, a client, a contact's name, email or phone number (its last six digits are
            enough), the client's reference, or whole words from notes. Several words find what has
            all of them, such as “Larkrise E1 8PX”.
          </p>
        </Empty>
      )}
      <RelatedOrders
        id="found"
        title={(what) => upperFirst(`${what} for “${q}”, newest first`)}
        orders={found}
        show={['client', 'postcode']}
        now={now}
        calendar={calendar}
      />
      {list !== null && list.nextCursor !== null && (
        <p>
          <a href={`/staff/queue?view=all&q=${encodeURIComponent(q)}&sort=-received`}>
            View all, with filters
          </a>
        </p>
      )}
    </Layout>
  );
}

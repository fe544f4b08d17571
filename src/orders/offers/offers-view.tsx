import type { ComponentChildren } from 'preact';
import type { StaffCaller } from '../../platform/access/caller.js';
import { isAtLeast } from '../../platform/access/scopes.js';
import { priceInWords } from '../../platform/kernel/money.js';
import { headingOf, inWords, labelledFields } from '../../catalogue/content/offers.js';
import type { OfferMargins } from './staff-offers.service.js';
import type { FollowUpOrder, StaffOffer } from '../staff/follow-up.dto.js';
import { moverOf } from '../staff/order-actions.service.js';
import { refusalOf } from '../moves/plan-move.js';
import { type AloneLimit, mayBindAlone } from '../moves/move-faults.js';
import { isLive, offerStateInfo } from '../record/offer-states.js';
import { nearestInWords, wantedInWords } from '../record/order.entity.js';
import { ProductName, Time } from '../../platform/ui/parts.js';
import { Section } from '../../platform/ui/table.js';
import { longTime, shortTime } from '../../platform/kernel/time-words.js';

/** Why the viewer cannot answer the enquiry now; null where it can be answered. */
export function answerRefusal(order: FollowUpOrder, viewer: StaffCaller, now: Date): string | null {
  return (
    refusalOf({ ...order, clientId: order.client.id }, 'offer', moverOf(viewer), now)?.detail ??
    null
  );
}

interface OffersProps {
  readonly order: FollowUpOrder;
  readonly offers: readonly StaffOffer[];
  readonly margins: OfferMargins;
  readonly viewer: StaffCaller;
  readonly now: Date;
  /** Up to which amount one person may write an offer and record its acceptance. */
  readonly aloneUpTo: AloneLimit | null;
}

/** The offers of an enquiry side by side: the newest answer first, its offers as their author entered them. Those that have ended are folded while others count. */
export function Offers(props: OffersProps) {
  const { order, offers, margins, viewer, now, aloneUpTo } = props;
  if (offers.length === 0) return null;
  const counts = ({ state }: StaffOffer) => isLive(state) || state === 'accepted';
  const [current, ended] = [offers.filter(counts), offers.filter((offer) => !counts(offer))];
  const table = (label: string, of: readonly StaffOffer[]) => (
    <OfferTable
      label={label}
      offers={of.toSorted((a, b) => b.answer - a.answer)}
      now={now}
      margins={margins}
      actions={(offer) => (
        <OfferActions order={order} offer={offer} viewer={viewer} aloneUpTo={aloneUpTo} />
      )}
    />
  );
  if (current.length === 0) {
    return (
      <Section id="offers" title="Offers">
        {table('Offers, side by side', ended)}
      </Section>
    );
  }
  return (
    <Section id="offers" title="Offers">
      {table('Offers, side by side', current)}
      {ended.length > 0 && (
        <details class="further">
          <summary>{`Earlier offers: ${ended.length}`}</summary>
          {table('Earlier offers, side by side', ended)}
        </details>
      )}
    </Section>
  );
}

interface OfferActionsProps extends Pick<OffersProps, 'order' | 'viewer' | 'aloneUpTo'> {
  readonly offer: StaffOffer;
}

function OfferActions({ order, offer, viewer, aloneUpTo }: OfferActionsProps) {
  const { authorId, total: amount, product } = offer;
  const bound = { authorId, amount, currency: product.currency };
  const mayAccept = mayBindAlone(bound, viewer.staffId, aloneUpTo);
  const address = `/staff/orders/${order.reference}`;
  const mayChange = order.ownerId === viewer.staffId || isAtLeast(viewer.role, 'manager');
  const action = (path: string, label: string, of: string) => (
    <a class="button" href={`${address}/${path}?offer=${offer.offerId}`} data-dialog>
      {label}
      <span class="unseen">{`${of}${offer.product.productCode}`}</span>
    </a>
  );
  return (
    <div class="actions">
      {offer.orderId !== null && <a href={`/staff/orders/${offer.orderId}`}>View order</a>}
      {offer.state === 'awaitingApproval' && isAtLeast(viewer.role, 'manager') && (
        <a class="button" href="/staff/approvals">
          View approvals
        </a>
      )}
      {offer.state === 'open' &&
        order.state === 'offered' &&
        (mayAccept ? (
          action('acceptance', 'Record acceptance', ' of ')
        ) : (
          <small>A colleague records the acceptance.</small>
        ))}
      {mayChange &&
        isLive(offer.state) &&
        order.closedAt === null &&
        action('withdrawal', 'Withdraw', ' ')}
    </div>
  );
}

/** What the client wants, and where. */
export function WantedHere(enquiry: Pick<FollowUpOrder, 'postcode' | 'wanted' | 'nearest'>) {
  const { postcode, wanted, nearest } = enquiry;
  return (
    <>
      <p class="intro">
        {`Wanted at ${postcode}: ${wantedInWords(wanted)}.`}
        {nearest && ` The place is ${nearestInWords(nearest)}.`}
      </p>
      {wanted?.description != null && (
        <blockquote class="prose wanted">{wanted.description}</blockquote>
      )}
    </>
  );
}

type OfferFact = readonly [name: string, of: (offer: StaffOffer) => ComponentChildren];

const shared: readonly OfferFact[] = [
  ...labelledFields().map((field): OfferFact => [
    headingOf(field),
    ({ product }) => inWords(field, product),
  ]),
];

/** Why a manager has to approve it is said until one has. */
const total = (isPreview: boolean): OfferFact => [
  'Total over the term',
  ({ total, approvalReason, state, product: { currency } }) => {
    const sum = priceInWords(total, currency);
    const isUndecided = isPreview || state === 'awaitingApproval' || state === 'refused';
    return approvalReason === null || !isUndecided ? (
      sum
    ) : (
      <strong>{`${sum}, ${approvalReason}`}</strong>
    );
  },
];

interface OfferTableProps {
  /** Names the table. */
  readonly label: string;
  readonly offers: readonly StaffOffer[];
  /** Missing for offers that are not sent yet: they have no state and no author. */
  readonly now?: Date;
  /** Empty for those who may not see margins. */
  readonly margins: OfferMargins;
  /** The list price and the discount of each offer, for those who decide. */
  readonly listPrices?: OfferMargins;
  readonly actions?: (offer: StaffOffer) => ComponentChildren;
}

/** Offers side by side: a column for each, a row for each fact that one of them has. */
export function OfferTable(props: OfferTableProps) {
  const { label, offers, now, margins, listPrices, actions } = props;
  const facts: OfferFact[] = now
    ? [
        [
          'State',
          ({ state, endedAt }) => (
            <>
              <strong>{offerStateInfo[state].name}</strong>
              {endedAt !== null && (
                <>
                  {', '}
                  <Time at={endedAt} now={now} />
                </>
              )}
            </>
          ),
        ],
        [
          'Author',
          ({ authorName, createdAt }) => (
            <>
              {`${authorName ?? 'The service'}, `}
              <Time at={createdAt} now={now} />
            </>
          ),
        ],
        [
          'Manager’s decision',
          ({ approverName, state }) =>
            approverName && `${state === 'refused' ? 'Refused' : 'Approved'} by ${approverName}`,
        ],
      ]
    : [];
  const [state, ...people] = facts;
  const terms: OfferFact[] = [
    ...shared,
    total(now === undefined),
    ['List price', ({ offerId }) => listPrices?.get(offerId) ?? null],
    ['Valid until', ({ validUntil }) => (now ? shortTime(validUntil, now) : longTime(validUntil))],
    ['Note to the client', ({ note }) => note],
  ];
  const margin: OfferFact = [
    'Cost a month, and margin',
    ({ offerId }) => margins.get(offerId) ?? null,
  ];
  const rows = [...(state ? [state] : []), ...terms, margin, ...people]
    .map(([name, of]) => ({ name, cells: offers.map(of) }))
    .filter(({ cells }) => cells.some((cell) => cell !== null));
  return (
    <div class="scroll" role="region" aria-label={label} tabIndex={0}>
      <table class="offers">
        <caption class="unseen">{label}</caption>
        <thead>
          <tr>
            <th scope="col">Offer</th>
            {offers.map(({ product }) => (
              <th scope="col">
                {/* Before it is sent, an offer has no code. */}
                {now ? <ProductName of={product} /> : product.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells }) => (
            <tr>
              <th scope="row">{name}</th>
              {cells.map((cell) => (
                <td>{cell ?? '–'}</td>
              ))}
            </tr>
          ))}
          {actions && (
            <tr>
              <th scope="row">
                <span class="unseen">Actions</span>
              </th>
              {offers.map((offer) => (
                <td>{actions(offer)}</td>
              ))}
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

import { nearestInWords } from '../orders/record/order.entity.js';
import type { Check } from '../availability/check.entity.js';
import type { PointsAround } from '../near-net/network.js';
import type { Track } from '../catalogue/track/track.js';
import { dayInWords } from '../catalogue/content/dates.js';
import { premisesName } from '../catalogue/content/explain.js';
import type { Offer } from '../catalogue/content/offer-fields.js';
import type { Premises } from '../catalogue/content/premises-index.js';
import type { ExplainedAnswer } from '../catalogue/shown/explain.service.js';
import { type ApiClient, isDirectClient } from '../clients/api-client.entity.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { parsePostcode, Postcode } from '../platform/kernel/postcode.js';
import { NearMap } from '../near-net/near-map.js';
import { constraintsInWords, type PlaceConstraint } from '../catalogue/content/zone-fields.js';
import { printUprn } from '../platform/kernel/uprn.js';
import type { FormField, RefusedForm } from '../platform/ui/forms/form-spec.js';
import { Fields, PostForm, RefusedSummary } from '../platform/ui/forms/form-view.js';
import { type FlashMessage, FlashMessages } from '../platform/ui/flash-messages.js';
import { Layout } from '../platform/ui/layout.js';
import type { PostcodeQuery } from './check-fields.js';
import { matricesOf } from './offer-matrix.js';
import { OfferMatrices } from './offer-matrix-view.js';
import { Copyable, Empty, Notice, Time } from '../platform/ui/parts.js';
import { Facts, Table } from '../platform/ui/table.js';
import { counted } from '../platform/kernel/counts.js';

interface CheckAnswer {
  readonly offers: readonly Offer[];
  readonly why: ExplainedAnswer;
  readonly client: ApiClient | null;
  /** Whether a message can say when the place is served. */
  readonly canNotify: boolean;
  /** The listed premises that were chosen. */
  readonly building: Premises | null;
  /** From when a planned place sells. */
  readonly readyDate: string | null;
  readonly now: Date;
  /** Of a place without coverage that has a position. */
  readonly around: PointsAround | null;
  readonly trackOf: ((offer: Offer) => Track | null) | null;
}

interface CheckPageProps {
  readonly viewer: StaffCaller;
  readonly fields: readonly FormField[];
  readonly asked: PostcodeQuery;
  readonly found?: CheckAnswer;
  readonly refused?: RefusedForm;
}

/** Checks a postcode for a caller on the phone. Does not record the check. */
export function CheckPage({ viewer, fields, asked, found, refused }: CheckPageProps) {
  const title = found ? headlineOf(found) : 'Check a postcode';
  const typed = parsePostcode(asked.postcode);
  const suggestion = typed instanceof Postcode ? undefined : typed.suggestion;
  return (
    <Layout title={title} viewer={viewer} here="check">
      <RefusedSummary refused={refused} />
      {suggestion && (
        <p class="lead">
          Did you mean <a href={addressOf({ ...asked, postcode: suggestion })}>{suggestion}</a>?
        </p>
      )}
      <form class="check-form" action="/staff/check">
        <Fields of={fields} refused={refused} />
        <button type="submit" class="primary">
          Check
        </button>
      </form>
      {found ? (
        <FoundOffers {...found} asked={asked} />
      ) : (
        <p class="hint">
          Choose the caller to see their prices and to order for them. Checks here are not recorded
          unless you order or record the check.
        </p>
      )}
    </Layout>
  );
}

function FoundOffers({ asked, ...found }: CheckAnswer & { asked: PostcodeQuery }) {
  const { offers, why, client, building, now, around, trackOf } = found;
  const first = matricesOf(offers)[0]?.rows[0]?.cells.flat()[0]?.productCode;
  return (
    <>
      <p class="lead">
        {offers.length > 0 &&
          `${client ? `Prices for ${client.name}` : 'Standard prices'}, per month, excluding VAT.${client ? '' : ' To order, choose the client above and check again.'}`}
        {why.terminated !== null &&
          ` Royal Mail took this postcode out of use in ${why.terminated}.`}
        {why.near && ` Priced by distance: ${nearestInWords(why.near)}.`}
      </p>
      <Constraints of={why.constraints} />
      {offers.length === 0 ? (
        <NotAvailable {...found} asked={asked} />
      ) : (
        <PostForm
          action="/staff/check"
          hidden={{ ...placeOf(why, asked), client: client?.id ?? '' }}
          button={null}
        >
          <OfferMatrices
            offers={offers}
            place={`at ${why.postcode}`}
            now={now}
            trackOf={trackOf}
            action={
              client &&
              ((product, words) => (
                <button
                  type="submit"
                  name="product"
                  value={product}
                  class="offer"
                  // From there, arrows lead to each price.
                  autofocus={product === first}
                >
                  <span class="unseen">Order </span>
                  {words}
                </button>
              ))
            }
          />
        </PostForm>
      )}
      {offers.length > 0 && (
        <PostForm
          action="/staff/check"
          class="not-listed"
          hidden={{ ...placeOf(why, asked), client: client?.id ?? '' }}
          button={<LogEnquiry client={client} />}
        >
          <p class="hint">Does the caller want something else here?</p>
        </PostForm>
      )}
      <NearMap place={building?.position ? premisesName(building) : why.postcode} around={around} />
      <Why why={why} />
    </>
  );
}

function NotAvailable({
  why,
  client,
  canNotify,
  building,
  readyDate,
  asked,
}: Omit<CheckAnswer, 'offers' | 'around' | 'trackOf'> & { asked: PostcodeQuery }) {
  const saysAll = readyDate !== null || (building !== null && why.zone === null);
  return (
    <Empty title={saysAll ? why.reason : `Not available at ${placeName(why, building)}`}>
      {!saysAll && <p>{why.reason}</p>}
      <PostForm
        action="/staff/check"
        hidden={{ ...placeOf(why, asked), client: client?.id ?? '' }}
        button={
          <p class="actions">
            <LogEnquiry client={client} isPrimary />
            {canNotify && (
              <button type="submit" name="next" value="watch">
                {client ? `Notify ${client.name} when it is available` : 'Notify this caller'}
              </button>
            )}
            {client && <button type="submit">{`Record this check for ${client.name}`}</button>}
          </p>
        }
      >
        <p class="hint">
          {client
            ? 'Either way, it counts as lost demand in the reports and on the map.'
            : 'Existing client? Choose them above, then check again.'}
          {!canNotify &&
            ` ${cannotNotify(client)} To call them when it is available, log an enquiry.`}
        </p>
      </PostForm>
    </Empty>
  );
}

/** Records the check and leads to the form of an enquiry. */
function LogEnquiry({ client, isPrimary }: { client: ApiClient | null; isPrimary?: true }) {
  return (
    <button
      type="submit"
      name="next"
      value="enquiry"
      class={isPrimary && 'primary'}
      autofocus={isPrimary}
    >
      {client ? `Log enquiry for ${client.name}` : 'Log enquiry for a new caller'}
    </button>
  );
}

/** What to tell the caller before they order. */
export function Constraints({ of }: { of: readonly PlaceConstraint[] }) {
  return of.length > 0 && <Notice kind="soon" title={constraintsInWords(of)} />;
}

function placeOf({ postcode }: ExplainedAnswer, { uprn = '' }: PostcodeQuery) {
  return { postcode, uprn };
}

function Why({ why }: { why: ExplainedAnswer }) {
  return (
    <details class="numbers">
      <summary>Why this answer</summary>
      <p>{why.reason}</p>
      <Facts
        of={[
          ['Catalogue version', why.catalogueVersion],
          ['Price list', why.priceList],
          ['Zone', why.zone ?? 'none'],
          why.constraints.length > 0 && ['Constraints', constraintsInWords(why.constraints)],
        ]}
      />
      <Table
        class="short"
        bare
        captioned
        caption="Coverage rows, most specific first: the first one that exists applies."
        rows={why.levels}
        rowAttributes={({ decides }) => (decides ? { class: 'decides' } : {})}
        columns={[
          { name: 'Place', of: ({ place, uprn }) => uprn ?? place, heads: true },
          { name: 'Level', of: ({ level }) => level },
          {
            name: 'Zone',
            of: ({ zone, decides }) =>
              `${zone === null ? 'no row' : zone === '-' ? 'excluded' : zone}${decides ? ', applies' : ''}`,
          },
        ]}
      />
      {(why.zone !== null || why.near !== null) && (
        <Table
          class="short"
          bare
          captioned
          caption="Products, offered ones first."
          rows={[...Map.groupBy(why.products, ({ reason }) => reason)]}
          columns={[
            { name: 'Reason', of: ([reason]) => reason, heads: true },
            {
              name: 'Products',
              of: ([, products]) => products.map(({ productCode }) => productCode).join(', '),
            },
          ]}
        />
      )}
    </details>
  );
}

interface RecordedCheckProps extends Pick<CheckAnswer, 'offers' | 'client'> {
  readonly constraints: readonly PlaceConstraint[];
  readonly viewer: StaffCaller;
  readonly check: Check;
  readonly now: Date;
  /** The viewer has just recorded it. */
  readonly isNew: boolean;
  readonly said: FlashMessage | null;
}

/** A recorded check, made by a client's system or by staff. */
export function RecordedCheckPage(props: RecordedCheckProps) {
  const { viewer, check, client, offers, constraints, now, isNew, said } = props;
  const isDirect = client !== null && isDirectClient(client);
  return (
    <Layout title={`Check ${check.id}`} viewer={viewer} here="check" said={said}>
      {isNew && (
        <Notice kind="good" title="Check recorded.">
          <p>It counts in the reports and on the map.</p>
        </Notice>
      )}
      <Facts
        of={[
          ['Postcode', check.postcode],
          check.uprn !== null && ['UPRN', <Copyable text={String(check.uprn)} label="UPRN" />],
          ['Client', client?.name ?? 'Unknown'],
          [
            'Checked',
            <>
              <Time at={check.checkedAt} now={now} />
              {check.staffId !== null && ', by staff on the phone'}
            </>,
          ],
          ['Price list', `${check.priceList}, catalogue version ${check.catalogueVersion}`],
          ['Check', <Copyable text={check.id} label="check ID" />],
        ]}
      />
      <Constraints of={constraints} />
      {offers.length === 0 ? (
        <Empty
          title={`Not available at ${check.uprn === null ? check.postcode : 'these premises'}`}
        />
      ) : (
        <OfferMatrices
          offers={offers}
          place={`at ${check.postcode}`}
          now={now}
          action={
            client?.enabled &&
            !isDirect &&
            ((product, words) => (
              <a class="button offer" href={orderAddress(check.id, product)}>
                <span class="unseen">Order </span>
                {words}
              </a>
            ))
          }
        />
      )}
      {client?.enabled && (
        <p>
          <a href={enquiryAddress(check.id)}>Log enquiry</a>
        </p>
      )}
      <p>
        <a href={addressOf({ ...placeIn(check), client: isDirect ? '' : client?.id })}>
          Check again
        </a>
      </p>
    </Layout>
  );
}

/** Why no message can say that a place is served. @param client null for a caller who is no client */
export function cannotNotify(client: ApiClient | null): string {
  return client === null || isDirectClient(client)
    ? 'Email is off, so the service cannot notify a caller.'
    : `No email or webhook reaches ${client.name}.`;
}

export const watchMessages = new FlashMessages({
  watching: 'They will be notified as soon as products can be ordered here.',
  served: 'Products can be ordered here now. Check again.',
});

export function placeIn({ postcode, uprn }: Check): PostcodeQuery {
  return { postcode, uprn: printUprn(uprn) ?? '' };
}

export function addressOf({ postcode, uprn, client }: PostcodeQuery): string {
  const query = new URLSearchParams({
    postcode,
    ...(uprn && { uprn }),
    ...(client && { client }),
  });
  return `/staff/check?${query.toString()}`;
}

export function orderAddress(checkId: string, product: string): string {
  return `/staff/check/${checkId}/order?product=${encodeURIComponent(product)}`;
}

export function enquiryAddress(checkId: string): string {
  return `/staff/check/${checkId}/enquiry`;
}

function headlineOf({ offers: { length }, why, building, readyDate }: CheckAnswer): string {
  if (length > 0) return `${why.postcode}: ${counted(length, 'product')}`;
  const words = readyDate === null ? 'no products available' : `from ${dayInWords(readyDate)}`;
  return `${placeName(why, building)}: ${words}`;
}

function placeName({ postcode }: ExplainedAnswer, building: Premises | null): string {
  return building ? premisesName(building) : postcode;
}

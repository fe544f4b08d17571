import type { ComponentChildren } from 'preact';
import type { Check } from '../../availability/check.entity.js';
import type { Offer } from '../../catalogue/content/offer-fields.js';
import { inWords } from '../../catalogue/content/offers.js';
import type { ExplainedAnswer } from '../../catalogue/versions/explain.service.js';
import type { ApiClient } from '../../clients/api-client.entity.js';
import type { StaffCaller } from '../../access/caller.js';
import { type FieldFaults, FaultSummary, Select, TextField } from '../forms/fields.js';
import { Layout } from '../shell/layout.js';
import { offerColumns, sortOffers } from './offer-order.js';
import { Copyable, Empty, Notice, Time } from '../shell/parts.js';
import { Facts, Table, type TableColumn } from '../shell/table.js';

export type CheckClient = Pick<
  ApiClient,
  'id' | 'name' | 'priceList' | 'contactName' | 'contactPhone' | 'enabled'
>;

export interface LookUp {
  readonly postcode: string;
  /** Its id; empty for the standard price list. */
  readonly client: string;
  readonly order: string;
}

interface CheckAnswer {
  readonly offers: readonly Offer[];
  readonly why: ExplainedAnswer;
  readonly client: CheckClient | null;
}

interface CheckPageProps {
  readonly viewer: StaffCaller;
  readonly clients: readonly CheckClient[];
  readonly lookUp: LookUp;
  readonly found?: CheckAnswer;
  readonly faults?: FieldFaults;
  /** What was probably meant by a mistyped postcode. */
  readonly suggestion?: string;
}

/** Check a postcode: on the telephone, for any client. Looking is not recorded. */
export function CheckPage(props: CheckPageProps) {
  const { viewer, clients, lookUp, found, faults, suggestion } = props;
  const title = found ? `${found.why.postcode}: ${productCount(found.offers)}` : 'Check a postcode';
  return (
    <Layout title={title} viewer={viewer} here="check">
      <FaultSummary faults={faults} />
      {suggestion && (
        <p class="lead">
          Did you mean <a href={addressOf({ ...lookUp, postcode: suggestion })}>{suggestion}</a>?
        </p>
      )}
      <form class="look-up" action="/staff/check">
        <TextField
          name="postcode"
          label="Postcode"
          value={found?.why.postcode ?? lookUp.postcode}
          faults={faults}
          input={{
            required: true,
            maxLength: 40,
            autocomplete: 'off',
            autocapitalize: 'characters',
            spellcheck: false,
            autofocus: !found && !faults?.size,
            placeholder: 'EC2A 2BS',
          }}
        />
        <Select
          name="client"
          label="Prices for"
          value={lookUp.client}
          faults={faults}
          choices={[
            { value: '', name: 'Nobody yet: standard prices' },
            ...clients.map(({ id, name, priceList }) => ({
              value: id,
              name: priceList === 'standard' ? name : `${name} (${priceList})`,
            })),
          ]}
        />
        <button type="submit" class="primary">
          Check
        </button>
      </form>
      {found ? <FoundOffers {...found} lookUp={lookUp} /> : <FirstSteps />}
    </Layout>
  );
}

function FirstSteps() {
  return (
    <p class="hint">
      Type a postcode in any case, with or without its space. Choose who is calling to see their
      prices and to order for them. Looking is not recorded: only an order, or a demand that you
      note, counts in the reports.
    </p>
  );
}

function FoundOffers({ offers, why, client, lookUp }: CheckAnswer & { lookUp: LookUp }) {
  return (
    <>
      <p class="lead">
        {offers.length > 0 &&
          `${client ? `Prices for ${client.name}` : 'Standard prices'}, a month, excluding VAT.`}
        {why.terminated !== null &&
          ` Royal Mail took this postcode out of use in ${why.terminated}.`}
      </p>
      {offers.length === 0 ? (
        <NothingSold why={why} client={client} />
      ) : (
        <form method="post" action="/staff/check">
          <Hidden postcode={why.postcode} client={lookUp.client} />
          <OfferTable
            offers={sortOffers(offers, lookUp.order)}
            caption={`What is sold at ${why.postcode}`}
            sorted={lookUp.order}
            sortHref={(order) => addressOf({ ...lookUp, order })}
            action={
              client &&
              (({ productCode, name }) => (
                <button type="submit" name="product" value={productCode}>
                  Order <span class="unseen">{name}</span>
                </button>
              ))
            }
          />
          {!client && <p class="hint">To order, choose the client above and check again.</p>}
        </form>
      )}
      <Why why={why} />
    </>
  );
}

function NothingSold({ why, client }: { why: ExplainedAnswer; client: CheckClient | null }) {
  return (
    <Empty title={`Nothing is sold at ${why.postcode}`}>
      <p>{why.reason}</p>
      {client ? (
        <form method="post" action="/staff/check">
          <Hidden postcode={why.postcode} client={client.id} />
          <button type="submit">{`Note the demand of ${client.name}`}</button>
          <p class="hint">It counts as lost demand in the reports and on the map.</p>
        </form>
      ) : (
        <p>Choose the client above to note that they asked.</p>
      )}
    </Empty>
  );
}

function Hidden({ postcode, client }: { postcode: string; client: string }) {
  return (
    <>
      <input type="hidden" name="postcode" value={postcode} />
      <input type="hidden" name="client" value={client} />
    </>
  );
}

interface OfferTableProps {
  readonly offers: readonly Offer[];
  readonly caption: string;
  readonly sorted?: string;
  readonly sortHref?: (order: string) => string;
  readonly action?: ((offer: Offer) => ComponentChildren) | null;
}

export function OfferTable({ offers, caption, sorted, sortHref, action }: OfferTableProps) {
  return (
    <Table
      class="offers"
      label={caption}
      caption={caption}
      rows={offers}
      columns={[
        {
          name: 'Product',
          of: ({ name, productCode }) => (
            <>
              {name} <code class="muted">{productCode}</code>
            </>
          ),
          heads: true,
        },
        ...offerColumns().map((field): TableColumn<Offer> => {
          const { order, label, brief } = field;
          const mark = order === sorted && <span aria-hidden="true"> ↑</span>;
          const link = sortHref && (
            <a href={sortHref(order)}>
              {label}
              {mark}
            </a>
          );
          return {
            name: link ?? label,
            sorted: order === sorted ? 'ascending' : undefined,
            of: (offer) => brief?.(offer) ?? inWords(field, offer),
            class: 'number',
          };
        }),
        action != null && {
          name: <span class="unseen">Action</span>,
          of: action,
          class: 'number',
        },
      ]}
    />
  );
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
        ]}
      />
      <Table
        class="short"
        bare
        captioned
        caption="Rows of coverage, the most specific first: the first that is there decides."
        rows={why.levels}
        rowAttributes={({ decides }) => (decides ? { class: 'decides' } : {})}
        columns={[
          { name: 'Place', of: ({ place }) => place, heads: true },
          { name: 'Level', of: ({ level }) => level },
          {
            name: 'Zone',
            of: ({ zone, decides }) =>
              `${zone === null ? 'no row' : zone === '-' ? 'excluded' : zone}${decides ? ', decides' : ''}`,
          },
        ]}
      />
      {why.zone !== null && (
        <Table
          class="short"
          bare
          captioned
          caption="Products, those offered first."
          rows={why.products}
          columns={[
            { name: 'Product', of: ({ productCode }) => productCode, heads: true },
            { name: 'Why', of: ({ reason }) => reason },
          ]}
        />
      )}
    </details>
  );
}

interface RecordedCheckProps {
  readonly viewer: StaffCaller;
  readonly check: Check;
  readonly client: CheckClient | null;
  readonly offers: readonly Offer[];
  readonly now: Date;
  /** It was recorded a moment ago, by the viewer. */
  readonly noted: boolean;
}

/** A recorded check, of a client's system or of staff. */
export function RecordedCheckPage(props: RecordedCheckProps) {
  const { viewer, check, client, offers, now, noted } = props;
  const ordering = client?.enabled ? client : null;
  return (
    <Layout title={`Check ${check.id}`} viewer={viewer} here="check">
      {noted && (
        <Notice kind="good" title="The demand is noted.">
          <p>It counts in the reports and on the map.</p>
        </Notice>
      )}
      <Facts
        of={[
          ['Postcode', check.postcode],
          ['Client', client?.name ?? 'Not known any more'],
          [
            'Made',
            <>
              <Time at={check.checkedAt} now={now} />
              {check.staffId !== null && ', by staff on the telephone'}
            </>,
          ],
          ['Price list', `${check.priceList}, catalogue version ${check.catalogueVersion}`],
          ['Check', <Copyable text={check.id} label="the check's id" />],
        ]}
      />
      <h2>What was answered</h2>
      {offers.length === 0 ? (
        <Empty title={`Nothing was sold at ${check.postcode}`} />
      ) : (
        <OfferTable
          offers={offers}
          caption={`What was offered at ${check.postcode}`}
          action={
            ordering &&
            (({ productCode, name }) => (
              <a
                class="button"
                href={`/staff/check/${check.id}/order?${new URLSearchParams({ product: productCode }).toString()}`}
              >
                Order <span class="unseen">{name}</span>
              </a>
            ))
          }
        />
      )}
      <p>
        <a
          href={addressOf({
            postcode: check.postcode,
            client: client?.id ?? '',
            order: 'bandwidth',
          })}
        >
          Check it as it is now
        </a>
      </p>
    </Layout>
  );
}

export function addressOf({ postcode, client, order }: LookUp): string {
  const query = new URLSearchParams({
    postcode,
    ...(client && { client }),
    ...(order !== 'bandwidth' && { sort: order }),
  });
  return `/staff/check?${query.toString()}`;
}

function productCount(offers: readonly Offer[]): string {
  if (offers.length === 0) return 'nothing sold';
  return offers.length === 1 ? '1 product' : `${offers.length} products`;
}

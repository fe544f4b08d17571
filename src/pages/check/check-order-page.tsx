import type { Check } from '../../availability/check.entity.js';
import type { Offer } from '../../catalogue/content/offer-fields.js';
import { differs, headingOf, inWords, labelledFields } from '../../catalogue/content/offers.js';
import type { StaffCaller } from '../../access/caller.js';
import type { CheckClient } from './check-page.js';
import { type Faults, FaultSummary, Select, TextArea, TextField } from '../forms/fields.js';
import { Layout } from '../shell/layout.js';
import { Empty, Notice } from '../shell/parts.js';
import { shortTime } from '../shell/times.js';

/** What was typed into the form of an order. */
export interface OrderFields {
  readonly product: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly reference: string;
  readonly notes: string;
}

export const noFields: OrderFields = {
  product: '',
  name: '',
  email: '',
  phone: '',
  reference: '',
  notes: '',
};

/** What stands in the way of an order. */
export interface Obstacle {
  readonly title: string;
  readonly text: string;
  /** Leads to what can be done about it. */
  readonly link?: { readonly href: string; readonly text: string };
}

interface CheckOrderPageProps {
  readonly viewer: StaffCaller;
  readonly client: CheckClient;
  readonly check: Check;
  readonly offers: readonly Offer[];
  readonly fields: OrderFields;
  /** With it the form places one order, however often it is sent. */
  readonly onceKey: string;
  /** Until when the offer of the check holds, whatever the prices become. */
  readonly heldUntil: Date;
  readonly now: Date;
  readonly faults?: Faults;
  readonly obstacle?: Obstacle;
  /** The offer before it changed. */
  readonly before?: Offer;
}

/** Place an order request for a client that is on the telephone. */
export function CheckOrderPage(props: CheckOrderPageProps) {
  const { viewer, client, check, offers, fields, onceKey, faults, obstacle, before } = props;
  const offer = offers.find(({ productCode }) => productCode === fields.product);
  return (
    <Layout title={`Order for ${client.name}`} viewer={viewer} here="check" width="narrow">
      {obstacle && (
        <Notice kind="bad" title={obstacle.title}>
          <p>{obstacle.text}</p>
          {obstacle.link && (
            <p>
              <a href={obstacle.link.href}>{obstacle.link.text}</a>
            </p>
          )}
        </Notice>
      )}
      <FaultSummary faults={faults} />
      {offers.length === 0 ? (
        <Empty title={`Nothing is sold at ${check.postcode} any more`}>
          <p>What you typed is below, to be copied.</p>
        </Empty>
      ) : (
        offer && <Terms {...props} offer={offer} before={before} />
      )}
      <form method="post" action={`/staff/check/${check.id}/order`} class="order-form">
        <input type="hidden" name="key" value={onceKey} />
        {offer ? (
          <input type="hidden" name="product" value={offer.productCode} />
        ) : (
          offers.length > 0 && (
            <Select
              name="product"
              label="Product"
              value={fields.product}
              faults={faults}
              choices={offers.map((one) => ({
                value: one.productCode,
                name: [one.name, ...labelledFields().map((field) => inWords(field, one))].join(
                  ', ',
                ),
              }))}
            />
          )
        )}
        <fieldset>
          <legend>Whom we call back</legend>
          <p class="hint">
            {`Left empty, we contact ${client.contactName}, ${client.contactPhone}.`}
          </p>
          <TextField
            name="name"
            label="Name"
            value={fields.name}
            faults={faults}
            input={{ maxLength: 120, autocomplete: 'off', autofocus: !faults && !obstacle }}
          />
          <TextField
            name="phone"
            label="Telephone"
            value={fields.phone}
            faults={faults}
            input={{ type: 'tel', maxLength: 40, autocomplete: 'off' }}
          />
          <TextField
            name="email"
            label="E-mail"
            value={fields.email}
            faults={faults}
            input={{ type: 'email', maxLength: 254, autocomplete: 'off' }}
          />
        </fieldset>
        <TextField
          name="reference"
          label="The client's own reference"
          hint="Their purchase order number, say. It can stay empty."
          value={fields.reference}
          faults={faults}
          input={{ maxLength: 64, autocomplete: 'off' }}
        />
        <TextArea
          name="notes"
          label="Note"
          hint="What whoever follows up should know. The client can't see it."
          value={fields.notes}
          faults={faults}
          area={{ maxLength: 2_000 }}
        />
        {offers.length > 0 && (
          <p class="actions">
            <button type="submit" class="primary">
              {before ? 'Place it at the new price' : 'Place the order request'}
            </button>
            <a href={`/staff/check/${check.id}`}>Choose another product</a>
          </p>
        )}
      </form>
    </Layout>
  );
}

function Terms(
  props: Pick<CheckOrderPageProps, 'check' | 'heldUntil' | 'now' | 'before'> & { offer: Offer },
) {
  const { check, offer, heldUntil, now, before } = props;
  return (
    <dl class="facts terms">
      <dt>Product</dt>
      <dd>
        {offer.name} <code class="muted">{offer.productCode}</code>
      </dd>
      <dt>At</dt>
      <dd>{check.postcode}</dd>
      {labelledFields().map((field) => (
        <>
          <dt>{headingOf(field)}</dt>
          <dd>
            {field.isMoney ? <strong>{inWords(field, offer)}</strong> : inWords(field, offer)}
            {before && differs(field, before, offer) && (
              <>
                {' '}
                <del>{inWords(field, before)}</del>
              </>
            )}
          </dd>
        </>
      ))}
      <dt>Offer</dt>
      <dd>
        {heldUntil > now
          ? `Holds until ${shortTime(heldUntil, now)}`
          : 'No longer held: if it has changed, you will see the new one first'}
      </dd>
    </dl>
  );
}

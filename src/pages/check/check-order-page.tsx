import type { Offer } from '../../catalogue/content/offer-fields.js';
import { differs, headingOf, inWords, labelledFields } from '../../catalogue/content/offers.js';
import type { StaffCaller } from '../../access/caller.js';
import type { TelephoneCheck } from '../../orders/placing/telephone.service.js';
import type { Problem, ValidationFailed } from '../../problems/problem.js';
import type { FormField, RefusedForm } from '../forms/form-spec.js';
import { Fields, RefusedSummary } from '../forms/form-view.js';
import { Layout } from '../shell/layout.js';
import { Empty, Notice } from '../shell/parts.js';
import { Facts } from '../shell/table.js';
import { shortTime } from '../shell/times.js';
import { addressOf } from './check-page.js';

const productField: FormField = { name: 'product', label: 'Product', kind: 'choice' };

const contactFields: readonly FormField[] = [
  { name: 'name', label: 'Name', most: 120 },
  { name: 'phone', label: 'Telephone', most: 40, input: { type: 'tel' } },
  { name: 'email', label: 'E-mail', most: 254, input: { type: 'email' } },
];

const otherFields: readonly FormField[] = [
  {
    name: 'reference',
    label: "The client's own reference",
    hint: 'Their purchase order number, say. It can stay empty.',
    most: 64,
  },
  {
    name: 'notes',
    kind: 'long',
    label: 'Note',
    hint: "What whoever follows up should know. The client can't see it.",
    most: 2_000,
  },
];

export const orderFields = [productField, ...contactFields, ...otherFields];

/** The faults of an order request, by the field of the form. */
export function faultsOf({ errors }: ValidationFailed): Map<string, string> {
  return new Map(
    errors.map(({ pointer, detail }) => {
      const last = pointer.slice(pointer.lastIndexOf('/') + 1);
      const name = last === 'productCode' ? 'product' : last;
      const field = orderFields.find((one) => one.name === name);
      const text = `${detail.charAt(0).toLowerCase()}${detail.slice(1)}`;
      return [field?.name ?? 'product', `${field?.label ?? 'Order'}: ${text}`];
    }),
  );
}

export interface Obstacle {
  readonly title: string;
  readonly text: string;
  readonly link?: { readonly href: string; readonly text: string };
}

/** @param latest the check that the form shows next */
export function obstacleOf(problem: Problem, latest: TelephoneCheck, product: string): Obstacle {
  const { check, client, offers } = latest;
  if (problem.code === 'idempotency-key-reused') {
    return {
      title: 'This form has placed an order already',
      text: 'What it says now is something else. Look at that order first; to place another one, send this form again.',
      link: {
        href: `/staff/queue?view=all&client=${client.id}`,
        text: `Orders of ${client.name}`,
      },
    };
  }
  if (problem.code !== 'offer-changed' && problem.code !== 'product-not-available') {
    return { title: problem.title, text: problem.detail };
  }
  if (offers.some(({ productCode }) => productCode === product)) {
    return {
      title: 'The offer has changed since you looked',
      text: 'Tell the caller the new one. Nothing was ordered yet, and what you typed is kept.',
    };
  }
  return {
    title: 'This product is no longer sold there',
    text:
      offers.length > 0
        ? 'Choose another one below. Nothing was ordered yet, and what you typed is kept.'
        : 'Nothing was ordered.',
    link: {
      href: addressOf({ postcode: check.postcode, client: client.id, order: 'bandwidth' }),
      text: `See what is sold at ${check.postcode}`,
    },
  };
}

interface CheckOrderPageProps extends TelephoneCheck {
  readonly viewer: StaffCaller;
  readonly product: string;
  readonly refused?: RefusedForm;
  /** The form places one order with it, however often it is sent. */
  readonly onceKey: string;
  /** Until when the offer of the check holds, whatever the prices become. */
  readonly heldUntil: Date;
  readonly now: Date;
  readonly obstacle?: Obstacle;
  readonly before?: Offer;
}

/** Place an order request for a client that is on the telephone. */
export function CheckOrderPage(props: CheckOrderPageProps) {
  const { viewer, client, check, offers, product, onceKey, refused, obstacle, before } = props;
  const offer = offers.find(({ productCode }) => productCode === product);
  const [firstField, ...moreFields] = contactFields;
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
      <RefusedSummary refused={refused} />
      {offers.length === 0 ? (
        <Empty title={`Nothing is sold at ${check.postcode} any more`}>
          <p>What you typed is below, to be copied.</p>
        </Empty>
      ) : (
        offer && <Terms {...props} offer={offer} before={offer && before} />
      )}
      <form method="post" action={`/staff/check/${check.id}/order`} class="order-form">
        <input type="hidden" name="key" value={onceKey} />
        {offer ? (
          <input type="hidden" name="product" value={offer.productCode} />
        ) : (
          offers.length > 0 && (
            <Fields of={[{ ...productField, choices: offers.map(choiceOf) }]} refused={refused} />
          )
        )}
        <fieldset>
          <legend>Whom we call back</legend>
          <p class="hint">
            {`Left empty, we contact ${client.contactName}, ${client.contactPhone}.`}
          </p>
          <Fields
            of={[{ ...firstField!, input: { autofocus: !refused } }, ...moreFields]}
            refused={refused}
          />
        </fieldset>
        <Fields of={otherFields} refused={refused} />
        {offers.length > 0 && (
          <p class="actions">
            <button type="submit" class="primary">
              {offer && before ? 'Place it at the new price' : 'Place the order request'}
            </button>
            <a href={`/staff/check/${check.id}`}>Choose another product</a>
          </p>
        )}
      </form>
    </Layout>
  );
}

function choiceOf(offer: Offer) {
  const terms = labelledFields().map((field) => inWords(field, offer));
  return { value: offer.productCode, name: [offer.name, ...terms].join(', ') };
}

function Terms({ check, offer, heldUntil, now, before }: CheckOrderPageProps & { offer: Offer }) {
  return (
    <Facts
      class="terms"
      of={[
        [
          'Product',
          <>
            {offer.name} <code class="muted">{offer.productCode}</code>
          </>,
        ],
        ['At', check.postcode],
        ...labelledFields().map((field) => {
          const text = inWords(field, offer);
          const old = before && differs(field, before, offer) && (
            <del>{inWords(field, before)}</del>
          );
          return [
            headingOf(field),
            <>
              {field.isMoney ? <strong>{text}</strong> : text}
              {old && ' '}
              {old}
            </>,
          ] as const;
        }),
        [
          'Offer',
          heldUntil > now
            ? `Holds until ${shortTime(heldUntil, now)}`
            : 'No longer held: if it has changed, you will see the new one first',
        ],
      ]}
    />
  );
}

import type { Offer } from '../catalogue/content/offer-fields.js';
import {
  allOnLine,
  differs,
  headingOf,
  inWords,
  labelledFields,
} from '../catalogue/content/offers.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { TelephoneOrder } from './telephone.dto.js';
import type { TelephoneCheck } from './telephone.service.js';
import type { Problem } from '../platform/problems/problem.js';
import type { RefusedForm } from '../platform/ui/forms/form-spec.js';
import { inputForm } from '../platform/ui/forms/input-form.js';
import { Fields, PostForm, RefusedSummary } from '../platform/ui/forms/form-view.js';
import { Layout } from '../platform/ui/layout.js';
import { Empty, Notice, ProductName } from '../platform/ui/parts.js';
import { Facts } from '../platform/ui/table.js';
import { shortTime } from '../platform/kernel/time-words.js';
import { contactWords, otherWords } from './caller-fields.js';
import { addressOf, placeIn } from './check-page.js';

export const orderForm = inputForm(TelephoneOrder, {
  productCode: { label: 'Product', missing: 'Choose a product.', choices: [] },
  ...contactWords,
  ...otherWords,
  interconnect: {
    label: 'Interconnect',
    hint: 'The code of the interconnect of the client at which the service starts.',
  },
  acceptExtraUpTo: {
    label: 'Extra charges accepted in advance, up to (optional)',
    hint: 'One-off, excluding VAT, in the currency of the order. The client is not asked about charges up to this sum.',
  },
});
const [productField, ...fields] = orderForm.fields;
const contactFields = fields.filter(({ name }) => name in contactWords);
const otherFields = fields.filter(({ name }) => name in otherWords);
const extraField = fields.find(({ name }) => name === 'acceptExtraUpTo')!;
const interconnectField = fields.find(({ name }) => name === 'interconnect')!;

export interface Obstacle {
  readonly title: string;
  readonly text: string;
  readonly link?: { readonly href: string; readonly text: string };
}

/** Why the order was refused. @param latest the check that the form shows next */
export function obstacleOf(problem: Problem, latest: TelephoneCheck, product: string): Obstacle {
  const { check, client, offers } = latest;
  if (problem.code === 'idempotency-key-reused') {
    return {
      title: 'This form has already placed an order',
      text: 'You changed the form since. View that order first. To place another one, send this form again.',
      link: { href: `/staff/queue?view=all&client=${client.id}`, text: `Orders of ${client.name}` },
    };
  }
  if (problem.code !== 'offer-changed' && problem.code !== 'product-not-available') {
    return { title: problem.title, text: problem.detail };
  }
  const kept = 'Nothing was ordered yet, and what you typed is kept.';
  if (offers.some(({ productCode }) => productCode === product)) {
    return {
      title: 'The offer has changed since you looked',
      text: `Tell the caller the new offer. ${kept}`,
    };
  }
  return {
    title: 'This product is no longer sold there',
    text: offers.length > 0 ? `Choose another one below. ${kept}` : 'Nothing was ordered.',
    link: {
      href: addressOf({ ...placeIn(check), client: client.id }),
      text: `Check availability at ${check.postcode}`,
    },
  };
}

interface CheckOrderPageProps extends TelephoneCheck {
  readonly viewer: StaffCaller;
  readonly product: string;
  readonly refused?: RefusedForm;
  /** The idempotency key of the form. */
  readonly onceKey: string;
  /** The end of the price hold. */
  readonly heldUntil: Date;
  readonly now: Date;
  readonly obstacle?: Obstacle;
  readonly before?: Offer;
  /** The draft of the form that was sent, where the form of another check replaces it. */
  readonly takesOver?: string;
}

/** Places an order for a client on the phone. */
export function CheckOrderPage(props: CheckOrderPageProps) {
  const { viewer, client, check, offers, product, onceKey, refused, obstacle, before } = props;
  const offer = offers.find(({ productCode }) => productCode === product);
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
        <Empty title={`No longer available at ${check.postcode}`}>
          <p>We kept what you typed, so that you can copy it.</p>
        </Empty>
      ) : (
        offer && <Terms {...props} offer={offer} before={offer && before} />
      )}
      <PostForm
        class="order-form"
        takesOver={props.takesOver}
        draftTitle={`Order for ${client.name}, ${check.postcode}`}
        {...(offer && { draft: draftOfOrder(check.id, offer.productCode) })}
        action={`/staff/check/${check.id}/order${offer ? `?product=${offer.productCode}` : ''}`}
        hidden={{ key: onceKey, ...(offer && { productCode: offer.productCode }) }}
        fields={[
          ...otherFields,
          ...(offer?.needsInterconnect === true ? [interconnectField] : []),
          ...(offer?.extraChargesPossible === false ? [] : [extraField]),
        ]}
        refused={refused}
        button={offers.length > 0 && (offer && before ? 'Place at the new price' : 'Place order')}
        kind="primary"
        cancel={`/staff/check/${check.id}`}
        cancelText="Choose another product"
      >
        {!offer && offers.length > 0 && (
          <Fields of={[{ ...productField!, choices: offers.map(choiceOf) }]} refused={refused} />
        )}
        <fieldset>
          <legend>Contact for this order</legend>
          <p class="hint">{`Leave blank to use ${client.contactName}, ${client.contactPhone}.`}</p>
          <Fields of={contactFields} refused={refused} />
        </fieldset>
      </PostForm>
    </Layout>
  );
}

/** The name of the draft of the form, which is the path of its page. */
export function draftOfOrder(checkId: string, product: string): string {
  return `check/${checkId}/order?product=${product}`;
}

function choiceOf(offer: Offer) {
  return { value: offer.productCode, name: `${offer.name}, ${allOnLine(labelledFields(), offer)}` };
}

function Terms({ check, offer, heldUntil, now, before }: CheckOrderPageProps & { offer: Offer }) {
  return (
    <Facts
      class="terms"
      of={[
        ['Product', <ProductName of={offer} />],
        ['Postcode', check.postcode],
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
          'Price hold',
          heldUntil > now
            ? `Until ${shortTime(heldUntil, now)}`
            : 'Ended: if the offer has changed, you see the new one first',
        ],
      ]}
    />
  );
}

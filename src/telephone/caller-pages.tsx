/** The pages on which staff take down what a caller wants: an order, an enquiry, or news of a place. */
import type { StaffCaller } from '../platform/access/caller.js';
import { isDirectClient } from '../clients/api-client.entity.js';
import { TelephoneEnquiry, CallerWatch, TelephoneOrder } from './telephone.dto.js';
import type { TelephoneCheck } from './telephone.service.js';
import type { Problem } from '../platform/problems/problem.js';
import type { RefusedForm } from '../platform/ui/forms/form-spec.js';
import { inputForm, type Refusal } from '../platform/ui/forms/input-form.js';
import { Fields, PostForm, RefusedSummary } from '../platform/ui/forms/form-view.js';
import { Layout } from '../platform/ui/layout.js';
import { Notice, Empty, ProductName } from '../platform/ui/parts.js';
import { Facts } from '../platform/ui/table.js';
import type { Check } from '../availability/check.entity.js';
import { FormPage } from '../platform/ui/form-page.js';
import type { Offer } from '../catalogue/content/offer-fields.js';
import {
  allOnLine,
  differs,
  headingOf,
  inWords,
  labelledFields,
} from '../catalogue/content/offers.js';
import { shortTime } from '../platform/kernel/time-words.js';
import { addressOf, cannotNotify, Constraints, enquiryAddress, placeIn } from './check-page.js';

const contactWords = {
  name: { label: 'Name', input: { autofocus: true } },
  phone: { label: 'Phone', input: { type: 'tel' } },
  email: { label: 'Email', input: { type: 'email' } },
} as const;

const otherWords = {
  reference: {
    label: 'Client reference (optional)',
    hint: 'For example, their purchase order number.',
  },
  notes: {
    label: 'Note',
    hint: "Internal note for the team. The client can't see it.",
    long: true,
  },
} as const;

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
      <Constraints of={props.constraints} />
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

const wantedWords = {
  description: {
    label: 'What the caller wants',
    hint: 'In their words. The client can see it. Optional if you enter a bandwidth.',
    long: true,
    input: { autofocus: true },
  },
  bandwidth: {
    label: 'Bandwidth in Gbit/s (optional)',
    hint: 'Such as 10, or 0.1 for 100 Mbit/s.',
  },
  term: { label: 'Term in months (optional)', input: { inputMode: 'numeric', maxLength: 3 } },
} as const;

export const enquiryForm = inputForm(TelephoneEnquiry, {
  ...wantedWords,
  ...contactWords,
  ...otherWords,
});
const fieldsOf = (words: object) => enquiryForm.fields.filter(({ name }) => name in words);

interface EnquiryObstacle {
  readonly title: string;
  readonly text: string;
}

/** Why the enquiry was refused. */
export function enquiryObstacleOf({ code, title, detail }: Problem): EnquiryObstacle {
  return code === 'idempotency-key-reused'
    ? {
        title: 'This form has already logged an enquiry',
        text: 'You changed the form since. Look for that enquiry first. To log another one, send this form again.',
      }
    : { title, text: detail };
}

interface CheckEnquiryPageProps extends Omit<TelephoneCheck, 'offers'> {
  readonly viewer: StaffCaller;
  readonly refused?: RefusedForm;
  /** The idempotency key of the form. */
  readonly onceKey: string;
  readonly obstacle?: EnquiryObstacle;
}

/** Logs an enquiry for a caller on the phone. */
export function CheckEnquiryPage(props: CheckEnquiryPageProps) {
  const { viewer, client, check, onceKey, refused, obstacle } = props;
  const isDirect = isDirectClient(client);
  const title = isDirect ? 'Log an enquiry' : `Enquiry for ${client.name}`;
  return (
    <Layout title={title} viewer={viewer} here="check" width="narrow">
      {obstacle && (
        <Notice kind="bad" title={obstacle.title}>
          <p>{obstacle.text}</p>
        </Notice>
      )}
      <RefusedSummary refused={refused} />
      <Facts
        class="terms"
        of={[
          ['Postcode', check.postcode],
          check.uprn !== null && ['UPRN', String(check.uprn)],
          ['Caller', isDirect ? 'No client yet' : client.name],
        ]}
      />
      <Constraints of={props.constraints} />
      <PostForm
        class="order-form"
        draft={`check/${check.id}/enquiry`}
        draftTitle={`${title}, ${check.postcode}`}
        action={`/staff/check/${check.id}/enquiry`}
        hidden={{ key: onceKey }}
        fields={fieldsOf(otherWords)}
        refused={refused}
        button="Log enquiry"
        kind="primary"
        cancel={`/staff/check/${check.id}`}
        cancelText="Back to the check"
      >
        <Fields of={fieldsOf(wantedWords)} refused={refused} />
        <fieldset>
          <legend>Contact for this enquiry</legend>
          <p class="hint">
            {isDirect
              ? 'Enter the name, and a phone number or an email address.'
              : `Leave blank to use ${client.contactName}, ${client.contactPhone}.`}
          </p>
          <Fields
            of={fieldsOf(contactWords).map(({ input, ...field }) => ({
              ...field,
              ...(isDirect &&
                field.name === 'name' && {
                  missing: 'Enter a name.',
                  hint: 'With the company, for example Ada Lovelace, Acme Ltd.',
                }),
              input: { ...input, autofocus: false },
            }))}
            refused={refused}
          />
        </fieldset>
      </PostForm>
    </Layout>
  );
}

export const callerForm = inputForm(CallerWatch, {
  email: {
    label: 'Email',
    input: { type: 'email', autofocus: true },
    missing: 'Enter an email address.',
  },
});

interface CallerWatchProps extends Partial<Pick<Refusal, 'refused' | 'conflict'>> {
  readonly viewer: StaffCaller;
  readonly check: Check;
}

/** Asks where a caller who is no client wants to be notified. */
export function CallerWatchPage({ viewer, check, refused, conflict }: CallerWatchProps) {
  return (
    <FormPage
      viewer={viewer}
      refused={refused}
      conflict={conflict}
      title={`Notify this caller about ${check.postcode}`}
      here="check"
      action={`/staff/check/${check.id}/watch`}
      fields={callerForm.fields}
      draft={`check/${check.id}/watch`}
      button="Notify this caller"
      cancel={`/staff/check/${check.id}`}
      intro={
        <p class="hint">
          The caller gets one email as soon as products can be ordered there, for a year.
        </p>
      }
    />
  );
}

type CannotNotifyProps = Pick<CallerWatchProps, 'viewer'> &
  Pick<TelephoneCheck, 'check' | 'client'>;

/** Where no message can say that a place is served, an enquiry asks staff to call. */
export function CannotNotifyPage({ viewer, check, client }: CannotNotifyProps) {
  const who = isDirectClient(client) ? 'the caller' : client.name;
  return (
    <Layout title={`Cannot notify ${who}`} viewer={viewer} here="check" width="narrow">
      <Notice kind="soon" title={cannotNotify(client)} />
      <p>Nothing was saved. Log an enquiry instead, and call them.</p>
      <p class="actions">
        <a class="button primary" href={enquiryAddress(check.id)}>
          Log enquiry
        </a>
        <a href={`/staff/check/${check.id}`}>Back to the check</a>
      </p>
    </Layout>
  );
}

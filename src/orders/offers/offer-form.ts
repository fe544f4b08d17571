/** The form with which staff answer an enquiry: up to five offers. */
import { priceBases } from '../../catalogue/content/cells.js';
import { printAmount } from '../../platform/kernel/money.js';
import { lowerFirst } from '../../platform/kernel/text.js';
import { minorUnits } from '../record/bespoke-terms.js';
import { Answer, MOST_OFFERS, type NewOffer } from './staff-offers.dto.js';
import type { AnswerStart } from './staff-offers.service.js';
import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { readNumber } from '../../platform/http/valid.js';
import type { Form } from '../../platform/ui/forms/form.js';
import { type FormField, plainAmount } from '../../platform/ui/forms/form-spec.js';
import { type InputForm, ownForm } from '../../platform/ui/forms/input-form.js';

type LineField = Exclude<keyof NewOffer, 'currency' | 'validUntil' | 'extraChargesPossible'>;

const decimal = { inputMode: 'decimal', maxLength: 14 } as const;
const whole = { inputMode: 'numeric', maxLength: 4 } as const;

type LineFormField = FormField & { readonly name: LineField };

const mainFields: readonly LineFormField[] = [
  { name: 'name', label: 'Product', hint: 'As the client sees it.', most: 120 },
  { name: 'bandwidthProvisioned', label: 'Bandwidth, Gbit/s', input: decimal },
  { name: 'term', label: 'Term, months', input: whole },
  {
    name: 'price',
    label: 'Monthly price (excl. VAT)',
    input: decimal,
  },
  {
    name: 'setupPrice',
    label: 'Set-up price, excl. VAT (optional)',
    hint: '0 is free. Empty: not stated.',
    input: decimal,
  },
  { name: 'leadTimeDays', label: 'Lead time, calendar days', input: whole },
  { name: 'note', kind: 'long', label: 'Note to the client (optional)', most: 2_000 },
];

/** Below _More_: most offers leave them as they are. */
const moreFields: readonly LineFormField[] = [
  {
    name: 'bandwidthCapacity',
    label: 'Bearer, Gbit/s (optional)',
    hint: 'The most that the line can carry. Empty: the same as the bandwidth.',
    input: decimal,
  },
  {
    name: 'basis',
    label: 'Basis',
    hint: 'With a firm price, no extra charge is possible later.',
    kind: 'choice',
    choices: [
      { value: 'firm', name: 'Firm' },
      { value: 'subjectToSurvey', name: 'Subject to survey' },
      { value: 'indicative', name: 'Indicative' },
    ] satisfies { readonly value: (typeof priceBases)[number]; readonly name: string }[],
    first: 'subjectToSurvey',
  },
];

const lineFields = [...mainFields, ...moreFields];

/** Of all offers of the answer. */
const validUntilField: FormField = {
  name: 'validUntil',
  label: 'Valid until',
  hint: 'Until 23:59 London time. If this is not a working day, the offer is valid until the next one.',
  input: { type: 'date' },
};

/** An offer of the form; its fields have its number at the end of their names. */
export interface OfferLineForm {
  readonly number: number;
  readonly fields: readonly FormField[];
  /** Folded. */
  readonly more: readonly FormField[];
}

export interface OfferForm {
  readonly shared: readonly FormField[];
  readonly lines: readonly OfferLineForm[];
  /** What the prices are in: of what the client has, or of the catalogue there. */
  readonly currency: string;
}

const nameOf = (field: string, number: number) => `${field}-${number}`;

type FirstValues = Partial<Record<LineField, string>>;

/**
 * The form starts with what the client wants. A price is filled in only where the catalogue has one for that,
 * at that place, or where the author has typed it for an answer that the client has not seen.
 */
export function offerForm(start: AnswerStart): OfferForm {
  const { unseen, sold, validUntil } = start;
  const firsts = unseen.length > 0 ? unseen.map(valuesOf) : [valuesOfWanted(start)];
  const shared = [{ ...validUntilField, first: validUntil }];
  const fieldsOf = (fields: readonly LineFormField[], i: number) =>
    fields.map((field) => ({
      ...field,
      name: nameOf(field.name, i + 1),
      first: firsts[i]?.[field.name] ?? field.first,
    }));
  const lines = Array.from({ length: MOST_OFFERS }, (_, i): OfferLineForm => {
    return { number: i + 1, fields: fieldsOf(mainFields, i), more: fieldsOf(moreFields, i) };
  });
  return { shared, lines, currency: unseen[0]?.product.currency ?? sold?.currency ?? 'GBP' };
}

/** Without a product in the catalogue, the set-up price starts with what building costs. */
function valuesOfWanted({ wanted: { bandwidth, term }, sold, band }: AnswerStart): FirstValues {
  if (sold !== null) return valuesOf({ product: sold, note: null });
  return {
    ...(band && { basis: band.basis }),
    ...(band?.addSetup != null && { setupPrice: printAmount(band.addSetup, 'GBP') }),
    ...(bandwidth !== null && { bandwidthProvisioned: String(bandwidth) }),
    ...(term !== null && { term: String(term) }),
  };
}

function valuesOf(line: { product: OfferedProduct; note: string | null }): FirstValues {
  const { product, note } = line;
  const { currency, price, setupPrice } = product;
  const amount = (major: number) => printAmount(minorUnits(major, currency) ?? 0, currency);
  return {
    name: product.name,
    bandwidthProvisioned: String(product.bandwidthProvisioned),
    bandwidthCapacity: String(product.bandwidthCapacity),
    term: String(product.term),
    price: amount(price),
    ...(setupPrice !== null && { setupPrice: amount(setupPrice) }),
    leadTimeDays: String(product.leadTimeDays),
    basis: product.basis,
    ...(note !== null && { note }),
  };
}

/** The numbers of the offers that are filled in; the first one if none is. */
export function filledIn(form: Form): number[] {
  const numbers = Array.from({ length: MOST_OFFERS }, (_, i) => i + 1).filter((number) =>
    lineFields.some(({ name }) => name !== 'basis' && form.text(nameOf(name, number)) !== ''),
  );
  return numbers.length === 0 ? [1] : numbers;
}

/** The form as the body of the API. What is not a number stays a text. */
export function answerIn(form: Form, currency: string): { version: number; offers: object[] } {
  const validUntil = form.text('validUntil');
  const shared = [
    ['currency', currency],
    ...(validUntil === '' ? [] : [['validUntil', validUntil]]),
  ];
  const offers = filledIn(form).map((number): object => {
    const lines = lineFields.flatMap(({ name, input, kind }) => {
      const text = form.text(nameOf(name, number));
      if (text === '') return [];
      return [[name, kind === undefined && input ? readNumber(plainAmount(text)) : text]];
    });
    return Object.fromEntries([...lines, ...shared]) as object;
  });
  return { version: form.number('version'), offers };
}

/** The form as the input of the API. Its faults name the offer, where there are several. */
export function answerForm(
  { shared, lines, currency }: OfferForm,
  sent: Form,
  rules: InputForm<Answer>['rules'],
): InputForm<Answer> {
  const numbers = filledIn(sent);
  const fields = lines.flatMap(({ number, fields: main, more }) =>
    [...main, ...more].map((field) => ({
      ...field,
      label: numbers.length === 1 ? field.label : `Offer ${number}, ${lowerFirst(field.label)}`,
    })),
  );
  const fieldAt = (pointer: string) => {
    const [, , index = '', name = ''] = pointer.split('/');
    return name === validUntilField.name ? name : nameOf(name, numbers[Number(index)] ?? 1);
  };
  return ownForm({
    type: Answer,
    fields: [...fields, ...shared],
    read: (form) => answerIn(form, currency),
    fieldAt,
    rules,
  });
}

import { describe, expect, it } from '@jest/globals';
import { Form } from '../../platform/ui/forms/form.js';
import type { AnswerStart } from './staff-offers.service.js';
import { send } from '../../platform/ui/forms/input-form.js';
import { answerForm, answerIn, filledIn, offerForm } from './offer-form.js';

const product = {
  productCode: 'INT-1G-12',
  name: '1G Internet',
  bandwidthProvisioned: 1,
  bandwidthCapacity: 10,
  term: 12,
  price: 725,
  currency: 'GBP',
  leadTimeDays: 120,
  setupPrice: null,
  basis: 'firm' as const,
  extraChargesPossible: false,
  network: null,
  service: null,
  needsInterconnect: false,
};
const start = {
  wanted: { bandwidth: 10, term: 36 },
  sold: null,
  band: null,
  unseen: [],
  validUntil: '2026-04-01',
};

function valuesOf(about: Partial<AnswerStart>) {
  const { fields } = answerForm(offerForm({ ...start, ...about }), Form.parse(''), undefined);
  return Object.fromEntries(fields.map((field) => [field.name, field.first]));
}

describe('the form of an answer', () => {
  it('starts with what is wanted, without a price that the catalogue does not have there', () => {
    expect(valuesOf({})).toMatchObject({
      'name-1': undefined,
      'bandwidthProvisioned-1': '10',
      'term-1': '36',
      'price-1': undefined,
      'setupPrice-1': undefined,
      'leadTimeDays-1': undefined,
      'basis-1': 'subjectToSurvey',
      'term-2': undefined,
      validUntil: '2026-04-01',
    });
  });

  it('starts with nothing where nothing is named', () => {
    const values = valuesOf({ wanted: { bandwidth: null, term: null } });
    expect([values['bandwidthProvisioned-1'], values['term-1']]).toEqual([undefined, undefined]);
  });

  it('starts with the terms of the catalogue where it sells exactly what is wanted', () => {
    expect(valuesOf({ sold: product })).toMatchObject({
      'name-1': '1G Internet',
      'term-1': '12',
      'price-1': '725.00',
      'setupPrice-1': undefined,
      'basis-1': 'firm',
      'name-2': undefined,
    });
  });

  it('starts with the set-up price and the basis of the band, where the place has one', () => {
    const band = { addSetup: 450_000, addLeadTimeDays: 45, basis: 'indicative' } as const;
    const first = { 'setupPrice-1': '4500.00', 'basis-1': 'indicative', 'price-1': undefined };
    expect(valuesOf({ band })).toMatchObject(first);
    expect(valuesOf({ band: { ...band, addSetup: null } })['setupPrice-1']).toBeUndefined();
    expect(valuesOf({ band, sold: product })['price-1']).toBe('725.00');
  });

  it('keeps the currency of an answer that the client has not seen', () => {
    const unseen = [{ product: { ...product, currency: 'EUR' }, note: null }];
    const currencyOf = (about: Partial<AnswerStart>) => offerForm({ ...start, ...about }).currency;
    expect(currencyOf({ sold: product, unseen })).toBe('EUR');
    expect(currencyOf({ sold: { ...product, currency: 'EUR' } })).toBe('EUR');
    expect(currencyOf({})).toBe('GBP');
  });

  it('starts with the answer that the client has not seen', () => {
    const other = { ...product, price: 1_200, currency: 'EUR', term: 24 };
    const unseen = [
      { product, note: 'Includes a duct.' },
      { product: other, note: null },
    ];
    expect(valuesOf({ sold: product, unseen })).toMatchObject({
      'note-1': 'Includes a duct.',
      'price-1': '725.00',
      'price-2': '1200.00',
      'term-2': '24',
      'name-3': undefined,
    });
  });

  it('sends the offers that are filled in, with numbers where they are numbers', () => {
    const form = Form.parse(
      'version=3&name-1=A&price-1=1,549.99&term-1=x&basis-1=firm&basis-2=firm&note-4=only+this&validUntil=',
    );
    expect(answerIn(form, 'GBP')).toEqual({
      version: 3,
      offers: [
        { name: 'A', price: 1_549.99, term: 'x', basis: 'firm', currency: 'GBP' },
        { note: 'only this', currency: 'GBP' },
      ],
    });
    expect([filledIn(form), filledIn(Form.parse('basis-1=firm'))]).toEqual([[1, 4], [1]]);
  });

  it('shows every fault at its field, and names the offer', async () => {
    const form = Form.parse('version=1&name-2=A&price-2=soon&name-4=B&basis-4=firm');
    const late = { pointer: '/offers/1/validUntil', code: 'not-allowed', detail: 'Too late.' };
    const twice = { pointer: '/offers/0/price', code: 'not-allowed', detail: 'Never shown.' };
    const input = answerForm(offerForm(start), form, () => [late, twice]);
    const sent = await send(input, form, () => Promise.reject(new Error('sent')));
    const { faults, labels } = 'refused' in sent ? sent.refused : { faults: new Map(), labels: {} };
    expect(Object.fromEntries(faults)).toMatchObject({
      'price-2': 'Enter an amount from 0, such as 549.99.',
      'price-4': 'This is required.',
      validUntil: 'Too late.',
    });
    expect(labels).toMatchObject({
      'price-4': 'Offer 4, monthly price (excl. VAT)',
      validUntil: 'Valid until',
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import { Form } from '../forms/form.js';
import { answerIn, faultsIn, filledIn, offerForm } from './offer-form.js';

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
};
const suggestion = {
  product,
  place: 'N1 1',
  metres: 300,
  zone: 'NEARNET',
  validUntil: '2026-04-01',
};

describe('the form of an answer', () => {
  it('starts from the suggestion, whose price a survey has to confirm', () => {
    const { all } = offerForm(suggestion);
    const first = Object.fromEntries(all.map((field) => [field.name, field.first]));
    expect(first).toMatchObject({
      'name-1': '1G Internet',
      'price-1': '725.00',
      'setupPrice-1': undefined,
      'basis-1': 'subjectToSurvey',
      'name-2': undefined,
      currency: 'GBP',
      validUntil: '2026-04-01',
    });
  });

  it('sends the offers that are filled in, with numbers where they are numbers', () => {
    const form = Form.parse(
      'version=3&name-1=A&price-1=1,549.99&term-1=x&basis-1=firm&basis-2=firm&note-4=only+this&currency=gbp&validUntil=',
    );
    expect(answerIn(form)).toEqual({
      version: 3,
      offers: [
        { name: 'A', price: 1_549.99, term: 'x', basis: 'firm', currency: 'GBP' },
        { note: 'only this', currency: 'GBP' },
      ],
    });
    expect([filledIn(form), filledIn(Form.parse('basis-1=firm'))]).toEqual([[1, 4], [1]]);
  });

  it('shows each fault at its field', () => {
    const form = Form.parse('name-2=A&name-4=B');
    const errors = [
      { pointer: '/offers/1/price', code: 'required', detail: 'This is required.' },
      { pointer: '/offers/0/currency', code: 'required', detail: 'This is required.' },
    ];
    expect([...faultsIn(errors, form)]).toEqual([
      ['price-4', 'Offer 4, Price a month, excluding VAT: this is required.'],
      ['currency', 'Currency: this is required.'],
    ]);
  });
});

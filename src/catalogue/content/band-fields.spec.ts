import { expect, it } from '@jest/globals';
import { LARGEST_AMOUNT } from '../../platform/kernel/money.js';
import { type BuildBandRow, offerByBand } from './band-fields.js';
import type { Offer } from './offer-fields.js';

const band: BuildBandRow = {
  ...{ zone: '*', toMetres: 500, products: '*', basis: 'subjectToSurvey' },
  ...{ addSetup: 95_000, addLeadTimeDays: 45 },
};
const offer = {
  ...{ productCode: 'INT-1G-12', currency: 'GBP', basis: 'firm' },
  ...{ setupPrice: 250, leadTimeDays: 84 },
} as Offer;
const added = (about: Partial<Offer>, row: Partial<BuildBandRow> = {}) => {
  const built = offerByBand({ ...offer, ...about }, [{ ...band, ...row }]);
  return built && [built.setupPrice, built.leadTimeDays, built.basis];
};

it('adds what the band costs, and never states what no price can say', () => {
  expect(added({})).toEqual([1_200, 129, 'subjectToSurvey']);
  expect(added({ basis: 'indicative' })).toEqual([1_200, 129, 'indicative']);
  expect(added({ leadTimeDays: 3_640 })).toEqual([1_200, 3_650, 'subjectToSurvey']);
  expect(added({ setupPrice: null })).toEqual([null, 129, 'subjectToSurvey']);
  expect(added({}, { addSetup: null })).toEqual([null, 129, 'subjectToSurvey']);
  expect(added({}, { addSetup: LARGEST_AMOUNT })).toEqual([null, 129, 'subjectToSurvey']);
  expect(added({ currency: 'JPY' })).toEqual([1_200, 129, 'subjectToSurvey']);
  expect(added({}, { products: 'ETH-*' })).toBeNull();
});

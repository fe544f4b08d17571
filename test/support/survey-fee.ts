/**
 * Importing this file adds a survey fee to offers. It tests that a new field needs no other code and no
 * migration.
 */
import { priceIn } from '../../src/catalogue/content/cells.js';
import { majorUnits, printAmount, printPrice } from '../../src/platform/kernel/money.js';
import {
  type OfferedProduct,
  type OfferField,
  priceFields,
  type PriceRow,
} from '../../src/catalogue/content/offer-fields.js';

export const COLUMN = 'survey_fee';

const inMajorUnits = (offer: OfferedProduct) =>
  (offer as unknown as { readonly surveyFee: number | null }).surveyFee;

const surveyFee: OfferField<PriceRow, number | null> = {
  column: COLUMN,
  absent: null,
  reads: 'currency',
  parse: (text, { currency }) => priceIn(text, currency),
  print: (fee, { currency }) => (fee === null ? '' : printAmount(fee, currency)),
  publish: (fee, { currency }) => (fee === null ? null : majorUnits(fee, currency)),
  name: 'surveyFee' as keyof OfferedProduct,
  isTerm: true,
  isMoney: true,
  changes: { list: 'surveyFees' as 'prices', heading: 'Survey fees' },
  label: 'Survey fee',
  with: 'currency',
  plain: (offer) => {
    const fee = inMajorUnits(offer);
    return fee === null ? 'not stated' : printPrice(fee, offer.currency);
  },
};

Object.assign(priceFields, { surveyFee });

import { kind, setting, wholeNumber } from './setting.js';

const amountOfMoney = kind('an amount with its currency, such as `25000 GBP`', (text) => {
  const [, amount, currency] = /^(\d{1,9}(?:\.\d{1,2})?) ([A-Z]{3})$/.exec(text) ?? [];
  return currency === undefined ? undefined : { amount: Number(amount), currency };
});

/** What one person may do alone towards a client. */
export const approvalSettings = {
  offerApprovalOver: setting('OFFER_APPROVAL_OVER', amountOfMoney, {
    unset: null,
    meaning:
      'The most that one person may offer to a client in answer to an enquiry: the monthly prices of the whole term and the set-up price together. A manager other than its author approves an offer above it, or in another currency. Empty: no offer needs approval.',
  }),
  offerApprovalBelowPercent: setting('OFFER_APPROVAL_BELOW_PERCENT', wholeNumber(1, 100, '%'), {
    default: '50',
    meaning:
      'How far below the list price one person may offer. The monthly prices of the whole term and the set-up price together are compared with those of the same bandwidth in the live catalogue, at the place or else in any zone. A manager other than its author approves an offer that is further below, one without a monthly price, and one in a currency that the catalogue does not have. 100: only the last two.',
  }),
  acceptanceAloneUpTo: setting('ACCEPTANCE_ALONE_UP_TO', amountOfMoney, {
    unset: null,
    meaning:
      'Up to which amount the author of an offer, or the proposer of a charge, may also record that the client accepts it. Of an offer, the monthly prices of the whole term and the set-up price count together. Above it, and in another currency, a colleague records it, or the client accepts by the API. Empty: always a colleague.',
  }),
};

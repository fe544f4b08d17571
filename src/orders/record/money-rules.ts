/**
 * What must hold wherever money changes hands, in production too: each rule is checked where a row is written, and
 * again where it is read to decide about money. A broken rule is a fault of the service: the transaction is rolled
 * back, the caller gets `internal-error`, and the log says what was expected.
 */
import { isDeepStrictEqual } from 'node:util';
import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { completed, sameTerms } from '../../catalogue/content/offers.js';
import { decimalsOf } from '../../platform/kernel/money.js';
import type { BespokeOffer } from './bespoke-offer.entity.js';
import { bespokeCode, isBespoke } from './bespoke-terms.js';
import type { Charge } from './charge.entity.js';
import { isLive } from './offer-states.js';
import { stateInfo } from './order-states.js';
import type { Order } from './order.entity.js';

/** The words say what is expected. */
type MoneyRules<T> = Readonly<Record<string, (subject: T) => boolean>>;

/** @param name of the subject, for the log @throws {Error} that says which rule is broken */
export function mustHold<T>(rules: MoneyRules<T>, subject: T, name: string): void {
  for (const rule in rules) {
    if (!rules[rule]!(subject)) throw new Error(`${name} breaks a rule about money: ${rule}.`);
  }
}

/** Whether an amount in minor units is this one in major units. */
const isAmount = (minor: number | null, major: number | null, currency: string | null) =>
  minor === null || major === null
    ? minor === major
    : minor === Math.round(major * 10 ** decimalsOf(currency ?? ''));
const isWhole = (minor: number) => Number.isSafeInteger(minor) && minor >= 0;

/** Of an order or an enquiry, before it is stored and whenever it is locked. */
export const orderRules: MoneyRules<Order> = {
  'an enquiry has no terms, price or currency': ({ kind, terms, amountMinor, currency }) =>
    kind === 'order' || (terms === null && amountMinor === null && currency === null),
  'an order has its terms': ({ kind, terms }) => kind === 'enquiry' || terms !== null,
  'the product is that of its terms': ({ terms, productCode }) =>
    terms === null || terms.productCode === productCode,
  'the currency is that of its terms': ({ terms, currency }) =>
    terms === null || terms.currency === currency,
  'the contract term is that of its terms': ({ terms, termMonths }) =>
    terms === null || terms.term === termMonths,
  'the basis is that of its terms': ({ terms, basis }) =>
    terms === null || terms.basis === basis || completed(terms).basis === basis,
  'the amount is the confirmed price or that of its terms': (order) =>
    order.terms === null ||
    isAmount(order.amountMinor, (order.confirmed ?? order.terms).price, order.currency),
  'no price is below zero': ({ terms }) =>
    terms === null || (terms.price >= 0 && (terms.setupPrice ?? 0) >= 0),
  'a firm price excludes extra charges': ({ terms, basis }) =>
    terms === null || basis !== 'firm' || !terms.extraChargesPossible,
  'only an indicative price is confirmed': ({ confirmed, basis }) =>
    confirmed === null || basis === 'indicative',
  'what is accepted in advance is a whole amount': ({ acceptExtraMinor }) =>
    acceptExtraMinor === null || isWhole(acceptExtraMinor),
  'only a bespoke product comes from an enquiry': ({ enquiryId, productCode }) =>
    enquiryId === null || isBespoke(productCode ?? ''),
  'a line and its quote are named together': ({ quoteId, quoteLine }) =>
    (quoteId === null) === (quoteLine === null),
  'a closed request has the time at which it was closed': ({ state, closedAt }) =>
    stateInfo[state].open === (closedAt === null),
};

export interface ChargedAmount {
  readonly charge: Charge;
  readonly order: Order;
}

/** Before it is stored, after it has ended, and whenever its order is locked. */
export const chargeRules: MoneyRules<ChargedAmount> = {
  'a charge is of an order': ({ order }) => order.kind === 'order',
  'a charge is of the order that is locked': ({ charge, order }) => charge.orderId === order.id,
  'the amount is whole and above zero': ({ charge: { amountMinor } }) =>
    isWhole(amountMinor) && amountMinor > 0,
  'the currency is that of the order': ({ charge, order }) => charge.currency === order.currency,
  'firm terms exclude charges, but for speed and a cancellation': ({ charge, order }) =>
    order.terms?.extraChargesPossible === true ||
    ['expedite', 'cancellation'].includes(charge.category),
  'a charge has ended if it no longer awaits an answer': ({ charge: { state, endedAt } }) =>
    (state === 'awaitingResponse') === (endedAt === null),
  'a charge ends after its proposal': ({ charge: { proposedAt, endedAt } }) =>
    endedAt === null || endedAt >= proposedAt,
  'only an answer names who answered': ({ charge: { state, answeredBy } }) =>
    answeredBy === null || state === 'accepted' || state === 'rejected',
};

interface CoveredSum {
  readonly order: Pick<Order, 'acceptExtraMinor'>;
  /** Of all charges that the client has accepted. */
  readonly acceptedMinor: number;
}

/** After a charge was accepted in advance. */
export const coverRules: MoneyRules<CoveredSum> = {
  'charges are accepted in advance only up to the sum that the client named': ({
    order,
    acceptedMinor,
  }) => order.acceptExtraMinor !== null && acceptedMinor <= order.acceptExtraMinor,
};

/** Before it is stored, after it has changed, and whenever its enquiry is locked. */
export const offerRules: MoneyRules<BespokeOffer> = {
  'the monthly price is that of its terms': ({ monthlyMinor, terms, currency }) =>
    isAmount(monthlyMinor, terms.price, currency),
  'the set-up price is that of its terms': ({ setupMinor, terms, currency }) =>
    isAmount(setupMinor, completed(terms).setupPrice, currency),
  'the currency is that of its terms': ({ terms, currency }) => terms.currency === currency,
  'the contract term is that of its terms': ({ terms, termMonths }) => terms.term === termMonths,
  'the product is that of its reference': ({ terms, reference }) =>
    terms.productCode === bespokeCode(reference),
  'prices are whole amounts': ({ monthlyMinor, setupMinor }) =>
    isWhole(monthlyMinor) && isWhole(setupMinor ?? 0),
  'only an accepted offer has an order': ({ state, orderId }) =>
    orderId === null || state === 'accepted',
  'its client has seen an open offer': ({ state, openedAt }) =>
    state !== 'open' || openedAt !== null,
  'an offer has ended if it is no longer live': ({ state, endedAt }) =>
    isLive(state) === (endedAt === null),
  'its author does not approve it': ({ createdBy, approverId }) =>
    approverId === null || approverId !== createdBy,
};

export const enquiryRules: MoneyRules<readonly BespokeOffer[]> = {
  'at most one offer of an enquiry is accepted': (offers) =>
    offers.filter(({ state }) => state === 'accepted').length <= 1,
};

interface AcceptedTerms {
  readonly order: Order;
  readonly offer: BespokeOffer;
  readonly enquiry: Order;
}

/** Before an offer becomes an order. */
export const acceptanceRules: MoneyRules<AcceptedTerms> = {
  'the order has exactly the terms of the offer': ({ order, offer }) =>
    isDeepStrictEqual(order.terms, offer.terms),
  'the order costs what was offered': ({ order, offer }) =>
    order.amountMinor === offer.monthlyMinor && order.currency === offer.currency,
  'the order is of the client that was offered it': ({ order, enquiry }) =>
    order.clientId === enquiry.clientId,
  'the order names its enquiry': ({ order, offer }) => order.enquiryId === offer.enquiryId,
  'the order is for the place of the enquiry': ({ order, enquiry }) =>
    order.postcode === enquiry.postcode && order.uprn === enquiry.uprn,
  'an enquiry becomes an order only while it is offered': ({ enquiry }) =>
    enquiry.state === 'offered',
};

interface MovedOrder {
  readonly before: Order;
  readonly after: Order;
}

/** After a move. */
export const movedRules: MoneyRules<MovedOrder> = {
  'a move keeps the terms': ({ before, after }) => before.terms === after.terms,
  'a move keeps the client': ({ before, after }) => before.clientId === after.clientId,
  'a move keeps what is accepted in advance': ({ before, after }) =>
    before.acceptExtraMinor === after.acceptExtraMinor,
  'a move counts once': ({ before, after }) => after.version === before.version + 1,
  'only a confirmed price changes the amount': ({ before, after }) =>
    before.amountMinor === after.amountMinor || after.confirmed !== null,
};

interface AgreedOffer {
  readonly productCode: string;
  /** What is ordered. */
  readonly offer: OfferedProduct;
  /** What the caller has seen; null for nothing. */
  readonly quoted: Parameters<typeof sameTerms>[0] | null;
  /** The discount of current prices, in per cent. */
  readonly percent: number;
  readonly listed: OfferedProduct | null;
}

/** Where the terms of an order are decided. */
export const agreedRules: MoneyRules<AgreedOffer> = {
  'the product is the one that was asked for': ({ productCode, offer }) =>
    offer.productCode === productCode,
  'no one orders at terms that they have not seen': ({ quoted, offer }) =>
    quoted === null || sameTerms(quoted, offer),
  'a discount takes off at most everything': ({ percent }) => percent >= 0 && percent <= 100,
  'a discount never makes dearer': ({ offer, listed }) =>
    listed === null || offer.price <= listed.price,
};

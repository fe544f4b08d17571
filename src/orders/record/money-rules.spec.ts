import { describe, expect, it } from '@jest/globals';
import type { BespokeOffer } from './bespoke-offer.entity.js';
import { bespokeProduct } from './bespoke-terms.js';
import type { Charge } from './charge.entity.js';
import {
  acceptanceRules,
  agreedRules,
  chargeRules,
  coverRules,
  enquiryRules,
  movedRules,
  mustHold,
  offerRules,
  orderRules,
} from './money-rules.js';
import type { Order } from './order.entity.js';

const now = new Date('2026-03-02T09:00:00Z');
const line = {
  name: '2G Internet',
  bandwidthProvisioned: 2,
  term: 24,
  price: 549.99,
  setupPrice: 950,
  currency: 'GBP',
  leadTimeDays: 60,
  basis: 'subjectToSurvey',
} as const;
const terms = bespokeProduct(line, '7F3K9Q');
const firm = { ...terms, basis: 'firm', extraChargesPossible: false } as const;
const order = {
  id: 'order',
  kind: 'order',
  clientId: 'client',
  postcode: 'EC2A 2BS',
  uprn: null,
  state: 'in_progress',
  closedAt: null,
  terms,
  productCode: terms.productCode,
  currency: 'GBP',
  termMonths: 24,
  basis: 'subjectToSurvey',
  amountMinor: 54_999,
  acceptExtraMinor: 50_000,
  confirmed: null,
  enquiryId: 'enquiry',
  quoteId: null,
  quoteLine: null,
  version: 1,
} as unknown as Order;
const enquiry = {
  ...order,
  id: 'enquiry',
  kind: 'enquiry',
  state: 'offered',
  terms: null,
  amountMinor: null,
  currency: null,
} as Order;
const charge = {
  orderId: 'order',
  category: 'survey',
  amountMinor: 25_000,
  currency: 'GBP',
  state: 'awaitingResponse',
  proposedAt: now,
  endedAt: null,
  answeredBy: null,
} as unknown as Charge;
const offer = {
  id: 'offer',
  reference: '7F3K9Q',
  enquiryId: 'enquiry',
  terms,
  monthlyMinor: 54_999,
  setupMinor: 95_000,
  currency: 'GBP',
  termMonths: 24,
  state: 'open',
  openedAt: now,
  endedAt: null,
  orderId: null,
  createdBy: 'ann',
  approverId: null,
} as unknown as BespokeOffer;
const accepted = { ...offer, state: 'accepted', endedAt: now, orderId: 'order' } as BespokeOffer;
const moved = { before: order, after: { ...order, version: 2 } };
const agreed = {
  productCode: terms.productCode,
  offer: terms,
  quoted: terms,
  percent: 0,
  listed: terms,
} as never;
const covered = { order, acceptedMinor: 50_000 };
const acceptance = { order, offer, enquiry };
const earlier = new Date(now.getTime() - 1);

type Rules = Parameters<typeof mustHold<never>>[0];

/** A subject that keeps all rules, and what breaks each of them, in their order. */
const cases: [name: string, rules: Rules, good: object, broken: object[]][] = [
  [
    'an order',
    orderRules,
    order,
    [
      { kind: 'enquiry' },
      { terms: null },
      { productCode: 'BESPOKE-ZZZZZZ' },
      { currency: 'EUR' },
      { termMonths: 12 },
      { basis: 'indicative' },
      { amountMinor: 54_998 },
      { terms: { ...terms, price: -1 }, amountMinor: -100 },
      { terms: { ...firm, extraChargesPossible: true }, basis: 'firm' },
      { confirmed: { price: 549.99, setupPrice: 0 } },
      { acceptExtraMinor: -1 },
      { productCode: 'INT-1G-12', terms: { ...terms, productCode: 'INT-1G-12' } },
      { quoteLine: 1 },
      { closedAt: now },
    ],
  ],
  [
    'a charge',
    chargeRules,
    { charge, order },
    [
      { order: { ...order, kind: 'enquiry' } },
      { charge: { ...charge, orderId: 'other' } },
      { charge: { ...charge, amountMinor: 0 } },
      { charge: { ...charge, currency: 'EUR' } },
      { order: { ...order, terms: firm } },
      { charge: { ...charge, state: 'accepted' } },
      { charge: { ...charge, state: 'accepted', endedAt: earlier } },
      { charge: { ...charge, answeredBy: 'Ada' } },
    ],
  ],
  ['a sum that is accepted in advance', coverRules, covered, [{ acceptedMinor: 50_001 }]],
  [
    'an offer',
    offerRules,
    offer,
    [
      { monthlyMinor: 1 },
      { setupMinor: null },
      { currency: 'EUR' },
      { termMonths: 12 },
      { reference: 'ZZZZZZ' },
      { monthlyMinor: -1, terms: { ...terms, price: -0.01 } },
      { orderId: 'order' },
      { openedAt: null },
      { endedAt: now },
      { approverId: 'ann' },
    ],
  ],
  ['the offers of an enquiry', enquiryRules, [accepted, offer], [{ 1: accepted }]],
  [
    'an acceptance',
    acceptanceRules,
    acceptance,
    [
      { offer: { ...offer, terms: { ...terms, leadTimeDays: 1 } } },
      { offer: { ...offer, monthlyMinor: 1 } },
      { enquiry: { ...enquiry, clientId: 'other' } },
      { offer: { ...offer, enquiryId: 'other' } },
      { enquiry: { ...enquiry, postcode: 'N1 1AA' } },
      { enquiry: { ...enquiry, state: 'won' } },
    ],
  ],
  [
    'a move',
    movedRules,
    moved,
    [
      { after: { ...moved.after, terms: firm } },
      { after: { ...moved.after, clientId: 'other' } },
      { after: { ...moved.after, acceptExtraMinor: null } },
      { after: order },
      { after: { ...moved.after, amountMinor: 1 } },
    ],
  ],
  [
    'the terms of an order',
    agreedRules,
    agreed,
    [
      { productCode: 'INT-1G-12' },
      { quoted: { ...terms, price: 1 } },
      { percent: 101 },
      { listed: { ...terms, price: 1 } },
    ],
  ],
];

describe.each(cases)('the rules of %s', (_name, rules, good, broken) => {
  it('accept what is right', () => {
    expect(() => mustHold(rules, good as never, 'It')).not.toThrow();
  });

  it.each(Object.keys(rules).map((rule, i) => [rule, broken[i]!] as const))(
    'say: %s',
    (rule, change) => {
      const copy: object = Array.isArray(good) ? [...(good as unknown[])] : { ...good };
      const subject = Object.assign(copy, change) as never;
      expect(() => mustHold(rules, subject, 'ORD-7F3K9Q')).toThrow(
        `ORD-7F3K9Q breaks a rule about money: ${rule}.`,
      );
    },
  );
});

import { describe, expect, it } from '@jest/globals';
import type { BespokeOffer } from '../../orders/record/bespoke-offer.entity.js';
import type { Order } from '../../orders/record/order.entity.js';
import { LineUses } from './line-states.js';
import { packLines } from './packed-lines.js';
import { answerTo, printQuote, printSummary, stateOfQuote } from './print-quote.js';
import type { CheckedProduct } from '../../availability/availability.dto.js';
import type { Quote, QuoteLine } from './quote.entity.js';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute));
const quote = {
  id: 'q',
  reference: 'QUO-1',
  clientReference: null,
  customer: null,
  createdAt: at(0),
  ...{
    validUntil: at(30),
    withdrawnAt: null,
    updatedAt: at(5),
    lineCount: 3,
    pricedCount: 3,
    invalidCount: 0,
  },
} as Quote;
const product = (price: number) =>
  ({
    productCode: `P${price}`,
    bandwidthProvisioned: 1,
    term: 12,
    price,
    setupPrice: 0,
    currency: 'GBP',
    basis: 'firm',
    leadTimeDays: 30,
    service: null,
  }) as CheckedProduct;
const line = (price: number) =>
  ({
    problem: null,
    reasons: [],
    alternatives: [],
    was: null,
    offer: { product: product(price), held: true, discountPercent: null, nearest: null },
    wanted: { bandwidth: 1, term: 12, service: null },
  }) as unknown as QuoteLine;
const unused = new LineUses([], []);

describe('a quote', () => {
  it('is open up to its last instant', () => {
    const later = new Date(at(30).getTime() + 1);
    expect([stateOfQuote(quote, at(30)), stateOfQuote(quote, later)]).toEqual(['open', 'expired']);
    expect(printSummary(quote, unused, later).state).toBe('expired');
  });

  it('is withdrawn once that cannot be undone any more, also after its last instant', () => {
    const withdrawn = { ...quote, withdrawnAt: at(20) };
    const seen = [at(19), at(20), at(40)].map((now) => {
      const { state, withdrawnAt } = printSummary(withdrawn, unused, now);
      return [state, withdrawnAt];
    });
    expect(seen).toEqual([
      ['open', null],
      ['withdrawn', at(20)],
      ['withdrawn', at(20)],
    ]);
  });

  it('was updated when it or one of its lines last was', () => {
    const changed = (minute: number) => {
      const use = { quoteLine: 1, kind: 'order', publicStateAt: at(minute) } as Order;
      return printSummary(quote, new LineUses([use], []), at(10)).updatedAt;
    };
    expect([changed(4), changed(6)]).toEqual([at(5), at(6)]);
    expect(printSummary(quote, unused, at(10)).updatedAt).toEqual(at(5));
  });

  it.each([
    [0, 2, ['1', '2'], '2'],
    [2, 2, ['3'], null],
    [0, 3, ['1', '2', '3'], null],
    [1, 1, ['2'], '2'],
  ])(
    'has lines from %i, at most %i, and the totals of all',
    async (from, limit, ids, nextCursor) => {
      const body = await packLines([line(10), line(20), line(30)]);
      const found = { quote: { ...quote, body }, uses: unused, now: at(1) };
      const printed = await printQuote(found, { from, limit });
      expect(printed.lines.map(({ lineId }) => lineId)).toEqual(ids);
      expect([printed.nextCursor, printed.totals.map(({ monthly }) => monthly)]).toEqual([
        nextCursor,
        [60],
      ]);
    },
  );

  it('has the offer to an enquiry that fits best, with its own end', () => {
    const offers = [20, 10].map((price, i) => ({
      id: `o${price}`,
      terms: product(price),
      validUntil: at(40 + i),
    })) as unknown as BespokeOffer[];
    const gap = { ...line(1), offer: null };
    expect(answerTo(gap, { offers })).toMatchObject({ offerId: 'o10', offerValidUntil: at(41) });
    expect(answerTo(gap, {})).toMatchObject({ product: null, offerId: null });
  });

  it.each<[string, [bandwidth: number, term: number, price: number][], string, string[]]>([
    ['only one, of another term', [[10, 12, 900]], 'P900', []],
    [
      'the wanted term, if all have too little bandwidth',
      [
        [1, 12, 900],
        [1, 36, 700],
      ],
      'P700',
      ['P900'],
    ],
    [
      'the most bandwidth, if all have too little',
      [
        [1, 36, 100],
        [5, 36, 700],
      ],
      'P700',
      [],
    ],
    [
      'enough bandwidth rather than the term',
      [
        [1, 36, 100],
        [10, 12, 700],
      ],
      'P700',
      [],
    ],
    [
      'the least total, if none has the term',
      [
        [10, 24, 900],
        [10, 24, 800],
      ],
      'P800',
      ['P900'],
    ],
  ])('has %s, and no product twice', (_what, offered, code, alternatives) => {
    const offers = offered.map(([bandwidthProvisioned, term, price]) => ({
      id: `o${price}`,
      validUntil: at(40),
      terms: { ...product(price), bandwidthProvisioned, term },
    })) as unknown as BespokeOffer[];
    const gap = { ...line(1), offer: null, wanted: { bandwidth: 10, term: 36, service: null } };
    const answer = answerTo(gap, { offers });
    expect([
      answer.product!.productCode,
      answer.alternatives.map(({ productCode }) => productCode),
    ]).toEqual([code, alternatives]);
  });

  it('has the offer that fits best also where the line wants a service', () => {
    const offers = [
      { id: 'o1', terms: { ...product(900), term: 24 }, validUntil: at(40) },
      { id: 'o2', terms: product(20), validUntil: at(41) },
      { id: 'o3', terms: product(10), validUntil: at(42) },
    ] as unknown as BespokeOffer[];
    const wanted = { bandwidth: 1, term: 12, service: 'Internet' };
    expect(answerTo({ ...line(1), offer: null, wanted }, { offers })).toMatchObject({
      offerId: 'o3',
      alternatives: [{ price: 20 }, { price: 900 }],
    });
  });
});

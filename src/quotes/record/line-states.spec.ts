import { describe, expect, it } from '@jest/globals';
import type { BespokeOffer } from '../../orders/record/bespoke-offer.entity.js';
import type { Order } from '../../orders/record/order.entity.js';
import { LineUses, stateOfLine, firstOfSame, mixedServicesIn } from './line-states.js';
import type { Quote, QuoteLine } from './quote.entity.js';

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 2, 9, 0, seconds));
const request = (quoteLine: number, about: Partial<Order>) =>
  ({
    id: `line ${quoteLine}`,
    quoteId: 'q',
    quoteLine,
    kind: 'enquiry',
    state: 'waiting',
    closeReason: null,
    enquiryId: null,
    publicStateAt: at(0),
    ...about,
  }) as Order;
const lost = { state: 'lost', closeReason: 'not_serviceable' } as const;

describe('the lines of a quote', () => {
  it('are counted once each, by what became of them', () => {
    const uses = new LineUses(
      [
        request(1, { kind: 'order' }),
        request(4, {}),
        request(5, { state: 'offered' }),
        request(6, lost),
        request(7, { state: 'won' }),
        request(7, { kind: 'order' }),
        // The client has declined the offers: nothing is under way.
        request(8, { state: 'lost', closeReason: 'declined' }),
      ],
      [],
    );
    // 1 and 2 have a price, 3 is invalid.
    const quote = { lineCount: 8, pricedCount: 2, invalidCount: 1 } as Quote;
    expect(uses.counts(quote)).toEqual({
      priced: 1,
      notAvailable: 1,
      invalid: 1,
      enquired: 1,
      offered: 1,
      ordered: 2,
      unableToProvide: 1,
    });
  });

  it('have the offers of their own enquiry', () => {
    const offers = [{ id: 'o', enquiryId: 'line 2' }] as BespokeOffer[];
    const uses = new LineUses([request(1, {}), request(2, {})], offers);
    expect([uses.of(1).offers, uses.of(2).offers, uses.of(3)]).toEqual([undefined, offers, {}]);
  });

  it('changed when the last of them did, in any order', () => {
    const changes = [3, 9, 5].map((n) => request(n, { publicStateAt: at(n) }));
    expect(new LineUses(changes, []).changedAt).toEqual(at(9));
    expect(new LineUses([], []).changedAt).toBeNull();
  });

  it.each([
    ['an offer', { state: 'offered' }, true],
    ['that it cannot be provided', lost, true],
    ['the end by the client', { state: 'lost', closeReason: 'declined' }, false],
    ['a claim', { state: 'in_progress' }, false],
    ['an order', { kind: 'order' }, false],
  ] as const)('were answered by %s: after one instant, up to another', (_what, about, isAnswer) => {
    const uses = new LineUses([request(1, { ...about, publicStateAt: at(20) })], []);
    const answered = [
      [10, 30],
      [19, 20],
      [20, 30],
      [10, 19],
    ].map(([since, until]) => uses.hasAnswersSince(at(since!), at(until!)));
    expect(answered).toEqual([isAnswer, isAnswer, false, false]);
  });

  it('were answered where one of several was', () => {
    const other = request(2, { publicStateAt: at(20) });
    const offered = request(1, { state: 'offered', publicStateAt: at(20) });
    expect(new LineUses([other, offered], []).hasAnswersSince(at(10), at(30))).toBe(true);
    expect(new LineUses([other], []).hasAnswersSince(at(10), at(30))).toBe(false);
    expect(new LineUses([], []).hasAnswersSince(at(10), at(30))).toBe(false);
  });

  it('are as they were while nothing is under way', () => {
    const [priced, invalid, none] = [
      { offer: {}, problem: null },
      { offer: null, problem: {} },
      { offer: null, problem: null },
    ] as QuoteLine[];
    expect([priced, invalid, none].map((line) => stateOfLine(line!, {}))).toEqual([
      'priced',
      'invalid',
      'notAvailable',
    ]);
    const cancelled = request(1, { state: 'cancelled', closeReason: 'client_request' });
    expect(stateOfLine(none!, { enquiry: cancelled })).toBe('notAvailable');
  });
});

const wanted = { bandwidth: 1, term: 36, service: 'Internet' };
const line = { site: 'Depot', postcode: 'EC2A 2BS', uprn: null, wanted, problem: null };

it.each([
  ['the same row', line, 1],
  ['a name in another case and spacing', { ...line, site: ' DEPOT ' }, 1],
  ['a service in another case', { ...line, wanted: { ...wanted, service: 'internet' } }, 1],
  ['another name', { ...line, site: 'Depot 2' }, null],
  ['no name', { ...line, site: null }, null],
  ['another postcode', { ...line, postcode: 'E1 6AN' }, null],
  ['premises', { ...line, uprn: '7' }, null],
  ['another bandwidth', { ...line, wanted: { ...wanted, bandwidth: 2 } }, null],
  ['any term', { ...line, wanted: { ...wanted, term: null } }, null],
  ['a fault', { ...line, problem: { code: 'invalid-postcode', detail: '' } }, null],
])('compares a line with %s', (_what, other, same) => {
  expect(firstOfSame([line, other])).toEqual([null, same]);
});

it('names the first of several', () => {
  expect(firstOfSame([{ ...line, site: 'A' }, line, line, line])).toEqual([null, null, 2, 2]);
});

it('counts the services of lines that say none, if they are of several', () => {
  const of = (wantedService: string | null, service: string | null) =>
    ({
      wanted: { ...wanted, service: wantedService },
      offer: { product: { service } },
    }) as QuoteLine;
  const gap = { wanted: null, offer: null } as QuoteLine;
  const [internet, ethernet] = [of(null, 'Internet'), of(null, 'Ethernet')];
  const none = of(null, null);
  expect(mixedServicesIn([internet, internet, gap, of('Ethernet', 'Ethernet')])).toEqual([]);
  expect(mixedServicesIn([internet, ethernet, ethernet, none])).toEqual([
    { service: 'Ethernet', lines: 2 },
    { service: 'Internet', lines: 1 },
    { service: null, lines: 1 },
  ]);
});

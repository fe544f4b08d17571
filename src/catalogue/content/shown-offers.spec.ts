import { describe, expect, it } from '@jest/globals';
import type { Offer, PriceRow, ProductRow } from './offer-fields.js';
import { offerOf } from './offers.js';
import { emptyReasons, Offers, planned } from './shown-offers.js';

function offer(code: string, mbps: number, name = 'Line'): Offer {
  const product: ProductRow = {
    code,
    name,
    bandwidthProvisionedMbps: mbps,
    bandwidthCapacityMbps: 10_000,
    termMonths: 12,
    service: null,
    needsInterconnect: false,
    soldFrom: null,
    soldUntil: null,
  };
  const price: PriceRow = {
    productCode: code,
    zone: 'Z',
    priceList: 'standard',
    amountMinor: 100,
    currency: 'GBP',
    leadTimeDays: 1,
    setupMinor: null,
    basis: 'firm',
    extraCharges: null,
    validFrom: null,
    validUntil: null,
  };
  return offerOf(product, price);
}

const offers = new Offers([offer('GIG', 1_000, 'Café'), offer('SLOW', 100)], [], '2027-01-01');
const codesIn = (json: string) =>
  (JSON.parse(json) as Record<string, unknown>[]).map(({ productCode }) => productCode);

describe('the offers that match', () => {
  it('keep the first day of sale, and need no reason', () => {
    const slow = offers.matching(({ productCode }) => productCode === 'SLOW');
    expect(codesIn(slow.json.text)).toEqual(['SLOW']);
    expect([slow.reasons, slow.readyDate]).toEqual([[], '2027-01-01']);
    const only = new Offers([offers.list[0]!]);
    expect(only.matching(() => false).reasons).toEqual([emptyReasons.noMatch]);
  });

  it('are none because nothing matches, or for the reason for which there are none at all', () => {
    const none = offers.matching(() => false);
    expect([none.count, none.reasons, none.json.text]).toEqual([0, [emptyReasons.noMatch], '[]']);
    const excluded = new Offers([], [emptyReasons.excluded]);
    expect(excluded.matching(() => false).reasons).toEqual([emptyReasons.excluded]);
  });
});

describe('the tracks of offers', () => {
  const tracks = {
    of: ({ productCode }: Offer) => (productCode === 'GIG' ? { orders: 20 } : null),
  };
  const tracked = offers.withTracks(tracks);
  const tracksIn = (json: string) =>
    (JSON.parse(json) as Record<string, unknown>[]).map(({ track }) => track);

  it('are shown beside each product, with the same reasons and day', () => {
    expect(tracksIn(tracked.json.text)).toEqual([{ orders: 20 }, null]);
    expect(tracked.readyDate).toBe('2027-01-01');
    expect(tracksIn(tracked.shownTo('0.2').json.text)).toEqual([{ orders: 20 }]);
  });

  it('are left out without tracks, and added once', () => {
    expect(offers.json.text).not.toContain('track');
    expect(offers.withTracks(tracks)).toBe(tracked);
    expect(tracked.withTracks(tracks)).toBe(tracked);
    expect(offers.withTracks(null)).toBe(offers);
    const none = new Offers([]);
    expect(none.withTracks(tracks)).toBe(none);
    const others = { of: () => null };
    expect(tracksIn(offers.withTracks(others).json.text)).toEqual([null, null]);
  });
});

describe('what a client of version 0.2 is shown', () => {
  it('has whole bandwidths only, and misspelt keys', () => {
    const older = offers.shownTo('0.2');
    expect([codesIn(older.json.text), older.count, older.readyDate]).toEqual([
      ...[['GIG'], 1, '2027-01-01'],
    ]);
    expect(offers.shownTo('0.2')).toBe(older);
    expect(offers.shownTo('0.3')).toBe(offers);
    const keys = (json: string) => Object.keys((JSON.parse(json) as object[])[0]!).length;
    expect(keys(older.json.text)).toBeGreaterThan(keys(offers.json.text));
  });
});

it('says from which day products can be ordered', () => {
  expect(planned('2026-12-01')).toEqual({
    code: 'planned',
    detail: 'Products can be ordered here from 1 December 2026.',
    readyDate: '2026-12-01',
  });
});

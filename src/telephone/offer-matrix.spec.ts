import { describe, expect, it } from '@jest/globals';
import type { Offer } from '../catalogue/content/offer-fields.js';
import { matricesOf, plannedChange } from './offer-matrix.js';

const offer = (productCode: string, about: Partial<Offer> = {}): Offer => ({
  productCode,
  name: '1G Internet on a 10G bearer',
  bandwidthProvisioned: 1,
  bandwidthCapacity: 10,
  term: 12,
  price: 550,
  currency: 'GBP',
  leadTimeDays: 84,
  setupPrice: 0,
  basis: 'firm',
  extraChargesPossible: false,
  network: null,
  service: null,
  needsInterconnect: false,
  zone: 'ONNET',
  priceList: 'standard',
  amountMinor: 55_000,
  priceUntil: null,
  next: null,
  ...about,
});

const codesIn = (matrix: ReturnType<typeof matricesOf>[number]) =>
  matrix.rows.map(({ cells }) => cells.map((cell) => cell.map(({ productCode }) => productCode)));

describe('the matrices of a check', () => {
  it('has one for each family, with a row for each bandwidth and a column for each term', () => {
    const matrices = matricesOf([
      offer('INT-10G-36', { bandwidthProvisioned: 10, term: 36 }),
      offer('INT-1G-36', { term: 36 }),
      offer('INT-1G-12'),
      offer('ETH-1G-12', { name: '1G Ethernet on a 10G bearer' }),
    ]);
    expect(matrices.map(({ family, terms }) => [family.name, terms])).toEqual([
      ['Ethernet', [12]],
      ['Internet', [12, 36]],
    ]);
    expect(codesIn(matrices[1]!)).toEqual([
      [['INT-1G-12'], ['INT-1G-36']],
      [[], ['INT-10G-36']],
    ]);
  });

  it('keeps products apart that differ in the bearer, and puts others into one cell', () => {
    const [matrix] = matricesOf([
      offer('INT-1G-12'),
      offer('INT-1G-FULL-12', { bandwidthCapacity: 1 }),
      offer('INT-1G-PLUS-12'),
    ]);
    expect(codesIn(matrix!)).toEqual([[['INT-1G-FULL-12']], [['INT-1G-12', 'INT-1G-PLUS-12']]]);
  });

  it('says once what all prices share, and per row what a row shares', () => {
    const [matrix] = matricesOf([
      offer('INT-1G-12', { setupPrice: 250 }),
      offer('INT-1G-36', { term: 36 }),
      offer('INT-10G-36', { bandwidthProvisioned: 10, term: 36, leadTimeDays: 98 }),
    ]);
    const { shared, ofRows, ofCells } = matrix!;
    expect([shared, ofRows, ofCells].map((fields) => fields.map(({ label }) => label))).toEqual([
      ['Basis'],
      ['Lead time'],
      ['Set-up price'],
    ]);
  });

  it('has none without offers', () => {
    expect(matricesOf([])).toEqual([]);
  });
});

describe('a planned change of an offer', () => {
  const now = new Date('2026-11-21T09:30:00Z');
  const changed = (next: Offer | null, priceUntil = '2026-12-31') =>
    plannedChange(offer('INT-1G-12', { price: 344, priceUntil, next }), now);

  it('says until when the price stays, and what follows', () => {
    expect(changed(offer('INT-1G-12', { price: 355 }))).toBe('until 31 Dec, then £355.00');
    expect(changed(offer('INT-1G-12', { price: 344, leadTimeDays: 90 }))).toBe(
      'until 31 Dec, then £344.00, 90 days, free set-up',
    );
    expect(changed(null, '2028-02-29')).toBe('until 29 Feb 2028, then no longer sold');
  });

  it('is nothing where none is planned', () => {
    expect(plannedChange(offer('INT-1G-12'), now)).toBeNull();
  });
});

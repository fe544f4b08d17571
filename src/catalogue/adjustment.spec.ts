import { expect, it } from '@jest/globals';
import { operator } from '../platform/audit/audit.service.js';
import { validOrFaults } from '../platform/http/valid.js';
import { adjustmentOf } from './adjustment.js';
import { AdjustmentBody } from './catalogue.dto.js';

const body = {
  percent: -12.345,
  setupPercent: -50.125,
  priceList: 'wholesale-partner-gold-2026',
  product: 'ETH-EAD-1000-',
  zone: 'SOUTH-EAST-ENGLAND-OFFNET-1',
  from: '2026-12-01',
  until: '2026-12-31',
};
const labelOf = (label?: string) => adjustmentOf({ ...body, label }, operator)[1].label;

it('gives an adjustment without a label a generated one that the database can store', () => {
  const start = '−12.345 %, set-up −50.125 % on wholesale-partner-gold-2026, ETH-EAD-1000-';
  expect(labelOf()).toMatch(new RegExp(`^${start}.*…$`));
  expect(labelOf()).toHaveLength(120);
  expect(labelOf('Winter')).toBe('Winter');
});

it.each([{}, { percent: 'x' }, { percent: 1.0001 }, { percent: 1, zone: 'moon' }])(
  'refuses the adjustment %j',
  (input) => {
    expect(validOrFaults(AdjustmentBody, input)).toEqual([expect.anything()]);
  },
);

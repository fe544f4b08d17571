import { expect, it } from '@jest/globals';
import { faultsOf } from '../platform/kernel/text-rules.js';
import { clientRules } from './client-rules.js';

const right: Record<string, string> = {
  name: 'Example Reseller',
  contactName: 'Grace Hopper',
  contactEmail: 'grace@reseller.example',
  contactPhone: '+44 20 7946 0123',
  priceList: 'standard',
};

function faulty(about: object): string[] {
  const texts: Record<string, string> = { ...right, ...about };
  return [...faultsOf((name) => texts[name] ?? '', clientRules).keys()];
}

it.each([
  {},
  { name: 'x'.repeat(120) },
  { contactPhone: '(020) 7946-0123' },
  { contactPhone: '020.7946.0123' },
  { priceList: 'Partner-2026' },
])('lets %j pass', (about: object) => {
  expect(faulty(about)).toEqual([]);
});

it.each([
  { name: '' },
  { name: 'x'.repeat(121) },
  { contactName: 'Grace\nHopper' },
  { contactEmail: 'grace' },
  { contactEmail: 'grace@localhost' },
  { contactEmail: 'grace@a.example, eve@b.example' },
  { contactEmail: '"a b"@reseller.example' },
  { contactPhone: 'ask Grace' },
  { contactPhone: '()' },
  { contactPhone: '1'.repeat(41) },
  { priceList: '-standard' },
  { priceList: 'a b' },
  { priceList: 'x'.repeat(33) },
])('finds the fault in %j', (about: object) => {
  expect(faulty(about)).toEqual(Object.keys(about));
});

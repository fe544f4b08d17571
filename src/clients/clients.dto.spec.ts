import { expect, it } from '@jest/globals';
import { validated } from '../platform/http/valid.js';
import { ValidationFailed } from '../platform/problems/problem.js';
import { ClientDetails } from './clients.dto.js';

const right = {
  name: 'Example Reseller',
  contactName: 'Grace Hopper',
  contactEmail: 'grace@reseller.example',
  contactPhone: '+44 20 7946 0123',
  priceList: 'standard',
  compatibility: '0.3',
};

function faulty(about: object): Promise<string[]> {
  return validated(ClientDetails, { ...right, ...about }).then(
    () => [],
    (error: unknown) => (error as ValidationFailed).errors.map(({ pointer }) => pointer.slice(1)),
  );
}

it.each([
  {},
  { name: 'x'.repeat(120) },
  { name: ' Example ' },
  { contactPhone: '(020) 7946-0123' },
  { contactPhone: '020.7946.0123' },
  { priceList: 'Partner-2026' },
])('lets %j pass', async (about: object) => {
  expect(await faulty(about)).toEqual([]);
});

it.each([
  { name: '' },
  { name: ' ' },
  { name: 'x'.repeat(121) },
  { contactName: 'Grace\nHopper' },
  { contactEmail: 'grace' },
  { contactEmail: 'grace@localhost' },
  { contactEmail: 'grace@a.example, eve@b.example' },
  { contactEmail: '"a b"@reseller.example' },
  { contactPhone: 'ask Grace' },
  { contactPhone: '()' },
  { contactPhone: '020\n7946' },
  { contactPhone: '1'.repeat(41) },
  { priceList: '-standard' },
  { priceList: 'a b' },
  { priceList: 'x'.repeat(33) },
  { compatibility: '0.1' },
])('finds the fault in %j', async (about: object) => {
  expect(await faulty(about)).toEqual(Object.keys(about));
});

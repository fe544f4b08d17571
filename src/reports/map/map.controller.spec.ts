import { expect, it } from '@jest/globals';
import { quoteMap } from './map.controller.js';

const circles = (svg: string) => [...svg.matchAll(/<circle [^>]*stroke="#fff"\/>/g)].length;

it('draws one dot for each sector and state of a quote, and names the states', () => {
  const svg = quoteMap([
    { postcode: 'EC2A 2BS', state: 'priced' },
    { postcode: 'EC2A 2BR', state: 'priced' },
    { postcode: 'EC2A 2BR', state: 'ordered' },
    { postcode: 'M1 1AA', state: 'notAvailable' },
    { postcode: 'EC2A 20S', state: 'invalid' },
    { postcode: 'BT1 5GS', state: 'priced' },
  ]);
  expect(circles(svg)).toBe(3);
  expect([...svg.matchAll(/<text [^>]*>([^<]*)</g)].map(([, words]) => words)).toEqual([
    'ordered',
    'priced',
    'not available',
  ]);
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
});

it('draws the country where no site has a place', () => {
  const svg = quoteMap([{ postcode: '', state: 'invalid' }]);
  expect([circles(svg), svg.includes(' d="M')]).toEqual([0, true]);
  expect(svg).not.toMatch(/NaN|Infinity/);
});

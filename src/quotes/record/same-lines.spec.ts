import { expect, it } from '@jest/globals';
import type { QuoteLine } from './quote.entity.js';
import { firstOfSame, mixedServicesIn } from './same-lines.js';

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

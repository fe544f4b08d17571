import { describe, expect, it, test } from '@jest/globals';
import { parsePlace, type PostcodeRefusal } from '../platform/kernel/postcode.js';
import type { CatalogueFile } from './content/catalogue-files.js';
import type { FileFaults } from '../platform/tables/csv-table.js';
import { parseCatalogueFiles } from './content/files/csv-reader.js';
import { givenFiles } from '../../test/support/catalogue-files.given.js';

const CODE_RULE = 'A product code is 1 to 32 capital letters, digits and hyphens, and does not start with a hyphen.'; // prettier-ignore
const ZONE_RULE = CODE_RULE.replace('product code', 'zone');
const LIST_RULE = 'A price list is 1 to 32 lower-case letters, digits and hyphens, and does not start with a hyphen.'; // prettier-ignore
const BANDWIDTH_RULE = 'A bandwidth is a number of Gbit/s from 0.001 to 100000, with up to 3 decimals.'; // prettier-ignore
const TERM_RULE = 'A term is a whole number of months, 1 to 120.';
const BASIS_RULE = 'A basis is one of firm, subjectToSurvey, indicative.';
const FIRM_RULE = 'The price is firm, so no charges can be added to it.';
const OTHER_BASIS = 'Write no, or write subjectToSurvey or indicative as the basis.';
const DAYS_RULE = 'A lead time is a whole number of days, 0 to 3650.';
const PRICE_RULE = 'A price is a decimal number of major units from 0 to 21474836.47, without a sign or separators.'; // prettier-ignore
const CURRENCY_RULE = 'A currency is an ISO 4217 code: three capital letters.';
const PLACES = 'Write a unit (EC2A 2BS), sector (EC2A 2), subdistrict (EC2A), district (EC2) or area (EC).'; // prettier-ignore
const BANDWIDTHS = 'Write e.g. 0.1 for 100 Mbit/s, or 10 for 10 Gbit/s.';
const ONE_OF_TWO = 'Remove one of the two.';

type Case = [row: string, column: string, value: string, reason: string, suggestion: string];

/** The faults that a third row below the header, on line 4, brings to a file that has none. */
function faultsOf(file: CatalogueFile, row: string): FileFaults {
  const lines = givenFiles()[file]!.trim().split('\n').slice(1, 3);
  return parseCatalogueFiles(givenFiles({ [file]: [...lines, row] })).faults;
}

/** What is wrong with a place, as common/postcode.ts says it, without its advice. */
function wrongWith(place: string): string {
  return (parsePlace(place) as PostcodeRefusal).detail
    .replace(/: .*/, '.')
    .replace(/ Did you mean .*/, '');
}

function itIsOneFault(file: CatalogueFile, cases: Case[]) {
  test.each(cases)('%s: %s', (row, column, value, reason, suggestion) => {
    const fault = { file: `${file}.csv`, line: 4, column, value, reason, suggestion };
    expect(faultsOf(file, row)).toEqual({ shown: [fault], total: 1 });
  });
}

describe('faults in products.csv', () => {
  const provisioned = 'bandwidth_provisioned_gbps';
  const capacity = 'bandwidth_capacity_gbps';
  const name121 = 'n'.repeat(121);
  itIsOneFault('products', [
    [',N,1,10,12', 'code', '', 'The product code is empty.', 'Write one, e.g. INT-1G-12.'],
    ['int 1g,N,1,10,12', 'code', 'int 1g', CODE_RULE, 'Write INT-1G.'],
    ['-X,N,1,10,12', 'code', '-X', CODE_RULE, 'Write X.'],
    ['£,N,1,10,12', 'code', '£', CODE_RULE, 'Write one like INT-1G-12.'],
    [`${'X'.repeat(33)},N,1,10,12`, 'code', 'X'.repeat(33), CODE_RULE, `Write ${'X'.repeat(32)}.`],
    ['INT-1G-12,N,1,10,12', 'code', 'INT-1G-12', 'The product code is also on line 2.', ONE_OF_TWO],
    ['X,,1,10,12', 'name', '', 'The name is empty.', 'Write the name that clients will see.'],
    [`X,${name121},1,10,12`, 'name', `${name121.slice(0, 79)}…`, 'The name has 121 characters, of at most 120.', 'Shorten it by 1.'], // prettier-ignore
    ['X,caf\ufffd,1,10,12', 'name', 'caf\ufffd', 'The name has a character that is not UTF-8.', 'Save the file as UTF-8.'], // prettier-ignore
    ['X,a\tb,1,10,12', 'name', 'a\tb', 'The name has a line break or another control character.', 'Remove it.'], // prettier-ignore
    ['X,N,100M,10,12', provisioned, '100M', BANDWIDTH_RULE, 'Write 0.1 for 100 Mbit/s.'],
    ['X,N,100 Mbps,10,12', provisioned, '100 Mbps', BANDWIDTH_RULE, 'Write 0.1 for 100 Mbit/s.'],
    ['X,N,1 Gbit/s,10,12', provisioned, '1 Gbit/s', BANDWIDTH_RULE, 'Write 1.'],
    ['X,N,"0,5",10,12', provisioned, '0,5', BANDWIDTH_RULE, 'Write 0.5.'],
    ['X,N,0.0005,10,12', provisioned, '0.0005', BANDWIDTH_RULE, BANDWIDTHS],
    ['X,N,0,10,12', provisioned, '0', BANDWIDTH_RULE, BANDWIDTHS],
    ['X,N,-1,10,12', provisioned, '-1', BANDWIDTH_RULE, BANDWIDTHS],
    ['X,N,1,,12', capacity, '', BANDWIDTH_RULE, BANDWIDTHS],
    ['X,N,1,1T,12', capacity, '1T', BANDWIDTH_RULE, 'Write 1000 for 1 Tbit/s.'],
    ['X,N,1,"1,000",12', capacity, '1,000', BANDWIDTH_RULE, BANDWIDTHS],
    ['X,N,1,100001,12', capacity, '100001', BANDWIDTH_RULE, BANDWIDTHS],
    ['X,N,10,1,12', provisioned, '10', 'It is more than the capacity, 1 Gbit/s.', 'Swap the two values, or correct one.'], // prettier-ignore
    ['X,N,1,10,1 year', 'term_months', '1 year', TERM_RULE, 'Write 12.'],
    ['X,N,1,10,36.0', 'term_months', '36.0', TERM_RULE, 'Write 36.'],
    ['X,N,1,10,0', 'term_months', '0', TERM_RULE, 'Write e.g. 12 for 1 year.'],
    ['X,N,1,10,121', 'term_months', '121', TERM_RULE, 'Write e.g. 12 for 1 year.'],
  ]);

  it.each([
    ['X,N,1,10', '', 'X,N,1,10', 'The line has 4 values, the header has 5.', 'Put a value that contains a comma in double quotes; leave an empty value empty.'], // prettier-ignore
    ['X,"N,1,10,12', 'name', '"N,1,10,12', 'The quote that opens this value is never closed.', 'Close it at the end of the value, or write "" for a quote inside one.'], // prettier-ignore
  ])('reports line %s of the file: %s', (row, column, value, reason, suggestion) => {
    const given = givenFiles();
    const header = 'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months';
    const rows = given.products.trim().split('\n').slice(1, 3);
    const products = [header, ...rows, row, ''].join('\n');
    const fault = { file: 'products.csv', line: 4, column, value, reason, suggestion };
    const { faults } = parseCatalogueFiles({ ...given, products });
    expect(faults).toEqual({ shown: [fault], total: 1 });
  });

  it('are all reported at once', () => {
    const { shown, total } = faultsOf('products', 'x,,100M,1G,none');
    const columns = ['code', 'name', provisioned, capacity, 'term_months'];
    expect([shown.map(({ column }) => column), total]).toEqual([columns, 5]);
  });
});

describe('faults in prices.csv', () => {
  itIsOneFault('prices', [
    ['INT-1G-21,UK,,550,GBP,84', 'product', 'INT-1G-21', 'products.csv has no product with this code.', 'Did you mean "INT-1G-12"?'], // prettier-ignore
    ['NEW,UK,,550,GBP,84', 'product', 'NEW', 'products.csv has no product with this code.', 'Add it to products.csv, or remove this price.'], // prettier-ignore
    ['INT-1G-12,,,550,GBP,84', 'zone', '', 'The zone is empty.', 'Write one, e.g. LONDON-ONNET.'],
    ['INT-1G-12,uk_onnet,,550,GBP,84', 'zone', 'uk_onnet', ZONE_RULE, 'Write UK-ONNET.'],
    ['INT-1G-12,-,,550,GBP,84', 'zone', '-', 'In the zone "-" nothing is sold, so it has no price.', 'Remove this row, or name the zone.'], // prettier-ignore
    ['INT-1G-12,UK,Gold Card,550,GBP,84', 'price_list', 'Gold Card', LIST_RULE, 'Write gold-card.'],
    ['INT-1G-12,UK,*,550,GBP,84', 'price_list', '*', LIST_RULE, 'Leave it empty for the standard price list.'], // prettier-ignore
    ['INT-1G-12,UK,,,GBP,84', 'price', '', 'The price is empty.', 'Write a price, or remove the row if the product is not sold there.'], // prettier-ignore
    ['INT-1G-12,UK,,£550,GBP,84', 'price', '£550', PRICE_RULE, 'Write 550.'],
    ['INT-1G-12,UK,,550 GBP,GBP,84', 'price', '550 GBP', PRICE_RULE, 'Write 550.'],
    ['INT-1G-12,UK,,"1,550.50",GBP,84', 'price', '1,550.50', PRICE_RULE, 'Write 1550.50.'],
    ['INT-1G-12,UK,,"549,99",GBP,84', 'price', '549,99', PRICE_RULE, 'Write 549.99.'],
    ['INT-1G-12,UK,,-1,GBP,84', 'price', '-1', PRICE_RULE, 'Write e.g. 549.99.'],
    ['INT-1G-12,UK,,1e3,GBP,84', 'price', '1e3', PRICE_RULE, 'Write e.g. 549.99.'],
    ['INT-1G-12,UK,,21474836.48,GBP,84', 'price', '21474836.48', PRICE_RULE, 'Write e.g. 549.99.'],
    [
      'INT-1G-12,UK,,549.999,GBP,84',
      'price',
      '549.999',
      'GBP has 2 decimals.',
      'Write e.g. 550.00.',
    ],
    ['INT-1G-12,UK,,9.5,JPY,84', 'price', '9.5', 'JPY has 0 decimals.', 'Write e.g. 10.'],
    ['INT-1G-12,UK,,550,gbp,84', 'currency', 'gbp', CURRENCY_RULE, 'Write GBP.'],
    ['INT-1G-12,UK,,550,GPB,84', 'currency', 'GPB', CURRENCY_RULE, 'Write GBP.'],
    ['INT-1G-12,UK,,550,€,84', 'currency', '€', CURRENCY_RULE, 'Write EUR.'],
    ['INT-1G-12,UK,,550,,84', 'currency', '', CURRENCY_RULE, 'Write e.g. GBP.'],
    ['INT-1G-12,UK,,550,GBP,12 weeks', 'lead_time_days', '12 weeks', DAYS_RULE, 'Write 84.'],
    ['INT-1G-12,UK,,550,GBP,-1', 'lead_time_days', '-1', DAYS_RULE, 'Write e.g. 84 for 12 weeks.'],
    [
      'INT-1G-12,UK,,550,GBP,3651',
      'lead_time_days',
      '3651',
      DAYS_RULE,
      'Write e.g. 84 for 12 weeks.',
    ],
    ['INT-1G-12,UK,,550,GBP,84,£99', 'setup_price', '£99', PRICE_RULE, 'Write 99.'],
    ['INT-1G-12,UK,,550,JPY,84,9.5', 'setup_price', '9.5', 'JPY has 0 decimals.', 'Write e.g. 10.'],
    ['INT-1G-12,UK,,550,GBP,84,,Subject to survey', 'basis', 'Subject to survey', BASIS_RULE, 'Write subjectToSurvey.'], // prettier-ignore
    ['INT-1G-12,UK,,550,GBP,84,,firmm', 'basis', 'firmm', BASIS_RULE, 'Write firm.'],
    ['INT-1G-12,UK,,550,GBP,84,,maybe', 'basis', 'maybe', BASIS_RULE, 'Leave it empty for firm.'],
    [
      'INT-1G-12,UK,,550,GBP,84,,indicative,Y',
      'extra_charges',
      'Y',
      'This is yes or no.',
      'Write yes.',
    ],
    ['INT-1G-12,UK,,550,GBP,84,,indicative,some', 'extra_charges', 'some', 'This is yes or no.', 'Write yes or no.'], // prettier-ignore
    ['INT-1G-12,UK,,550,GBP,84,,,yes', 'extra_charges', 'yes', FIRM_RULE, OTHER_BASIS],
    ['INT-1G-12,UK,,550,GBP,84,,firm,yes', 'extra_charges', 'yes', FIRM_RULE, OTHER_BASIS],
    ['INT-1G-12,LONDON-ONNET,,1,GBP,1', 'product', 'INT-1G-12', 'The product, zone and price list is also on line 2.', ONE_OF_TWO], // prettier-ignore
  ]);

  it('do not repeat faults of the products', () => {
    const products = givenFiles().products.replace('1,10,12', '1,10,12 m').split('\n').slice(1, 3);
    expect(parseCatalogueFiles(givenFiles({ products })).faults.total).toBe(1);
  });
});

describe('faults in coverage.csv', () => {
  itIsOneFault('coverage', [
    ['SW1A 1A,UK', 'place', 'SW1A 1A', wrongWith('SW1A 1A'), PLACES],
    [',UK', 'place', '', wrongWith(''), PLACES],
    ['EC2A 2B5,UK', 'place', 'EC2A 2B5', wrongWith('EC2A 2B5'), 'Did you mean "EC2A 2BS"?'], // prettier-ignore
    ['E15,', 'zone', '', 'The zone is empty.', 'Write one, e.g. LONDON-ONNET.'],
    ['E15,new zone', 'zone', 'new zone', ZONE_RULE, 'Write NEW-ZONE.'],
    ['E15,LONDON_ONNET', 'zone', 'LONDON_ONNET', ZONE_RULE, 'Did you mean "LONDON-ONNET"?'],
    ['ec,-', 'place', 'EC', 'The place is also on line 3.', ONE_OF_TWO],
    ['EC2A2BS,LONDON-ONNET', 'place', 'EC2A 2BS', 'The place is also on line 2.', ONE_OF_TWO],
  ]);

  it('include each repetition of a place', () => {
    const { shown } = parseCatalogueFiles(
      givenFiles({ coverage: ['E1,A', 'E2,A', 'E1,B', 'E1,A'] }),
    ).faults;
    expect(shown.map(({ line, reason }) => [line, reason])).toEqual([
      [4, 'The place is also on line 2.'],
      [5, 'The place is also on line 2.'],
    ]);
  });

  it('include a zone above the limit', () => {
    const units = Array.from({ length: 65_535 }, (_, i) => {
      const [outward, inward] = [Math.floor(i / 4_000), i % 4_000];
      const letter = (n: number) => 'ABDEFGHJLNPQRSTUWXYZ'.charAt(n % 20);
      const digit = Math.floor(inward / 400);
      return `E${outward} ${digit}${letter(Math.floor(inward / 20))}${letter(inward)},Z${i}`;
    });
    const { faults } = parseCatalogueFiles(givenFiles({ coverage: units }));
    const fault = { line: 65_536, column: 'zone', value: 'Z65534', reason: 'There are more than 65534 zones.' }; // prettier-ignore
    expect(faults).toEqual({ shown: [expect.objectContaining(fault)], total: 1 });
  });
});

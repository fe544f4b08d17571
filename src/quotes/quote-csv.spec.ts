import { expect, it } from '@jest/globals';
import { givenGap, givenLine, givenProduct, givenQuote } from '../../test/support/quote-views.js';
import { proposalCsv, proposalOf } from './document/proposal.js';
import { ProposalQuery } from './document/proposal.dto.js';
import { quoteCsv } from './quote-csv.js';

/** The cells of each row by the names of the columns; those without a text are left out. */
function read(csv: string): Record<string, string>[] {
  const [names, ...rows] = csv
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  return rows.map((cells) =>
    Object.fromEntries(
      cells.map((cell, i) => [names![i]!, cell] as const).filter(([, cell]) => cell !== ''),
    ),
  );
}

it('a quote as CSV has all that is known of each line', () => {
  const product = givenProduct({ productCode: 'INT-1G-36', basis: 'subjectToSurvey' });
  const reasons = [{ detail: 'First.' }, { detail: 'Second.' }] as never;
  const others = ['A', 'B'].map((productCode) => givenProduct({ productCode }));
  const nearest = { distanceMetres: 1_250, band: 2_000 };
  const csv = quoteCsv({
    lines: [
      givenLine({
        ...{
          uprn: '70',
          product,
          discountPercent: 5,
          nearest,
          alternatives: others,
          notes: 'Ring.',
        },
        orderId: 'the order',
        enquiryId: 'the enquiry',
        state: 'ordered',
      }),
      givenLine({ lineId: '2', held: false }),
      givenGap({ lineId: '3', reasons, problem: { code: 'x', detail: 'Wrong.' } }),
      givenGap({ lineId: '4', wanted: null, reasons: [], site: null }),
    ],
  });
  const priced = {
    site: 'HQ',
    postcode: 'EC2A 2BS',
    wanted_bandwidth: '1',
    wanted_term: '36',
    wanted_service: 'Internet',
    product: 'INT-1G-36',
    name: '1G Internet',
    bandwidth: '1',
    term: '36',
    price: '450',
    setup_price: '250',
    total_contract_value: '16450',
    currency: 'GBP',
    lead_time_days: '84',
  };
  const { site, postcode, wanted_bandwidth, wanted_term, wanted_service } = priced;
  expect(read([...csv].join(''))).toEqual([
    {
      ...priced,
      line: '1',
      uprn: '70',
      state: 'ordered',
      basis: 'subjectToSurvey',
      discount_percent: '5',
      held: 'yes',
      distance_metres: '1250',
      alternatives: 'A B',
      enquiry: 'the enquiry',
      order: 'the order',
      notes: 'Ring.',
    },
    { ...priced, line: '2', state: 'priced', basis: 'firm', held: 'no' },
    {
      line: '3',
      site,
      postcode,
      wanted_bandwidth,
      wanted_term,
      wanted_service,
      state: 'notAvailable',
      reasons: 'First. Second.',
      problem: 'Wrong.',
    },
    { line: '4', postcode, state: 'notAvailable' },
  ]);
});

it('a proposal as CSV has the prices of the reseller', () => {
  const mobile = givenProduct({ basis: 'indicative', setupPrice: null, bandwidthProvisioned: 0.1 });
  const quote = givenQuote([givenLine(), givenLine({ site: null, product: mobile })]);
  const about = Object.assign(new ProposalQuery(), { markupPercent: 10, setupMarkupPercent: 20 });
  const same = { postcode: 'EC2A 2BS', term: '36', price: '495', currency: 'GBP' };
  expect(read([...proposalCsv(proposalOf(quote, about))].join(''))).toEqual([
    {
      ...same,
      site: 'HQ',
      bandwidth: '1 Gbit/s',
      setup_price: '300',
      total: '18120',
      basis: 'firm',
      lead_time_days: '84',
    },
    { ...same, bandwidth: '100 Mbit/s', basis: 'indicative', lead_time_days: '84' },
  ]);
});

import { describe, expect, it } from '@jest/globals';
import type { TDocumentDefinitions } from 'pdfmake/interfaces.js';
import {
  givenGap,
  givenLine,
  givenProduct,
  givenQuote,
} from '../../../test/support/quote-views.js';
import type { QuoteLineView, QuoteView } from '../record/quotes.dto.js';
import { documentOf } from './documents.js';
import { type ProposedLine, proposalCsv, proposalOf } from './proposal.js';
import { ProposalQuery } from './proposal.dto.js';

/** A part of a document: a paragraph, a stack of them, or a table. */
interface Part {
  readonly text?: string;
  readonly stack?: readonly (Part | string)[];
  readonly table?: { readonly body: readonly (readonly (Part | string)[])[] };
  readonly alignment?: string;
  readonly color?: string;
}

const wordsOf = (part: Part | string): string =>
  typeof part === 'string'
    ? part
    : (part.text ?? part.stack?.map(wordsOf).filter(Boolean).join(' / ') ?? '');

/** What a reader sees: paragraphs, and rows of tables with ` | ` between their cells. */
function read({ content }: TDocumentDefinitions): string[] {
  return (content as readonly Part[]).flatMap((part) =>
    part.table ? part.table.body.map((row) => row.map(wordsOf).join(' | ')) : wordsOf(part),
  );
}

const brand = { name: 'Northline', colour: '#00665e' };
const quoteOf = (lines: QuoteLineView[], about: Partial<QuoteView> = {}, by = brand) =>
  documentOf({ quote: givenQuote(lines, about), client: 'Acme Telecom', brand: by });
/** The row of a line in the table of sites. */
const rowOf = (line: QuoteLineView) => {
  const all = read(quoteOf([line]));
  return all[all.findIndex((row) => row.startsWith('Line | ')) + 1];
};
const RULE = /^Each line has the product of the wanted service/;

describe('the document of a quote', () => {
  it('says whom it is for, what it costs and what the words mean', () => {
    const firm = { currency: 'GBP', basis: 'firm', lines: 2, monthly: 900, setup: 500 } as const;
    const euros = { currency: 'EUR', basis: 'indicative', lines: 1, monthly: 10 } as const;
    const totals = [
      { ...firm, contract: 32_900, constraints: [] },
      { ...euros, setup: null, contract: null, constraints: [] },
    ];
    const survey = givenProduct({ basis: 'subjectToSurvey' });
    const lines = [
      givenLine(),
      givenLine({ lineId: '2', product: survey }),
      givenLine({ lineId: '3' }),
    ];
    expect(read(quoteOf(lines, { totals }))).toEqual([
      'Northline',
      'Quote QUO-7F3K9Q',
      'For | Acme Telecom',
      'Customer | Fernhill Schools Trust',
      'Your reference | RFQ-118',
      'Made | Monday 2 March 2026 at 09:00 GMT',
      'Valid until | Wednesday 1 April 2026 at 10:00 BST',
      'Totals, excluding VAT | Sites | Monthly | Set-up | Over the terms',
      'Firm | 2 | £900.00 | £500.00 | £32,900.00',
      'Indicative | 1 | €10.00 | not stated | not stated',
      'Sites',
      expect.stringMatching(RULE),
      'Line | Site | Product | Monthly | Set-up | Over the term',
      '1 | HQ / EC2A 2BS | 1G Internet / 1 Gbit/s, 36 months, firm, delivered in 84 days | £450.00 | £250.00 | £16,450.00',
      '2 | HQ / EC2A 2BS | 1G Internet / 1 Gbit/s, 36 months, subject to survey, delivered in 84 days | £450.00 | £250.00 | £16,450.00',
      '3 | HQ / EC2A 2BS | 1G Internet / 1 Gbit/s, 36 months, firm, delivered in 84 days | £450.00 | £250.00 | £16,450.00',
      'Lines can be ordered at these terms until the quote ends, unless they say otherwise.',
      'Firm: the connection is delivered at this price.',
      expect.stringMatching(/^Subject to survey: the price stands/),
    ]);
  });

  it('leaves out what is not known, and the table of totals where there are none', () => {
    expect(read(quoteOf([], { customer: null, reference: null })).slice(1)).toEqual([
      'Quote QUO-7F3K9Q',
      'For | Acme Telecom',
      'Made | Monday 2 March 2026 at 09:00 GMT',
      'Valid until | Wednesday 1 April 2026 at 10:00 BST',
      'Sites',
      expect.stringMatching(RULE),
      'Line | Site | Product | Monthly | Set-up | Over the term',
    ]);
  });

  it.each([
    ['a line that is not held', givenLine({ held: false }), 'delivered in 84 days, not held'],
    [
      'a line that was ordered, held or not',
      givenLine({ held: false, state: 'ordered' }),
      'delivered in 84 days, ordered',
    ],
    [
      'a line with a discount for its number',
      givenLine({ discountPercent: 12.5 }),
      'delivered in 84 days, 12.5% off for volume',
    ],
    [
      'a line that an offer fills',
      givenLine({
        state: 'offered',
        held: false,
        offerValidUntil: new Date('2026-03-20T23:59:00Z'),
        product: givenProduct({ bandwidthProvisioned: 0.1 }),
      }),
      '100 Mbit/s, 36 months, firm, delivered in 84 days, offered until 20 March 2026',
    ],
  ])('says of %s what its terms are', (_which, line, words) => {
    expect(rowOf(line)!.split(' | ')[2]).toMatch(new RegExp(`(?:^|[/,] )${words}$`));
  });

  it('says that lines can be ordered where one of them is held', () => {
    const held =
      'Lines can be ordered at these terms until the quote ends, unless they say otherwise.';
    const mixed = [givenLine({ held: false }), givenLine()];
    expect(read(quoteOf(mixed))).toContain(held);
    expect(read(quoteOf(mixed.slice(0, 1)))).not.toContain(held);
  });

  it('says why a line has no product', () => {
    const twice = [{ detail: 'First.' }, { detail: 'Second.' }] as QuoteLineView['reasons'];
    const problem = {
      code: 'invalid-postcode',
      detail: 'A postcode ends with a digit and\ntwo letters.',
    };
    expect(
      [
        givenGap({ reasons: twice }),
        givenGap({ state: 'invalid', problem, site: null, postcode: 'EC2A' }),
        givenGap({ state: 'enquired', reasons: [] }),
      ].map(rowOf),
    ).toEqual([
      '1 | HQ / EC2A 2BS | Not available / First. Second. |  |  | ',
      '1 | EC2A | Invalid / A postcode ends with a digit and two letters. |  |  | ',
      '1 | HQ / EC2A 2BS | With staff |  |  | ',
    ]);
  });

  it('aligns amounts and their headings to the right, and no other column', () => {
    const totals = [
      { currency: 'GBP', basis: 'firm', lines: 1, monthly: 1, setup: 2, contract: 3 },
    ] as const;
    const { content } = quoteOf([givenLine()], {
      totals: totals.map((one) => ({ ...one, constraints: [] })),
    });
    const right = (content as readonly Part[]).flatMap(({ table }) =>
      (table?.body ?? []).map((row) =>
        row.filter((cell) => typeof cell !== 'string' && cell.alignment === 'right').map(wordsOf),
      ),
    );
    expect(right.filter((row) => row.length > 0)).toEqual([
      ['Sites', 'Monthly', 'Set-up', 'Over the terms'],
      ['1', '£1.00', '£2.00', '£3.00'],
      ['Monthly', 'Set-up', 'Over the term'],
      ['£450.00', '£250.00', '£16,450.00'],
    ]);
  });

  it('repeats the headings of a table on each page, and breaks no row', () => {
    const tables = (quoteOf([givenLine()]).content as readonly Part[]).flatMap(
      ({ table }) => table ?? [],
    );
    expect(tables.at(-1)).toMatchObject({ headerRows: 1, dontBreakRows: true });
  });

  it('has the name and the colour of the operator, and the number of each page', () => {
    const { info, footer, content } = quoteOf([]);
    expect(info).toEqual({ title: 'Quote QUO-7F3K9Q, Northline' });
    expect((footer as (page: number, pages: number) => unknown)(2, 3)).toMatchObject({
      columns: [
        { text: 'Northline: Quote QUO-7F3K9Q' },
        { text: 'Page 2 of 3', alignment: 'right' },
      ],
    });
    const colours = (content as readonly Part[]).filter(({ color }) => color === brand.colour);
    expect(colours.map(wordsOf)).toEqual(['Northline', 'Sites']);
  });

  it.each([
    ['a line break', 'a\r\n\tb', 'a b'],
    ['characters that change the direction', '\u202eevil\u2066 ', 'evil'],
    ['half a character', 'a\ud800', 'a\ufffd'],
    ['the longest word that fits', 'x'.repeat(24), 'x'.repeat(24)],
    ['a longer word', 'x'.repeat(50), `${'x'.repeat(24)} ${'x'.repeat(24)} xx`],
    ['nothing that is visible', '\u200b', ''],
  ])('writes %s in one line that a column has room for', (_what, site, shown) => {
    expect(rowOf(givenLine({ site }))!.split(' | ')[1]).toBe(
      [shown, 'EC2A 2BS'].filter(Boolean).join(' / '),
    );
  });
});

describe('letters that the font lacks', () => {
  const LACKED = /^Some letters cannot be printed in this document\./;

  it('are replaced, and a note at the end says so', () => {
    const all = read(quoteOf([givenLine({ site: '東京 Ḃaile' })], { customer: '😀 Łódź' }));
    expect(all).toContain('Customer | \ufffd Łódź');
    expect(all.find((row) => row.startsWith('1 | '))).toContain('\ufffd\ufffd Baile / EC2A 2BS');
    expect(all.at(-1)).toMatch(LACKED);
  });

  it('are replaced in the name at the foot of each page', () => {
    const { footer } = quoteOf([], {}, { ...brand, name: '北 Line' });
    expect((footer as (page: number, pages: number) => unknown)(1, 1)).toMatchObject({
      columns: [{ text: '\ufffd Line: Quote QUO-7F3K9Q' }, {}],
    });
  });

  it('are not mentioned where there are none', () => {
    const all = read(quoteOf([givenLine({ site: 'Київ, Ċeann' })]));
    expect(all.filter((row) => LACKED.test(row))).toEqual([]);
  });
});

describe('the document of a proposal', () => {
  const proposal = (lines: QuoteLineView[], about: Partial<ProposalQuery> = {}, of = {}) =>
    documentOf({
      proposal: proposalOf(givenQuote(lines, of), Object.assign(new ProposalQuery(), about)),
    });

  it('has the prices of the reseller, and nothing of the operator', () => {
    const mobile = givenProduct({
      basis: 'indicative',
      setupPrice: null,
      bandwidthProvisioned: 0.1,
    });
    const lines = [givenLine(), givenLine({ site: null, product: mobile }), givenGap()];
    const about = { name: 'Acme', markupPercent: 10, setupMarkupPercent: 20 };
    expect(read(proposal(lines, about))).toEqual([
      'Acme',
      'Proposal',
      'For | Fernhill Schools Trust',
      'Reference | RFQ-118',
      'Made | Monday 2 March 2026 at 09:00 GMT',
      'Valid until | Wednesday 1 April 2026 at 10:00 BST',
      'Sites | 2 of 3. This proposal has no price for the other site.',
      'Totals, excluding VAT | Sites | Monthly | Set-up | Over the terms',
      'Firm | 1 | £495.00 | £300.00 | £18,120.00',
      'Indicative | 1 | £495.00 | not stated | not stated',
      'Sites',
      'Site | Connection | Monthly | Set-up | Over the term',
      'HQ / EC2A 2BS | 1 Gbit/s, 36 months / firm, delivered in 84 days | £495.00 | £300.00 | £18,120.00',
      'EC2A 2BS | 100 Mbit/s, 36 months / indicative, delivered in 84 days | £495.00 | not stated | not stated',
      'Firm: the connection is delivered at this price.',
      'Indicative: an estimate. A firm price is confirmed before anything is delivered.',
    ]);
  });

  it('is valid until the first of its offers ends, or the quote', () => {
    const days = ['20', '18', '10', '01'].map((day) => new Date(`2026-03-${day}T23:59:00Z`));
    const lines = [
      givenLine(),
      givenLine({ lineId: '2', state: 'offered', offerValidUntil: days[0]! }),
      givenLine({ lineId: '3', state: 'offered', offerValidUntil: days[1]! }),
      givenGap({ lineId: '4', state: 'offered', offerValidUntil: days[2]! }),
      givenLine({ lineId: '5', state: 'ordered', offerValidUntil: days[3]! }),
    ];
    const until = (named: string) =>
      read(proposal(lines, { lines: named })).find((row) => row.startsWith('Valid until'));
    expect(['1,5', '1,2', '1,2,3,4,5'].map(until)).toEqual([
      'Valid until | Wednesday 1 April 2026 at 10:00 BST',
      'Valid until | Friday 20 March 2026 at 23:59 GMT',
      'Valid until | Wednesday 18 March 2026 at 23:59 GMT',
    ]);
  });

  it('says what makes its sites less than plain, in words that do not name the operator', () => {
    const survey = { code: 'surveyRequired', text: 'Northline comes and looks first.' };
    const lines = [givenLine({ constraints: [survey] }), givenLine({ lineId: '2' })];
    const sentence = 'A survey of the site is needed before the service can be built.';
    const printed = read(proposal(lines));
    expect(printed.filter((row) => row.includes('survey'))).toEqual([
      `1 site: ${sentence}`,
      `HQ / EC2A 2BS | 1 Gbit/s, 36 months / firm, delivered in 84 days, ${sentence} | £450.00 | £250.00 | £16,450.00`,
    ]);
    const csv = [...proposalCsv(proposalOf(givenQuote(lines), new ProposalQuery()))].join('');
    expect(
      csv
        .trimEnd()
        .split('\r\n')
        .map((row) => row.split(',').at(-1)),
    ).toEqual(['constraints', sentence, '']);
  });

  it('needs no name, and is then called only a proposal', () => {
    const { info, footer, ...document } = proposal([], {}, { customer: null, reference: null });
    expect(info).toEqual({ title: 'Proposal' });
    expect((footer as (page: number, pages: number) => unknown)(1, 1)).toMatchObject({
      columns: [{ text: 'Proposal' }, { text: 'Page 1 of 1' }],
    });
    expect(read(document).slice(0, 2)).toEqual([
      'Proposal',
      'Made | Monday 2 March 2026 at 09:00 GMT',
    ]);
  });

  it('says how many of the wanted sites have no price', () => {
    const lines = [
      givenLine(),
      ...['2', '3', '4'].map((lineId) => givenGap({ lineId })),
      givenLine({ lineId: '5' }),
    ];
    const sites = (named?: string) =>
      read(proposal(lines, { lines: named })).find((row) => row.startsWith('Sites | '));
    expect([sites(), sites('1,2'), sites('2,3'), sites('1,5')]).toEqual([
      'Sites | 2 of 5. This proposal has no price for the other 3.',
      'Sites | 1 of 2. This proposal has no price for the other site.',
      'Sites | 2, none of them with a price.',
      undefined,
    ]);
  });

  it('has the named lines, or all with a product', () => {
    const lines = ['1', '2', '3'].map((lineId) => givenLine({ lineId, site: `S${lineId}` }));
    const quote = givenQuote([...lines, givenGap({ lineId: '4' })]);
    const sites = (named?: string) =>
      proposalOf(quote, Object.assign(new ProposalQuery(), named && { lines: named })).lines.map(
        ({ site }: ProposedLine) => site,
      );
    expect([sites(), sites('3,1'), sites('4'), sites('33')]).toEqual([
      ['S1', 'S2', 'S3'],
      ['S1', 'S3'],
      [],
      [],
    ]);
  });
});

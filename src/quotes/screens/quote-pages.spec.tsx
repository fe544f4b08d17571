import { describe, expect, it } from '@jest/globals';
import { renderToString } from 'preact-render-to-string';
import {
  givenGap,
  givenLine,
  givenProduct,
  givenQuote,
} from '../../../test/support/quote-views.js';
import { readRows, textOf } from '../../../test/support/drawn-tables.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { QuotePage, QuotesListPage } from './quote-pages.js';
import type { QuoteLineView, QuoteView } from '../record/quotes.dto.js';

const viewer: StaffCaller = {
  kind: 'staff',
  staffId: 's',
  role: 'agent',
  tokenId: 't',
  name: 'Sam',
  scopes: new Set(),
};
/** The place of the page in the navigation. */
const atQuotes = /<a href="\/staff\/quotes"[^>]* aria-current="page"/;
const now = new Date('2026-03-05T09:00:00Z');
const client = { id: 'c', name: 'Acme Telecom' };
const undo = { send: 0, withdrawal: 0 };
const order = { onceKey: 'once', ticked: new Set<string>(), lines: new Map<string, string>() };
const counts = givenQuote([]).counts;
const draw = (lines: QuoteLineView[], about: Partial<QuoteView> = {}) =>
  renderToString(
    <QuotePage
      viewer={viewer}
      now={now}
      said={null}
      order={order}
      quote={{ ...givenQuote(lines, about), client, undo, isDirect: false }}
    />,
  );
const rowOf = (line: QuoteLineView) => readRows(draw([line]), 'Lines')[0]!;

describe('the page of a quote', () => {
  it('says whose it is, until when it is valid, and where else it is', () => {
    const html = draw([], { counts: { ...counts, priced: 1, invalid: 1_200 } });
    const text = textOf(html);
    expect(text).toContain('QUO-7F3K9Q, Fernhill Schools Trust');
    expect(text).toContain(
      'Acme Telecom · their reference RFQ-118 · made Mon 2 Mar, 09:00 · valid until Wed 1 Apr, 10:00',
    );
    expect(text).toContain('1,201 lines: 1 priced, 1,200 invalid. Export as CSV · PDF');
    expect(text).not.toContain('Claim and answer enquiries');
    for (const end of ['.csv', '.pdf'])
      expect(html).toContain(`href="/staff/quotes/QUO-7F3K9Q${end}"`);
    expect(html).toContain('src="/staff/quotes/QUO-7F3K9Q/map.svg"');
    expect(html).toContain('loading="lazy"');
    expect(html).toMatch(atQuotes);
  });

  it.each([
    ['of a site', [givenLine({ site: '東京' })], {}],
    ['of the customer', [], { customer: 'Ḃaile' }],
  ])('warns of letters %s that the PDF replaces', (_which, lines, about) => {
    const warning = 'The PDF cannot print some letters of this quote.';
    expect(textOf(draw(lines, about))).toContain(warning);
    expect(textOf(draw([givenLine()]))).not.toContain(warning);
  });

  it('leaves out what the client did not say, and says that it has expired', () => {
    const about = { customer: null, reference: null, state: 'expired' } as const;
    const text = textOf(draw([], { ...about, counts: { ...counts, ordered: 1 } }));
    expect(text).toContain('Acme Telecom · made Mon 2 Mar, 09:00 · expired Wed 1 Apr, 10:00');
    expect(text).toContain('1 line: 1 ordered.');
    expect(text).not.toMatch(/QUO-7F3K9Q,|their reference/);
  });

  it.each(['enquired', 'offered'] as const)(
    'leads to its enquiries while lines are %s',
    (state) => {
      const html = draw([], { counts: { ...counts, [state]: 1 } });
      expect(html).toContain(
        'href="/staff/quotes/QUO-7F3K9Q/enquiries">Claim and answer enquiries<',
      );
    },
  );

  it('has totals where lines have a price', () => {
    const euros = { currency: 'EUR', basis: 'indicative', lines: 1_000, monthly: 10 } as const;
    const html = draw([], { totals: [{ ...euros, setup: null, contract: 370, constraints: [] }] });
    expect(readRows(html, 'Totals, excluding VAT')).toEqual([
      {
        ...{
          Basis: 'indicative',
          Lines: '1,000',
          Monthly: '€10.00',
          'Set-up': 'not stated for all',
        },
        'Over the terms': '€370.00',
      },
    ]);
    expect(draw([])).not.toContain('Totals');
  });

  it('has further lines on another page', () => {
    expect(draw([], { nextCursor: '200' })).toContain('href="/staff/quotes/QUO-7F3K9Q?from=200"');
    expect(draw([])).not.toContain('Next lines');
  });

  it('has for each line what was wanted, what it got and what became of it', () => {
    expect(rowOf(givenLine())).toEqual({
      Line: '1',
      Site: 'HQ',
      Postcode: 'EC2A 2BS',
      Wanted: '1 Gbit/s, 36 months, Internet',
      Product: '1G Internet INT-1G-36, £250.00 set-up, 84 days, firm',
      Monthly: '£450.00',
      State: 'priced',
    });
    expect(draw([givenLine()])).not.toMatch(/<a href="[^"]*">priced/);
  });

  it.each([
    [
      'the contact and the notes',
      { details: { floor: '2', room: 'B' }, notes: 'Ring.' },
      'Site',
      'HQ floor 2, room B Ring.',
    ],
    ['no name', { site: null }, 'Site', '–'],
    [
      'any term and service',
      { wanted: { bandwidth: 0.1, term: null, service: null } },
      'Wanted',
      '100 Mbit/s',
    ],
    ['nothing that is known', { wanted: null }, 'Wanted', '–'],
    ['no postcode', { postcode: '' }, 'Postcode', '–'],
    [
      'a product by distance, with a discount',
      {
        nearest: { distanceMetres: 1_250, band: 2_000 },
        discountPercent: 5,
        product: givenProduct({ setupPrice: null, basis: 'subjectToSurvey' }),
      },
      'Product',
      '1G Internet INT-1G-36, set-up not stated, 84 days, subject to survey, 5 % off for volume, 1,250 m to the network',
    ],
  ] as [string, Partial<QuoteLineView>, string, string][])(
    'has for a line with %s its words',
    (_what, about, column, words) => {
      expect(rowOf(givenLine(about))[column]).toBe(words);
    },
  );

  it('says why a line has no product, of a faulty row by its columns', () => {
    const reasons = [{ detail: 'First.' }, { detail: 'Second.' }] as QuoteLineView['reasons'];
    const problem = { code: 'validation-error', detail: 'wanted.term: Enter months.' };
    expect(
      [givenGap({ reasons }), givenGap({ problem })].map((line) => rowOf(line).Product),
    ).toEqual(['First. Second.', 'Term: Enter months.']);
    expect(rowOf(givenGap()).Monthly).toBe('');
  });

  it('leads from a line to its order, or else to its enquiry', () => {
    const asked = { state: 'enquired', enquiryId: 'e' } as const;
    expect(draw([givenGap(asked)])).toContain('<a href="/staff/orders/e">with staff</a>');
    expect(draw([givenLine({ ...asked, state: 'ordered', orderId: 'o' })])).toContain(
      '<a href="/staff/orders/o">ordered</a>',
    );
  });
});

describe('the list of quotes', () => {
  const list = (quotes: Partial<QuoteView>[], q = '', older: string | null = null) =>
    renderToString(
      <QuotesListPage
        viewer={viewer}
        now={now}
        q={q}
        older={older}
        quotes={quotes.map((about) => ({ ...givenQuote([], about), client }))}
      />,
    );

  it('has for each quote whose it is, and until when it is valid', () => {
    const listed = [
      { counts: { ...counts, priced: 2, notAvailable: 1 } },
      { customer: null, reference: null, state: 'expired' } as const,
    ];
    expect(readRows(list(listed), 'Quotes, newest first')).toEqual([
      {
        Reference: 'QUO-7F3K9Q',
        Client: 'Acme Telecom',
        Customer: 'Fernhill Schools Trust',
        'Their reference': 'RFQ-118',
        Made: 'Mon 2 Mar, 09:00',
        'Valid until': 'Wed 1 Apr, 10:00',
        Lines: '3 lines: 2 priced, 1 not available',
      },
      expect.objectContaining({
        Customer: '–',
        'Their reference': '–',
        'Valid until': 'Expired',
      }),
    ]);
  });

  it('says whether there are none at all, or none of what was searched', () => {
    expect([list([]), list([], 'wood')].map((html) => /No quotes \w+\./.exec(html)?.[0])).toEqual([
      'No quotes yet.',
      'No quotes found.',
    ]);
    expect(list([{}])).not.toContain('No quotes');
    expect(list([{}])).toMatch(atQuotes);
    expect(list([], 'wood')).toContain('name="q" maxlength="100" value="wood"');
  });

  it('leads to older ones where there are some', () => {
    expect(list([{}], '', '/staff/quotes?cursor=1')).toContain('href="/staff/quotes?cursor=1"');
    expect(list([{}])).not.toContain('Older quotes');
  });
});

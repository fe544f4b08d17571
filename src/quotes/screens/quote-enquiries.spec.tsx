import { describe, expect, it } from '@jest/globals';
import { renderToString } from 'preact-render-to-string';
import { readRows, textOf } from '../../../test/support/drawn-tables.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Form } from '../../platform/ui/forms/form.js';
import { QuoteEnquiriesPage, type QuoteEnquiriesProps } from './quote-enquiries.js';
import { type AnsweredLine, canAnswer, type EnquiryOfQuote } from '../quote-enquiries.service.js';

const viewer: StaffCaller = {
  kind: 'staff',
  staffId: 'sam',
  role: 'agent',
  tokenId: 't',
  name: 'Sam',
  scopes: new Set(),
};
const rowOf = (
  lineId: string,
  about: Partial<FollowUpOrder> = {},
  more: Partial<EnquiryOfQuote> = {},
): EnquiryOfQuote => ({
  lineId,
  site: `Mast ${lineId}`,
  service: 'Internet',
  awaitsApproval: false,
  enquiry: {
    orderId: `id ${lineId}`,
    reference: `ENQ-${lineId}`,
    postcode: 'AB10 1AB',
    version: 7,
    state: 'in_progress',
    ownerId: 'sam',
    ownerName: 'Sam',
    offered: null,
    wanted: { bandwidth: 1, term: 36, description: null },
    ...about,
  } as FollowUpOrder,
  ...more,
});
const client = {
  name: 'Acme Telecom',
  contactName: 'Grace',
  contactPhone: '+44 (20) 7946-0000',
  contactEmail: 'grace@acme.example',
};
const quote = { id: 'q', reference: 'QUO-7F3K9Q', customer: 'Fernhill' };
const draw = (rows: EnquiryOfQuote[], about: Partial<QuoteEnquiriesProps> = {}) =>
  renderToString(
    <QuoteEnquiriesPage viewer={viewer} quote={quote} client={client} rows={rows} {...about} />,
  );
const inputs = (html: string) =>
  [...html.matchAll(/<input [^>]*name="\d[^>]*>/g)].map(([input]) => {
    const at = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1];
    const isTicked = at('type') === 'checkbox' ? / checked\b/.test(input) : undefined;
    return {
      name: at('name'),
      value: at('value') ?? '',
      label: at('aria-label'),
      invalid: at('aria-invalid'),
      isTicked,
    };
  });

describe('an enquiry of a quote', () => {
  it.each([
    ['is answered by its owner', {}, {}, true],
    ['is not answered before it is claimed', { state: 'waiting', ownerId: null }, {}, false],
    ['is not answered by a colleague', { ownerId: 'kim' }, {}, false],
    ['is not answered again while an answer awaits approval', {}, { awaitsApproval: true }, false],
    ['is not answered again', { state: 'offered' }, {}, false],
  ] as [string, Partial<FollowUpOrder>, Partial<EnquiryOfQuote>, boolean][])(
    '%s',
    (_what, about, more, can) => {
      expect(canAnswer(rowOf('1', about, more), viewer)).toBe(can);
    },
  );
});

describe('the page of the enquiries of a quote', () => {
  const waiting = { state: 'waiting', ownerId: null, ownerName: null } as const;

  it('says whom to call, and leads back to the quote', () => {
    const html = draw([]);
    expect(textOf(html)).toContain(
      'Acme Telecom for Fernhill · Grace · +44 (20) 7946-0000 · grace@acme.example',
    );
    for (const href of [
      'tel:+442079460000',
      'mailto:grace@acme.example',
      '/staff/quotes/QUO-7F3K9Q',
    ]) {
      expect(html).toContain(`href="${href}"`);
    }
    expect(textOf(draw([], { quote: { ...quote, customer: null } }))).toContain(
      'Acme Telecom · Grace',
    );
  });

  it.each([
    [[], undefined],
    [[rowOf('1')], undefined],
    [[rowOf('1', waiting)], 'Claim 1 site'],
    [[rowOf('1', waiting), rowOf('2'), rowOf('3', waiting)], 'Claim 2 sites'],
  ])('lets all that wait be claimed: %#', (rows, button) => {
    expect(/Claim \d+ sites?/.exec(draw(rows))?.[0]).toBe(button);
  });

  it('lets the viewer answer and call about own sites, and shows the others', () => {
    const offered = { price: 450, currency: 'GBP' };
    const rows = [
      rowOf('1'),
      rowOf('2', waiting),
      rowOf('3', { ownerId: 'kim', ownerName: 'Kim', state: 'offered', offered }, { site: null }),
      rowOf('4', {}, { awaitsApproval: true, service: null }),
    ];
    const html = draw(rows);
    const answers = readRows(
      html,
      'Sites to answer. A row without a price or a tick is left for later.',
    );
    expect(answers).toEqual([
      {
        Line: '1',
        Site: 'Mast 1, AB10 1AB ENQ-1',
        Wanted: '1 Gbit/s, 36 months, Internet',
        State: 'In progress',
        Monthly: '',
        'Set-up': '',
        'Lead time, days': '',
        'Term, months': '',
        'Cannot provide': '',
      },
    ]);
    expect(readRows(html, 'Other sites of the quote')).toEqual([
      {
        Line: '2',
        Site: 'Mast 2, AB10 1AB ENQ-2',
        Wanted: '1 Gbit/s, 36 months, Internet',
        State: 'Waiting',
        Owner: '–',
      },
      expect.objectContaining({ Site: 'AB10 1AB ENQ-3', State: 'Offered £450.00', Owner: 'Kim' }),
      expect.objectContaining({
        Wanted: '1 Gbit/s, 36 months',
        State: 'In progress waits for approval',
      }),
    ]);
    expect(html).toContain('href="/staff/orders/ENQ-3"');
    expect(html).toContain('href="/staff/approvals"');
    expect(html).toContain('Record a call about all of them');
  });

  it('has nothing to answer or to call about without own sites', () => {
    expect(draw([rowOf('2', waiting)])).not.toMatch(/Sites to answer|Record a call|No site of/);
    expect(draw([rowOf('1')])).not.toContain('Other sites');
    expect(textOf(draw([]))).toContain('No site of this quote has an enquiry.');
  });

  it('proposes the wanted term, and names each field by its line', () => {
    const any = { wanted: { bandwidth: 1, term: null, description: null } };
    const html = draw([rowOf('1'), rowOf('12', any)]);
    const shown = inputs(html);
    expect(shown.map(({ name, value }) => [name, value])).toEqual([
      ...[
        ['1.price', ''],
        ['1.setupPrice', ''],
        ['1.leadTimeDays', ''],
        ['1.term', '36'],
        ['1.none', 'yes'],
      ],
      ...[
        ['12.price', ''],
        ['12.setupPrice', ''],
        ['12.leadTimeDays', ''],
        ['12.term', ''],
        ['12.none', 'yes'],
      ],
    ]);
    expect(shown.slice(0, 5).map(({ label }) => label)).toEqual([
      ...['Monthly of line 1', 'Set-up of line 1', 'Lead time, days of line 1'],
      ...['Term, months of line 1', 'We cannot provide line 1'],
    ]);
    expect(shown.some(({ isTicked, invalid }) => isTicked === true || invalid === 'true')).toBe(
      false,
    );
  });

  it('shows what was typed and refused, and where it is wrong', () => {
    const typed = Form.parse('1.price=much&1.term=&2.none=yes&2.price=5');
    const faults = new Map([
      ['1.price', 'Enter an amount.'],
      ['2.none', 'Not both.'],
    ]);
    const html = draw([rowOf('1'), rowOf('2')], { typed, faults });
    expect(textOf(html)).toContain('Nothing is sent yet: there is a problem');
    expect(textOf(html)).toContain(
      'Line 1, Monthly: Enter an amount. Line 2, Cannot provide: Not both.',
    );
    const shown = new Map(inputs(html).map((input) => [input.name, input]));
    expect(shown.get('1.price')).toMatchObject({ value: 'much', invalid: 'true' });
    expect(shown.get('1.term')).toMatchObject({ value: '', invalid: undefined });
    expect(shown.get('1.none')).toMatchObject({ isTicked: false, invalid: undefined });
    expect(shown.get('2.price')).toMatchObject({ value: '5', invalid: undefined });
    expect(shown.get('2.none')).toMatchObject({ isTicked: true, invalid: 'true' });
    expect(draw([rowOf('1')], { faults: new Map() })).not.toContain('Nothing is sent yet');
  });

  it('says why the last answer was not taken', () => {
    expect(draw([], { conflict: 'The order has changed.' })).toContain('The order has changed.');
    expect(draw([])).not.toContain('notice bad');
  });

  const answer = (lineId: string, outcome: AnsweredLine['outcome'], problem = '') =>
    ({ row: rowOf(lineId), outcome, problem }) satisfies AnsweredLine;

  it('says what became of each answer, now and when it cannot be undone any more', () => {
    const answered = [
      answer('1', 'sent'),
      answer('2', 'ended'),
      answer('3', 'awaitsApproval'),
      answer('4', 'failed', 'A colleague is its owner.'),
    ];
    const rows = ['1', '2', '3', '4'].map((line) => rowOf(line, { version: 10 + Number(line) }));
    const html = draw(rows, { answered });
    expect(textOf(html)).toContain(
      '3 sites answered, 1 not. Line 1: will be sent in 10 seconds Line 2: in 10 seconds the client will see that you cannot provide it Line 3: waits for approval Line 4: A colleague is its owner.',
    );
    expect(html).toContain('class="notice bad"');
    expect([...html.matchAll(/data-later="([^"]*)"/g)].map(([, words]) => words)).toEqual([
      'sent',
      'the client sees that you cannot provide it',
    ]);
    expect(html).toContain('href="/staff/orders/ENQ-4">Line 4</a>');
    // The version after the answer, not the one before.
    expect(html).toContain('name="answered" value="1:11 2:12"');
    expect(html).toContain('action="/staff/quotes/QUO-7F3K9Q/undo"');
    expect(html).toContain('data-undo="10"');
  });

  it('is in the place of quotes', () => {
    expect(draw([])).toMatch(/<a href="\/staff\/quotes"[^>]* aria-current="page"/);
  });

  it('lets nothing be undone that awaits approval or failed', () => {
    const html = draw([rowOf('1')], { answered: [answer('1', 'awaitsApproval')] });
    expect(textOf(html)).toContain('1 site answered. Line 1: waits for approval');
    expect(html).toContain('class="notice good"');
    expect(html).not.toContain('/undo"');
    const gone = draw([], { answered: [answer('1', 'sent')] });
    expect(gone).not.toContain('/undo"');
    const none = draw([rowOf('1')], { answered: [answer('1', 'failed', 'No.')] });
    expect(textOf(none)).toContain('0 sites answered, 1 not.');
    expect(none).not.toContain('/undo"');
  });
});

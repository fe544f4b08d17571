import { describe, expect, it } from '@jest/globals';
import { emailOf } from '../platform/notifications/messages/email-kinds.service.js';
import { answeredFacts, quoteAnswered } from './quote-emails.js';

const sender = {
  salesInbox: [{ name: 'Sales', address: 'sales@operator.example' }],
  salesContact: '020 7946 0000',
  publicUrl: 'https://pa.example',
  mailFrom: null,
};
const contact = { name: 'Grace', email: 'grace@reseller.example', phone: null };
const quote = {
  reference: 'QUO-7F3K9Q',
  clientReference: 'RFQ-118',
  customer: 'Fernhill' as string | null,
  validUntil: new Date('2026-04-01T09:00:00Z'),
  offered: ['Depot, N1 1AA'],
  unable: ['EC2A 2BS'],
};
const write = (about: Partial<typeof quote> = {}) => {
  const { offered, unable, ...named } = { ...quote, ...about };
  return emailOf(quoteAnswered, { contact, facts: answeredFacts(named, offered, unable) }, sender);
};
const sites = (count: number) => Array.from({ length: count }, (_site, n) => `Site ${n + 1}`);

describe('the email about a quote whose enquiries are answered', () => {
  it('goes to the contact, and the answer to sales', () => {
    const { to, replyTo, subject } = write();
    expect([to, replyTo, subject]).toEqual([
      [{ name: 'Grace', address: 'grace@reseller.example' }],
      sender.salesInbox[0],
      'Answered: your quote QUO-7F3K9Q (RFQ-118)',
    ]);
  });

  it('names the quote, its customer, the sites and until when lines can be ordered', () => {
    const { text } = write();
    const words = text.replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      'Hello Grace, We have answered all that you asked about your quote QUO-7F3K9Q (RFQ-118) for Fernhill.',
    );
    expect(words).toContain('Lines of the quote can be ordered until Wed 1 Apr 2026, 10:00.');
    expect(words).toContain('Questions? 020 7946 0000.');
    expect(write({ customer: null }).text).toContain('about your quote QUO-7F3K9Q (RFQ-118).');
  });

  it('has a list only of answers that there are', () => {
    const headings = (about: object) =>
      ['Sites with an offer', 'Sites that we cannot supply'].filter((heading) =>
        write(about).text.toLowerCase().includes(heading.toLowerCase()),
      );
    expect([{}, { offered: [] }, { unable: [] }].map(headings)).toEqual([
      ['Sites with an offer', 'Sites that we cannot supply'],
      ['Sites that we cannot supply'],
      ['Sites with an offer'],
    ]);
  });

  it.each([
    [50, 50, undefined],
    [51, 50, 'and 1 more'],
    [73, 50, 'and 23 more'],
  ])('lists of %i sites the first %i, and says how many there are more', (count, listed, more) => {
    const items = write({ offered: sites(count), unable: [] }).text.match(/^- .*$/gm)!;
    expect(items.filter((item) => /^- Site \d+$/.test(item))).toEqual(
      sites(listed).map((site) => `- ${site}`),
    );
    expect(items.at(listed)).toBe(more && `- ${more}`);
  });

  it('is about an answer, and no other news', () => {
    const event = { type: 'quote.updated', at: new Date(), data: {} };
    const newsOf = (about: object) => quoteAnswered.newsOf!({ ...event, ...about } as never);
    expect(newsOf({ isAnswered: true })).toEqual({});
    expect(newsOf({ isAnswered: false })).toBeNull();
    expect(newsOf({ isAnswered: true, type: 'quote.expiring' })).toBeNull();
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { emailOf } from '../../platform/notifications/messages/email-kinds.service.js';
import type { ApiClient } from '../../clients/api-client.entity.js';
import { expiryLetter, tokenExpiry } from '../../clients/client-emails.js';
import { approvalWanted } from '../offers/offer-emails.js';
import type { Order } from '../record/order.entity.js';
import {
  acknowledgement,
  acknowledgementOf,
  announcementOf,
  newEnquiry,
  newOrder,
} from './order-emails.js';

const sender = {
  salesInbox: [{ name: '', address: 'sales@operator.example' }],
  salesContact: '020 7946 0000',
  publicUrl: 'https://availability.operator.example',
};
const now = new Date('2026-11-21T12:00:00Z');

const order = {
  contactName: 'Ada Lovelace',
  contactEmail: 'ada@example.com',
  contactPhone: '+44 (0)20 7946 0958',
  kind: 'order',
  reference: 'ORD-7F3K9Q',
  clientId: 'a-client',
  receivedAt: new Date('2026-07-20T08:30:00Z'),
  clientReference: 'PO-4711',
  postcode: 'EC2A 2BS',
  uprn: null,
  wanted: null,
  productCode: 'INT-100M-12',
  terms: {
    name: '100M Internet on a 1G bearer',
    bandwidthProvisioned: 0.1,
    bandwidthCapacity: 1,
    term: 12,
    price: 1_550,
    currency: 'GBP',
    leadTimeDays: 84,
  },
  zone: 'LONDON-ONNET',
  checkId: 'KR3FVJ7P2M',
  notes: 'Riser only on weekdays.\nAsk for <Sam> & "Bo".',
  firstContactAt: new Date('2026-07-20T09:30:00Z'),
  firstContactDueAt: new Date('2026-07-20T12:30:00Z'),
} as unknown as Order;
const client = {
  name: 'Example Reseller',
  contactName: 'Grace Hopper',
  contactEmail: 'grace@reseller.example',
  contactPhone: '+44 20 7946 0123',
} as ApiClient;

const announced = (about: Partial<Order> = {}, duplicateOf: string | null = null, from = client) =>
  announcementOf({ order: { ...order, ...about }, client: from, duplicateOf }, (zone) => zone);
const acknowledged = (about: Partial<Order> = {}) => {
  const reported = { order: { ...order, ...about }, client, duplicateOf: null };
  return emailOf(acknowledgement, acknowledgementOf(reported), sender);
};

describe('the emails about an enquiry', () => {
  const enquiry: Partial<Order> = {
    kind: 'enquiry',
    reference: 'ENQ-7F3K9Q',
    productCode: null,
    terms: null,
    wanted: { bandwidth: 10, term: 36, description: 'Two diverse <routes>.' },
    zone: null,
    checkId: null,
  };

  it('ask the managers who may approve its answer, or sales where there is none', () => {
    const grace = { name: 'Grace Manager', address: 'grace@operator.example' };
    const facts = {
      reference: 'ENQ-7F3K9Q',
      postcode: 'EC2A 2BS',
      uprn: null,
      author: 'Mary Manager',
      company: 'Example Reseller',
      wanted: '10 Gbit/s',
      offers: [],
    };
    const sentTo = (to: (typeof grace)[]) => emailOf(approvalWanted, { to, facts }, sender).to;
    expect([sentTo([grace]), sentTo([])]).toEqual([[grace], sender.salesInbox]);
  });

  it('tell sales what the client wants', () => {
    const { subject, text, html } = emailOf(newEnquiry, announced(enquiry), sender);
    expect(subject).toBe(
      'New enquiry ENQ-7F3K9Q: 10 Gbit/s, 36 months at EC2A 2BS, Example Reseller',
    );
    expect(text).toContain('New enquiry from Example Reseller. Please call them');
    expect(text).toContain('Two diverse <routes>.');
    expect(html).toContain('Two diverse &lt;routes&gt;.');
    expect(text).not.toContain('null');
  });

  it('acknowledge it without any text of the client', () => {
    const { subject, text } = acknowledged(enquiry);
    expect(subject).toBe('Your enquiry ENQ-7F3K9Q was received');
    expect(text).toContain('10 Gbit/s, 36 months');
    for (const own of ['diverse', 'Riser', 'PO-4711']) expect(text).not.toContain(own);
  });
});

describe('the email of a new order', () => {
  const email = emailOf(newOrder, announced(), sender);

  it('goes to sales, with the contact as reply address', () => {
    expect([email.to, email.replyTo]).toEqual([
      sender.salesInbox,
      { name: 'Ada Lovelace', address: 'ada@example.com' },
    ]);
  });

  it('names order, product, place and client in its subject', () => {
    expect(email.subject).toBe(
      'New order ORD-7F3K9Q: 100M Internet on a 1G bearer at EC2A 2BS, Example Reseller',
    );
  });

  it.each([
    'ORD-7F3K9Q',
    'Mon 20 Jul 2026, 09:30',
    'Example Reseller',
    'PO-4711',
    'Ada Lovelace',
    'ada@example.com',
    '+44 (0)20 7946 0958',
    'Grace Hopper',
    '+44 20 7946 0123',
    'EC2A 2BS',
    '100M Internet on a 1G bearer (INT-100M-12)',
    '100 Mbit/s on a 1 Gbit/s bearer',
    '12 months',
    '£1,550.00',
    '84 days',
    'LONDON-ONNET',
    'KR3FVJ7P2M',
    'Riser only on weekdays.',
    'https://availability.operator.example/staff/orders/ORD-7F3K9Q',
  ])('says %s in both parts', (fact) => {
    expect(email.text).toContain(fact);
    expect(email.html).toContain(fact);
  });

  it('escapes texts, and makes the phone number a link', () => {
    expect(email.html).toContain('Ask for &lt;Sam&gt; &amp; &quot;Bo&quot;.');
    expect(email.html).toContain('href="tel:+4402079460958"');
    expect(email.text).toContain('Ask for <Sam> & "Bo".');
  });

  it('starts with the possible duplicate', () => {
    const twin = emailOf(newOrder, announced({}, 'ORD-AAAAAA'), sender);
    expect(twin.text).toMatch(/^Possible duplicate of ORD-AAAAAA/);
  });

  it('names the premises', () => {
    expect(email.text).not.toContain('UPRN');
    expect(emailOf(newOrder, announced({ uprn: 43 }), sender).text).toMatch(/^UPRN: +43$/m);
  });

  it('names the client if no contact was given', () => {
    const none = { contactName: null, contactEmail: null, contactPhone: null, notes: null };
    const bare = emailOf(newOrder, announced(none), sender);
    expect(bare.replyTo?.address).toBe('grace@reseller.example');
    expect(bare.text).toMatch(/Contact: +\(none given\)/);
  });

  it('never lets a text start another line or markup', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const evil = `${text}\r\nBcc: all@example.com\r\n<script>`;
        const terms = { ...order.terms!, name: evil };
        const from = { ...client, name: evil, contactName: evil };
        const about = { terms, contactName: evil, notes: evil };
        const written = emailOf(newOrder, announced(about, null, from), sender);
        expect(written.subject).not.toMatch(/\p{Cc}/u);
        expect(written.replyTo?.name).not.toMatch(/\p{Cc}/u);
        expect(written.html).not.toContain('<script>');
        expect(written.text).not.toMatch(/^Bcc:/m);
      }),
    );
  });
});

describe('the other emails', () => {
  it('acknowledge to the contact, without internal facts', () => {
    const email = acknowledged();
    expect([email.to[0]?.address, email.replyTo?.address]).toEqual([
      'ada@example.com',
      'sales@operator.example',
    ]);
    expect(email.text).toContain('ORD-7F3K9Q');
    expect(email.text).not.toMatch(/LONDON-ONNET|Riser|7946 0123/);
  });

  it('acknowledge without a price, since the contact may be the customer of the client', () => {
    const { text, html } = acknowledged();
    expect(text).toContain('100M Internet on a 1G bearer');
    for (const part of [text, html]) expect(part).not.toMatch(/£|price|set-up|basis/i);
  });

  it('acknowledge without a text that the API client wrote', () => {
    const email = acknowledged({
      contactName: 'Win a prize at evil.example',
      clientReference: 'evil.example/claim',
      notes: 'evil.example/notes',
    });
    expect(email.to).toEqual([{ name: '', address: 'ada@example.com' }]);
    expect(JSON.stringify(email)).not.toContain('evil.example');
  });

  it.each([
    ['2026-12-21T12:00:00Z', 'in 30 days'],
    ['2026-11-22T12:00:00Z', 'in 1 day'],
    ['2026-11-21T18:00:00Z', 'in less than a day'],
  ])('say when a token ends: %s, %s', (expiresAt, left) => {
    const token = { label: 'production', ending: 'x7Qz', expiresAt: new Date(expiresAt) };
    const email = emailOf(tokenExpiry, expiryLetter(token, client, now), sender);
    expect(email.to[0]?.address).toBe('grace@reseller.example');
    expect(email.subject).toBe(`Your access token …x7Qz expires ${left}`);
    expect(email.text).toContain('"production"');
  });
});

import { describe, expect, it } from '@jest/globals';
import { amendedBetween, changesInWords, keptWith, openFacts } from './amendments.js';

const order = {
  clientReference: 'PO-1',
  contactName: 'Ada Lovelace',
  contactEmail: null,
  contactPhone: '020 7946 0958',
  details: { floor: '2', interconnect: 'LON1', siteContact: { name: 'Kim', phone: '0161 1' } },
  preferredDays: null,
};

describe('an amendment', () => {
  it('names each field that differs, with both values', () => {
    const next = {
      ...order,
      clientReference: null,
      contactEmail: 'ada@example.com',
      details: { floor: '3', interconnect: 'LON2', address: ['Unit 3', '12 Curtain Road'] },
      preferredDays: { days: ['mon' as const, 'thu' as const], note: 'After 10:00.' },
    };
    const facts = amendedBetween(order, next)!;
    expect(changesInWords(facts)).toBe(
      'client reference (PO-1 → none), contact email (none → ada@example.com), ' +
        'address (none → Unit 3, 12 Curtain Road), floor (2 → 3), site contact (Kim, 0161 1 → none), ' +
        'interconnect (LON1 → LON2), preferred days (none → Monday, Thursday), ' +
        'note on preferred days (none → After 10:00.)',
    );
  });

  it('gives the audit trail no value that may name a person', () => {
    const next = {
      ...order,
      contactName: 'Grace Hopper',
      details: { ...order.details, interconnect: 'LON2' },
      preferredDays: { days: ['fri' as const], note: 'Ask for Kim.' },
    };
    const facts = openFacts(amendedBetween(order, next)!);
    expect(facts).toEqual({
      changed: ['contact.name', 'details.interconnect', 'preferredDays.days', 'preferredDays.note'],
      before: { 'details.interconnect': 'LON1' },
      after: { 'details.interconnect': 'LON2', 'preferredDays.days': 'Friday' },
    });
    expect(changesInWords(facts)).toBe(
      'contact name, interconnect (LON1 → LON2), preferred days (none → Friday), note on preferred days',
    );
  });

  it('is none where all values are the same', () => {
    expect(amendedBetween(order, { ...order, contactEmail: '' })).toBeNull();
    const details = { ...order.details, room: '' };
    expect(amendedBetween(order, { ...order, details })).toBeNull();
  });

  it('is kept with its values among the last 20', () => {
    const facts = { changed: [], before: {}, after: {} };
    const all = Array.from({ length: 25 }, (_, version) => ({ version, ...facts }));
    const kept = all.reduce((before, one) => keptWith(before, one), keptWith(null, all[0]!));
    expect([kept.length, kept[0]!.version, kept.at(-1)!.version]).toEqual([20, 5, 24]);
  });
});

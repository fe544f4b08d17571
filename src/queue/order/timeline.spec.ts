import { expect, it } from '@jest/globals';
import type { TimelineEntry } from '../../orders/staff/detail.dto.js';
import { conflictText } from './timeline.js';

const now = new Date('2026-11-20T12:00:00Z');

const entry = (action: string, details: Record<string, unknown>, about = {}): TimelineEntry => ({
  id: 'x',
  at: new Date(now.getTime() - 20_000),
  action,
  actorType: 'staff',
  actorId: 'sam',
  actorName: 'Sam',
  details,
  ...about,
});

it('names the last change since the version that the user saw', () => {
  const timeline = [entry('claimed', { version: 1 }), entry('noted', { note: 'hm' })];
  expect(conflictText(timeline, 0, 'me', now)).toBe('Sam claimed this 20 s ago.');
  expect(conflictText(timeline, 0, 'sam', now)).toBe('You claimed this 20 s ago.');
  expect(conflictText(timeline, 1, 'me', now)).toBe(null);
  const later = [...timeline, entry('handed_over', { version: 2, ownerName: 'Kim' })];
  expect(conflictText(later, 0, 'me', now)).toBe('Sam handed this over to Kim last, 20 s ago.');
});

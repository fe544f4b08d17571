import { describe, expect, it } from '@jest/globals';
import { parseWeek } from '../../platform/kernel/working-hours.js';
import type { FollowUpOrder } from './follow-up.dto.js';
import { moveRules } from '../moves/move-rules.js';
import { Form } from '../../platform/ui/forms/form.js';
import { orderMessages } from './order-messages.js';
import { actionWords, statusWords } from './order-words.js';

const calendar = { week: parseWeek('Mon-Fri 09:00-17:00')!, holidays: new Set<string>() };
const now = new Date('2026-11-20T12:00:00Z');
const at = (time: string) => new Date(`2026-11-${time}:00Z`);

const order = (about: Partial<FollowUpOrder>) =>
  ({
    state: 'waiting',
    closedAt: null,
    closeReason: null,
    firstContactAt: null,
    firstContactDueAt: at('20T13:20'),
    nextActionAt: null,
    nextActionReason: null,
    contactAttempts: 0,
    late: false,
    nearlyLate: false,
    due: false,
    ...about,
  }) as FollowUpOrder;

describe('the status of an order', () => {
  const contacted = { firstContactAt: at('19T10:00'), contactAttempts: 2 };
  it.each<[string, Partial<FollowUpOrder>, string]>([
    ['Waiting, due in 1 h 20 min', {}, ''],
    ['Waiting, due in 1 h 20 min', { nearlyLate: true }, 'soon'],
    ['Waiting, late by 1 d 1 h', { late: true, firstContactDueAt: at('19T11:00') }, 'late'],
    ['In progress, first contact due in 1 h 20 min', { state: 'in_progress' }, ''],
    ['Waiting, 2 contacts', contacted, ''],
    ['In progress, 2 contacts', { state: 'in_progress', ...contacted }, ''],
    [
      'Scheduled, call back on Mon 23 Nov, 10:00',
      {
        state: 'scheduled',
        nextActionAt: at('23T10:00'),
        nextActionReason: 'callback_agreed',
        ...contacted,
      },
      '',
    ],
    [
      'Scheduled, try again, overdue since 11:00',
      {
        state: 'scheduled',
        due: true,
        nextActionAt: at('20T11:00'),
        nextActionReason: 'retry_no_answer',
        ...contacted,
      },
      'late',
    ],
    ['Lost, price, 11:30', { state: 'lost', closedAt: at('20T11:30'), closeReason: 'price' }, ''],
    ['Won, 11:30', { state: 'won', closedAt: at('20T11:30') }, ''],
  ])('is worded "%s"', (words, about, tone) => {
    const standing = statusWords(order(about), now, calendar);
    expect([`${standing.state}, ${standing.next}`, standing.tone]).toEqual([words, tone]);
  });
});

describe('the history of an order', () => {
  it('has words for every move', () => {
    for (const { action } of Object.values(moveRules)) {
      expect([action, actionWords({ action, details: {} })]).not.toEqual([
        action,
        action.replaceAll('_', ' '),
      ]);
    }
  });
});

describe('the flash message', () => {
  it.each(['', 'nonsense', '<script>', 'constructor', '__proto__'])('is empty for %j', (code) => {
    expect(orderMessages.in(Form.parse(new URLSearchParams({ said: code }).toString()))).toBe(null);
  });
});

import { expect, it } from '@jest/globals';
import type { StaffDelivery } from '../record/delivery.dto.js';
import { riskInWords } from './delivery-risk.js';

type Dates = Parameters<typeof riskInWords>[0];
const planned = (code: 'built' | 'live', plannedFor: string, doneOn: string | null = null) =>
  ({ milestones: [{ code, plannedFor, doneOn }] }) as Pick<StaffDelivery, 'milestones'>;

it.each<[string, Partial<Dates>, string | null]>([
  ['nothing', {}, null],
  ['a live service', { committedDate: '2026-01-01', liveOn: '2026-03-09' }, null],
  ['the day itself', { committedDate: '2026-03-10' }, null],
  ['a committed date', { committedDate: '2026-03-09' }, 'Committed for 2026-03-09, 1 day late'],
  ['a promised day', { promisedOn: '2026-03-01' }, 'Promised for 2026-03-01, 9 days late'],
  ['a milestone', planned('built', '2026-03-08'), 'Built planned for 2026-03-08, 2 days late'],
  ['a milestone that is done', planned('built', '2026-03-08', '2026-03-09'), null],
  [
    'a plan after the date',
    { committedDate: '2026-03-20', ...planned('live', '2026-03-21') },
    'Committed for 2026-03-20, but Live is planned for 2026-03-21',
  ],
])('says what is late: %s', (_what, dates, expected) => {
  const delivery = { committedDate: null, promisedOn: '2026-03-30', milestones: [], liveOn: null };
  expect(riskInWords({ ...delivery, ...dates }, '2026-03-10', (day) => day)).toBe(expected);
});

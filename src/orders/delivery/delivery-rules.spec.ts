import { describe, expect, it } from '@jest/globals';
import type { DeliveryRecord } from '../record/delivery.entity.js';
import { clocksAt, unusualOrder, waitedInWords } from '../record/milestones.js';
import {
  type DeliveryChange,
  type DeliveryPlan,
  merged,
  planDelivery,
  riskOf,
} from './delivery-rules.js';

const now = new Date('2026-03-10T12:00:00Z');
const today = '2026-03-10';

const fresh: DeliveryRecord = {
  orderId: 'a',
  acceptedOn: '2026-03-02',
  promisedOn: '2026-03-30',
  serviceId: null,
  committedDate: null,
  dateChanges: [],
  milestones: {},
  waitingParty: null,
  waitingWhat: null,
  waitingSince: null,
  waited: null,
  clientDays: null,
  remindedAt: null,
  liveOn: null,
  riskOn: '2026-03-31',
  cancellationAskedAt: null,
  unreportedSince: null,
  reportedAt: null,
};

function after(before: DeliveryRecord, change: DeliveryChange): DeliveryRecord {
  const plan = planDelivery(before, change, now, today);
  if (plan === null) return before;
  if (Array.isArray(plan)) throw new Error(plan[0]!.detail);
  return { ...before, ...plan.columns };
}

const done = (code: 'surveyed' | 'built' | 'live', doneOn: string | null) => ({
  milestones: [{ code, doneOn }],
});
const planned = (code: 'built' | 'tested', plannedFor: string) => ({
  milestones: [{ code, plannedFor }],
});

describe('the clocks of a delivery', () => {
  const client = { party: 'client', what: 'Access' } as const;
  const operator = { party: 'operator', what: 'Read the answer.' } as const;
  /** Since Monday of the week before. */
  const waiting = {
    ...after(fresh, { waitingFor: client }),
    waitingSince: new Date('2026-03-02T09:00:00Z'),
    remindedAt: new Date('2026-03-09T09:00:00Z'),
  };

  it('run for the party that is waited for, and stop when it changes', () => {
    expect(clocksAt(waiting, now).waited).toEqual({ client: 6, operator: 0, thirdParty: 0 });
    const handed = after(waiting, { waitingFor: operator });
    expect([handed.waited, handed.clientDays, handed.remindedAt]).toEqual([
      { client: 6, operator: 0, thirdParty: 0 },
      8,
      null,
    ]);
    const later = new Date('2026-03-12T12:00:00Z');
    expect(clocksAt(handed, later)).toEqual({
      waited: { client: 6, operator: 2, thirdParty: 0 },
      clientDays: 8,
    });
    const back = { ...handed, waitingSince: new Date('2026-03-06T12:00:00Z') };
    expect(after(back, { waitingFor: client }).waited).toEqual({
      client: 6,
      operator: 2,
      thirdParty: 0,
    });
  });

  it('go on where another thing changes', () => {
    const surveyed = after(waiting, done('surveyed', today));
    expect([surveyed.waited, surveyed.waitingSince, surveyed.remindedAt]).toEqual([
      waiting.waited,
      waiting.waitingSince,
      waiting.remindedAt,
    ]);
  });

  it('stop on the day on which the service went live', () => {
    const live = after(waiting, done('live', '2026-03-05'));
    expect([live.waited, live.clientDays]).toEqual([{ client: 4, operator: 0, thirdParty: 0 }, 4]);
    expect(clocksAt(live, now).waited.client).toBe(4);
    const earlier = { ...waiting, waitingSince: new Date('2026-03-09T09:00:00Z') };
    expect(after(earlier, done('live', '2026-03-05')).clientDays).toBe(0);
  });

  it('are written in words', () => {
    const days = { client: 6, operator: 0, thirdParty: 1 };
    expect(waitedInWords(days)).toBe('6 working days for the client, 1 for a third party');
    expect(waitedInWords({ client: 0, operator: 0, thirdParty: 0 })).toBe('');
  });
});

describe('a change of a delivery', () => {
  it('keeps what it does not name', () => {
    const planned = after(fresh, { milestones: [{ code: 'built', plannedFor: '2026-03-20' }] });
    const built = after(planned, done('built', today));
    expect(built.milestones).toEqual({ built: { plannedFor: '2026-03-20', doneOn: today } });
    expect(after(built, done('built', null)).milestones.built?.doneOn).toBeNull();
  });

  it('forgets a milestone without days', () => {
    expect(after(after(fresh, done('built', today)), done('built', null)).milestones).toEqual({});
  });

  it('remembers each committed date', () => {
    const first = after(fresh, { committedDate: '2026-03-27' });
    const second = after(first, { committedDate: '2026-04-03' });
    const at = now.toISOString();
    expect(second.dateChanges).toEqual([
      { from: null, to: '2026-03-27', at },
      { from: '2026-03-27', to: '2026-04-03', at },
    ]);
    // As JSON that leaves nothing out: null is no date.
    const none = { committedDate: null, serviceId: null } as unknown as DeliveryChange;
    expect(planDelivery(second, none, now, today)).toBeNull();
    expect(planDelivery({ ...second, serviceId: 'C1' }, none, now, today)).toBeNull();
  });

  it('keeps the committed dates when something else changes', () => {
    const first = after(fresh, { committedDate: '2026-03-27' });
    for (const change of [{ serviceId: 'C1' }, { serviceId: 'C1', committedDate: '2026-03-27' }]) {
      expect(after(first, change).dateChanges).toEqual(first.dateChanges);
    }
    expect(after(fresh, { serviceId: 'C1' }).dateChanges).toEqual([]);
  });

  it('forgets the first of more than a hundred committed dates', () => {
    const dateChanges = Array.from({ length: 100 }, (_, i) => {
      return { from: `from ${i}`, to: `to ${i}`, at: now.toISOString() };
    });
    const changed = after({ ...fresh, dateChanges }, { committedDate: '2026-03-27' });
    expect(changed.dateChanges).toHaveLength(100);
    expect(changed.dateChanges[0]!.from).toBe('from 1');
  });

  it('can say that the service was live on the day on which the order was accepted', () => {
    expect(after(fresh, done('live', fresh.acceptedOn)).liveOn).toBe(fresh.acceptedOn);
  });

  it('forgets the request to cancel once the service is live', () => {
    const asked = { ...fresh, cancellationAskedAt: now };
    expect(after(asked, done('built', today)).cancellationAskedAt).toEqual(now);
    expect(after(asked, done('live', today)).cancellationAskedAt).toBeNull();
  });

  it('keeps since when the delivery waits for the same', () => {
    const since = new Date('2026-03-03T09:00:00Z');
    const waiting = {
      ...fresh,
      waitingParty: 'client',
      waitingWhat: 'Access',
      waitingSince: since,
    } as const;
    const same = { waitingFor: { party: 'client', what: 'Access' } } as const;
    expect(planDelivery(waiting, same, now, today)).toBeNull();
    expect(after(waiting, { ...same, serviceId: 'CCT-9001' }).waitingSince).toEqual(since);
    const other = { waitingFor: { party: 'client', what: 'A contact' } } as const;
    expect(after(waiting, other).waitingSince).toEqual(now);
  });

  it('ends the wait when the service is live', () => {
    const waiting = after(fresh, { waitingFor: { party: 'client', what: 'Access' } });
    expect(after(waiting, done('live', today))).toMatchObject({
      liveOn: today,
      riskOn: null,
      waitingParty: null,
      waitingSince: null,
    });
  });

  it.each([
    ['a milestone that is done tomorrow', done('surveyed', '2026-03-11'), fresh],
    ['a service that is live before the order was accepted', done('live', '2026-03-01'), fresh],
    ['a survey that was done before the order was accepted', done('surveyed', '2026-03-01'), fresh],
    ['a committed date before the order was accepted', { committedDate: '2026-03-01' }, fresh],
    ['a committed date after two years', { committedDate: '2028-03-11' }, fresh],
    ['a plan before the order was accepted', planned('built', '2026-03-01'), fresh],
    ['a plan after two years', planned('built', '2028-03-11'), fresh],
    [
      'a service that is live before something else was done',
      {
        milestones: [...done('built', today).milestones, ...done('live', '2026-03-09').milestones],
      },
      fresh,
    ],
    [
      'work that was done after the service was live',
      done('built', today),
      after(fresh, done('live', '2026-03-09')),
    ],
    [
      'a wait for a service that is live',
      { waitingFor: { party: 'client', what: 'Access' } } as const,
      after(fresh, done('live', today)),
    ],
  ])('refuses %s', (_what, change, before) => {
    expect(planDelivery(before, change, now, today)).toEqual([
      expect.objectContaining({ detail: expect.any(String) }),
    ]);
  });

  it('refuses everything that is wrong at once', () => {
    const change = {
      milestones: [
        { code: 'surveyed', doneOn: '2026-03-11' },
        { code: 'live', doneOn: today },
      ],
      waitingFor: { party: 'client', what: 'Access' },
      committedDate: '2026-03-01',
    } as const;
    const faults = planDelivery(fresh, change as unknown as DeliveryChange, now, today);
    expect(faults).toMatchObject([
      { field: 'milestones', code: 'surveyed', day: 'doneOn' },
      { field: 'waitingFor' },
      { field: 'committedDate' },
    ]);
  });

  it('is nothing where all is so already, even with a note', () => {
    const change = { ...done('built', today), serviceId: 'C1', committedDate: '2026-03-27' };
    const changed = after(fresh, change);
    expect(planDelivery(changed, { ...change, note: 'Again' }, now, today)).toBeNull();
  });

  it('merged with later ones says what the last one of each says', () => {
    const all = merged([
      { milestones: [{ code: 'built', plannedFor: '2026-03-20' }], committedDate: '2026-03-27' },
      { ...done('built', today), waitingFor: null },
      { committedDate: '2026-04-03' },
    ]);
    expect(all).toEqual({
      milestones: [{ code: 'built', plannedFor: '2026-03-20', doneOn: today }],
      committedDate: '2026-04-03',
      waitingFor: null,
    });
  });
});

describe('the date of a delivery', () => {
  const risk = (change: DeliveryChange) => riskOf(after(fresh, change));
  it.each([
    ['after the promised day', {}, '2026-03-31'],
    ['after the committed date', { committedDate: '2026-03-27' }, '2026-03-28'],
    [
      'after the day of a planned milestone',
      { milestones: [{ code: 'built', plannedFor: '2026-03-20' }] },
      '2026-03-21',
    ],
    [
      'at once where a milestone is planned for later',
      { milestones: [{ code: 'built', plannedFor: '2026-04-20' }] },
      '0001-01-01',
    ],
    [
      'after that day where a milestone is planned for it',
      { milestones: [{ code: 'live', plannedFor: '2026-03-30' }] },
      '2026-03-31',
    ],
    [
      'as before once a planned milestone is done',
      { milestones: [{ code: 'built', plannedFor: '2026-03-09', doneOn: '2026-03-09' }] },
      '2026-03-31',
    ],
    ['never once it is live', done('live', today), null],
  ] as readonly [string, DeliveryChange, string | null][])(
    'is at risk %s',
    (_when, change, expected) => {
      expect(risk(change)).toBe(expected);
    },
  );
});

describe('what the audit trail says of a change', () => {
  const known: DeliveryRecord = {
    ...fresh,
    committedDate: '2026-03-27',
    serviceId: 'C1',
    waitingParty: 'thirdParty',
    waitingWhat: 'Wayleave',
    waitingSince: now,
    milestones: { built: { plannedFor: '2026-03-20', doneOn: null } },
  };
  it.each<[DeliveryRecord, DeliveryChange, Readonly<Record<string, string>>]>([
    [fresh, done('surveyed', today), { milestones: 'Surveyed: 10 March 2026' }],
    [
      known,
      { milestones: [{ code: 'built', plannedFor: null, doneOn: '2026-03-09' }] },
      { milestones: 'Built: 9 March 2026; Built: planned for no day' },
    ],
    [
      fresh,
      {
        milestones: [
          { code: 'tested', plannedFor: '2026-03-21' },
          { code: 'built', plannedFor: '2026-03-20' },
        ],
      },
      { milestones: 'Built: planned for 20 March 2026; Tested: planned for 21 March 2026' },
    ],
    [after(fresh, done('built', today)), done('built', null), { milestones: 'Built: not done' }],
    [fresh, { committedDate: '2026-03-27' }, { committedDate: '27 March 2026' }],
    [
      known,
      { committedDate: '2026-04-03' },
      { committedDate: '3 April 2026, before 27 March 2026' },
    ],
    [
      fresh,
      { waitingFor: { party: 'client', what: 'Access' } },
      { waitingFor: 'the client (Access)' },
    ],
    [
      known,
      { waitingFor: { party: 'thirdParty', what: 'A permit' } },
      { waitingFor: 'a third party (A permit)' },
    ],
    [
      known,
      { waitingFor: { party: 'operator', what: 'Wayleave' } },
      { waitingFor: 'us (Wayleave)' },
    ],
    [known, { waitingFor: null }, { waitingFor: 'no one' }],
    [fresh, { serviceId: 'C2', note: 'Agreed.' }, { serviceId: 'C2', note: 'Agreed.' }],
  ])('is what is different: %#', (before, change, details) => {
    expect(planDelivery(before, change, now, today)).toMatchObject({ details });
    expect(Object.keys((planDelivery(before, change, now, today) as DeliveryPlan).details)).toEqual(
      Object.keys(details),
    );
  });
});

it.each([
  [done('surveyed', '2026-03-11'), 'milestones', 'surveyed', 'for a later day, plan it.'],
  [done('live', '2026-03-01'), 'milestones', 'live', 'accepted on 2 March 2026'],
  [planned('built', '2026-03-01'), 'milestones', 'built', 'accepted on 2 March 2026', 'plannedFor'],
  [{ committedDate: '2028-03-11' }, 'committedDate', undefined, 'in the next two years'],
  [
    { ...done('live', today), waitingFor: { party: 'client', what: 'Access' } } as const,
    ...['waitingFor', undefined, 'set Waiting for to no one'],
  ],
] as const)('a refusal names the field and the milestone: %#', (...expected) => {
  const [change, field, code, words, day = 'doneOn'] = expected;
  const place = code ? { field, code, day } : { field };
  expect(planDelivery(fresh, change as DeliveryChange, now, today)).toEqual([
    { ...place, detail: expect.stringContaining(words) },
  ]);
});

it('days that were stored before these rules may stay', () => {
  const early = {
    ...fresh,
    committedDate: '2020-01-01',
    milestones: {
      live: { plannedFor: '2020-01-01', doneOn: '2026-03-01' },
      built: { plannedFor: null, doneOn: '2026-03-04' },
    },
  };
  const change = { serviceId: 'C1', ...planned('tested', '2026-03-20') };
  expect(after(early, change).serviceId).toBe('C1');
});

it.each([
  ['the day of the acceptance', fresh.acceptedOn],
  ['two years from today', '2028-03-10'],
])('%s can be planned and committed', (_which, day) => {
  const both = { ...planned('built', day), committedDate: day };
  expect(after(fresh, both)).toMatchObject({
    committedDate: day,
    milestones: { built: { plannedFor: day } },
  });
});

describe('milestones in an unusual order', () => {
  const days = (doneOn: string | null, plannedFor: string | null = null) => ({
    plannedFor,
    doneOn,
  });
  it.each<[string, DeliveryRecord['milestones'], string[]]>([
    [
      'are none where each follows the one before',
      { built: days(today), tested: days(null, '2026-03-20') },
      [],
    ],
    ['are none on one day', { built: days(today), tested: days(today) }, []],
    [
      'are done before one that comes first',
      { built: days('2026-03-09'), tested: days('2026-03-04') },
      ['Tested (4 March 2026) is before Built (9 March 2026), which usually comes first.'],
    ],
    [
      'are planned before one that comes first, and each is named',
      {
        built: days(null, '2026-04-09'),
        installed: days(null, '2026-04-01'),
        live: days(null, '2026-04-02'),
      },
      [
        'Installed (1 April 2026) is before Built (9 April 2026), which usually comes first.',
        'Live (2 April 2026) is before Built (9 April 2026), which usually comes first.',
      ],
    ],
  ])('%s', (_what, milestones, expected) => {
    expect(unusualOrder(milestones)).toEqual(expected);
  });
});

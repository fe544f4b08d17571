/** What a change of a delivery does: pure functions. Days are those of London, such as `2026-12-04`. */
import { dayInWords } from '../../catalogue/content/dates.js';
import { addDays } from '../../platform/kernel/time.js';
import { startOfLondonDay } from '../../platform/kernel/working-hours.js';
import type { DeliveryRecord } from '../record/delivery.entity.js';
import {
  clocksAt,
  type MilestoneCode,
  milestoneCodes,
  type MilestoneDays,
  milestoneNames,
  type MilestoneRecord,
  waitingPartyNames,
} from '../record/milestones.js';
import type { DeliveryChangeBody, MilestoneChangeBody } from './staff-delivery.dto.js';

/** A change of a delivery. What is not named stays as it is; a note alone changes nothing. */
export type DeliveryChange = Omit<DeliveryChangeBody, 'version'>;

/** The columns that a change sets, and what the audit trail says of it. */
export interface DeliveryPlan {
  readonly columns: Omit<
    DeliveryRecord,
    'orderId' | 'acceptedOn' | 'promisedOn' | 'unreportedSince' | 'reportedAt'
  >;
  readonly details: Readonly<Record<string, string>>;
}

export interface DeliveryRefusal {
  /** A property of the change, or `milestones`. */
  readonly field: 'milestones' | 'committedDate' | 'waitingFor' | 'serviceId';
  readonly code?: MilestoneCode;
  /** Of a milestone: which of its days. */
  readonly day?: keyof MilestoneDays;
  readonly detail: string;
}

/** The changes of a committed date that are kept. */
const MOST_DATES = 100;

/** Several changes of one delivery as one: later ones take precedence. */
export function merged(changes: readonly DeliveryChange[]): DeliveryChange {
  const milestones = new Map<MilestoneCode, MilestoneChangeBody>();
  for (const change of changes.flatMap(({ milestones }) => milestones ?? [])) {
    milestones.set(change.code, { ...milestones.get(change.code), ...change });
  }
  return Object.assign({}, ...changes, { milestones: [...milestones.values()] }) as DeliveryChange;
}

/** What the change does, or all that is wrong with it; null if everything is so already. */
export function planDelivery(
  before: DeliveryRecord,
  change: DeliveryChange,
  now: Date,
  today: string,
): DeliveryPlan | DeliveryRefusal[] | null {
  const faults: DeliveryRefusal[] = [];
  const milestones: Partial<Record<MilestoneCode, MilestoneRecord[MilestoneCode]>> = {
    ...before.milestones,
  };
  for (const { code, plannedFor, doneOn } of change.milestones ?? []) {
    const known = milestones[code] ?? { plannedFor: null, doneOn: null };
    const days = {
      plannedFor: plannedFor === undefined ? known.plannedFor : plannedFor,
      doneOn: doneOn === undefined ? known.doneOn : doneOn,
    };
    for (const [day, faultOf] of dayFaults) {
      const detail = days[day] === known[day] ? null : faultOf(days[day], before, today);
      if (detail !== null) faults.push({ field: 'milestones', code, day, detail });
    }
    if (days.plannedFor === null && days.doneOn === null) delete milestones[code];
    else milestones[code] = days;
  }
  const early = liveTooEarly(before, milestones);
  if (early !== null && faults.length === 0) faults.push(early);
  const liveOn = milestones.live?.doneOn ?? null;
  const waits = clocked(
    before,
    liveOn,
    liveOn === null ? waitOf(before, change, now) : nothingAwaited,
    now,
  );
  if (liveOn !== null && change.waitingFor) {
    faults.push({
      field: 'waitingFor',
      detail: 'The service is live: set Waiting for to no one.',
    });
  }
  const committedDate = change.committedDate ?? before.committedDate;
  const dateFault =
    committedDate === before.committedDate ? null : plannedFault(committedDate, before, today);
  if (dateFault !== null) faults.push({ field: 'committedDate', detail: dateFault });
  if (faults.length > 0) return faults;
  const serviceId = change.serviceId ?? before.serviceId;
  const dateChanges =
    committedDate === null || committedDate === before.committedDate
      ? before.dateChanges
      : [
          ...before.dateChanges,
          { from: before.committedDate, to: committedDate, at: now.toISOString() },
        ].slice(-MOST_DATES);
  const days = { committedDate, milestones, liveOn };
  const riskOn = riskOf({ ...days, promisedOn: before.promisedOn });
  const cancellationAskedAt = liveOn === null ? before.cancellationAskedAt : null;
  const columns = { ...days, serviceId, dateChanges, ...waits, riskOn, cancellationAskedAt };
  const details = detailsOf(before, columns);
  if (Object.keys(details).length === 0) return null;
  return { columns, details: { ...details, ...(change.note != null && { note: change.note }) } };
}

/** Why a day cannot be as it is; null if it can. */
type DayFault = (
  day: string | null,
  delivery: Pick<DeliveryRecord, 'acceptedOn'>,
  today: string,
) => string | null;

const plannedFault: DayFault = (day, { acceptedOn }, today) => {
  if (day === null) return null;
  if (day < acceptedOn) return beforeAcceptance(acceptedOn);
  return day > inTwoYears(today) ? 'Enter a day in the next two years.' : null;
};

const doneFault: DayFault = (day, { acceptedOn }, today) => {
  if (day === null) return null;
  if (day > today) return 'A milestone is done today or earlier; for a later day, plan it.';
  return day < acceptedOn ? beforeAcceptance(acceptedOn) : null;
};

const dayFaults = [
  ['plannedFor', plannedFault],
  ['doneOn', doneFault],
] as const;

function beforeAcceptance(acceptedOn: string): string {
  return `The order was accepted on ${dayInWords(acceptedOn)}: enter that day or a later one.`;
}

/** Only compared: for 29 February, it may be a day that does not exist. */
function inTwoYears(today: string): string {
  return `${Number(today.slice(0, 4)) + 2}${today.slice(4)}`;
}

/** A service is live after all that was done for it. What was stored otherwise before may stay. */
function liveTooEarly(before: DeliveryRecord, milestones: MilestoneRecord): DeliveryRefusal | null {
  const liveOn = milestones.live?.doneOn ?? null;
  if (liveOn === null) return null;
  const isChanged = (code: MilestoneCode) =>
    milestones[code]?.doneOn !== before.milestones[code]?.doneOn;
  const later = milestoneCodes.find(
    (code) => (milestones[code]?.doneOn ?? '') > liveOn && (isChanged(code) || isChanged('live')),
  );
  if (later === undefined) return null;
  const code = isChanged('live') ? 'live' : later;
  const days = `${milestoneNames[later]} was done on ${dayInWords(milestones[later]!.doneOn!)}, after Live on ${dayInWords(liveOn)}`;
  return { field: 'milestones', code, day: 'doneOn', detail: `${days}. Correct one of the days.` };
}

const nothingAwaited = { waitingParty: null, waitingWhat: null, waitingSince: null };

function waitOf(
  { waitingParty, waitingWhat, waitingSince }: DeliveryRecord,
  { waitingFor }: DeliveryChange,
  now: Date,
) {
  const before = { waitingParty, waitingWhat, waitingSince };
  if (waitingFor === undefined) return before;
  if (waitingFor === null) return nothingAwaited;
  const { party, what } = waitingFor;
  if (party === waitingParty && what === waitingWhat) return before;
  return { waitingParty: party, waitingWhat: what, waitingSince: now };
}

/** A wait that ends is added to what was waited before; one for a live service ends with the day on which it went live. */
function clocked(
  before: DeliveryRecord,
  liveOn: string | null,
  waits: ReturnType<typeof waitOf>,
  now: Date,
) {
  const { waitingSince, waited, clientDays, remindedAt } = before;
  if (waits.waitingSince === waitingSince) return { ...waits, waited, clientDays, remindedAt };
  const live = liveOn === null ? now : startOfLondonDay(addDays(liveOn, 1));
  return { ...waits, ...clocksAt(before, live < now ? live : now), remindedAt: null };
}

type DeliveryDays = Pick<DeliveryRecord, 'committedDate' | 'promisedOn' | 'milestones' | 'liveOn'>;

/** Sorts before every day. */
const AT_ONCE = '0001-01-01';

/**
 * The first day on which the committed date, or before there is one the promised day, is at risk: when it has
 * passed, when a planned milestone is overdue, or at once if one is planned for later. Null once it is live.
 */
export function riskOf({ committedDate, promisedOn, milestones, liveOn }: DeliveryDays) {
  if (liveOn !== null) return null;
  const date = committedDate ?? promisedOn;
  const planned = milestoneCodes.flatMap((code) => {
    const { plannedFor, doneOn } = milestones[code] ?? { plannedFor: null, doneOn: null };
    return plannedFor === null || doneOn !== null ? [] : plannedFor;
  });
  if (planned.some((day) => day > date)) return AT_ONCE;
  return addDays([date, ...planned].sort()[0]!, 1);
}

/** What has changed, in words for the audit trail. */
function detailsOf(
  before: DeliveryRecord,
  after: DeliveryPlan['columns'],
): Readonly<Record<string, string>> {
  const milestones = milestoneCodes.flatMap((code) => {
    const none = { plannedFor: null, doneOn: null };
    const [old, next] = [before.milestones[code] ?? none, after.milestones[code] ?? none];
    const name = milestoneNames[code];
    return [
      ...(old.doneOn === next.doneOn
        ? []
        : [`${name}: ${next.doneOn === null ? 'not done' : dayInWords(next.doneOn)}`]),
      ...(old.plannedFor === next.plannedFor
        ? []
        : [
            `${name}: planned ${next.plannedFor === null ? 'for no day' : `for ${dayInWords(next.plannedFor)}`}`,
          ]),
    ];
  });
  const isOther = <K extends keyof DeliveryPlan['columns']>(key: K) => before[key] !== after[key];
  const { waitingParty, waitingWhat } = after;
  const awaited =
    waitingParty === null ? 'no one' : `${waitingPartyNames[waitingParty]} (${waitingWhat})`;
  return {
    ...(milestones.length > 0 && { milestones: milestones.join('; ') }),
    ...(isOther('committedDate') && {
      committedDate:
        before.committedDate === null
          ? dayInWords(after.committedDate!)
          : `${dayInWords(after.committedDate!)}, before ${dayInWords(before.committedDate)}`,
    }),
    ...((isOther('waitingParty') || isOther('waitingWhat')) && { waitingFor: awaited }),
    ...(isOther('serviceId') && { serviceId: after.serviceId! }),
  };
}

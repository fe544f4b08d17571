/** What a change of a delivery does: pure functions. Days are those of London, such as `2026-12-04`. */
import { dayInWords } from '../../catalogue/content/dates.js';
import { addDays } from '../../platform/kernel/time.js';
import type { DeliveryRecord } from '../record/delivery.entity.js';
import {
  type MilestoneCode,
  milestoneCodes,
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
  readonly detail: string;
}

/** The changes of a committed date that are kept. */
const MOST_DATES = 100;

/** Several changes of one delivery as one: later ones take precedence. */
export function merged(changes: readonly DeliveryChange[]): DeliveryChange {
  const milestones = new Map<MilestoneCode, MilestoneChangeBody>();
  for (const change of changes.flatMap((one) => one.milestones ?? [])) {
    milestones.set(change.code, { ...milestones.get(change.code), ...change });
  }
  return Object.assign({}, ...changes, { milestones: [...milestones.values()] }) as DeliveryChange;
}

/** What the change does; null if everything is so already. */
export function planDelivery(
  before: DeliveryRecord,
  change: DeliveryChange,
  now: Date,
  today: string,
): DeliveryPlan | DeliveryRefusal | null {
  const milestones: Partial<Record<MilestoneCode, MilestoneRecord[MilestoneCode]>> = {
    ...before.milestones,
  };
  for (const { code, plannedFor, doneOn } of change.milestones ?? []) {
    const known = milestones[code] ?? { plannedFor: null, doneOn: null };
    const days = {
      plannedFor: plannedFor === undefined ? known.plannedFor : plannedFor,
      doneOn: doneOn === undefined ? known.doneOn : doneOn,
    };
    const fault = doneFault(days.doneOn === known.doneOn ? null : days.doneOn, code, before, today);
    if (fault !== null) return { field: 'milestones', code, detail: fault };
    if (days.plannedFor === null && days.doneOn === null) delete milestones[code];
    else milestones[code] = days;
  }
  const liveOn = milestones.live?.doneOn ?? null;
  const waits = liveOn === null ? waitOf(before, change, now) : nothingAwaited;
  if (liveOn !== null && change.waitingFor) {
    return { field: 'waitingFor', detail: 'A live service waits for no one.' };
  }
  const committedDate = change.committedDate ?? before.committedDate;
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

export function isDeliveryRefusal(plan: DeliveryPlan | DeliveryRefusal): plan is DeliveryRefusal {
  return 'field' in plan;
}

function doneFault(
  doneOn: string | null,
  code: MilestoneCode,
  { acceptedOn }: DeliveryRecord,
  today: string,
): string | null {
  if (doneOn === null) return null;
  if (doneOn > today) return 'A milestone is done today or earlier; for a later day, plan it.';
  return code === 'live' && doneOn < acceptedOn
    ? `The order was accepted on ${acceptedOn}: it cannot be live before.`
    : null;
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

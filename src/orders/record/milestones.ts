import type { CancellationPhase } from '../../catalogue/content/cancellation.js';
import { dayInWords } from '../../catalogue/content/dates.js';
import { workingDaysBetween } from '../../platform/kernel/bank-holidays.js';
import { counted } from '../../platform/kernel/counts.js';
import { DAY } from '../../platform/kernel/time.js';
import { londonDay } from '../../platform/kernel/working-hours.js';

/** The milestones of a delivery and the parties that it waits for: their codes and names. */

/** In the order in which they usually happen; not every delivery has all of them. */
export const milestoneNames = {
  surveyed: 'Surveyed',
  wayleave: 'Wayleave granted',
  built: 'Built',
  appointment: 'Appointment booked',
  installed: 'Installed',
  tested: 'Tested',
  live: 'Live',
} as const;
export type MilestoneCode = keyof typeof milestoneNames;
export const milestoneCodes = Object.keys(milestoneNames) as MilestoneCode[];

/** `of an accepted order`, `after “Built”`. */
export function phaseInWords(phase: CancellationPhase): string {
  return phase === 'accepted' ? 'of an accepted order' : `after “${milestoneNames[phase]}”`;
}

/** For the database and the API, in this order. */
export const waitingPartyNames = {
  client: 'the client',
  operator: 'us',
  thirdParty: 'a third party',
} as const;
export type WaitingParty = keyof typeof waitingPartyNames;
/** Working days in London. */
export type WaitedDays = Readonly<Record<WaitingParty, number>>;
export const waitingParties = Object.keys(waitingPartyNames) as WaitingParty[];

/** Days in London, such as `2026-12-04`. */
export interface MilestoneDays {
  readonly plannedFor: string | null;
  readonly doneOn: string | null;
}

export type MilestoneRecord = Readonly<Partial<Record<MilestoneCode, MilestoneDays>>>;

/** `6 working days for the client, 2 for us`; empty before the first. */
export function waitedInWords(waited: WaitedDays): string {
  const some = waitingParties.filter((party) => waited[party] > 0);
  return some
    .map((party, i) => {
      const days = i === 0 ? counted(waited[party], 'working day') : String(waited[party]);
      return `${days} for ${waitingPartyNames[party]}`;
    })
    .join(', ');
}

/** Whom a delivery waits for, and how long it has waited. */
export interface DeliveryClock {
  readonly waitingParty: WaitingParty | null;
  readonly waitingSince: Date | null;
  readonly waited: WaitedDays | null;
  readonly clientDays: number | null;
}

/** The clocks at an instant: what is waited for counts until then. */
export function clocksAt(
  { waitingParty, waitingSince, waited, clientDays }: DeliveryClock,
  until: Date,
): { readonly waited: WaitedDays; readonly clientDays: number } {
  const before = { client: 0, operator: 0, thirdParty: 0, ...waited };
  if (waitingParty === null || waitingSince === null || !(until > waitingSince)) {
    return { waited: before, clientDays: clientDays ?? 0 };
  }
  const days = workingDaysBetween(waitingSince, until);
  const calendar = Date.parse(londonDay(until)) - Date.parse(londonDay(waitingSince));
  return {
    waited: { ...before, [waitingParty]: before[waitingParty] + days },
    clientDays: (clientDays ?? 0) + (waitingParty === 'client' ? calendar / DAY : 0),
  };
}

/** A change of the committed date. The first one has no day before it. */
export interface DateChangeRecord {
  readonly from: string | null;
  readonly to: string;
  /** When it was made, UTC: an ISO text. */
  readonly at: string;
}

/** What is unusual about the days of milestones, in words: one is done or planned before one that usually precedes it. */
export function unusualOrder(milestones: MilestoneRecord): string[] {
  let last: { readonly code: MilestoneCode; readonly day: string } | null = null;
  const faults: string[] = [];
  for (const code of milestoneCodes) {
    const { plannedFor = null, doneOn = null } = milestones[code] ?? {};
    const day = doneOn ?? plannedFor;
    if (day === null) continue;
    if (last === null || day >= last.day) last = { code, day };
    else {
      const [early, late] = [milestoneNames[code], milestoneNames[last.code]];
      faults.push(
        `${early} (${dayInWords(day)}) is before ${late} (${dayInWords(last.day)}), which usually comes first.`,
      );
    }
  }
  return faults;
}

import { dayInWords } from '../../catalogue/content/dates.js';

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

/** For the database and the API, in this order. */
export const waitingPartyNames = {
  client: 'the client',
  operator: 'us',
  thirdParty: 'a third party',
} as const;
export type WaitingParty = keyof typeof waitingPartyNames;
export type WaitedTimes = Readonly<Partial<Record<WaitingParty, number>>>;
export const waitingParties = Object.keys(waitingPartyNames) as WaitingParty[];

/** Days in London, such as `2026-12-04`. */
export interface MilestoneDays {
  readonly plannedFor: string | null;
  readonly doneOn: string | null;
}

export type MilestoneRecord = Readonly<Partial<Record<MilestoneCode, MilestoneDays>>>;

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

/** Why the date of a delivery is at risk, in words: pure. */
import { counted } from '../../platform/kernel/counts.js';
import { DAY } from '../../platform/kernel/time.js';
import type { StaffDelivery } from '../record/delivery.dto.js';
import { milestoneNames } from '../record/milestones.js';

type RiskDates = Pick<StaffDelivery, 'committedDate' | 'promisedOn' | 'milestones' | 'liveOn'>;

/** The day by which the service was to be live: committed, or before there is one, promised. */
export function dateOf({ committedDate, promisedOn }: RiskDates): string {
  return committedDate ?? promisedOn;
}

/**
 * "Committed for Fri 9 Oct, 50 days late"; null where nothing is at risk. The same rule as `riskOf`.
 * @param day prints a day
 */
export function riskInWords(
  delivery: RiskDates,
  today: string,
  day: (day: string) => string,
): string | null {
  if (delivery.liveOn !== null) return null;
  const date = dateOf(delivery);
  const what = delivery.committedDate === null ? 'Promised' : 'Committed';
  if (date < today) return `${what} for ${day(date)}, ${lateBy(date, today)}`;
  const open = delivery.milestones.flatMap(({ code, plannedFor, doneOn }) =>
    plannedFor === null || doneOn !== null ? [] : [{ code, plannedFor }],
  );
  const late = open.find(({ plannedFor }) => plannedFor < today);
  if (late) {
    const { code, plannedFor } = late;
    return `${milestoneNames[code]} planned for ${day(plannedFor)}, ${lateBy(plannedFor, today)}`;
  }
  const after = open.find(({ plannedFor }) => plannedFor > date);
  return after
    ? `${what} for ${day(date)}, but ${milestoneNames[after.code]} is planned for ${day(after.plannedFor)}`
    : null;
}

function lateBy(date: string, today: string): string {
  return `${counted(Math.round((Date.parse(today) - Date.parse(date)) / DAY), 'day')} late`;
}

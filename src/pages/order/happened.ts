import type { TimelineEntry } from '../../follow-up/queue/detail.dto.js';
import { ago, shortTime } from '../shell/times.js';
import { deedWords } from '../shell/words.js';

/**
 * What was done to an order since somebody saw it at `version`: "Sam claimed this 20 s ago." Null
 * where nothing was.
 */
export function whatHappened(
  timeline: readonly TimelineEntry[],
  version: number,
  me: string,
  now: Date,
): string | null {
  const since = timeline.filter(({ details }) => {
    const reached = details.version;
    return typeof reached === 'number' && reached > version;
  });
  const last = since.at(-1);
  if (!last) return null;
  const who = last.actorId === me ? 'You' : last.actorName;
  return `${who} ${deedWords(last)} ${since.length > 1 ? 'last, ' : ''}${when(last.at, now)}.`;
}

function when(at: Date, now: Date): string {
  const seconds = Math.floor((now.getTime() - at.getTime()) / 1_000);
  if (seconds < 60) return `${Math.max(seconds, 0)} s ago`;
  return ago(at, now) ?? shortTime(at, now);
}
